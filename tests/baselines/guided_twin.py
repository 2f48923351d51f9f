"""Tree search by PUCT in plain Python, for games without chance."""

import math

import numpy as np

from stammtisch import TERMINAL


def guided_twin(state, values_of, returns_of, simulations, c, softness):
    """Return the visits of every action at the root.

    Args:
        state: the root.
        values_of: ``position -> values of its legal actions`` for the seat to move.
        returns_of: ``position -> what a simulation makes of it`` for every seat.
        simulations: how many.
        c: exploration, in utility.
        softness: temperature of the shares.
    """
    root = {"visits": 0, "children": None}
    for _ in range(simulations):
        position, node, path = state.clone(), root, []
        while position.player != TERMINAL and (node is root or node["visits"]):
            seat = position.player
            if node["children"] is None:
                node["children"] = _children(position.legal_actions(), np.array(values_of(position)), softness)
            attention = c * math.sqrt(node["visits"] + 1)
            bounds = {
                action: (child["total"] + child["value"] + attention * child["share"]) / (child["visits"] + 1)
                for action, child in node["children"].items()
            }
            action = max(bounds, key=lambda a: bounds[a])
            node = node["children"][action]
            path.append((seat, node))
            position.apply(action)
        returns = position.returns() if position.player == TERMINAL else returns_of(position)
        root["visits"] += 1
        for seat, visited in path:
            visited["visits"] += 1
            visited["total"] += returns[seat]
    return {action: child["visits"] for action, child in root["children"].items()}


def _children(actions, values, softness):
    shares = np.exp((values - values.max()) / softness)
    return {
        action: {"visits": 0, "children": None, "total": 0.0, "value": value, "share": share}
        for action, value, share in zip(actions, values, shares / shares.sum(), strict=True)
    }

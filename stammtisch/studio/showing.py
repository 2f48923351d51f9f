"""What a page is shown of a position: the picture that a seat may see, its legal actions, and what was said so far.

Nothing hidden leaves this module: pictures are drawn from what the seat knows, actions that were secret are not named,
and deals are only called deals.
"""

from collections.abc import Sequence
from typing import Any

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

NOBODY = -1  # looks, and sees what everybody knows
EVERYBODY = -2  # sees all: where no person plays, or the game is over
_PUBLIC_ENDINGS = (TERMINAL,)


def seen(state: State, viewer: int) -> State:
    """Return the position as a viewer may see it."""
    game = state.game
    if not game.info.hidden or viewer == EVERYBODY:
        return state
    if viewer == NOBODY:  # what is hidden from one seat and from its neighbour is hidden from all
        return state.seen_by(0).seen_by(1)
    return state.seen_by(viewer)


def picture(state: State, viewer: int, ways: dict[int, tuple[str, ...]]) -> str:
    """Return the live picture of a position for a viewer."""
    near = viewer if viewer >= 0 else None
    return state.game.picture(seen(state, viewer), near).to_svg(ways)


def ways_of(state: State) -> dict[int, tuple[str, ...]]:
    """Return the spots of all legal actions."""
    return {action: state.game.way(state, action) for action in state.legal_actions()}


def shown(state: State, viewer: int, may_act: bool) -> dict[str, Any]:
    """Return picture, legal actions with their spots, and who is to move."""
    own_turn = may_act and state.player >= 0 and viewer in (state.player, EVERYBODY)
    ways = ways_of(state) if own_turn else {}
    return {
        "svg": picture(state, viewer, ways),
        "player": state.player,
        "legal": [{"action": a, "text": state.action_text(a), "way": list(way)} for a, way in ways.items()],
    }


def is_secret(before: State, action: int, viewer: int) -> bool:
    """Whether a viewer could not tell an action of somebody else from another one by what it sees afterwards."""
    if not before.game.info.hidden or viewer == EVERYBODY or before.player == viewer or before.player == CHANCE:
        return False
    after = seen(before.child(action), viewer)
    for other in before.legal_actions():
        if other != action:
            return seen(before.child(other), viewer) == after
    return False


def said(before: State, event: int) -> str:
    """Say an event as people do."""
    if before.player == CHANCE and before.game.info.chance == "sampled":
        return "deal"
    return before.action_text(event)


class MoveList:
    """The events of a game in words, worked out once each."""

    def __init__(self) -> None:
        self._entries: dict[int, list[dict[str, Any]]] = {}
        self._events: list[int] = []

    def entries(self, states: Sequence[State], events: Sequence[int], viewer: int) -> list[dict[str, Any]]:
        """Return seat and text of every event for a viewer."""
        same = 0
        for mine, given in zip(self._events, events, strict=False):
            if mine != given:
                break
            same += 1
        if same < len(self._events):
            for entries in self._entries.values():
                del entries[same:]
        self._events = list(events)
        found = self._entries.setdefault(viewer, [])
        for place in range(len(found), len(events)):
            before = states[place]
            text = "…" if is_secret(before, events[place], viewer) else said(before, events[place])
            found.append({"seat": before.player, "text": text})
        return list(found)


def chance_of(before: State, event: int) -> dict[str, Any] | None:
    """Return a throw of dice that can be shown: its number and how many sides there are."""
    if before.player != CHANCE or before.game.info.chance != "explicit":
        return None
    return {"text": before.action_text(event), "value": event + 1, "sides": len(before.legal_actions())}


def facts(game: Game) -> dict[str, Any]:
    """Return what a page wants to know of a game."""
    info = game.info
    return {
        "id": game.id,
        "family": game.FAMILY or game.id,
        "players": info.num_players,
        "teams": list(info.teams),
        "chance": info.chance,
        "hidden": info.hidden,
        "range": list(info.utility_range),
        "about": game.manual().partition("\n")[0],
        "options": {name: option.to_json() for name, option in game.OPTIONS.items()},
    }

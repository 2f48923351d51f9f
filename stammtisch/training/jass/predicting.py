"""One situation, and how likely a network thinks each card or mode."""

import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.jass.encodings import N_CARDS, N_CHOICES, SIGHT_INPUTS
from stammtisch.baselines.learned.jass.looking import Looker
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.envs import load_game
from stammtisch.envs.jass.family.game import SPOKEN
from stammtisch.envs.jass.family.names import CARDS, MODES, card_id, legal_cards
from stammtisch.plots import figure

POINTS_PER_VALUE = 10.0  # networks on sights say values in tens of points


def predict(
    file: str | os.PathLike[str],
    hand: str,
    table: str = "",
    played: str = "",
    mode: str | None = None,
    passed: bool = False,
) -> dict[str, Any]:
    """Return probabilities of cards, or without a mode of modes, as plain values.

    Args:
        file: the networks.
        hand: cards held.
        table: cards on the table, in playing order.
        played: cards of finished tricks, four by four in playing order.
        mode: what is played, None when it is to be chosen.
        passed: the choice was passed on.

    Raises:
        ValueError: there can be no such situation.
    """
    networks = JassNetworks.load(file)
    held, lying, gone = (_cards(text) for text in (hand, table, played))
    every = held + lying + gone
    if len(set(every)) != len(every):
        twice = next(card for card in every if every.count(card) > 1)
        raise ValueError(f"{CARDS[twice]} is there twice")
    if not held:
        raise ValueError('give the cards held: --hand "H6 H8 HJ D9"')
    if mode is None:
        return _modes(networks, held, lying + gone, passed)
    if len(gone) % 4 or len(lying) > 3 or len(held) != 9 - len(gone) // 4:
        raise ValueError(
            f"with {len(gone) // 4} finished tricks and {len(lying)} cards on the table a player holds "
            f"{9 - len(gone) // 4} cards, not {len(held)}; finished tricks have four cards, the table at most three"
        )
    return _card(networks, held, lying, gone, _mode(mode), passed)


def _card(
    networks: JassNetworks, held: list[int], lying: list[int], gone: list[int], mode: int, passed: bool
) -> dict[str, Any]:
    schieber: Any = load_game("jass-schieber", legal_rule="jass-kit")
    look = Looker(schieber, networks)
    rules = schieber.rules
    step = schieber.stepping
    # The player asked is seat 0; who was forehand follows from the tricks, so that it is seat 0's turn now.
    row = np.zeros(rules.STATE_LEN, np.int64)
    for forehand in range(4):
        row[:] = 0
        row[rules.FOREHAND], row[rules.PUSHED], row[rules.MODE], row[rules.TURN] = forehand, passed, mode, forehand
        for card in [*gone, *lying]:
            row[rules.HAND + row[rules.TURN]] |= np.int64(1) << np.int64(card)
            step.play(row, card)
        if row[rules.TURN] == 0:
            break
    row[rules.HAND] = sum(1 << card for card in held)
    scores = look.cards(row, 0)[None]
    legal = np.zeros((1, N_CARDS), np.int8)
    legal[0, legal_cards(held, lying, mode)] = 1
    everything = look.card.shares(scores, np.ones((1, N_CARDS)))[0]
    among = look.card.shares(scores, legal)[0]
    rows: list[dict[str, Any]] = [
        {
            "name": CARDS[card],
            "probability": float(everything[card]),
            "legal_probability": float(among[card]) if legal[0, card] else None,
            **_points(look.card, scores[0], card, legal[0]),
        }
        for card in held
    ]
    rows.sort(key=_likeliest)
    other = float(everything.sum() - everything[held].sum())
    return {
        "kind": "card",
        "rows": rows,
        "elsewhere": other,
        "about": MODES[mode] + _elsewhere(look.card, other),
    }


def _modes(networks: JassNetworks, held: list[int], others: list[int], passed: bool) -> dict[str, Any]:
    schieber: Any = load_game("jass-schieber")
    look = Looker(schieber, networks)
    network = look.trump
    if network is None:
        raise ValueError("this file has no network for the mode; give --mode to ask about a card")
    if len(held) != 9 or others:
        raise ValueError(f"the mode is chosen with nine cards in the hand and none played, not with {len(held)}")
    row = np.zeros(schieber.rules.STATE_LEN, np.int64)
    row[schieber.rules.HAND], row[schieber.rules.PUSHED] = sum(1 << card for card in held), passed
    scores = look.modes(row, 0)[None]
    outputs = network.layers[-1]
    allowed = np.ones((1, outputs), np.int8)
    if passed:
        allowed[0, N_CHOICES - 1 :] = 0
    everything = network.shares(scores, np.ones((1, outputs)))[0]
    among = network.shares(scores, allowed)[0]
    rows: list[dict[str, Any]] = [
        {
            "name": MODES[choice],
            "probability": float(everything[choice]),
            "legal_probability": float(among[choice]) if allowed[0, choice] else None,
            **_points(networks.trump, scores[0], choice, allowed[0]),
        }
        for choice in range(outputs)
    ]
    rows.sort(key=_likeliest)
    return {"kind": "mode", "rows": rows, "about": "choice of the mode" + (", passed on" if passed else "")}


def _elsewhere(network: DenseNetwork, share: float) -> str:
    """Say how much of the outputs is for cards that are not held; a network of values learned of legal cards only."""
    if network.output == "values" and network.encoding in SIGHT_INPUTS:
        return "; values of legal cards as probabilities"
    return f"; {share:.1%} of all outputs are for cards that are not in the hand"


def _points(
    network: DenseNetwork | None, scores: NDArray[np.float32], choice: int, allowed: NDArray[np.int8]
) -> dict[str, float]:
    """Return how many points less than the best of what is allowed a choice brings, where a network says that."""
    if network is None or network.output != "values" or network.encoding not in SIGHT_INPUTS or not allowed[choice]:
        return {}
    best = float(scores[allowed == 1].max())
    return {"points": POINTS_PER_VALUE * (float(scores[choice]) - best)}


def _likeliest(row: Mapping[str, Any]) -> tuple[float, str]:
    """Order what is allowed by its probability; what is not comes last."""
    share = row["legal_probability"]
    return (1.0 if share is None else -share), row["name"]


def draw_bars(found: Mapping[str, Any], path: pathlib.Path) -> None:
    """Draw probabilities as bars, the likeliest first; what is not allowed is pale."""
    rows = found["rows"]
    with figure(path, "light", 5.4, 0.9 + 0.32 * len(rows)) as (axes, colors):
        names = [row["name"] for row in rows]
        places = range(len(rows))
        shares = [row["legal_probability"] or 0.0 for row in rows]
        axes.barh(places, [row["probability"] for row in rows], 0.75, color=colors["grid"], label="among all outputs")
        axes.barh(places, shares, 0.4, color=colors["bars"], label="among what is allowed")
        for place, share in zip(places, shares, strict=True):
            if share:
                axes.text(share, place, f" {share:.2f}", va="center")
        axes.set_yticks(list(places), names)
        axes.invert_yaxis()
        axes.set_xlim(0, max(0.05, *shares, *(row["probability"] for row in rows)) * 1.15)
        axes.set_xlabel("probability")
        axes.set_title(found["about"], fontsize=10)
        axes.legend(frameon=False, loc="lower right")


def _cards(text: str) -> list[int]:
    return [card_id(name) for name in text.replace(",", " ").split()]


def _mode(text: str) -> int:
    name = SPOKEN.get(" ".join(text.lower().split()), text.lower())
    if name not in MODES[:6]:
        raise ValueError(f'no mode "{text}"; choose one of {", ".join(MODES[:6])}')
    return MODES.index(name)

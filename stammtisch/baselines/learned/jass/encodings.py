"""What networks of Schieber look at: the encodings of positions, where each has the mode, and its frames of suits."""

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.suit_frames import frames_of, turn_rows
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.envs.jass.family.sight import CARD_LEN, OPEN_LEN, TRUMP_LEN
from stammtisch.envs.jass.family.suits import renamings, suit_symmetry
from stammtisch.errors import unknown

N_CARDS, N_CHOICES = 36, 7  # outputs of the networks for cards and for the mode
SCHIEBER = "jass-schieber"
# Encodings of positions to play a card in are the ``observation`` of the game; those for the mode have the hand, and
# the longer one whether the choice was passed on.
CARD_INPUTS = {"jass-42": 42, "jass-150": 150, "jass-186": 186, "jass-1302": 1302, "jass-1302-seats": 1302, "full": 378}
MODE_INPUTS = {"trump-36": 36, "trump-37": 37}
# Sights have no names of colours and so need no frames: of who plays a card, chooses the mode, or sees all hands.
SIGHTS = {"card": "sight", "trump": "sight-trump", "value": "sight-open"}
SIGHT_INPUTS = {"sight": CARD_LEN, "sight-trump": TRUMP_LEN, "sight-open": OPEN_LEN}
_MODE_AT_FULL = 336
_LAYOUT_OPTIONS = ("multipliers", "weis", "stoeck", "slalom")  # they change the inputs of "full"


@dataclass(frozen=True, eq=False)
class Frames:
    """An encoding in each of the 24 frames of suits.

    Attributes:
        mode_at: where the six places of the mode begin, -1 if there are none.
        cells: int64[24, inputs], where each input of a turned position comes from.
        actions: int64[24, outputs], what each output becomes.
    """

    mode_at: int
    cells: NDArray[np.int64]
    actions: NDArray[np.int64]

    def of(self, rows: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the frame of each row, in which trumps are first and other suits go by the hand."""
        frames = np.empty(len(rows), np.int64)
        frames_of(rows, self.mode_at, frames)
        return frames

    def turned(self, rows: NDArray[np.int8], frames: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return rows, each in its frame."""
        out = np.empty((len(rows), self.cells.shape[1]), np.int8)
        turn_rows(rows, frames, self.cells, out)
        return out

    def original(self, scores: NDArray[np.float32], frames: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return outputs [n, outputs] of turned rows by the names that cards and modes had before."""
        return np.take_along_axis(scores, self.actions[frames], axis=1)


def inputs_of(encoding: str) -> int:
    """Return how many inputs an encoding has."""
    known = {**CARD_INPUTS, **MODE_INPUTS, **SIGHT_INPUTS}
    if encoding not in known:
        raise unknown("encoding", encoding, known)
    return known[encoding]


def encoding_of(inputs: int, kind: str = "card") -> str:
    """Return the encoding with so many inputs, for networks that are given by their layers alone."""
    table = {**CARD_INPUTS, SIGHTS["card"]: CARD_LEN} if kind == "card" else MODE_INPUTS
    for encoding, size in table.items():
        if size == inputs:
            return encoding
    raise ValueError(f"no {kind} encoding has {inputs} inputs; there are {', '.join(map(str, table.values()))}")


@functools.cache
def frames(encoding: str) -> Frames:
    """Return the frames of an encoding."""
    if encoding in MODE_INPUTS:
        turns = [suit_symmetry(each, MODE_INPUTS[encoding], [0], [], N_CARDS + N_CHOICES) for each in renamings("aaaa")]
        actions = np.stack([each.action[N_CARDS:] - N_CARDS for each in turns])
        return Frames(-1, np.stack([each.observation for each in turns]), actions)
    inputs = inputs_of(encoding)
    if encoding in SIGHT_INPUTS:
        raise ValueError(f"{encoding} has no names of suits, so there is nothing to rename; leave symmetry off")
    turns = load_game(SCHIEBER, observation=encoding).symmetries
    actions = np.stack([each.action[:N_CARDS] for each in turns])
    mode_at = _MODE_AT_FULL if encoding == "full" else inputs - 6
    return Frames(mode_at, np.stack([each.observation[:inputs] for each in turns]), actions)


def check_game(game: Game, encoding: str) -> None:
    """Refuse a game whose positions these networks cannot see.

    Raises:
        ValueError: it is not Schieber, or a variant in which the encoding means something else.
    """
    if game.HEURISTIC != load_game(SCHIEBER).HEURISTIC:
        raise ValueError(f"networks of this kind play Schieber Jass, not {game.id}")
    changed = [name for name in _LAYOUT_OPTIONS if game.options[name]]
    if encoding in ("full", *SIGHT_INPUTS) and changed:
        raise ValueError(f"a network on full observations does not know {changed[0]}; choose another encoding")


class Encoder:
    """Encodes what a player sees, whatever the observation of the game is.

    Args:
        game: Schieber, single deals or whole games, with any options that the encoding allows.
        encoding: of ``CARD_INPUTS``.
    """

    def __init__(self, game: Game, encoding: str):
        check_game(game, encoding)
        self._twin = load_game(game.id, **{**game.changed_options(), "observation": encoding})
        self._room = np.zeros(self._twin.rules.OBS_LEN, np.int8)
        self._inputs = inputs_of(encoding)

    def __call__(self, row: NDArray[np.int64], player: int) -> NDArray[np.int8]:
        """Return the inputs of a network for a seat, ``int8[inputs]``; the next call overwrites them."""
        self._twin.stepping.fill_observation(row, player, self._room)
        return self._room[: self._inputs]


def mode_inputs(hand: int, is_passed: bool, encoding: str) -> NDArray[np.int8]:
    """Return the inputs of a network for the mode from a set of cards."""
    x = np.zeros(MODE_INPUTS[encoding], np.int8)
    for card in range(N_CARDS):
        x[card] = hand >> card & 1
    x[N_CARDS:] = is_passed
    return x


def weights_in(layers: Any) -> int:
    """Count the weights between layers, without biases.

    Example:
        >>> weights_in([186, 560, 1680, 180, 36])
        1353840
    """
    return sum(a * b for a, b in itertools.pairwise(layers))

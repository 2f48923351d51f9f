"""Whole games as text: the moves one after the other, ``f5d6c3d3c4``, as game archives keep them.

A pass that is forced and followed by another move is usually left out, since the reader can tell that the player could
not place; ``--`` stands for a pass wherever one has to be, or is wanted to be, seen.
"""

import itertools
import re
from collections.abc import Iterable

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.errors import BadText

PASS_MARK = "--"
_MOVE = re.compile(r"[a-z]\d+|--|pass", re.IGNORECASE)


def write_record(game: Game, actions: Iterable[int], passes: bool = False) -> str:
    """Write a game from its start.

    Args:
        game: a Reversi variant.
        actions: all actions in order, passes included.
        passes: True to write every pass; otherwise only those that a reader could not fill in.

    Raises:
        IllegalAction: an action was not legal at its turn.
    """
    state, passing = game.new_state(), own(game.rules).PASS
    texts: list[tuple[str, bool]] = []
    for action in actions:
        forced = state.legal_actions() == [passing]
        state.apply(action)
        texts.append((PASS_MARK if action == passing else state.action_text(action), forced))
    written = []
    for (move, forced), (following, _) in itertools.pairwise([*texts, (PASS_MARK, False)]):
        if passes or not forced or following == PASS_MARK:
            written.append(move)
    return "".join(written)


def read_record(game: Game, text: str) -> list[int]:
    """Return the actions of a recorded game, with the passes that the record leaves out filled in.

    White space between moves is ignored and capitals are accepted; a pass is ``--`` or ``pass``.

    Raises:
        BadText: the record holds something that is no move, or a move that is not legal at its turn.
    """
    strange = _MOVE.sub(" ", text).split()
    if strange:
        raise BadText(
            f'cannot read "{strange[0]}" in a record of {game.id}; write moves such as "d3", "{PASS_MARK}" for a pass'
        )
    state, passing = game.new_state(), own(game.rules).PASS
    actions: list[int] = []
    for number, move in enumerate(_MOVE.findall(text), 1):
        move_text = "pass" if move == PASS_MARK else move
        if move_text.lower() != "pass" and state.legal_actions() == [passing]:
            actions.append(passing)
            state.apply(passing)
        try:
            actions.append(state.parse_action(move_text))
        except BadText as error:
            raise BadText(f"move {number} of the record: {error}") from None
        state.apply(actions[-1])
    return actions

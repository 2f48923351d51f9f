"""A game of a match as a film."""

import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.arena.play import states_of
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE
from stammtisch.video import write_video


def frames_of(plan: MatchPlan, record: GameRecord, seat: int | None = None) -> Iterator[NDArray[np.uint8]]:
    """Yield a picture of every position of a game, beginning with the start.

    Args:
        plan: the match.
        record: one of its games.
        seat: whose eyes it is seen with, where cards are hidden; None shows everything.
    """
    game = load_game(plan.game, **plan.options)
    if seat is not None and not 0 <= seat < game.info.num_players:
        raise ValueError(f"no seat {seat} in {game.id}; give 0..{game.info.num_players - 1}")
    for state, _ in states_of(game, record, plan.seed, len(plan.agents)):
        is_hidden = game.info.hidden and state.player != CHANCE
        yield game.draw(state.seen_by(seat) if is_hidden and seat is not None else state)


def write_film(
    plan: MatchPlan,
    record: GameRecord,
    path: str | os.PathLike[str],
    frames_per_second: float = 2.0,
    seat: int | None = None,
) -> None:
    """Write a game of a match as GIF or MP4, by the suffix of ``path``; ``seat`` as in ``frames_of``."""
    write_video(frames_of(plan, record, seat), path, frames_per_second)

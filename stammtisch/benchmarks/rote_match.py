"""Does rote learning pay? A learned table against an empty one, with the same number of positions per move."""

import os

from stammtisch.benchmarks.match import MatchResult, Progress, play_match
from stammtisch.envs.core.game import Game


def compare_rote(
    game: str | Game,
    table: str | os.PathLike[str],
    games: int = 400,
    nodes: int = 2000,
    opening: int = 4,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> MatchResult:
    """Play ``rote`` with a learned table against ``rote`` without one, in pairs from the same random opening.

    Args:
        game: a game or its id.
        table: file of the learned table.
        games: number of games.
        nodes: positions that either side may look at per move.
        opening: so many first moves of each pair are drawn by lot.
        seed: decides everything.
        workers: processes.
        progress: called with the number of games finished since the last call.
    """
    agents = [f"rote:table={os.fspath(table)},nodes={nodes}", f"rote:nodes={nodes}"]
    return play_match(game, agents, games, seed, workers, progress, opening=opening)

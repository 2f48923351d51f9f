"""Does rote learning pay? A learned table against an empty one, with the same number of positions per move."""

import os
import time

import numpy as np

from stammtisch.baselines import load_agent
from stammtisch.baselines.rote import opening_state
from stammtisch.baselines.rote_table import RoteTable
from stammtisch.benchmarks.match import MatchResult, Progress, count
from stammtisch.benchmarks.plan import GameRecord, MatchPlan, game_streams, seatings
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game

OPENINGS = ("learned", "new")


def compare_rote(
    game: Game,
    table: str | os.PathLike[str],
    games: int = 400,
    nodes: int = 2000,
    openings: str = "learned",
    seed: int = 0,
    progress: Progress | None = None,
) -> MatchResult:
    """Play ``rote`` with a learned table against ``rote`` without one, in pairs from the same opening.

    There are as many openings as the table was learned from games; pairs take them in turn. The interval is taken over
    openings, because games from the same one are alike.

    Args:
        game: the game.
        table: file of the learned table.
        games: number of games.
        nodes: positions that either side may look at per move.
        openings: ``learned`` for those of the training games, ``new`` for others drawn in the same way.
        seed: decides everything that agents and chance draw, and new openings.
        progress: called with the number of games finished since the last call.
    """
    if openings not in OPENINGS:
        raise ValueError(f'openings "{openings}" are not known; choose one of {", ".join(OPENINGS)}')
    facts = RoteTable.load(table, game).facts
    source = facts["seed"] if openings == "learned" else facts["seed"] + 1 + seed
    starts = [opening_state(game, facts["opening"], (source, k))[0] for k in range(facts["games"])]
    specs = (f"rote:table={os.fspath(table)},nodes={nodes}", f"rote:nodes={nodes}")
    agents = [load_agent(spec, game) for spec in specs]
    plans = seatings(game, len(agents))
    streams = game_streams(seed, len(plans), game.info.num_players, range(games))
    begun = time.perf_counter()
    records = []
    for number in range(games):
        seating = plans[number % len(plans)]
        group = number // len(plans) % len(starts)
        state = starts[group].clone()
        rng = np.random.default_rng(int(streams[number, 0]))
        for seat, who in enumerate(seating):
            agents[who].take_stream(streams[number], seat)
        events = []
        moves = 0
        while state.player != TERMINAL:
            if state.player == CHANCE:
                events.append(state.sample_chance(rng))
            else:
                events.append(agents[seating[state.player]].act(state.view(state.player)))
                state.apply(events[-1])
                moves += 1
        records.append(GameRecord(number, group, seating, tuple(state.returns().tolist()), tuple(events), moves))
        if progress is not None:
            progress(1)
    plan = MatchPlan(game.id, specs, games, seed, facts["opening"], game.changed_options())
    return count(plan, records, time.perf_counter() - begun)

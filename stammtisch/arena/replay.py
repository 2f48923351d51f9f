"""Verifying stored games against the rules and their seeds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import GameRecord, MatchPlan, forfeit, game_streams, seatings
from stammtisch.arena.stepping import Stepping
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game


def verify(plan: MatchPlan, records: Sequence[GameRecord]) -> tuple[int, list[str]]:
    """Replay the games of a match; return how many there were and what was wrong."""
    game = load_game(plan.game, **plan.options)
    plans = seatings(game, len(plan.agents))
    numbers = [record.number for record in records]
    streams = game_streams(plan.seed, len(plans), game.info.num_players, numbers)
    faults = []
    for record, stream in zip(records, streams, strict=True):
        fault = fault_in(game, record, stream)
        if (record.group, record.seating) != (record.number // len(plans), plans[record.number % len(plans)]):
            fault = "the seating is not the one of its number"
        if fault:
            faults.append(f"game {record.number}: {fault}")
    return len(records), faults


def fault_in(game: Game, record: GameRecord, streams: NDArray[np.uint64]) -> str:
    """Return where a record departs from the rules or its seed, or "" if it does not."""
    stepping = Stepping(game, streams[:1])
    given_up = next((at for at, event in enumerate(record.events) if event < 0), None)
    at = 0
    while True:
        n = len(stepping.outcomes)
        if given_up in range(at, at + n):  # before the dice or cards were given
            return _fault_in_forfeit(game, record, at, stepping.moves)
        if list(record.events[at : at + n]) != stepping.outcomes:
            return f"chance event {at} is not the one that its seed draws"
        at += n
        if given_up == at:
            return _fault_in_forfeit(game, record, at, stepping.moves)
        if stepping.player == TERMINAL:
            break
        if at >= len(record.events):
            return f"the record ends after {at} events but the game goes on"
        state = stepping.state()
        if not state.is_legal(record.events[at]):
            return f"event {at}: {state._illegal(record.events[at])}"
        stepping.take(record.events[at])
        at += 1
    if at != len(record.events) or stepping.moves != record.moves:
        return f"the game is over after {at} of {len(record.events)} events"
    if tuple(stepping.state().returns().tolist()) != record.returns:
        return "the result is not the one that was stored"
    return ""


def _fault_in_forfeit(game: Game, record: GameRecord, at: int, moves: int) -> str:
    """Return what is wrong with a game that ends with a forfeit at an event, or "" if nothing is."""
    if at != len(record.events) - 1 or moves != record.moves:
        return f"the game was given up after {at} of {len(record.events)} events"
    won = tuple(-1.0 if forfeit(team) == record.events[at] else 1.0 for team in game.info.teams)
    return "" if won == record.returns else "the result is not that of a forfeit"

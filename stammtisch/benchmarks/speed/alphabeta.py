"""Speed of alpha-beta search: positions per second from the start position."""

from collections.abc import Iterator, Sequence

from stammtisch.baselines.search.alphabeta import AlphaBeta
from stammtisch.benchmarks.speed.faces import Speed, first_decision, race
from stammtisch.benchmarks.speed.peers import Task
from stammtisch.envs import load_game

NODES = 50_000  # per search


def alphabeta_speed(games: Sequence[str], seconds: float = 1.0, seed: int = 0) -> Iterator[Speed]:
    """Measure nodes per second, each search beginning with an empty table."""
    for game_id in games:
        yield Speed(game_id, "alphabeta", race({"ours": _task(game_id, seed)}, NODES, seconds)["ours"], {})


def _task(game_id: str, seed: int) -> Task:
    game = load_game(game_id)
    agent = AlphaBeta(game, seed, nodes=NODES)
    state = first_decision(game, seed)
    view = state.view(state.player)

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            agent.reset()
            done += int(agent.search(view).effort["nodes"])
        return done

    return task

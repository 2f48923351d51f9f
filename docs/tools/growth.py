"""Measures what things cost as they grow, and draws the pictures of the speed page.

    python docs/tools/growth.py batch            # games in a batch, 1 to 65,536
    python docs/tools/growth.py simulations      # of one tree search, 10 to 1 million
    python docs/tools/growth.py weights          # of an n-tuple network
    python docs/tools/growth.py tables           # megabytes of a transposition table
    python docs/tools/growth.py workers          # threads and processes of a match
    python docs/tools/growth.py maps             # cells of a map of ReversiXT

Figures go to docs/figures/growth.json, pictures to docs/images. One thread, best of several rounds; processor time, but
wall-clock time for workers.
"""

import argparse
import functools
import json
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any

_ROOT = pathlib.Path(__file__).parents[2]
_FIGURES = _ROOT / "docs" / "figures" / "growth.json"
_FAMILIES = ("einstein-5x5", "reversi-8x8", "muehle", "jass-schieber")
_SECONDS = 0.2  # for each point
_BLOCKS = 4  # of steps, the best one counts
_MATCH = 96  # games
_MAPS = ("bombs", "plain", "torus", "duel", "trefoil", "bazaar", "islands", "arena", "hive", "carousel", "grand")
Point = tuple[str, float, float]  # curve, size, cost


def best_time(task: Callable[[], Any], clock: Callable[[], float] = time.process_time, rounds: int = 3) -> float:
    """Return the seconds of the best round, after one that warms up; more rounds when they are short."""
    task()
    best, spent = float("inf"), 0.0
    while rounds > 0 or spent < _SECONDS:
        begun = clock()
        task()
        now = clock() - begun
        best, spent, rounds = min(best, now), spent + now, rounds - 1
    return best


def batch() -> Iterator[Point]:
    """Step batches with the first legal action; what one game's step costs."""
    import gymnasium as gym
    import numpy as np

    from stammtisch.envs import GAMES

    for game in _FAMILIES:
        for games in (4**k for k in range(9)):
            env = gym.make_vec(GAMES[game].env_id, num_envs=games, opponent="self")
            _, info = env.reset(seed=0)
            best = float("inf")
            for _ in range(_BLOCKS):
                spent, steps = 0.0, 0
                while spent < _SECONDS / _BLOCKS or steps < _BLOCKS:
                    actions = info["action_mask"].view(np.bool_).argmax(axis=1)
                    begun = time.process_time()
                    _, _, _, _, info = env.step(actions)
                    spent, steps = spent + time.process_time() - begun, steps + 1
                best = min(best, spent / steps)
            yield game, games, 1e9 * best / games


def simulations() -> Iterator[Point]:
    """Search the start position from an empty tree; what a simulation costs."""
    import numpy as np

    from stammtisch.baselines import load_agent
    from stammtisch.envs import load_game
    from stammtisch.envs.core.constants import CHANCE

    for name in _FAMILIES[:3]:
        game = load_game(name)
        state = game.new_state(seed=0)
        rng = np.random.default_rng(0)
        while state.player == CHANCE:
            state.sample_chance(rng)
        view = state.view(state.player)
        for count in (10**k for k in range(1, 7)):
            agent = load_agent(f"mcts:iterations={count},depth=0,reuse=0", game, 0)
            seconds = best_time(functools.partial(agent.act, view), rounds=1 if count > 100_000 else 3)
            yield name, count, 1e9 * seconds / count


def weights() -> Iterator[Point]:
    """Value positions of random games with networks of longer and longer tuples; what a value costs."""
    import numpy as np

    from stammtisch.baselines.learned.ntuple.network import Network
    from stammtisch.benchmarks.speed.learned import _values_per_s
    from stammtisch.envs import load_game
    from stammtisch.training.ntuple.settings import read_layout

    for name in ("einstein-5x5", "reversi-8x8"):
        game = load_game(name)
        for length in range(2, 7 if name == "einstein-5x5" else 11):
            network = Network(game, read_layout(game, {"tuples": "random-walk", "count": 12, "length": length}))
            network.net.weights[:] = np.random.default_rng(0).normal(0, 0.05, len(network.net.weights))
            yield name, len(network.net.weights), 1e9 / _values_per_s(network, "PLAIN", 2 * _SECONDS, 0)


def tables() -> Iterator[Point]:
    """Search the start position by alpha-beta with so many nodes; what a node costs."""
    from stammtisch.baselines.search.alphabeta import AlphaBeta
    from stammtisch.envs import load_game

    for name in ("reversi-8x8", "muehle"):
        game = load_game(name)
        view = game.new_state(seed=0).view(0)
        for megabytes in (1, 4, 16, 64, 256):
            agent = AlphaBeta(game, 0, nodes=500_000, table_mb=megabytes)
            best = float("inf")
            for _ in range(3):
                agent.reset()
                begun = time.process_time()
                nodes = agent.search(view).effort["nodes"]
                best = min(best, (time.process_time() - begun) / nodes)
            yield name, megabytes, 1e9 * best


def workers() -> Iterator[Point]:
    """Play a match of tree searches; what a game costs in threads, in new processes and in those that are there."""
    from stammtisch.benchmarks import play_match

    agents = ["mcts:iterations=400", "mcts:iterations=200"]
    play_match("reversi-8x8", agents, games=2)
    for count in (1, 2, 3, 4):
        curves = {"threads": "thread", "processes, first match": "process", "processes, next match": "process"}
        for curve, engine in curves.items():
            begun = time.perf_counter()
            play_match("reversi-8x8", agents, games=_MATCH, seed=1, workers=count, engine_name=engine)
            yield curve, count, 1e9 * (time.perf_counter() - begun) / _MATCH


def maps() -> Iterator[Point]:
    """Play random games on maps that come with the package; what a move costs. Every map is compiled first."""
    from stammtisch.benchmarks.speed.maps import map_speed
    from stammtisch.envs.reversixt.map import parse_map, shipped_maps

    cells = {name: len(parse_map(text).cells) for name, text in shipped_maps().items()}
    for row in map_speed(_SECONDS, maps=_MAPS):
        name = row.game.split()[1].rstrip(",")
        yield f"{row.game.split()[3]} players", cells[name], 1e9 / row.steps_per_s


MEASURES: dict[str, tuple[Callable[[], Iterator[Point]], str, str]] = {
    "batch": (batch, "games in the batch", "ns per step of a game"),
    "simulations": (simulations, "simulations", "ns per simulation"),
    "weights": (weights, "weights", "ns per value"),
    "tables": (tables, "MB of the table", "ns per node"),
    "workers": (workers, "workers", "ns per game"),
    "maps": (maps, "cells of the map", "ns per move"),
}


def draw(name: str, points: list[Point]) -> None:
    """Draw one picture, both axes logarithmic."""
    import matplotlib
    from matplotlib.ticker import EngFormatter, LogLocator

    from stammtisch.plots import figure

    _, x_label, y_label = MEASURES[name]
    path = _ROOT / "docs" / "images" / f"growth-{name}.svg"
    with (
        matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}),
        figure(path, "light", 6, 3.4) as (axes, _),
    ):
        for curve in dict.fromkeys(point[0] for point in points):
            places = sorted((x, y) for label, x, y in points if label == curve)
            axes.plot(*zip(*places, strict=True), "o" if name == "maps" else "o-", markersize=4, label=curve)
        axes.set(xscale="log", yscale="log", xlabel=x_label, ylabel=y_label)
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            labelled = range(1, 10) if high < 10 * low else (1, 2, 5) if high < 100 * low else (1,)
            axis.set_major_locator(LogLocator(subs=labelled))
            axis.set_major_formatter(EngFormatter(sep=""))
            axis.set_minor_formatter("")
        axes.grid(True, which="major")
        axes.legend(frameon=False, fontsize=9)


def main() -> None:
    """Measure what was asked for; draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=tuple(MEASURES))
    parser.add_argument("--draw", action="store_true", help="only draw what was measured before")
    given = parser.parse_args()
    for name in given.what:
        kept = json.loads(_FIGURES.read_text("utf-8")) if _FIGURES.exists() else {}
        if not given.draw:
            points = []
            for point in MEASURES[name][0]():
                points.append(point)
                print(f"{name:12} {point[0]:16} {point[1]:>12,.0f} {point[2]:>14,.1f} ns", flush=True)
            kept[name] = [[label, x, round(cost, 1)] for label, x, cost in points]
            _FIGURES.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        draw(name, [(label, x, cost) for label, x, cost in kept[name]])


if __name__ == "__main__":
    main()

"""Measures self-play of AlphaZero: simulations per second, shares of network and tree, one worker against two.

    python docs/tools/alphazero_speed.py --seconds 8

Configurations are measured in turn, several rounds, so that a change of the machine's speed touches all of them.
"""

import argparse
import json
import multiprocessing
import pathlib
import tempfile
import time
from typing import Any

CONFIGURATIONS = (("reversi-6x6", "4x32"), ("reversi-6x6", "mlp-256-256"), ("reversi-8x8", "4x32"))


def worker(game: str, network: str, lanes: int) -> Any:
    """Return a worker that has compiled and begun."""
    from stammtisch.baselines.learned.alphazero.shape import NetworkShape
    from stammtisch.training.alphazero.selfplay import SelfPlay
    from stammtisch.training.alphazero.settings import AlphaZeroSettings

    settings = AlphaZeroSettings.for_game(game, {"network": network, "lanes": lanes})
    found = SelfPlay(settings)
    found.use(NetworkShape.for_game(found.game, network).fresh_weights(0), 0)
    found.play(500, -2.0)
    return found


def measured(self_play: Any, seconds: float) -> dict[str, float]:
    """Play for so long; return rates, the share of the time that is not the network's, and bytes to be sent."""
    from stammtisch.training.alphazero.selfplay import packed

    network_s = 0.0
    evaluate = self_play._evaluator

    def timed(questions: Any) -> Any:
        nonlocal network_s
        begun = time.perf_counter()
        found = evaluate(questions)
        network_s += time.perf_counter() - begun
        return found

    self_play._evaluator = timed
    begun, before = time.perf_counter(), time.process_time()
    simulations = games = positions = 0
    while time.perf_counter() - begun < seconds:
        portion = self_play.play(1_000, -2.0)
        simulations += portion.simulations
        games += portion.games
        positions += len(portion.records.facts)
    size = len(packed(portion)) / len(portion.records.facts)
    self_play._evaluator = evaluate
    wall, processor = time.perf_counter() - begun, time.process_time() - before
    return {
        "simulations/s": simulations / wall,
        "simulations/cpu-s": simulations / processor,
        "games/h": games / wall * 3600,
        "positions/s": positions / wall,
        "tree and glue": 1 - network_s / wall,
        "bytes per position": size,
    }


def learned(self_play: Any, network: str, seconds: float) -> dict[str, float]:
    """Learn for so long from what was played; return samples per second."""
    import numpy as np

    from stammtisch.baselines.learned.alphazero.shape import NetworkShape
    from stammtisch.training.alphazero.learner import NetworkLearner
    from stammtisch.training.alphazero.window import ReplayWindow

    settings = self_play.settings
    with tempfile.TemporaryDirectory() as folder:
        window = ReplayWindow(self_play.game, settings, pathlib.Path(folder))
        window.add(self_play.play(4_000, -2.0).records)
        shape = NetworkShape.for_game(self_play.game, network)
        learner, rng = NetworkLearner(shape, shape.fresh_weights(0), settings), np.random.default_rng(0)
        learner.step(window.draw(rng), 0.0)
        begun, steps = time.perf_counter(), 0
        while time.perf_counter() - begun < seconds:
            learner.step(window.draw(rng), 0.0)
            steps += 1
        return {"samples/s": steps * settings.batch / (time.perf_counter() - begun)}


def beside(start: Any, found: Any, game: str, network: str, lanes: int, seconds: float) -> None:
    """Measure in a process of its own, at the same time as others."""
    self_play = worker(game, network, lanes)
    start.wait()
    found.put(measured(self_play, seconds))


def side_by_side(count: int, game: str, network: str, lanes: int, seconds: float) -> float:
    """Return the simulations per second of so many workers together."""
    context = multiprocessing.get_context("spawn")
    start, found = context.Barrier(count), context.Queue()
    processes = [
        context.Process(target=beside, args=(start, found, game, network, lanes, seconds)) for _ in range(count)
    ]
    for process in processes:
        process.start()
    total = sum(found.get()["simulations/s"] for _ in processes)
    for process in processes:
        process.join()
    return total


def main() -> None:
    """Measure and print a line of JSON per result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--lanes", type=int, default=64)
    given = parser.parse_args()
    workers = {key: worker(*key, given.lanes) for key in CONFIGURATIONS}
    for number in range(given.rounds):
        for (game, network), self_play in workers.items():
            found = {name: round(value, 3) for name, value in measured(self_play, given.seconds).items()}
            print(json.dumps({"round": number, "game": game, "network": network, **found}), flush=True)
    for (game, network), self_play in workers.items():
        found = {name: round(value) for name, value in learned(self_play, network, given.seconds / 2).items()}
        print(json.dumps({"game": game, "network": network, **found}), flush=True)
    for count in (1, 2):
        rate = side_by_side(count, *CONFIGURATIONS[0], given.lanes, given.seconds)
        print(json.dumps({"workers": count, "simulations/s": round(rate)}), flush=True)


if __name__ == "__main__":
    main()

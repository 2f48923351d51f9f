"""Speed of ReversiXT by the size of its maps: moves per second of random games inside the kernel."""

import time
from collections.abc import Collection, Iterator

import numpy as np

from stammtisch.benchmarks.speed.faces import Speed, Task, race
from stammtisch.envs import load_game
from stammtisch.envs.reversixt.map import parse_map, shipped_maps

_LEAST = 1000  # moves


def map_speed(seconds: float = 1.0, seed: int = 0, maps: Collection[str] = ()) -> Iterator[Speed]:
    """Measure some of the shipped maps, by default all, on one thread, smallest first, in time of the processor."""
    boards = {name: parse_map(text) for name, text in shipped_maps().items() if not maps or name in maps}
    for name, board in sorted(boards.items(), key=lambda item: len(item[1].cells)):
        rate = race({"ours": _task(name, seed)}, _LEAST, seconds, time.process_time)["ours"]
        yield Speed(f"reversixt {name}, {board.width}x{board.height}, {board.players} players", "playouts", rate, {})


def _task(name: str, seed: int) -> Task:
    game = load_game("reversixt", map=name)
    kernels = game.kernels("playouts")
    total = np.zeros(game.info.num_players)
    seeds = iter(range(seed, 1 << 62))

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            done += int(kernels.playouts(1, next(seeds), total)[1])
        return done

    return task

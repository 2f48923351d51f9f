"""The commands that work for long, in small, each with what it leaves and how it goes on."""

import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.attack.kill import STAMMTISCH

_SUITE = """
title = "Small"
[[tournament]]
game = "einstein-3x3"
agents = ["random", "heuristic", "mcts:iterations=20"]
games = 40
"""
_DQN = ("games=60", "parallel=4", "layers=[8]", "memory=256", "least_memory=8", "batch=8", "checkpoint_every=4")
_DQN = (*_DQN, "validate_games=2", "validate_every=8", "threads=1")
_SB3 = ("steps=1024", "envs=4", "rollout=8", "batch=16", "layers=[8]", "threads=1", "eval_games=2", "eval_every=256")
_SB3 = (*_SB3, "checkpoint_every=64")


@dataclass(frozen=True)
class LongCommand:
    """A command that writes files.

    Attributes:
        words: the command that works in a folder.
        result: the file that it leaves there.
        resume: words to go on with.
    """

    words: Callable[[pathlib.Path], Sequence[str]]
    result: str
    resume: tuple[str, ...] = ("--resume",)

    def line(self, folder: pathlib.Path, resume: bool = False) -> list[str]:
        """Return the words of the whole command line."""
        return [*STAMMTISCH, *self.words(folder), *(self.resume if resume else ())]


def _bench(folder: pathlib.Path) -> list[str]:
    suite = folder.parent / "small.toml"
    suite.write_text(_SUITE)
    return ["bench", str(suite), "--workers", "1", "--out", str(folder / "out")]


def _set(values: Sequence[str]) -> list[str]:
    return [word for value in values for word in ("--set", value)]


_MATCH = ("match", "einstein-5x5", "mcts:iterations=200", "random", "--games", "60", "--out")
_NTUPLE = ("train", "ntuple", "einstein-3x3", "--episodes", "30000", "--games", "20", "--checkpoint", "0.1", "--out")
_ROTE = ("train", "rote", "morris-3", "--games", "12", "--plies", "6", "--nodes", "2000", "--out")
_TUNE = (
    "tune",
    "ntuple",
    "einstein-3x3",
    "--vary",
    "alpha=0.1,0.3",
    "--seeds",
    "3",
    "--episodes",
    "500",
    "--games",
    "20",
)

LONG = {
    "match": LongCommand(lambda folder: [*_MATCH, str(folder / "results.sqlite")], "results.sqlite"),
    "bench": LongCommand(_bench, "out/results.sqlite"),
    "train ntuple": LongCommand(lambda folder: [*_NTUPLE, str(folder / "net.npz")], "net.npz"),
    "train rote": LongCommand(lambda folder: [*_ROTE, str(folder / "table.npz")], "table.npz"),
    "train dqn": LongCommand(
        lambda folder: ["train", "dqn", "morris-3", *_set(_DQN), "--out", str(folder / "m.safetensors")],
        "m.safetensors",
    ),
    "train sb3": LongCommand(
        lambda folder: ["train", "sb3", "morris-3", *_set(_SB3), "--out", str(folder / "run")], "run/model.safetensors"
    ),
    "tune": LongCommand(lambda folder: [*_TUNE, "--out", str(folder / "study")], "study/results.json", ()),
}

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
        extra: a module that it needs.
    """

    words: Callable[[pathlib.Path], Sequence[str]]
    result: str
    resume: tuple[str, ...] = ("--resume",)
    extra: str = ""

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

_ALPHAZERO = ("network=mlp-8", "portion=100", "lanes=8", "batch=32", "evaluations=2", "eval_games=2", "backend=numpy")
_ALPHAZERO = (*_ALPHAZERO, "eval_simulations=2", "checkpoint_minutes=0", "simulations=4", "eval_ladder=false")
_SUPERVISED = ("net=42-12-36", "network=SL_42_1", "trump_network=SL_37_1_relu_adam_cc", "epochs=20", "trump_epochs=4")
_SUPERVISED = (*_SUPERVISED, "batch=64", "eval_games=2", "checkpoint_s=0.05", "most_tests=50", "threads=1")
_RL = ("deals=160", "lanes=8", "layers=[8]", "trump_layers=[8]", "critic_layers=[8]", "batch=16", "validate_deals=4")
_RL = (*_RL, "validate_every=64", "checkpoint_every=16", "threads=1")
_GRID = ("tune", "mcts:iterations=20", "einstein-3x3", "--vary", "iterations=10,20,40", "--seeds", "4", "--games", "20")
_REGRET = ("regret", "mcts:iterations=30", "einstein-3x3", "--games", "40", "--out")
_RATE = ("rate", "mcts:iterations=40", "einstein-3x3", "--games", "60", "--out")
_LADDER = ("ladder", "einstein-3x3", "--measure", "--games", "20", "--out")


def _prepared(folder: pathlib.Path, name: str, make: Callable[[pathlib.Path], object]) -> pathlib.Path:
    """Return what a command reads, made once beside the folders that it works in."""
    path = folder.parent / f"given-{name}"
    if not path.exists():
        half = path.with_name(f"half-{name}")
        make(half)
        half.rename(path)
    return path


def _make_deals(path: pathlib.Path) -> None:
    from stammtisch.training.jass.making import MakingSettings, write_made

    write_made(path, MakingSettings(deals=240, seed=3, per_game=3))


def _make_logs(folder: pathlib.Path) -> None:
    from stammtisch.training.jass.deals import Deals
    from stammtisch.training.jass.making import MakingSettings, make_deals
    from tests.training.jass.logs import session, swisslos_deal

    deals = Deals.joined(make_deals(MakingSettings(deals=200, seed=5)))
    folder.mkdir()
    for number in range(8):
        lines = (session(swisslos_deal(deals, deal)) for deal in range(25 * number, 25 * number + 25))
        (folder / f"log-{number}.txt").write_text("".join(f"{line}\n" for line in lines))


def _alphazero(folder: pathlib.Path) -> list[str]:
    return [
        "train",
        "alphazero",
        "einstein-3x3",
        "--positions",
        "1200",
        *_set(_ALPHAZERO),
        "--out",
        str(folder / "run"),
    ]


def _supervised(folder: pathlib.Path) -> list[str]:
    data = _prepared(folder, "deals.npz", _make_deals)
    words = ["train", "supervised", "jass-schieber", "--data", str(data), *_set(_SUPERVISED)]
    return [*words, "--out", str(folder / "net.safetensors")]


def _rl_jass(folder: pathlib.Path) -> list[str]:
    return ["train", "rl-jass", "jass-schieber", *_set(_RL), "--out", str(folder / "player.safetensors")]


def _import(folder: pathlib.Path) -> list[str]:
    logs = sorted(_prepared(folder, "logs", _make_logs).iterdir())
    return ["jass-import", *map(str, logs), "--out", str(folder / "deals.npz")]


def _tables(folder: pathlib.Path) -> list[str]:
    return ["tables", "build", "muehle", "--part", "4-3", "--threads", "1", "--dir", str(folder / "tables")]


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
    "tune of an agent": LongCommand(lambda folder: [*_GRID, "--out", str(folder / "grid")], "grid/results.json", ()),
    "train alphazero": LongCommand(_alphazero, "run/network.safetensors", extra="torch"),
    "train supervised": LongCommand(_supervised, "net.safetensors", extra="torch"),
    "train rl-jass": LongCommand(_rl_jass, "player.safetensors", extra="torch"),
    "jass-data": LongCommand(
        lambda folder: ["jass-data", "--deals", "3000", "--out", str(folder / "d.npz")], "d.npz", ()
    ),
    "jass-import": LongCommand(_import, "deals.npz"),
    "tables build": LongCommand(_tables, "tables/muehle.flying.remove-open-men-first/4-3.table", ()),
    "rate": LongCommand(lambda folder: [*_RATE, str(folder / "rating.json")], "rating.json"),
    "ladder": LongCommand(lambda folder: [*_LADDER, str(folder / "ladder.sqlite")], "ladder.sqlite"),
    "regret": LongCommand(lambda folder: [*_REGRET, str(folder / "regret")], "regret/regret.sqlite"),
}

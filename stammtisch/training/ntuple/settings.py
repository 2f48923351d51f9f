"""``NTupleSettings``: every parameter of an n-tuple training with a sentence."""

import dataclasses
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels import ntuple_net
from stammtisch.baselines.learned.ntuple.network import Layout
from stammtisch.envs.core.game import Game
from stammtisch.errors import unknown

_SHORTEST_SHARE = 0.01  # a trace ends where less than this is left of a step
_REPLAYS = ("none", "uniform", "prioritized")
_TARGETS = ("next", "own")


def _number(default: Any, low: float, high: float, about: str) -> Any:
    return field(default=default, metadata={"help": about, "low": low, "high": high})


def _word(default: str, choices: tuple[str, ...], about: str) -> Any:
    return field(default=default, metadata={"help": about, "choices": choices})


@dataclass(frozen=True)
class NTupleSettings:
    """Parameters of a training. Step sizes and exploration go from their first to their final value over the episodes.

    The target of an afterstate is the best move of the next player, negated for an opponent (``next``), or of the same
    player's next turn, with a final adaptation of all players at the end (``own``, the TD-FARL of the GBG framework).
    """

    episodes: int = _number(100_000, 1, 1e12, "games of self-play")
    alpha: float = _number(0.5, 0, 1e3, "first step size, divided by the number of weights that make up a value")
    alpha_final: float = _number(0.1, 0, 1e3, "final step size")
    epsilon: float = _number(0.1, 0, 1, "first share of moves drawn by lot")
    epsilon_final: float = _number(0.1, 0, 1, "final share of moves drawn by lot")
    gamma: float = _number(1.0, 0, 1, "what a value counts one step later")
    lam: float = _number(0.0, 0, 1, "lambda: how far errors reach back")
    noise: float = _number(0.0, 0, 1, "share of future decisions that a value takes to be made by lot")
    target: str = _word("next", _TARGETS, "whose next decision is the target")
    coherence: int = _number(0, 0, 1, "1: step sizes by temporal coherence")
    opening: int = _number(0, 0, 1000, "up to so many first moves of a game are drawn by lot")
    replay: str = _word("none", _REPLAYS, "how remembered transitions are selected")
    buffer: int = _number(8192, 2, 1 << 24, "transitions remembered, rounded up to a power of two")
    batch: int = _number(8, 1, 1 << 16, "transitions learned from again at a time")
    every: int = _number(4, 1, 1 << 30, "moves between two such times")
    priority: float = _number(0.6, 0, 1, "power of the error in a priority")
    importance: float = _number(0.4, 0, 1, "power of the correction for priorities at the start; 1 at the end")
    freeze: int = _number(0, 0, 1e12, "episodes between two copies of the weights for the targets of replay; 0: none")

    def __post_init__(self) -> None:
        for entry in fields(self):
            value, facts = getattr(self, entry.name), entry.metadata
            if "choices" in facts:
                if value not in facts["choices"]:
                    raise unknown(f"value of {entry.name}", value, facts["choices"])
            elif isinstance(value, str) or not facts["low"] <= value <= facts["high"]:
                raise ValueError(f"{entry.name}={value} is not allowed; give {facts['low']:g}..{facts['high']:g}")

    def numbers(self) -> NDArray[np.float64]:
        """Return the parameters as the kernel reads them."""
        numbers = np.zeros(ntuple_net.NUMBERS, np.float64)
        for place, value in {
            ntuple_net.ALPHA: self.alpha,
            ntuple_net.ALPHA_FINAL: self.alpha_final,
            ntuple_net.EPSILON: self.epsilon,
            ntuple_net.EPSILON_FINAL: self.epsilon_final,
            ntuple_net.GAMMA: self.gamma,
            ntuple_net.LAMBDA: self.lam,
            ntuple_net.EPISODES: self.episodes,
            ntuple_net.OWN_TARGET: self.target == "own",
            ntuple_net.OPENING: self.opening,
            ntuple_net.BATCH: self.batch,
            ntuple_net.EVERY: self.every,
            ntuple_net.PRIORITIZED: self.replay == "prioritized",
            ntuple_net.PRIORITY_POWER: self.priority,
            ntuple_net.IMPORTANCE: self.importance,
            ntuple_net.NOISE: self.noise,
            ntuple_net.REFRESH: max(1, self.freeze),
        }.items():
            numbers[place] = value
        return numbers

    @property
    def capacity(self) -> int:
        """Places of the replay buffer, 0 without replay."""
        return 0 if self.replay == "none" else 1 << (self.buffer - 1).bit_length()

    def depth(self, max_moves: int) -> int:
        """Afterstates that a trace reaches back."""
        decay = self.gamma * self.lam
        if decay == 0:
            return 1
        return max_moves if decay == 1 else min(max_moves, 1 + int(np.log(_SHORTEST_SHARE) / np.log(decay)))


def defaults(game: Game, changes: dict[str, Any]) -> tuple[Layout, NTupleSettings]:
    """Return what a network looks at and how it learns: what suits the game, with changes by the user.

    Raises:
        ValueError: there is no such parameter, or it cannot have this value.
    """
    values = {**game.training_defaults("ntuple", game.id), **changes}
    layout_names = {entry.name for entry in fields(Layout)}
    names = layout_names | {entry.name for entry in fields(NTupleSettings)}
    for name in changes:
        if name not in names:
            raise unknown("parameter of an n-tuple training", name, names)
    layout = Layout(**{name: values.pop(name) for name in list(values) if name in layout_names})
    return layout, dataclasses.replace(NTupleSettings(), **values)


def parse(texts: dict[str, str]) -> dict[str, Any]:
    """Read parameters from text, each as the type of its default."""
    kinds = {name: type(value) for name, value, _ in listed(Layout(), NTupleSettings())}
    values = {}
    for name, text in texts.items():
        if name not in kinds:
            raise unknown("parameter of an n-tuple training", name, kinds)
        try:
            values[name] = int(float(text)) if kinds[name] is int else kinds[name](text)
        except ValueError:
            raise ValueError(f'{name}="{text}" is not allowed; give a {kinds[name].__name__}') from None
    return values


def listed(layout: Layout, settings: NTupleSettings) -> list[tuple[str, Any, str]]:
    """Return name, value and explanation of every parameter."""
    shown = []
    for values in (layout, settings):
        for entry in fields(values):
            about = entry.metadata["help"]
            if "choices" in entry.metadata:
                about += f": {', '.join(entry.metadata['choices'])}"
            shown.append((entry.name, getattr(values, entry.name), about))
    return shown

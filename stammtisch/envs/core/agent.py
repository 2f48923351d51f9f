"""``Agent``: what every player, from random to learned, has in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed


@dataclass(frozen=True)
class AgentOption:
    """One ``key=value`` of an agent spec: its default (which fixes the type), bounds or choices, and a sentence."""

    default: Any
    help: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()

    def parse(self, name: str, text: str) -> Any:
        """Read the value from text, or say what would be right."""
        kind = type(self.default)
        try:
            value = kind(text)
        except ValueError:
            raise ValueError(f'option {name}="{text}" is not allowed; give a {kind.__name__}') from None
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"option {name}={text} is not allowed; it must be at least {self.minimum:g}")
        if self.choices and value not in self.choices:
            raise ValueError(f'option {name}="{text}" is not allowed; choose one of {", ".join(self.choices)}')
        return value


class Agent:
    """A player. It sees a ``View`` and answers with a legal action.

    Attributes:
        game: the game it was made for.
        spec: the text it was made from.
        policy: name of the kernel policy that plays exactly like it, or None; lets environments run it inside a kernel.
    """

    OPTIONS: ClassVar[Mapping[str, AgentOption]] = {}
    MAIN_OPTION: ClassVar[str | None] = None  # the option that a spec may give first without its name
    policy: str | None = None

    def __init__(self, game: Game, seed: Seed = None, spec: str = ""):
        self.game = game
        self.spec = spec

    @property
    def name(self) -> str:
        """The part of the spec before its options."""
        return self.spec.partition(":")[0]

    def reset(self, seed: Seed = None) -> None:
        """Forget the last game; with a seed, start the agent's random stream anew."""

    def take_stream(self, streams: NDArray[np.uint64], seat: int) -> None:
        """Start a game of a match: forget the last one and draw from the stream of this seat, ``streams[1 + seat]``."""
        self.reset(int(streams[1 + seat] >> np.uint64(1)))

    def act(self, view: View) -> int:
        """Return a legal action for ``view.player``, whose turn it is."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"load_agent({self.spec!r}, {self.game.id!r})"

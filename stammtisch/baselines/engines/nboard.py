"""NBoard 2, as Reversi programs speak it: ``set game (;GM[Othello]…;)``, ``go``, ``=== D3/0.50/1.2``."""

import importlib
from typing import Any

from stammtisch.baselines.engines.protocol import Protocol, Situation
from stammtisch.envs.core.game import Game


class NBoard(Protocol):
    """Sets up each position by itself, so that no history is needed; answers are matched by ``ping`` and ``pong``."""

    NAME = "nboard"
    NEEDS_HISTORY = False

    def hello(self) -> None:
        self._pings = 0
        self.send("nboard 2")
        if self.terms.level:
            self.send(f"set depth {self.terms.level}")

    def choose(self, situation: Situation) -> int:
        ggf = ggf_of(self.game)
        self.send(f"set game {ggf.write_ggf(situation.state, time_s=self.terms.time_s)}")
        self._pings += 1
        self.send(f"ping {self._pings}")
        self._wait_for(f"pong {self._pings}")
        self.send("go")
        answer = self._wait_for("===")
        return self.read_move(situation.state, ggf.read_move(answer.removeprefix("===").strip()))

    def _wait_for(self, begin: str) -> str:
        for line in self.process.answer(self.deadline):
            if line.startswith(begin):
                return line
        raise AssertionError("answers have no end")


def ggf_of(game: Game) -> Any:
    """Return the module that writes and reads positions of a game."""
    assert game.GGF is not None
    return importlib.import_module(game.GGF)

"""Our own protocol: one JSON object per line, for bots in any language and all games; see the page on engines."""

import json
from collections.abc import Iterator
from typing import Any

from stammtisch.baselines.engines.protocol import Protocol, Situation
from stammtisch.envs.core.game import Game
from stammtisch.files.documents import parse_json
from stammtisch.text import printable

VERSION = 1


class Text(Protocol):
    """Asks ``{"type": "move", …}`` with all that the seat may know; the answer is a ``move`` or an ``action``."""

    NAME = "text"
    NEEDS_HISTORY = False

    @classmethod
    def check(cls, game: Game) -> None:
        pass

    def hello(self) -> None:
        self._asked = 0
        terms = {"level": self.terms.level, "time_s": self.terms.time_s, "timeout_s": self.terms.timeout_s}
        self._tell({"type": "hello", "protocol": VERSION, **game_facts(self.game), **terms})
        if self._answer(self.process.answer(self.deadline)).get("type") != "ready":
            raise self.fault('did not answer {"type": "ready"}')

    def new_game(self) -> None:
        self._tell({"type": "new"})

    def choose(self, situation: Situation) -> int:
        self._asked += 1
        self._tell({"type": "move", "id": self._asked, **position_facts(situation)})
        answers = self.process.answer(self.deadline)
        answer = self._answer(answers)
        while "id" in answer and answer["id"] != self._asked:  # to a question that was given up
            answer = self._answer(answers)
        if type(action := answer.get("action")) is int:
            return action
        if isinstance(move := answer.get("move"), str):
            return self.read_move(situation.state, move)
        raise self.fault('answered without "move" or "action"')

    def _tell(self, message: dict[str, Any]) -> None:
        self.send(json.dumps(message))

    def _answer(self, answers: Iterator[str]) -> dict[str, Any]:
        for line in answers:
            if not line.strip():
                continue
            try:
                answer = parse_json(line)
            except ValueError:
                answer = None
            if not isinstance(answer, dict):
                raise self.fault(f"answered no JSON object: {printable(line)[:60]}")
            return answer
        raise AssertionError("answers have no end")


def game_facts(game: Game) -> dict[str, Any]:
    """Return what a bot is told of a game once."""
    info = game.info
    return {
        "game": game.id,
        "options": game.changed_options(),
        "players": info.num_players,
        "teams": list(info.teams),
        "actions": info.num_actions,
        "hidden": info.hidden,
    }


def position_facts(situation: Situation) -> dict[str, Any]:
    """Return what a bot is told of a position: nothing that its seat may not know."""
    view, state = situation.view, situation.state
    legal = view.legal_actions()
    facts = {
        "player": view.player,
        "legal": legal,
        "moves": [state.action_text(action) for action in legal],
        "board": str(state),
        "facts": view.facts(),
        "observation": view.observation().ravel().tolist(),
    }
    if not view.game.info.hidden:
        facts["position"] = state.to_text()
    return facts

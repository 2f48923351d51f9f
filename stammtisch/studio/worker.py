"""The process in which agents think: questions come as lines of JSON, answers go back likewise.

A question names a game, its options, a row that holds only what the seat may know, and an agent. Whatever happens in
here, a crash, an endless loop or too much memory, the server sees no more than a missing answer.
"""

import base64
import contextlib
import json
import os
import select
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View
from stammtisch.json_text import json_text

_MOST_AGENTS = 24  # that stay loaded
_MOST_MEMORY = 12 << 30
_NICENESS = 5
_SLICE_S = 0.12  # of the first search, before the first report
_SLICES = 14
_DEEPEST = 41


class Thinking:
    """Answers questions; keeps games and agents that it has loaded."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}
        self._agents: OrderedDict[tuple[str, str], Agent] = OrderedDict()

    def game(self, question: dict[str, Any]) -> Game:
        """Return the game of a question."""
        key = json.dumps([question["game"], question["options"]], sort_keys=True)
        if key not in self._games:
            self._games[key] = load_game(question["game"], **question["options"])
        return self._games[key]

    def agent(self, question: dict[str, Any]) -> Agent:
        """Return the agent of a question, at the beginning of a game with the question's seed."""
        game = self.game(question)
        key = (repr(game), question["spec"])
        if key not in self._agents:
            self._agents[key] = load_agent(question["spec"], game, seed=question.get("seed", 0))
            while len(self._agents) > _MOST_AGENTS:
                self._agents.popitem(last=False)
        self._agents.move_to_end(key)
        agent = self._agents[key]
        agent.reset(question.get("seed", 0))
        agent.limit()
        return agent

    def warm(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Compile what a table needs, by playing one game at random and drawing it."""
        game = self.game(question)
        rng = np.random.default_rng(0)
        state = game.new_state(0)
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state.sample_chance(rng)
                continue
            seat = state.player
            view = state.view(seat)
            state.seen_by(seat)
            state.apply(int(rng.choice(view.legal_actions())))
        state.returns()
        yield {}

    def check(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Load an agent, to see whether it can play."""
        self.agent(question)
        yield {}

    def act(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Choose an action."""
        agent = self.agent(question)
        agent.limit(question["soft_limit_s"])
        view = read_view(self.game(question), question)
        action = int(agent.act(view))
        if action not in view.legal_actions():
            raise ValueError(f'agent "{question["spec"]}" wants action {action}, which is not legal here')
        yield {"action": action}

    def analyse(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Report again and again what an agent thinks of a position, as its search grows."""
        agent = self.agent(question)
        view = read_view(self.game(question), question)
        search = getattr(agent, "search", None)
        if search is None:
            yield {"action": int(agent.act(view)), "done": True}
            return
        deepens = "depth" in agent.options and "iterations" not in agent.options
        carried, before = 0, -1.0
        for step in range(1, _DEEPEST if deepens else _SLICES):
            if deepens:
                agent.limit(question["time_s"], step)
            else:
                agent.limit(_SLICE_S * 2 ** (step - 1))  # each search begins anew, so that it has twice as long
            found = search(view)
            total = float(found.visits.sum())
            report = explained(found)
            if deepens:
                report["effort"] = {"depth": step, **report["effort"]}
            carried += int(found.effort.get("simulations", found.effort.get("nodes", 0)))
            report["effort"]["total"] = carried
            stalled = step > 2 and not deepens and total <= before  # its budget is not time
            last = stalled or len(found.actions) < 2
            yield {**report, "done": last}
            if last or somebody_waits():
                return
            before = total

    def stop(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Do nothing: that this was asked has ended the question before."""
        yield {}

    def exact(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Report what perfect play makes of every action, where an oracle knows it."""
        game = self.game(question)
        state = game.from_row(unpacked(question["row"]))
        try:
            oracle = game.oracle()
            known = oracle.covers(state)
        except ValueError as error:
            yield {"covered": False, "why": str(error)}
            return
        if not known:
            yield {"covered": False, "why": ""}
            return
        values = oracle.values(state)
        yield {"covered": True, "actions": list(values), "values": list(values.values()), "unit": oracle.UNIT}

    def judge(self, question: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Report, position by position, what the best action is worth and what the one that was played is worth."""
        game = self.game(question)
        for number, (row, seat, action) in enumerate(question["positions"]):
            agent = self.agent(question)
            agent.limit(question["time_s"])
            found = agent.search(read_view(game, {"row": row, "seat": seat}))  # type: ignore[attr-defined]
            values = dict(zip(found.actions.tolist(), found.values.tolist(), strict=True))
            if somebody_waits():
                return
            yield {
                "place": number,
                "best": int(found.action),
                "value": values.get(int(found.action)),
                "played": values.get(action),
            }


def somebody_waits() -> bool:
    """Whether another question has come, for which long work is broken off."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def explained(found: Any) -> dict[str, Any]:
    """Return an explanation of a search as plain values."""
    return {
        "action": int(found.action),
        "actions": found.actions.tolist(),
        "values": found.values.tolist(),
        "visits": found.visits.tolist(),
        "line": list(found.line),
        "effort": dict(found.effort),
    }


def packed(row: Any) -> str:
    """Write a row as text."""
    return base64.b64encode(np.ascontiguousarray(row, "<i8").tobytes()).decode("ascii")


def unpacked(text: str) -> Any:
    """Read what ``packed`` wrote."""
    return np.frombuffer(base64.b64decode(text), "<i8").astype(np.int64)


def read_view(game: Game, question: dict[str, Any]) -> View:
    """Return the view that a question is about."""
    return game.own_view_class(game, unpacked(question["row"]), int(question["seat"]))


def serve(read: Callable[[], str], write: Callable[[str], None]) -> None:
    """Answer questions until there are no more."""
    thinking = Thinking()
    while line := read():
        question = json.loads(line)
        number = question["number"]
        try:
            for answer in getattr(thinking, question["do"])(question):
                write(json_text({"number": number, **answer}))
            write(json_text({"number": number, "end": True}))
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            write(json_text({"number": number, "error": reason[:500], "end": True}))


def main() -> None:
    """Serve the questions that come through stdin; what agents print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    with contextlib.suppress(OSError, ValueError, ImportError):
        import resource

        os.nice(_NICENESS)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))

    def write(text: str) -> None:
        answers.write(text + "\n")
        answers.flush()

    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.readline, write)


if __name__ == "__main__":
    main()

"""Replays the golden playthroughs move by move; a game without one fails."""

import re

import pytest

from stammtisch import TERMINAL
from tests.golden.make import FOLDER


def test_golden_playthrough(game):
    path = FOLDER / f"{game.id}.txt"
    assert path.exists(), f"no golden playthrough of {game.id}; write one with python -m tests.golden.make {game.id}"
    lines = path.read_text("utf-8").splitlines()
    assert lines.pop(0) == f"game {game.id}"
    state = None
    while lines:
        line = lines.pop(0)
        if line == "position":
            record = []
            while lines and lines[0].startswith("    "):
                record.append(lines.pop(0)[4:])
            position = "\n".join(record)
            if state is None:
                state = game.from_text(position)
            assert state.to_text() == position
        elif line.startswith("returns"):
            assert state.player == TERMINAL
            assert [float(word) for word in line.split()[1:]] == pytest.approx(state.returns().tolist())
        elif deal := re.fullmatch(r"chance (\d+)", line):
            state.apply(int(deal[1]))
        else:
            who, said, legal = re.fullmatch(r"(chance|player \d): (.*) \[(\d+) legal\]", line).groups()
            assert len(state.legal_actions()) == int(legal)
            assert who == ("chance" if state.player < 0 else f"player {state.player}")
            state.apply(state.parse_action(said))

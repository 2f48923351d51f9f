"""Mutated lines in both directions of every engine protocol: ours answer on, and others lose only their game."""

import io
import json
import random

import pytest

import stammtisch
from stammtisch.baselines.engines.gtp import Gtp
from stammtisch.baselines.engines.mill import Mill
from stammtisch.baselines.engines.nboard import NBoard
from stammtisch.baselines.engines.protocol import Situation, Terms
from stammtisch.baselines.engines.serving import SERVERS, lines_of
from stammtisch.baselines.engines.text import Text, game_facts
from stammtisch.envs.reversi.ggf import write_ggf
from stammtisch.errors import Forfeit
from stammtisch.text import is_printable
from tests.attack.damage import FEW, MANY, as_json, attack, changed, scribbled, time_limit
from tests.attack.memory import most_memory

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
GAMES = {"gtp": "reversi-4x4", "nboard": "reversi-4x4", "mill": "morris-3", "text": "einstein-3x3"}


def asked(protocol, game):
    """Return what is said to an engine in a game."""
    state = game.new_state(seed=0)
    while state.player < 0:
        state.apply(state.legal_actions()[0])
    first = state.action_text(state.legal_actions()[0])
    if protocol == "gtp":
        colors = game.COLORS
        lines = ["protocol_version", "list_commands", "boardsize 4", "clear_board", f"play {colors[0]} {first}"]
        return [
            *lines,
            f"1 genmove {colors[1]}",
            f"reg_genmove {colors[0]}",
            "undo",
            "showboard",
            "final_score",
            "komi 6",
        ]
    if protocol == "nboard":
        return ["nboard 2", f"set game {write_ggf(state, time_s=1)}", "ping 3", "go", f"move {first}", "set depth 3"]
    if protocol == "mill":
        return [
            "uci",
            "isready",
            "ucinewgame",
            "position startpos",
            f"position startpos moves {first}",
            "go movetime 9",
        ]
    hello = {"type": "hello", "protocol": 1, **game_facts(game)}
    question = {"type": "move", "id": 1, "position": state.to_text()}
    return [json.dumps(message) for message in (hello, {"type": "new"}, question)]


def mutants(lines, count):
    rng = random.Random(count)
    for _ in range(count):
        line = rng.choice(lines)
        if line.startswith("{") and rng.random() < 0.5:
            yield as_json(changed(json.loads(line), rng), rng)
        elif rng.random() < 0.02:
            yield line * rng.choice((50, 5000))
        else:
            yield scribbled(line, rng)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("protocol", GAMES)
def test_our_engines_answer_on_whatever_they_are_asked(protocol, count):
    game = stammtisch.load_game(GAMES[protocol])
    said = []
    server = SERVERS[protocol](stammtisch.load_agent("random", game, seed=0), said.append)
    lines = asked(protocol, game)

    def use(line):
        if server.state.player < 0:  # a game is over: begin anew, as an arena would
            server.state = game.new_state(seed=0)
        for each in str(line).split("\n"):
            server.answer(each)

    for line in lines:
        server.answer(line)
    outcome = attack(use, lines[0], mutants(lines, count))
    assert outcome.read == count  # an engine never refuses to go on
    assert all(text.encode() for text in said)  # every answer can be written


def test_a_line_without_an_end_costs_no_memory():
    class Endless(io.StringIO):
        left = 300

        def readline(self, most=-1):
            assert most > 0, "reads without a limit"
            self.left -= 1
            return "x" * most if self.left > 0 else "\n" if self.left == 0 else ""

    with most_memory(64 << 20), time_limit(60):
        assert [len(line) for line in lines_of(Endless())] == [1 << 20]


ANSWERS = {
    "gtp": ["= 2", "", "= play\ngenmove\nboardsize\nlevel", "", "=", "", "= D1", "", "? illegal move", ""],
    "nboard": ["set myname x", "pong 1", "status", "=== A2/0.5/1.0", "=== PA", "nodestats 5 1.0"],
    "mill": ["id name x", "uciok", "readyok", "info depth 3", "bestmove a1", "bestmove a1-a4", "bestmove"],
    "text": ['{"type": "ready"}', '{"id": 1, "action": 0}', '{"id": 1, "move": "1 down"}', '{"type": "x"}'],
}


class Pretender:
    """An engine that says mutated lines, and then nothing more."""

    def __init__(self, lines):
        self.command, self._lines = ["engine\x1b[2J"], iter(lines)
        self.is_running = True

    def send(self, line, deadline):
        assert "\n" not in line
        line.encode()

    def answer(self, deadline):
        for line in self._lines:
            yield from line.split("\n")
        raise Forfeit("engine has ended")

    def line(self, deadline):
        return next(self.answer(deadline))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("protocol", [Gtp, NBoard, Mill, Text], ids=lambda protocol: protocol.NAME)
def test_engines_that_talk_nonsense_lose_in_one_line(protocol, count):
    game = stammtisch.load_game(GAMES[protocol.NAME])
    state = game.new_state(seed=0)
    while state.player < 0:
        state.apply(state.legal_actions()[0])
    situation = Situation(state.view(state.player), state, ())
    terms = Terms(level=1, time_s=0.5, timeout_s=5.0)
    good = ANSWERS[protocol.NAME]
    rng = random.Random(count)

    def conversations():
        source = mutants(good, 10**9)
        for _ in range(count):
            yield [rng.choice(good) if rng.random() < 0.7 else next(source) for _ in range(30)]

    def use(lines):
        assert type(protocol(game, terms, Pretender(lines)).ask(situation)) is int

    outcome = attack(use, SOUND[protocol.NAME], conversations())
    assert outcome.tried == count
    assert outcome.refused
    assert all(map(is_printable, outcome.lines))


SOUND = {
    "gtp": ["= 2", "", "= play", "", "=", "", "= B1", ""],
    "nboard": ["pong 1", "=== A2/0.5/1.0"],
    "mill": ["uciok", "readyok", "bestmove a1"],
    "text": ['{"type": "ready"}', '{"id": 1, "action": 0}'],
}

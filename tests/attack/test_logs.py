"""Logs: whatever guests, servers and engines say, what is kept stays readable; a damaged one is read all the same."""

import json
import random
import sys

import pytest

from stammtisch.arena.match import play_match
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.client import ExchangeLog
from stammtisch.challenge.journal import Journal
from stammtisch.challenge.messages import BadMessage, Message, read_message
from stammtisch.studio.jobs.progress import ProgressLog, ProgressReader
from stammtisch.training.evaluator import CurvePoint
from tests.attack.damage import FEW, MANY, attack_file, scratched, scribbled
from tests.attack.mutants import mutant

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
SAID = [
    {"type": "CHOOSE_PLAYER_NAME", "data": "somebody"},
    {"type": "CHOOSE_SESSION", "data": {"sessionChoice": "AUTOJOIN", "sessionName": "x", "sessionType": "SINGLE_GAME"}},
    {"type": "CHOOSE_TRUMPF", "data": {"mode": "TRUMPF", "trumpfColor": "HEARTS"}},
    {"type": "CHOOSE_CARD", "data": {"number": 11, "color": "HEARTS"}},
    {"type": "DEAL_CARDS", "data": [{"number": 6, "color": "SPADES"}] * 9},
    {"type": "BROADCAST_STICH", "data": {"id": 0, "name": "a", "playedCards": [], "teams": []}},
]


def strict(text):
    """Read JSON as any other program would: without numbers that JSON does not know."""

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def said(count):
    rng = random.Random(count)
    return (mutant(rng.choice(SAID), rng, SAID) for _ in range(count))


@pytest.mark.parametrize("count", COUNTS)
def test_the_log_of_a_jass_game_is_one_json_array_whatever_was_said(tmp_path, count):
    clerk = Clerk()
    journal = Journal(tmp_path, clerk)
    journal.begin(["\x1b[2J", "🂡" * 60])
    kept = 0
    for text in said(count):
        try:
            message = read_message(text, "S" if kept % 2 else "C")
        except BadMessage:
            journal.note_nonsense("somebody#0", text)
        else:
            journal.note("receivedFrom", "somebody#0", message)
        kept += 1
    journal.note("sentTo", "\u202e\x9b31m#1", Message("ERROR", "\ud800"))
    journal.end()
    clerk.close()
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    assert len(strict(data)) == kept + 1
    assert all(32 <= byte < 127 or byte == 10 for byte in data)  # nothing that a terminal obeys
    assert len(data) < 2000 * kept


@pytest.mark.parametrize("count", COUNTS)
def test_the_log_of_a_jass_client_is_a_json_object_per_line_whatever_the_server_says(tmp_path, count):
    path = tmp_path / "exchange.jsonl"
    log = ExchangeLog(path, print)
    rng = random.Random(count)
    for number, text in enumerate(said(count)):
        frame = text.encode("utf-8", "surrogatepass") if number % 3 == 0 else text
        log.note("x\x1b[31m", "s2c", scratched(frame, rng) if isinstance(frame, bytes) else frame)
    log.note_close("x", 1006, "\u202e\x00")
    log.close()
    lines = path.read_bytes().splitlines()
    assert len(lines) == count + 1
    assert all(isinstance(strict(line), dict) for line in lines)
    assert all(32 <= byte < 127 for line in lines for byte in line)


@pytest.mark.parametrize("count", COUNTS)
def test_progress_logs_are_read_as_far_as_they_can_be(tmp_path, count):
    path = tmp_path / "progress.jsonl"
    log = ProgressLog(path, 1000)
    for step in range(10, 400, 10):
        log(10, f"line {step}", {"error": step / 7}, [CurvePoint(step, "random", 0.5, (0.4, 0.6), 20)])
    whole = path.read_bytes()
    rng = random.Random(count)
    deep = b'{"done": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"

    def mutant():
        kind = rng.randrange(5)
        if kind == 0:
            return scribbled(whole.decode(), rng).encode("utf-8", "replace")
        at = whole.index(b"\n", rng.randrange(len(whole) - 1)) + 1
        return whole[:at] + deep + whole[at:] if kind == 1 and rng.random() < 0.1 else scratched(whole, rng)

    def use(path):
        reader = ProgressReader(path)
        reader.look()
        reader.look()
        json.dumps([reader.figures(), list(reader.points.values()), reader.seconds_left()], allow_nan=False)

    outcome = attack_file(use, whole, (mutant() for _ in range(count)), path)
    assert outcome.read == count  # nothing in a log is worth an error


def test_what_an_engine_writes_to_stderr_is_kept_as_it_is_and_ends_no_game(tmp_path):
    log = tmp_path / "engine.log"
    program = (
        "import sys, json, os\n"
        "sys.stdin.readline(); print(json.dumps({'type': 'ready'}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] != 'move': continue\n"
        "    os.write(2, bytes(range(256)) * 20)\n"
        "    print(json.dumps({'id': m['id'], 'action': m['legal'][0]}), flush=True)\n"
    )
    command = json.dumps([sys.executable, "-c", program])
    result = play_match("einstein-3x3", [f"engine:text,command={command},timeout_s=30,log={log}", "random"], games=4)
    assert result.forfeits == 0
    data = log.read_bytes()
    assert data
    assert data == bytes(range(256)) * (len(data) // 256)

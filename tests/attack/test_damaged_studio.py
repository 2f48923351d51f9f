"""What the studio keeps, damaged: games, jobs and models; lists show the others, and opening one says what is wrong."""

import asyncio
import contextlib
import json
import random

import pytest

pytest.importorskip("starlette")

from stammtisch.studio.bench import Bench
from stammtisch.studio.desk import Studio, Tab
from stammtisch.studio.jobs.orders import SuiteSettings
from stammtisch.studio.table import GameTable, Sitter
from stammtisch.studio.tables import Tables
from tests.attack.damage import FEW, MANY, as_json, attack_file, changed, scratched, scribbled

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
GAME = "einstein-3x3"
NAME = "0123456789"
JOB = "20260101-120000-abcdef"


def mutants(values, count, extra=()):
    """Yield damaged JSON: values changed, letters changed, bytes changed, or with keys that nobody asked for."""
    rng = random.Random(count)
    text = json.dumps(values)
    for _ in range(count):
        kind = rng.randrange(4)
        if kind == 0:
            yield scribbled(text, rng).encode("utf-8", "replace")
        elif kind == 1 and extra:
            key, value = rng.choice(extra)
            yield json.dumps({**values, key: value}).encode("utf-8", "surrogatepass")
        elif kind == 2:
            yield scratched(text.encode(), rng)
        else:
            yield as_json(changed(values, rng), rng).encode("utf-8", "surrogatepass")


@contextlib.contextmanager
def refusals():
    """Let something be refused, in one line."""
    said = ""
    with contextlib.suppress(ValueError):
        try:
            yield
        except ValueError as error:
            said = str(error)
            raise
    assert "\n" not in said


def shown(told):
    """Fail unless a page can be sent that."""
    json.dumps(told, allow_nan=False).encode()


class NoWorkers:
    """Everything is compiled already, and nobody thinks."""

    async def answer(self, question, limit_s=0.0):
        return {}


FOREIGN = [
    ("_states", [1]),
    ("_game", "chess"),
    ("delay_s", float("inf")),
    ("delay_s", float("nan")),
    ("delay_s", -1),
    ("delay_s", 1e300),
    ("delay_s", "soon"),
    ("changed", "yesterday"),
    ("changed", None),
    ("changed", float("nan")),
    ("resigned", 9),
    ("resigned", -1),
    ("resigned", True),
    ("resigned", "0"),
    ("paused", "no"),
    ("fault", ["x"]),
    ("fault", "x" * 100_000),
    ("seed", 2**200),
    ("seed", -5),
    ("seed", True),
    ("events", [0] * 30_000),
    ("events", [2**70]),
    ("seats", [{"kind": "ghost"}, {"kind": "person"}]),
    ("seats", [{"kind": "person", "name": 5}, {"kind": "person"}]),
    ("seats", [{"kind": "agent", "spec": None}, {"kind": "person"}]),
    ("seats", []),
    ("seats", [{"kind": "person"}] * 5000),
    ("options", {"x": 1}),
    ("start", "\x1b[2J"),
    ("game_id", 5),
    ("game_id", "../x"),
    ("name", "9876543210"),
]


@pytest.mark.parametrize("count", COUNTS)
def test_games(tmp_path, count):
    table = GameTable(GAME, [Sitter("person"), Sitter("agent", "random")], name=NAME, paused=True)
    table.load()
    while len(table.events) < 5:
        table.draw_chance() if table.is_at_chance else table.play(table.state.legal_actions()[0])
    studio = Studio(tmp_path, "token")
    folder = studio.subfolder("games")
    table.save(folder)
    path = folder / f"{NAME}.json"
    whole = path.read_bytes()

    async def look():
        tables = Tables(studio, NoWorkers())
        tables.read_all()
        shown([each.to_json() for each in tables.listed()])
        if not tables.listed():
            GameTable.read(path)  # says why
            raise AssertionError("left out, but it can be read")
        found = tables.named(NAME)
        await tables.ready(found)
        tab = Tab()
        for viewer in (0, 1):
            shown(tables.view(found, viewer))
        tables.tell(found, tab)
        shown([each.to_json() for each in tables.listed()])
        for change in (lambda: tables.set_pace(found, None, True), lambda: tables.take_back(found)):
            with refusals():
                await change()
        shown(tables.view(found, 0))
        tables._stop(found)

    outcome = attack_file(lambda path: asyncio.run(look()), whole, mutants(json.loads(whole), count, FOREIGN), path)
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused > count // 4


PLAN = {
    "training": {"learner": "ntuple", "model": "tiny", "settings": {"game": GAME, "episodes": 10}},
    "validation": {"game": GAME, "options": {}, "agents": ["random", "heuristic"], "shown": ["random", "heuristic"]},
    "suite": SuiteSettings(suite="quick").to_dict(),
}
PLAN["validation"] |= {"games": 4, "seed": 0, "workers": 1, "opening": 0}
RUN = {"state": "done", "at": 1.0, "pid": 4_000_000, "birth": "x", "begun": 1.0, "facts": {}, "message": ""}
STRANGE = [
    ("state", "running"),
    ("state", "waiting"),
    ("state", "starting"),
    ("state", "glowing"),
    ("at", 1e300),
    ("at", float("nan")),
    ("pid", 1),
    ("pid", -1),
    ("pid", 0),
    ("pid", 2**70),
    ("facts", {"x": float("inf")}),
    ("message", {"x": "\x1b"}),
    ("total", -5),
    ("total", 10**40),
    ("created", float("inf")),
    ("model", "../../x"),
    ("kind", "party"),
    ("plan", {"agents": 5, "shown": 7, "learner": []}),
    ("plan", {"agents": [5, None], "shown": {"a": float("nan")}}),
    ("title", "\x1b]0;x\x07"),
]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr("stammtisch.studio.jobs.processes.start_detached", refuse)
    monkeypatch.setattr("stammtisch.studio.jobs.processes.send", lambda *given: False)
    made = Bench(Studio(tmp_path, "token"))
    yield made
    made.close()


def refuse(*given):
    raise OSError(12, "no processes in this test")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("file", ["job.json", "run.json"])
def test_jobs(bench, file, count):
    rng = random.Random(file)
    folder = bench.jobs.folder / JOB
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(RUN))
    path = folder / file

    def about():
        kind = rng.choice(list(PLAN))
        told = {"title": "tiny", "game": GAME, "total": 10, "unit": "episodes", "plan": PLAN[kind], "model": ""}
        return {**told, "kind": kind, "created": 1.0}

    (folder / "job.json").write_text(json.dumps(about()))

    def use(path):
        if file == "job.json":
            (folder / "run.json").write_text(json.dumps(RUN))
        shown(bench.summaries())
        bench.jobs.tick()
        bench.jobs.recover()
        job = bench.jobs.job(JOB)  # says why, if it is not listed
        shown(bench.detail(JOB))
        for verb in ("pause", "resume", "stop"):
            with refusals():
                getattr(bench.jobs, verb)(JOB)
        bench.jobs.learner_of(job.model)
        shown(bench.summaries())

    whole = about() if file == "job.json" else RUN
    source = mutants(whole, count, STRANGE)
    outcome = attack_file(use, json.dumps(whole).encode(), source, path)
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused or file == "run.json"  # a job of which nothing is known was interrupted


@pytest.mark.parametrize("count", COUNTS)
def test_models(bench, count):
    made = bench.models.create("tiny", "ntuple", GAME, {}, {"scores": {"random": {"score": 0.5}}})
    path = made.folder / "about.json"
    whole = path.read_bytes()
    more = [("learner", "magic"), ("learner", "sb3"), ("game", "x"), ("options", {"a": float("nan")}), ("facts", {})]
    more += [("created", float("nan")), ("created", 1e300), ("facts", {"x": float("inf")})]

    def use(path):
        shown([model.to_json() for model in bench.models.listed()])
        model = bench.models.named("tiny")
        shown(model.to_json())
        bench.models.called(f"x {model.spec}")
        bench.models.note("tiny", seen=1)

    outcome = attack_file(use, whole, mutants(json.loads(whole), count, more), path)
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused

"""Judged decisions, studies, learning curves and lists of tables, damaged: one line, or rows that can be used."""

import json
import random
import sqlite3

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks.regret.measure import measure_regret
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import RegretStore
from stammtisch.benchmarks.reports.learning import learned
from stammtisch.benchmarks.suites.spent import Spent
from stammtisch.benchmarks.suites.suite import load_suite
from stammtisch.benchmarks.suites.trainings import missing_trainings
from stammtisch.cli import regret as command
from stammtisch.cli import tables as tables_command
from stammtisch.envs.core.tables import write_table
from stammtisch.training.ntuple import study as studies
from stammtisch.training.ntuple.study import run_study, study_seconds, study_watch
from tests.attack.damage import FEW, MANY, as_json, attack_file, changed, scratched, scribbled
from tests.attack.test_damaged_files import SQL_VALUES

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
GAME = "einstein-3x3"


def json_mutants(values, count):
    rng = random.Random(count)
    text = json.dumps(values)
    for i in range(count):
        if i % 3 == 0:
            yield scribbled(text, rng).encode("utf-8", "replace")
        elif i % 3 == 1:
            yield as_json(changed(values, rng), rng).encode("utf-8", "surrogatepass")
        else:
            yield scratched(text.encode(), rng)


# Regret

REGRET_COLUMNS = {
    "about": ["key", "value"],
    "measurements": ["id", "plan", "versions"],
    "games": ["measurement", "number", "grp", "start", "forced", "uncovered"],
    "decisions": ["number", "ply", "seat", "stage", "action", "best_action", "best", "chosen", "legal", "known"],
}
REGRET_COLUMNS["decisions"] += ["hidden", "position"]


def regret_mutant(data, rng, path):
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for _ in range(rng.randrange(1, 3)):
            table = rng.choice([*REGRET_COLUMNS, "decisions", "games"])
            column = rng.choice(REGRET_COLUMNS[table])
            rows = "1" if rng.random() < 0.3 or table in ("about", "measurements") else f"number={rng.randrange(4)}"
            if rng.random() < 0.1:
                db.execute(f"DELETE FROM {table} WHERE {rows}")
            else:
                value = rng.choice([*SQL_VALUES, 7, 99, float("inf"), -float("inf"), 1e300, "\x1b[2J"])
                db.execute(f"UPDATE OR REPLACE {table} SET {column}=? WHERE {rows}", [value])
    except sqlite3.Error:
        pass
    finally:
        db.close()
    return path.read_bytes()


@pytest.mark.parametrize("count", COUNTS)
def test_judged_decisions(tmp_path, monkeypatch, count):
    plan = RegretPlan(GAME, "random", "random", games=4).checked()
    whole = tmp_path / "whole.sqlite"
    store = RegretStore(whole)
    measure_regret(plan, store)
    store.close()
    data = whole.read_bytes()
    rng = random.Random(count)
    monkeypatch.setattr(command, "_write", lambda result, folder: None)

    def use(path):
        store = RegretStore(path)
        try:
            result = measure_regret(plan, store)
        finally:
            store.close()
        json.dumps(result.to_json(), allow_nan=False)
        command.show_regret([result])
        command._show_stages(result)
        command._show_worst(result)

    mutants = (
        scratched(data, rng) if i % 3 == 0 else regret_mutant(data, rng, tmp_path / "made.sqlite") for i in range(count)
    )
    outcome = attack_file(use, data, mutants, tmp_path / "regret.sqlite")
    assert outcome.tried == count
    assert outcome.read
    assert len(outcome.lines) > 5


# Studies


@pytest.mark.parametrize("count", COUNTS)
def test_studies(tmp_path, monkeypatch, count):
    game = stammtisch.load_game(GAME)
    watch = study_watch(game, ["random", "heuristic"], 20, 2, 4, 0)
    settings = {"alpha=0.1": {"alpha": 0.1}, "alpha=0.2": {"alpha": 0.2}}
    monkeypatch.setattr(studies, "plot_curves", lambda curves, *rest: json.dumps(curves, allow_nan=False))
    monkeypatch.setattr(studies, "plot_boxes", lambda boxes, *rest: json.dumps(boxes, allow_nan=False))
    path = tmp_path / "results.json"
    arguments = (game, settings, {"episodes": 20}, 1, watch, tmp_path)
    run_study(*arguments)
    whole = path.read_bytes()
    first = json.loads(whole)[0]
    monkeypatch.setattr(studies._Job, "train", lambda job: {"seconds": first["seconds"], "curve": first["curve"]})

    def use(path):
        study_seconds(tmp_path)
        for outcome in run_study(*arguments):
            json.dumps(outcome.__dict__, allow_nan=False)

    outcome = attack_file(use, whole, json_mutants(json.loads(whole), count), path)
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused > count // 4


# Suites that go on

SUITE = """
title = "Small"
[[training]]
command = "train ntuple einstein-3x3 --episodes 20"
out = "net.npz"
[[tournament]]
game = "einstein-3x3"
agents = ["random", "heuristic"]
games = 2
"""
CURVE = [{"step": 10, "opponent": "random", "score": 0.5, "ci95": [0.4, 0.6], "games": 4}]


@pytest.mark.parametrize("count", COUNTS)
def test_learning_curves_and_times_of_suites(tmp_path, count):
    (tmp_path / "small.toml").write_text(SUITE)
    suite = load_suite(str(tmp_path / "small.toml"), None, None, tmp_path / "out")
    (info,) = suite.info_files(suite.trainings[0])
    info.parent.mkdir(parents=True)
    (suite.models / "net.npz").write_bytes(b"x")
    told = {"command": suite.trainings[0].command, "seconds": 1.0, "unit": "episodes", "curve": CURVE}
    spent = tmp_path / "spent.json"

    def use(path):
        data = path.read_bytes()
        info.write_bytes(data)
        for each in learned(suite):
            json.dumps(each.to_json(), allow_nan=False)
        missing_trainings(suite)

    def use_times(path):
        json.dumps([Spent(path).total, Spent(path).peak_mb], allow_nan=False)

    outcome = attack_file(use, json.dumps(told).encode(), json_mutants(told, count), tmp_path / "victim.json")
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused > count // 4
    times = {"seconds": {"first": 1.5, "everything else": 3.0}, "peak_mb": 100.0}
    outcome = attack_file(use_times, json.dumps(times).encode(), json_mutants(times, count), spent)
    assert outcome.tried == count
    assert outcome.refused > count // 4


# Tables


@pytest.mark.parametrize("count", COUNTS)
def test_lists_of_tables(tmp_path, capsys, count):
    facts = {"name": "morris-3", "part": "3-3", "positions": 500, "won": 3, "drawn": 1, "lost": 2, "longest": 4}
    (tmp_path / "morris-3").mkdir()
    path = tmp_path / "morris-3" / "made.table"
    write_table(path, np.zeros(500, np.uint8), facts)
    whole = path.read_bytes()
    length = int.from_bytes(whole[8:16], "little")
    header = json.loads(whole[16 : 16 + length])
    rng = random.Random(count)

    def mutants():
        for i in range(count):
            if i % 3 == 0:
                yield scratched(whole, rng)
                continue
            made = {**changed(header, rng), "name": rng.choice(["morris-3", "\x1b[2J\u202e", "[/red]"])}
            text = json.dumps(made).encode("utf-8", "surrogatepass")
            yield whole[:8] + len(text).to_bytes(8, "little") + text + bytes(-(16 + len(text)) % 4096) + whole[4096:]

    def use(path):
        for json_ in (False, True):
            tables_command.list_(tmp_path, json_)
        said = capsys.readouterr()
        assert "\x1b" not in said.out + said.err

    outcome = attack_file(use, whole, mutants(), path)
    assert outcome.read == count  # a damaged one is listed as such, and the others are shown


@pytest.mark.parametrize("count", COUNTS)
def test_begun_tables(tmp_path, monkeypatch, count):
    tables = stammtisch.load_game("reversi-4x4").tables(tmp_path)
    part = tables.parts()[0]
    path = tables._begun_file
    kept = {}
    write = tables._write_begun
    monkeypatch.setattr(tables, "_write_begun", lambda known: (kept.update(known), write(known)))
    tables.build(part, 1)
    whole = json.dumps([[*key, *bounds] for key, bounds in kept.items()]).encode()

    def use(path):
        (tables.folder / part.files[0]).unlink(missing_ok=True)
        tables.build(part, 1)
        tables.read()

    outcome = attack_file(use, whole, json_mutants(json.loads(whole), count), path)
    assert outcome.tried == count
    assert outcome.refused > count // 4

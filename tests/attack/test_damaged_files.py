"""Every kind of file, damaged in thousands of ways: one line, or a result that can be used."""

import io
import json
import random
import sqlite3
import zipfile

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.match import play_match
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.baselines.search.rote_table import RoteTable
from stammtisch.benchmarks.suites.stored import stored_suite
from stammtisch.benchmarks.suites.suite import load_suite, shipped
from stammtisch.envs.reversi.records import read_record, write_record
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.settings import defaults
from stammtisch.training.rote import RoteSettings, train_rote
from stammtisch.training.settings import read_settings
from tests.attack.damage import FEW, MANY, as_json, attack, attack_file, changed, scratched, scribbled
from tests.playing import random_state, random_states

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
DEEP = "[" * 50_000 + "]" * 50_000
SQL_VALUES = [
    -1,
    0,
    2**62,
    1.5,
    "",
    "null",
    "[]",
    "{}",
    "x",
    DEEP,
    '["random"]',
    "[1, 2]",
    "[1e999, 0]",
    b"",
    b"\0" * 9,
]
SQL_COLUMNS = {
    "about": ["key", "value"],
    "matches": ["id", "game", "options", "agents", "seed", "opening", "versions"],
    "games": ["match", "number", "grp", "seating", "returns", "moves", "seconds", "events"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "results.sqlite"
    store = Store(path)
    play_match("einstein-3x3", ["heuristic", "random"], games=6, store=store)
    play_match("morris-3", ["heuristic", "random"], games=4, store=store)
    store.close()
    return path.read_bytes()


def sql_mutant(data, rng, path):
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for _ in range(rng.randrange(1, 3)):
            table = rng.choice(list(SQL_COLUMNS))
            column = rng.choice(SQL_COLUMNS[table])
            rows = "1" if rng.random() < 0.5 else f"rowid={rng.randrange(3)}" if table != "games" else "number=1"
            if rng.random() < 0.15:
                db.execute(f"DELETE FROM {table} WHERE {rows}")
            else:
                db.execute(f"UPDATE OR REPLACE {table} SET {column}=? WHERE {rows}", [rng.choice(SQL_VALUES)])
    except sqlite3.Error:
        pass
    finally:
        db.close()
    return path.read_bytes()


def use_results(path):
    Store(path).close()
    store = Store(path, read_only=True)
    try:
        for plan in store.plans():
            verify(plan, store.games_of(plan))
        stored_suite(store, "mutant")
    finally:
        store.close()


@pytest.mark.parametrize("count", COUNTS)
def test_results(results, tmp_path, count):
    rng = random.Random(count)
    mutants = (
        scratched(results, rng) if i % 2 else sql_mutant(results, rng, tmp_path / "made.sqlite") for i in range(count)
    )
    outcome = attack_file(use_results, results, mutants, tmp_path / "results.sqlite")
    assert outcome.tried == count
    assert outcome.read
    assert len(outcome.lines) > 10


def npz_mutant(data, rng):
    """Change what the archive holds, with right checksums."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
        method = archive.infolist()[0].compress_type
    name = rng.choice(list(members))
    kind = rng.randrange(6)
    if kind == 0:
        members.pop(name)
    elif kind == 1 or (kind == 2 and name == "header.npy"):
        told = json.loads(str(np.load(io.BytesIO(members["header.npy"]))))
        file = io.BytesIO()
        np.save(file, np.array(as_json(changed(told, rng), rng)))
        members["header.npy"] = file.getvalue()
    elif kind == 2:
        array = np.load(io.BytesIO(members[name]))
        choices = [array[:0], array.astype(np.float64), array[None], np.array(3), np.repeat(array, 50), -array]
        if array.dtype.kind == "f":
            choices.append(np.full_like(array, np.nan))
        file = io.BytesIO()
        np.save(file, rng.choice(choices))
        members[name] = file.getvalue()
    elif kind == 3:
        head = members[name]
        members[name] = (
            head[:12] + scribbled(head[12:128].decode("latin-1"), rng).encode("latin-1", "replace") + head[128:]
        )
    elif kind == 4:
        members[name] = scratched(members[name], rng)
    else:
        method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return file.getvalue()


def npz_mutants(data, count):
    rng = random.Random(count)
    return (scratched(data, rng) if i % 2 else npz_mutant(data, rng) for i in range(count))


@pytest.mark.parametrize("count", COUNTS)
def test_ntuple_networks(tmp_path, count):
    game = stammtisch.load_game("einstein-3x3")
    layout, settings = defaults(game, {"episodes": 40})
    training = NTupleTraining(game, layout, settings, seed=1)
    training.run(20)
    training.save(tmp_path / "whole.npz")
    state = random_state(game, 1, 3)
    view = state.view(state.player)

    def use(path):
        Network.load(path, game)
        assert stammtisch.load_agent(f"ntuple:file={path}", game).act(view) in view.legal_actions()
        NTupleTraining.resume(path, game, layout, settings, seed=1)

    whole = (tmp_path / "whole.npz").read_bytes()
    outcome = attack_file(use, whole, npz_mutants(whole, count), tmp_path / "net.npz")
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("count", COUNTS)
def test_rote_tables(tmp_path, count):
    game = stammtisch.load_game("morris-3")
    whole = tmp_path / "whole.npz"
    train_rote(game, games=2, plies=6, out=whole, nodes=200, searches=5, answers=50, least_depth=1)
    view = game.new_state(seed=0).view(0)

    def use(path):
        RoteTable.load(path, game)
        assert stammtisch.load_agent(f"rote:table={path},nodes=50", game).act(view) in view.legal_actions()

    outcome = attack_file(use, whole.read_bytes(), npz_mutants(whole.read_bytes(), count), tmp_path / "table.npz")
    assert outcome.tried == count
    assert outcome.refused > count // 3


def text_mutants(texts, count, values=()):
    """Return damaged texts of files, and those of changed values in the language that is given with them."""
    rng = random.Random(count)
    for i in range(count):
        if values and i % 2:
            yield as_json(changed(rng.choice(values), rng), rng).encode("utf-8", "surrogatepass")
        else:
            data = scribbled(rng.choice(texts), rng).encode("utf-8", "replace")
            yield scratched(data, rng) if rng.random() < 0.1 else data


@pytest.mark.parametrize("count", COUNTS)
def test_suites(tmp_path, count):
    texts = [path.read_text("utf-8") for path in shipped().values()]
    mutants = text_mutants(texts, count)
    outcome = attack_file(lambda path: load_suite(str(path)), texts[0].encode(), mutants, tmp_path / "suite.toml")
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused


SETTINGS = {"games": 20, "plies": 12, "nodes": 300, "depth": 4, "eviction": "use", "seed": 3, "options": {}}


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("suffix", ["yaml", "toml", "json"])
def test_settings(tmp_path, suffix, count):
    plain = {key: value for key, value in SETTINGS.items() if key != "options"}
    texts = {
        "yaml": "".join(f"{key}: {value}\n" for key, value in SETTINGS.items()),
        "toml": "".join(f"{key} = {json.dumps(value)}\n" for key, value in plain.items()) + "[options]\n",
        "json": json.dumps(SETTINGS),
    }
    mutants = text_mutants([texts[suffix]], count, [SETTINGS] if suffix != "toml" else ())
    outcome = attack_file(
        lambda path: RoteSettings.for_game("muehle", read_settings(path)),
        texts[suffix].encode(),
        mutants,
        tmp_path / f"settings.{suffix}",
    )
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused


@pytest.mark.parametrize("count", COUNTS)
def test_text_records(game, count):
    rng = random.Random(count)
    records = [state.to_text() for state in random_states(game, 5)]

    def use(text):
        state = game.from_text(text)
        assert game.from_text(state.to_text()) == state
        if state.player >= 0:
            state.child(state.legal_actions()[0])
            state.view(state.player).observation()

    outcome = attack(use, records[len(records) // 2], (scribbled(rng.choice(records), rng) for _ in range(count)))
    assert outcome.tried == count
    assert outcome.refused


@pytest.mark.parametrize("count", COUNTS)
def test_game_records_of_reversi(count):
    game = stammtisch.load_game("reversi-8x8")
    rng = random.Random(count)
    state, actions = game.new_state(seed=5), []
    while state.player >= 0:
        actions.append(state.legal_actions()[0])
        state.apply(actions[-1])
    record = write_record(game, actions)
    outcome = attack(lambda text: read_record(game, text), record, (scribbled(record, rng) for _ in range(count)))
    assert outcome.tried == count
    assert outcome.refused

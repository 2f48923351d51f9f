"""Names and texts of others in the newer commands: no terminal obeys them, none forges a line or ends in a crash."""

import json
import sqlite3
import sys

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.match import play_match
from stammtisch.arena.store import Store
from stammtisch.baselines.learned.jass.network import KIND, DenseNetwork, JassNetworks
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.benchmarks.regret.measure import measure_regret
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import RegretStore
from stammtisch.cli import main
from stammtisch.envs.core.tables import write_table
from stammtisch.text import is_printable
from stammtisch.training.jass.deals import read_deals, write_deals
from stammtisch.training.jass.making import MakingSettings, write_made
from tests.training.jass.logs import session, swisslos_deal

HOSTILE = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e\u2028[/red][bold]"
HAND = "H6 H8 H9 HJ HA D9 D10 S8 S10"
FILE = HOSTILE.replace("/", "")  # as the name of a file


@pytest.fixture
def told(capsys, monkeypatch):
    """Run a command here and return its code and what it said; nothing in that may be obeyed."""

    def run(*words):
        monkeypatch.setattr("sys.argv", ["stammtisch", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        said = capsys.readouterr()
        for line in (said.out + said.err).split("\n"):
            assert is_printable(line.replace("\r", "")), line
        assert "Traceback" not in said.err
        return code, said.out + said.err

    return run


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    path = tmp_path_factory.mktemp("deals") / "deals.npz"
    write_made(path, MakingSettings(deals=12, seed=3, per_game=3))
    return path


def test_tables(told, tmp_path):
    folder = tmp_path / f"t{FILE}"
    folder.mkdir()
    write_table(folder / f"x{FILE}.table", np.zeros(9, np.uint8), {"name": HOSTILE, "part": HOSTILE})
    (folder / f"y{FILE}.table").write_bytes(b"nothing")
    for words in (["list"], ["list", "--json"]):
        code, said = told("tables", *words, "--dir", tmp_path)
        assert code == 0
        assert "\\x1b" in said or "\\u001b" in said
    for verb in ("verify", "remove", "build"):
        code, said = told("tables", verb, "muehle", "--dir", tmp_path / FILE, "--part", HOSTILE)
        assert code == 2
        assert r"\x1b[2J" in said


def test_deals_and_logs(told, deals, tmp_path):
    made = read_deals(deals)
    write_deals(tmp_path / f"d{FILE}.npz", made, {"teacher": HOSTILE, "sources": [HOSTILE]})
    assert told("jass-export", tmp_path / f"d{FILE}.npz", "--out", tmp_path / f"kit{FILE}")[0] == 0
    log = tmp_path / f"log{FILE}.txt"
    spoiled = swisslos_deal(made, 1) | {"jassTyp": HOSTILE}
    lines = (session(swisslos_deal(made, 0), spoiled, {HOSTILE: HOSTILE}), HOSTILE.replace("\u2028", ""))
    log.write_text("\n".join(lines) + "\n")
    for json_ in ([], ["--json"]):
        out = tmp_path / f"out{FILE}{len(json_)}.npz"
        assert told("jass-import", log, "--out", out, *json_)[0] == 0
    assert told("jass-import", tmp_path / FILE, "--out", tmp_path / "x.npz")[0] == 2
    assert told("jass-import", log, "--out", tmp_path / "x.npz", "--format", HOSTILE)[0] == 2
    assert told("jass-data", "--deals", "3", "--teacher", f"heuristic{HOSTILE}", "--out", tmp_path / "y.npz")[0] == 2
    assert told("jass-data", "--deals", "3", "--out", tmp_path / f"{FILE}.npz")[0] == 0


def test_networks(told, tmp_path):
    weights = (np.zeros((42, 36), np.float32), np.zeros(36, np.float32))
    facts = {"settings": {"data": [HOSTILE]}, "data": [{"file": HOSTILE}]}
    path = tmp_path / f"n{FILE}.safetensors"
    JassNetworks(DenseNetwork("jass-42", (42, 36), (weights,)), facts=facts).save(path)
    for more in ([], ["--json"]):
        assert told("jass-predict", path, "--hand", HAND, "--mode", "hearts", *more)[0] == 0
    assert told("jass-predict", path, "--hand", HAND)[0] == 2  # it has no network for the mode
    assert told("jass-predict", path, "--hand", HOSTILE, "--mode", HOSTILE)[0] == 2
    arrays, header = read_tensors(path, KIND)
    write_tensors(path, arrays, {**header, "networks": {HOSTILE: {}}})
    assert told("jass-predict", path, "--hand", HAND)[0] == 2


def test_ratings_and_regret(told, tmp_path):
    store = Store(tmp_path / "rating.sqlite")
    play_match("einstein-3x3", ["random", "heuristic"], games=2, store=store)
    store.close()
    plan = RegretPlan("einstein-3x3", "random", "random", games=2).checked()
    (tmp_path / "r").mkdir()
    store = RegretStore(tmp_path / "r" / "regret.sqlite")
    measure_regret(plan, store)
    store.close()
    for path, change in (
        (tmp_path / "rating.sqlite", "UPDATE matches SET agents=?, versions=?"),
        (tmp_path / "r" / "regret.sqlite", "UPDATE decisions SET stage=?, position=?"),
    ):
        db = sqlite3.connect(path)
        db.execute(change, [json.dumps([HOSTILE, HOSTILE]) if "agents" in change else HOSTILE, HOSTILE])
        db.commit()
        db.close()
    assert told("rate", "random", "einstein-3x3", "--games", "2", "--out", tmp_path / "rating.json", "--resume")[0] == 0
    assert told("rate", HOSTILE, "einstein-3x3")[0] == 2
    words = ["regret", "random", "einstein-3x3", "--opponent", "random", "--games", "2", "--out", tmp_path / "r"]
    assert told(*words, "--resume")[0] in (0, 2)
    assert told("regret", HOSTILE, HOSTILE)[0] == 2
    assert told("ladder", HOSTILE)[0] == 2
    assert told("solve", "reversi-4x4", "--position", HOSTILE)[0] == 2
    assert told("tune", HOSTILE, "einstein-3x3", "--vary", "x=1", "--out", tmp_path / "t")[0] == 2
    assert told("tune", "mcts", "einstein-3x3", "--vary", f"{HOSTILE}=1", "--out", tmp_path / "t")[0] == 2


def test_what_an_engine_says_is_told_in_one_line(told, tmp_path):
    said = r"\x1b[2J\nerror: forged\x9b31m"
    program = f"import sys\nfor line in sys.stdin: print('? {said}\\n', flush=True)"
    words = ["match", "reversi-4x4", "random", f"engine:gtp,command={json.dumps([sys.executable, '-c', program])}"]
    code, text = told(*words, "--games", "2")
    assert code in (0, 2)
    assert not any(line.startswith("error: forged") for line in text.split("\n"))
    game = stammtisch.load_game("reversi-4x4")
    agent = stammtisch.load_agent(words[-1], game)
    with pytest.raises(stammtisch.errors.Forfeit) as fault:
        agent.act(game.new_state(seed=0).view(0))
    assert is_printable(str(fault.value))


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        [f"--{FILE}"],
        ["match", "einstein-3x3", "random", "random", f"--{FILE}"],
        ["match", "einstein-3x3", "random", "random", "--games", HOSTILE],
        ["bench", "quick", "--workers", f"1{HOSTILE}"],
        ["tables", HOSTILE],
        ["train", HOSTILE],
        ["train", "ntuple", "einstein-3x3", f"--{FILE}"],
        ["games", HOSTILE, HOSTILE, HOSTILE],
        ["jass-import", FILE, f"-{FILE}"],
    ],
    ids=lambda words: " ".join(word for word in words if is_printable(word)) or "alone",
)
def test_words_that_are_refused(told, words):
    code, said = told(*words)
    assert code == 2, said
    assert "\\x1b" in said or "valid integer" in said

"""Files that the command line writes: where they go, and what is said before any work when they cannot be written."""

import json

import pytest

from stammtisch.cli import main
from stammtisch.json_text import finite, json_text
from tests.test_cli import call


def refusal(words, monkeypatch, capsys):
    """Return the one line in which a command ends."""
    monkeypatch.setattr("sys.argv", ["stammtisch", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = [line for line in shown.err.splitlines() if line.startswith("error: ")]
    return line


@pytest.fixture
def never(monkeypatch):
    """Fail if anything is learned or played."""

    def begun(*arguments, **keywords):
        raise AssertionError("the work has begun")

    monkeypatch.setattr("stammtisch.training.ntuple.run.run_training", begun)
    monkeypatch.setattr("stammtisch.training.rote.train_rote", begun)
    monkeypatch.setattr("stammtisch.arena.play.MatchPlayer.play", begun)


NTUPLE = ("train", "ntuple", "einstein-3x3", "--episodes", "1")
ROTE = ("train", "rote", "morris-3", "--games", "1")
SB3 = ("train", "sb3", "einstein-3x3", "--steps", "1")
DQN = ("train", "dqn", "morris-3", "--games", "1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bench", "quick", "--out", "FILE"), 'cannot write "FILE": File exists'),
        (("bench", "quick", "--out", "FILE/deeper"), 'cannot write "FILE/deeper": Not a directory'),
        ((*SB3, "--out", "FILE"), 'cannot write "FILE": File exists'),
        ((*SB3, "--out", "FILE/deeper"), "Not a directory"),
        ((*DQN, "--out", "nowhere/model"), "No such file or directory"),
        ((*DQN, "--out", "FOLDER"), "Is a directory"),
        ((*NTUPLE, "--out", "nowhere/net.npz"), "No such file or directory"),
        ((*NTUPLE, "--out", "FOLDER"), "Is a directory"),
        ((*ROTE, "--out", "nowhere/table.npz"), "No such file or directory"),
        (("tune", "ntuple", "einstein-3x3", "--vary", "lam=0,1", "--out", "FILE"), "File exists"),
        (("match", "einstein-3x3", "random", "random", "--out", "nowhere/games.sqlite"), "no folder"),
        ((*NTUPLE, "--out", "net.npz", "--plot", "z.xyz"), '".xyz" is no kind of picture; choose one of'),
        ((*NTUPLE, "--out", "net.npz", "--plot", "nowhere/z.png"), "No such file or directory"),
        ((*SB3, "--out", "run", "--plot", "z.xyz"), '".xyz" is no kind of picture'),
        ((*DQN, "--out", "model", "--plot", "z.xyz"), '".xyz" is no kind of picture'),
        ((*SB3, "--out", "gone", "--resume"), "no gone/checkpoint.safetensors; leave out --resume to begin one"),
        ((*SB3, "--out", "FOLDER", "--resume"), "there is no training FOLDER to go on with"),
        ((*DQN, "--out", "gone", "--resume"), "there is no training gone to go on with"),
        ((*DQN, "--out", "FILE", "--resume"), "no training FILE to go on with, as there is no FILE.checkpoint"),
        ((*NTUPLE, "--out", "gone.npz", "--resume"), "there is no training gone.npz to go on with"),
        ((*ROTE, "--out", "gone.npz", "--resume"), "there is no training gone.npz to go on with"),
    ],
)
def test_what_cannot_be_written_or_resumed_is_said_before_the_work(
    words, message, tmp_path, monkeypatch, capsys, never
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("something else")
    (tmp_path / "FOLDER").mkdir()
    assert message in refusal(words, monkeypatch, capsys)
    assert not (tmp_path / "gone").exists()
    assert (tmp_path / "FILE").read_text() == "something else"


def test_any_trouble_with_a_file_ends_in_one_line(monkeypatch, capsys):
    def full(*arguments, **keywords):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr("stammtisch.benchmarks.play_match", full)
    line = refusal(("match", "einstein-3x3", "random", "random"), monkeypatch, capsys)
    assert line == "error: cannot read or write somewhere: No space left on device"


def test_the_report_of_a_results_file_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call("match", "einstein-3x3", "heuristic", "random", "--games", "4", "--out", "a.sqlite")
    assert call("report", "a.sqlite").split()[-1] == "a-report/report.html"
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("a.sqlite")} == {"a-report"}
    assert (tmp_path / "a-report" / "report.html").exists()
    told = json.loads(call("report", "a.sqlite", "--out", "elsewhere/deep", "--json"))
    assert told["report"] == "elsewhere/deep/report.html"
    assert (tmp_path / "elsewhere" / "deep" / "ratings.csv").exists()


def only_json(text):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_a_match_won_outright_is_json_and_an_even_one_has_no_sign():
    words = ("match", "einstein-3x3", "heuristic", "random", "--seed", "1")
    data = only_json(call(*words, "--games", "1", "--json"))
    assert data["elo"] is None
    assert data["return_ci95"] == [None, None]
    even = call("match", "reversi-4x4", "minimax:depth=1", "minimax:depth=1", "--games", "2", "--opening", "2")
    assert " -0 " not in even


def test_numbers_that_are_not_finite_become_null_however_deep_they_lie():
    inf, nan = float("inf"), float("nan")
    assert finite({"a": [1, (inf, {"b": -inf})], "c": nan, "d": "inf"}) == {
        "a": [1, [None, {"b": None}]],
        "c": None,
        "d": "inf",
    }
    assert json_text({"a": [inf]}) == '{"a": [null]}'


def test_a_damaged_table_is_found_before_anything_is_built_on_it(tmp_path, monkeypatch, capsys):
    words = ("tables", "build", "morris-3", "--dir", tmp_path)
    assert call(*words, "--part", "3-3")
    (path,) = tmp_path.glob("*/3-3.table")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    for part in ((), ("--part", "3-3"), ("--part", "placing-1")):
        assert "checksum" in refusal((*words, *part), monkeypatch, capsys)
    assert list(tmp_path.glob("*/*")) == [path]

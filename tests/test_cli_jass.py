"""The commands that make, read, write and learn from deals of Jass."""

import json

import pytest
from typer.testing import CliRunner

from stammtisch.cli import app

RUNNER = CliRunner()


def ran(*words):
    result = RUNNER.invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_from_data_to_predictions(tmp_path):
    pytest.importorskip("torch")
    deals, net = tmp_path / "deals.npz", tmp_path / "net.safetensors"
    told = json.loads(ran("jass-data", "--deals", 60, "--seed", 2, "--out", deals, "--json"))
    assert told["counts"]["deals"] == 60
    games = told["counts"]["games"]
    assert told["synthetic"]
    told = json.loads(ran("jass-export", deals, "--out", tmp_path / "kit", "--json"))
    assert told["deals"] == 60
    told = json.loads(ran("jass-import", tmp_path / "kit0001.txt", "--out", tmp_path / "again.npz", "--json"))
    wanted = {"games", "deals", "tricks", "card_samples", "trump_samples", "dropped"}
    assert wanted <= set(told)
    assert (told["deals"], told["tricks"], told["card_samples"], told["dropped"]) == (60, 540, 2160, {})
    assert told["games"] == games > 1  # a round trip keeps games apart, for splits
    words = ["train", "supervised", "jass-schieber", "--data", deals, "--net", "186-16-36", "--epochs", 1, "--out", net]
    told = json.loads(ran(*words, "--set", "trump_epochs=1", "--set", "test=0.4", "--json"))
    assert told["networks"]["card"]["layers"] == [186, 16, 36]
    assert "schieben" in ran("jass-predict", net, "--hand", "H6 H8 H9 HJ HA D9 D10 S8 S10")
    hand = ["--hand", "H6 H8 H9 HJ HA D9 D10 S8 S10", "--mode", "hearts", "--table", "DA"]
    told = json.loads(ran("jass-predict", net, *hand, "--picture", tmp_path / "bars.png", "--json"))
    assert len(told["rows"]) == 9
    assert (tmp_path / "bars.png").exists()
    assert "dropped 1: not a record" in _imported(tmp_path)
    ran("train", "supervised", "--settings")


def _imported(tmp_path):
    (tmp_path / "a.txt").write_text('{"rounds":[]}\nnonsense\n')
    return ran("jass-import", tmp_path / "a.txt", "--out", tmp_path / "other.npz")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["jass-data", "--teacher", "pmic", "--out", "a.npz"], 'no agent "pmic"'),
        (["jass-import", "nothing.txt", "--out", "a.npz"], "there is no such file"),
        (["jass-export", "nothing.npz", "--out", "kit"], "there is no such file"),
        (["jass-predict", "nothing.safetensors", "--hand", "H6"], "there is no such file"),
        (["train", "supervised", "jass-schieber"], "--out FILE"),
        (["train", "supervised", "jass-schieber", "--out", "a.safetensors"], "--data FILE"),
        (["train", "supervised", "reversi-8x8", "--data", "a.npz", "--out", "a.safetensors"], "Schieber"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = RUNNER.invoke(app, words)
    assert isinstance(result.exception, ValueError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)

"""``stammtisch play``: a game in the terminal."""

import pytest
from typer.testing import CliRunner

from stammtisch.cli import app

runner = CliRunner()


def played(text: str, *arguments: str) -> str:
    result = runner.invoke(app, ["play", *arguments], input=text)
    assert result.exception is None, result.output
    return result.output


def test_moves_hints_and_going_back():
    shown = played(
        "hint\nd3\nback\nnonsense\nquit\n", "reversi-4x4", "person", "random", "--hint", "random", "--seed", "1"
    )
    assert "hint: " in shown
    assert shown.count("black to move, black 2, white 2") == 2
    assert 'cannot read "nonsense"' in shown


def test_machines_play_to_the_end():
    assert "returns" in played("", "reversi-4x4", "random", "random", "--hint", "random", "--seed", "1")


@pytest.mark.parametrize("players", [["person"], ["person", "nobody"]])
def test_wrong_players_are_told(players):
    result = runner.invoke(app, ["play", "reversi-4x4", *players])
    assert isinstance(result.exception, ValueError)

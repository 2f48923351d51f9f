"""The command line, as a user calls it."""

import ast
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from stammtisch.cli import app, main
from stammtisch.cli.commands import INDEX, imported_command
from stammtisch.envs import GAMES


def call(*words):
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_help_has_an_example_for_every_command():
    top = call("--help")
    arena = (
        "match",
        "bench",
        "replay",
        "report",
        "jass-stats",
        "jass-server",
        "jass-client",
        "reversixt-map",
        "reversixt-server",
        "reversixt-client",
    )
    for command in ("games", "agents", *arena, "train", "speed", "warmup"):
        assert command in top
        assert "Example" in call(command, "--help")
    assert "Example" in call("train", "rote", "--help")


def test_the_index_says_what_the_commands_say():
    for name, (_, sentence) in INDEX.items():
        command = imported_command(name)
        assert command.help.split("\n\n")[0].replace("\n", " ") == sentence
        assert command.params or command.commands
    assert {info.name or info.callback.__name__ for info in app.registered_commands} <= set(INDEX)
    assert {info.name for info in app.registered_groups} <= set(INDEX)


def test_help_imports_no_command():
    code = """if True:
        import atexit, sys
        atexit.register(lambda: print([name for name in sys.modules if name.startswith("stammtisch.cli.")]))
        sys.argv[1:] = ["--help"]
        from stammtisch.cli import main
        main()"""
    last = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert ast.literal_eval(last[-1]) == ["stammtisch.cli.commands", "stammtisch.cli.console"]


def test_version():
    assert call("--version").strip().count(".") == 2


def test_games_lists_every_id():
    assert [row["id"] for row in json.loads(call("games", "--json"))["games"]] == list(GAMES)
    assert all(game in call("games") for game in GAMES)


def test_agents():
    names = [row["name"] for row in json.loads(call("agents", "--json"))["agents"]]
    assert {"random", "heuristic"} <= set(names)
    assert "heuristic" in call("agents")


def test_the_options_of_one_game_and_of_one_agent():
    game = json.loads(call("games", "muehle", "--json"))["games"][0]
    assert game["options"]["max_turns"]["default"] == 200
    assert game["options"]["max_turns"]["minimum"] == 1
    assert game["options"]["observation"]["choices"] == ["vector", "dqn-flat"]
    assert "vector | dqn-flat" in call("games", "muehle")
    agent = json.loads(call("agents", "mcts", "--json"))["agents"][0]
    assert agent["options"]["reuse"] == {
        "type": "bool",
        "default": True,
        "help": "keep what the last move found out about this position",
    }
    assert "random | heuristic" in call("agents", "mcts")


def test_options_are_read_the_same_way_everywhere():
    words = ("match", "muehle", "random", "random", "--games", "2", "--json")
    data = json.loads(call(*words, "-o", "max_turns=1e1", "-o", "flying=off"))
    assert data["options"] == {"max_turns": 10, "flying": False}


def test_the_schema_of_suites():
    schema = json.loads(call("bench", "--schema"))
    assert schema["properties"]["tournament"]["items"]["required"] == ["game", "agents", "games"]


def test_match_prints_one_json_object():
    data = json.loads(call("match", "einstein-3x3", "heuristic", "random", "--games", "10", "--json"))
    assert data["games"] == 10
    assert data["agents"] == ["heuristic", "random"]


def test_match_with_game_options_and_a_table():
    shown = call("match", "einstein-3x3", "random", "random", "--games", "4", "-o", "random_start=true")
    assert "4 games" in shown


def test_bench_writes_a_report_into_a_new_folder_each_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    suite = tmp_path / "two.toml"
    suite.write_text('[[tournament]]\ngame = "einstein-3x3"\nagents = ["random", "heuristic"]\ngames = 4\n')
    for number in (1, 2):
        data = json.loads(call("bench", str(suite), "--workers", "1", "--json"))
        assert data["matches"][0]["games"] == 4
        assert (tmp_path / f"stammtisch-results/two-{number}/report.html").exists()
    assert "report:" in call("bench", str(suite), "--workers", "1", "--resume")
    assert not (tmp_path / "stammtisch-results/two-3").exists()
    assert "4 games replayed, 0 faults" in call("replay", "stammtisch-results/two-1")


def test_bench_lists_the_suites():
    assert "einstein-thesis" in call("bench", "--list")


def test_a_match_at_cards_is_also_told_in_points():
    data = json.loads(call("match", "jass-schieber", "greedy", "random", "--games", "8", "--json"))
    said = call("match", "jass-schieber", "greedy", "random", "--games", "8")
    assert f"({100 * data['mean_return']:+.1f} points" in said
    assert "points" not in call("match", "einstein-3x3", "heuristic", "random", "--games", "8")


def test_match_keeps_its_games_in_a_file(tmp_path):
    words = ("match", "einstein-3x3", "random", "random", "--games", "4", "--out", str(tmp_path / "r.sqlite"))
    first = json.loads(call(*words, "--json"))
    again = json.loads(call(*words, "--resume", "--json"))
    assert first["score"] == again["score"]


def test_verbose_matches_tell_what_the_agents_thought():
    shown = call("match", "einstein-3x3", "mcts:iterations=50", "random", "--games", "2", "--verbose")
    assert "[mcts:iterations=50]" in shown
    assert "returns" in shown


def test_jass_stats():
    data = json.loads(call("jass-stats", "random", "--deals", "20", "--json"))
    assert [habit["id"] for habit in data["habits"]][:2] == ["A1", "A2"]


def test_train_rote(tmp_path):
    path = tmp_path / "table.npz"
    words = ("train", "rote", "morris-3", "--games", "2", "--plies", "6", "--nodes", "500", "--out", str(path))
    assert json.loads(call(*words, "--json"))["entries"] > 0
    assert f"rote:table={path}" in call(*words, "--resume").replace("\n", "")


def test_speed():
    words = ("speed", "-g", "einstein-3x3", "--seconds", "0.05")
    data = json.loads(call(*words, "--json"))["speed"]
    assert [row["face"] for row in data] == ["state", "aec", "single", "vector", "steps", "playouts"]
    assert all(row["steps_per_s"] > 0 for row in data)
    assert "einstein-3x3" in call(*words, "-f", "state")


def test_speed_of_several_threads():
    words = ("speed", "-g", "einstein-3x3", "--seconds", "0.05", "--threads", "2", "--json")
    data = json.loads(call(*words))["speed"]
    assert {row["face"]: row["threads"] for row in data} == {
        "state": 1,
        "aec": 1,
        "single": 1,
        "vector": 2,
        "steps": 2,
        "playouts": 2,
    }


def test_speed_beside_openspiel():
    data = json.loads(call("speed", "-g", "einstein-5x5", "--seconds", "0.05", "-f", "state", "--json"))["speed"]
    assert set(data[0]["ratios"]) == {"pyspiel lists", "pyspiel buffer"}


def test_warmup():
    call("warmup", "-g", "einstein-3x3")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["match", "einstien-5x5", "random", "random"], 'did you mean "einstein-5x5"'),
        (["match", "einstein-5x5", "random", "radom"], 'did you mean "random"'),
        (["match", "einstein-5x5", "random"], "not by 1 agents"),
        (["match", "einstein-5x5", "random", "random", "-o", "choice=best"], "choose one of"),
        (["match", "einstein-5x5", "random", "random", "-o", "chioce=gbg"], 'did you mean "choice"'),
        (
            ["match", "einstein-5x5", "mcts:c=nan", "random"],
            "option c=nan for agent mcts is not allowed; give a number",
        ),
        (["match", "einstein-5x5", "random", "random", "--sprt", "elo1=x"], 'elo1="x" for a sequential test'),
        (
            ["train", "rote", "muehle", "--set", "nodes=1.5", "--out", "x"],
            "nodes=1.5 for train rote is not allowed; give",
        ),
        (["agents", "mtcs"], 'did you mean "mcts"'),
        (["match", "einstein-5x5", "random", "random", "-o", "choice"], "write key=value"),
        (["speed", "-f", "back"], "no face"),
    ],
)
def test_bad_input_ends_in_one_line_and_code_2(words, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["stammtisch", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = [line for line in shown.err.splitlines() if line.strip()]
    assert message in lines[-1]
    assert lines[-1].startswith("error: ")


def test_maps_of_reversixt_are_made_checked_and_listed(tmp_path):
    made = call("reversixt-map", "--players", "4", "--size", "20x20", "--seed", "7")
    file = tmp_path / "own.map"
    call("reversixt-map", "--players", "4", "--size", "20x20", "--seed", "7", "--out", str(file))
    assert (
        file.read_text()
        == made
        == json.loads(call("reversixt-map", "--players", "4", "--size", "20x20", "--seed", "7", "--json"))["map"]
    )
    (facts,) = json.loads(call("reversixt-map", "--check", str(file), "--json"))["maps"]
    assert (facts["players"], facts["size"], facts["dead_fields"]) == (4, "20x20", 0)
    assert "crossing" in call("reversixt-map", "--list")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reversixt-map", "--size", "20"), "write columns and rows as 20x20"),
        (("reversixt-map", "--players", "8", "--size", "8x8"), "too small for 8 players"),
        (("reversixt-map", "--check", "nowhere.map"), "cannot read nowhere.map"),
        (("reversixt-server",), "--map is missing"),
        (("reversixt-server", "--map", "plain", "--players", "3"), "does not fit the map, which is for 2"),
        (("reversixt-client", "localhost"), "write HOST:PORT"),
        (("reversixt-client", "localhost:7777", "--agent", "mtcs"), 'did you mean "mcts"'),
    ],
)
def test_mistakes_with_reversixt_are_named(words, message):
    with pytest.raises(ValueError, match=message):
        call(*words)

"""Suites, results that last, resuming, replaying and the report."""

import base64
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tomllib
import zlib

import pytest

import stammtisch
from stammtisch.baselines.learned.jass.sighted import shipped_file
from stammtisch.benchmarks.reports import report
from stammtisch.benchmarks.reports.report import comparison_row, to_json, write_report
from stammtisch.benchmarks.suites.run import run_suite
from stammtisch.benchmarks.suites.spent import Spent
from stammtisch.benchmarks.suites.suite import load_suite, shipped, suite_schema
from stammtisch.benchmarks.suites.trainings import missing_trainings
from stammtisch.training.evaluator import CurvePoint, Evaluator, mean_curve, plot_learning
from tests.dying import run_and_die

TINY = """
title = "Tiny"
about = "For tests."

[[tournament]]
game = "einstein-3x3"
agents = ["random", "heuristic"]
games = 12
opening = 1
anchor = "random"

[[comparison]]
name = "table 0"
game = "einstein-4x4-4p"
agents = ["heuristic", "random", "random", "random"]
games = 8
paper = 0.5

[[comparison]]
name = "of tomorrow"
game = "einstein-3x3"
agents = ["oracle", "random"]
games = 8
paper = 0.9
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.mark.parametrize("name", shipped())
def test_shipped_suites_can_be_read(name):
    assert load_suite(name).about


def test_a_suite_is_played_rated_compared_and_reported(tiny, tmp_path):
    suite = load_suite(str(tiny))
    assert suite.games() == 20
    result = run_suite(suite)
    assert [match.games for match in result.matches()] == [12, 8]
    ratings = result.tournaments[0][2]
    assert ratings[-1].elo == 0 or ratings[0].elo == 0
    page = write_report(result, tmp_path, ["stammtisch", "bench", "tiny.toml"])
    html = page.read_text()
    assert "table 0" in html
    assert "not built" in html
    assert "stammtisch bench tiny.toml" in html
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    for place in ("1-einstein-3x3", "comparisons", "how-to-read", "made"):
        assert f'href="#{place}"' in html
        assert f'id="{place}"' in html
    assert html.index("Summary") < html.index("Contents") < html.index("<table>")
    assert " is first, " in html
    data = json.loads((tmp_path / "results.json").read_text())
    assert data["comparisons"][1]["ours"] == "not built"
    assert len((tmp_path / "matches.csv").read_text().splitlines()) == 3
    assert (tmp_path / "1-einstein-3x3-ratings.png").stat().st_size > 1000


def test_every_column_of_a_report_is_explained(tiny, tmp_path):
    html = write_report(run_suite(load_suite(str(tiny))), tmp_path).read_text()
    named = {"comparison", "game", "agents", "agent", "pair"}
    columns = set(re.findall(r"<th [^>]*>([^<]+)</th>", html))
    assert columns - named == columns & set(re.findall(r"<dt>([^<]+)</dt>", html))


@pytest.mark.parametrize("most", [3, 1000])
def test_example_games_open_at_their_end(tiny, tmp_path, monkeypatch, most):
    monkeypatch.setattr(report, "_MOST_FRAMES", most)
    result = run_suite(load_suite(str(tiny)))
    html = write_report(result, tmp_path).read_text()
    match = result.tournaments[0][1][0]
    record = match.records[0]
    winner = match.agents[record.seating[record.returns.index(1.0)]]
    assert f'<div class="result">{winner} won (' in html
    packed = re.search(r'data-frames="([^"]+)"', html)[1]
    frames = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert len(frames) == min(most, len(record.events) + 1)
    assert frames[-1]["svg"] in html  # seen without a program
    assert "wins" in frames[-1]["svg"]
    assert f'max="{len(frames) - 1}" value="{len(frames) - 1}"' in html
    assert ("positions later" in frames[-1]["text"]) == (most == 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("games = 12", ""), "lacks games"),
        (('kind = "x"\n', ""), ""),
        (('"einstein-3x3"', '"einstien-3x3"'), "did you mean"),
        (("opening = 1", "openings = 1"), 'did you mean "opening"'),
        (("opening = 1", 'kind = "swiss"'), 'key kind="swiss" .* choose one of round-robin, gauntlet'),
        (('anchor = "random"', 'anchor = "nobody"'), "not among the agents"),
        (("paper = 0.5", 'measure = "luck"'), 'key measure="luck" .* choose one of score, return, first'),
        (('["random", "heuristic"]', '["random"]'), "at least two"),
        (('["random", "heuristic"]', '["random", "heuristic:depth=3"]'), "no option for agent"),
        (("[[tournament]]", "[[tournament"), "cannot read suite"),
        (("games = 8", "games = 0"), r"key games=0 for suite tiny, \[\[comparison\]\] .* an integer of at least 1"),
        (("games = 8", "games = true"), "key games=True .* an integer of at least 1"),
        (("games = 12", 'games = "12"'), 'key games="12" .* an integer of at least 1'),
        (('about = "For tests."', "seed = -1"), "key seed=-1 for suite tiny is not allowed"),
        (('about = "For tests."', "abut = 1"), 'no key for suite tiny "abut"; did you mean "about"'),
        (('["random", "heuristic"]', "3"), "key agents=3 .* a list of texts"),
        (("paper = 0.9", "options = {choice = 1}"), "option choice=1 for einstein-3x3"),
    ],
)
def test_bad_suites_are_refused_in_one_line(tiny, change, message):
    if not message:
        return
    tiny.write_text(TINY.replace(*change))
    with pytest.raises(ValueError, match=message) as caught:
        load_suite(str(tiny))
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize("name", shipped())
def test_shipped_suites_follow_the_schema(name):
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator
    checker.check_schema(suite_schema())
    checker(suite_schema()).validate(tomllib.loads(shipped()[name].read_text("utf-8")))


@pytest.mark.parametrize("change", [("games = 12", ""), ("opening = 1", "openings = 1"), ("games = 8", "games = 0")])
def test_the_schema_refuses_what_a_suite_may_not_be(change):
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator(suite_schema())
    assert checker.is_valid(tomllib.loads(TINY))
    assert not checker.is_valid(tomllib.loads(TINY.replace(*change)))


def test_studies_are_checked_when_a_suite_is_read(tmp_path):
    path = tmp_path / "study.toml"
    text = '[[study]]\ngame = "einstein-3x3"\nepisodes = 10\nvary = { lam = [0.1, 0.2] }\n'
    path.write_text(text)
    assert load_suite(str(path)).studies[0].vary == {"lam": [0.1, 0.2]}
    for before, after, message in [
        ("lam", "lma", r'suite study, \[\[study\]\]: no setting for train ntuple "lma"; did you mean "lam"'),
        ("0.2", "2", "setting lam=2 for train ntuple is not allowed; give a number from 0 to 1"),
        ("vary = { lam = [0.1, 0.2] }", 'study = "relpay"', 'did you mean "replay"'),
    ]:
        path.write_text(text.replace(before, after))
        with pytest.raises(ValueError, match=message):
            load_suite(str(path))


def test_an_unknown_suite_is_named():
    with pytest.raises(ValueError, match='no suite "quik"; did you mean "quick"'):
        load_suite("quik")


def test_a_killed_suite_resumes_to_the_same_table(tiny, tmp_path):
    """kill -9 in the middle of a suite; what is resumed equals an undisturbed run."""
    tiny.write_text(TINY.replace("games = 12", "games = 3000").replace("games = 8", "games = 40"))
    undisturbed = to_json(run_suite(load_suite(str(tiny))))
    folder = tmp_path / "out"
    words = [sys.executable, "-m", "stammtisch.cli", "bench", str(tiny), "--out", str(folder), "--workers", "1"]
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(stammtisch.__file__).parents[1])}
    run_and_die(words[3:], "stammtisch.arena.store:Store.add", calls=2)
    assert 0 < _stored(folder) < 3000
    refused = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    resumed = subprocess.run([*words, "--resume", "--json"], capture_output=True, text=True, env=environment)
    assert resumed.returncode == 0, resumed.stderr
    data = json.loads(resumed.stdout)
    assert data["ratings"] == undisturbed["ratings"]
    assert data["comparisons"] == undisturbed["comparisons"]
    replayed = subprocess.run(
        [sys.executable, "-m", "stammtisch.cli", "replay", str(folder), "--json"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert json.loads(replayed.stdout) == {"games": 3040, "faults": []}


def _stored(folder):
    path = folder / "results.sqlite"
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            return db.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_curves_of_several_seeds_are_joined_by_the_number_of_the_evaluation():
    first, second = (
        [CurvePoint(step, "random", score, (0.0, 1.0), 10) for step, score in points]
        for points in ([(100, 0.5), (203, 0.75)], [(102, 1.0), (201, 0.25), (300, 1.0)])
    )
    assert mean_curve([first, second]) == ([101, 202], [0.75, 0.5], [0.5, 0.25], [1.0, 0.75])
    assert mean_curve([first]) == ([100, 203], [0.5, 0.75], [0.5, 0.75], [0.5, 0.75])


def test_an_evaluation_without_chance_has_openings_at_random():
    game = stammtisch.load_game("reversi-4x4")
    agent = stammtisch.load_agent("heuristic", game)
    found = {
        opening: Evaluator(game, ["alphabeta:depth=2"], 1, games=60, opening=opening).evaluate(agent, 0)[0].score
        for opening in (0, 4)
    }
    assert found[0] in (0.0, 0.25, 0.5, 0.75, 1.0)  # the same two games again and again
    assert found[4] not in (0.0, 0.25, 0.5, 0.75, 1.0)


def test_the_evaluator_draws_learning_curves(tmp_path):
    game = stammtisch.load_game("einstein-3x3")
    runs = []
    for seed in range(2):
        evaluator = Evaluator(game, ["random"], every=10, games=20, seed=seed)
        for step in range(0, 31, 5):
            if evaluator.due(step):
                evaluator.evaluate(stammtisch.load_agent("heuristic", game), step)
        assert [step for step, _ in evaluator.curve("random")] == [0, 10, 20, 30]
        runs.append(evaluator)
    plot_learning({"heuristic": runs}, "random", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="every"):
        Evaluator(game, ["random"], every=0)


def _written(tmp_path, text):
    path = tmp_path / "made.toml"
    path.write_text(text)
    return path


FIRST = """
[[comparison]]
name = "random against random"
game = "einstein-3x3"
agents = ["random", "random"]
games = 2000
paper = 0.584
measure = "first"
"""


def test_the_score_of_who_begins_can_be_compared(tmp_path):
    """With seats exchanged, equal players have one half each, whatever the first move is worth."""
    result = run_suite(load_suite(str(_written(tmp_path, FIRST))))
    row = comparison_row(*result.comparisons[0])
    assert row["ours"] == result.matches()[0].first_mover_score > 0.55
    assert row["low"] < 0.584 < row["high"]
    assert row["verdict"] == "same"


GRID = """
title = "Scaled"
scales = ["quick", "long"]

[[part]]
name = "one"
about = "A grid."
minutes = { quick = 0.1, long = 5 }

[[part]]
name = "two"

[[grid]]
name = "mc"
part = "one"
game = "einstein-3x3"
agent = "mc"
vary = { iterations = [1, 4], depth = [2, 4] }
games = 10
seeds = 2
paper = { "iterations=4, depth=4" = 0.2 }
printed = "difference"
at = { long = { seeds = 3 } }

[[size]]
part = "two"
game = "einstein-4x4"
kind = "weights"
parameters = { coding = 3, sharing = "none", tuples = "fixed" }
paper = 257049

[[size]]
part = "two"
game = "einstein-4x4"
kind = "positions"
paper = 6337216
"""


def test_a_suite_has_parts_scales_grids_and_sizes(tmp_path):
    path = str(_written(tmp_path, GRID))
    quick, long = load_suite(path), load_suite(path, scale="long")
    assert (quick.scale, quick.grids[0].seeds, quick.games()) == ("quick", 2, 80)
    assert (long.scale, long.grids[0].seeds, long.games()) == ("long", 3, 120)
    assert quick.models != long.models
    alone = load_suite(path, parts=["two"])
    assert (len(alone.grids), len(alone.sizes), [part.name for part in alone.parts]) == (0, 2, ["two"])
    folder = tmp_path / "out"
    folder.mkdir()
    spent = Spent(folder / "spent.json")
    result = run_suite(load_suite(path, folder=folder), spent=spent)
    html = write_report(result, folder).read_text()
    for text in ("0.200 → 60.0 %", "257,049", "6,337,216", "min – median – max", "Parts and their times"):
        assert text in html
    data = to_json(result)
    assert [size["verdict"] for size in data["sizes"]] == ["same", "same"]
    cell = data["grids"][0]["settings"][3]
    assert (cell["label"], cell["paper_score"], cell["games"]) == ("iterations=4, depth=4", 0.6, 20)


def test_the_time_of_all_runs_is_told_after_going_on(tmp_path):
    path = str(_written(tmp_path, GRID))
    folder = tmp_path / "out"
    folder.mkdir()
    first = run_suite(load_suite(path, folder=folder), spent=Spent(folder / "spent.json")).seconds
    again = run_suite(load_suite(path, folder=folder), spent=Spent(folder / "spent.json"))
    assert again.seconds > first > 0
    assert f"{again.seconds / 60:.1f} minutes in all" in write_report(again, folder).read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('part = "one"', 'part = "oen"'), 'no part of suite made "oen"; did you mean "one"'),
        (("at = { long", "at = { lnog"), 'no scale of suite made "lnog"'),
        (("iterations = [1, 4]", "itertions = [1, 4]"), "did you mean"),
        (('"iterations=4, depth=4"', '"lam=4"'), "no setting with a printed figure"),
        (('kind = "weights"', 'kind = "wieghts"'), "choose one of positions, weights"),
        (("coding = 3", "coding = 9"), "has codings 0..3, not 9"),
    ],
)
def test_bad_parts_scales_and_grids_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_suite(str(_written(tmp_path, GRID.replace(*change))))


def test_unknown_scales_and_parts_are_named(tmp_path):
    path = str(_written(tmp_path, GRID))
    with pytest.raises(ValueError, match='no scale of suite made "thesis"'):
        load_suite(path, scale="thesis")
    with pytest.raises(ValueError, match="one size only"):
        load_suite("quick", scale="thesis")
    with pytest.raises(ValueError, match='no part of suite made "three"'):
        load_suite(path, parts=["three"])


def test_a_result_of_another_command_is_not_taken_for_this_one(tmp_path):
    """A file that was trained otherwise would be compared under the wrong name."""
    text = '[[training]]\nout = "net.npz"\ncommand = "train ntuple einstein-3x3 --episodes 20"\n'
    suite = load_suite(str(_written(tmp_path, text + FIRST)), folder=tmp_path)
    suite.models.mkdir()
    (suite.models / "net.npz").write_bytes(b"")
    (suite.models / "net.npz.json").write_text('{"command": "train ntuple einstein-3x3 --episodes 10"}')
    with pytest.raises(ValueError, match=r"was trained by .*episodes 10.*, not by .*episodes 20"):
        missing_trainings(suite)


LEARNERS = """
[[training]]
out = "deals.npz"
command = "jass-data --deals 40"

[[training]]
out = "once.safetensors"
command = "train supervised jass-schieber --data {models}/deals.npz"

[[training]]
out = "net.safetensors"
command = "train rl-jass jass-schieber --deals 64"

"""


def test_a_report_tells_what_trainings_were_measured_against(tmp_path):
    suite = load_suite(str(_written(tmp_path, LEARNERS + FIRST)), folder=tmp_path)
    suite.models.mkdir()

    def point(step, opponent):
        return {"step": step, "opponent": opponent, "score": 0.5, "ci95": [0.4, 0.6], "games": 20}

    tested = dict.fromkeys(("accuracy", "masked", "unforced", "illegal", "loss", "mse", "train_samples", "samples"), 1)
    told = {
        "deals.npz": {"file": "deals.npz"},
        "once.safetensors": {
            "curve": [point(1, "cards of the test")],
            "networks": {"card": {"layers": [4, 36]}},
            "reports": {"card": tested},
        },
        "net.safetensors": {
            "curve": [point(0, "heuristic"), point(64, "heuristic")],
            "seconds": 9.2,
            "cpu_seconds": 96.0,
            "points": [{"deals": 0, "points": -59.4, "error": 1.0}, {"deals": 64, "points": 3.0, "error": 1.0}],
        },
    }
    for entry in suite.trainings:
        (suite.models / entry.out).write_bytes(b"")
        (suite.models / f"{entry.out}.json").write_text(json.dumps({"command": entry.command, **told[entry.out]}))
    html = write_report(run_suite(suite), tmp_path).read_text()
    assert "2 trainings, 1 with a learning curve, the others evaluated once, and 1 file of data for them." in html
    assert "50.0 % of the cards of the test" in html
    plain = re.sub("<[^>]*>", "", html)
    assert "points per deal against heuristic after 0: -59.4 ± 2.0, 64: +3.0 ± 2.0" in plain
    assert "{models} is the folder of their results" in plain
    assert 'data-label="time">9 s<' in html
    assert 'data-label="processor time">1.6 min<' in html
    assert len(list(tmp_path.glob("training-*.png"))) == 2  # one picture, light and dark
    assert "bands: 95 % intervals of the evaluations" in html
    of_one_seed = to_json(run_suite(suite))["trainings"][2]["curves"]["heuristic"]
    assert of_one_seed == [[0, 64], [0.5, 0.5], [0.4, 0.4], [0.6, 0.6]]


def test_a_report_names_files_briefly(tmp_path):
    net = tmp_path / "deep" / "net.safetensors"
    net.parent.mkdir()
    shutil.copy(shipped_file(), net)
    tournament = f'[[tournament]]\ngame = "jass-schieber"\nagents = ["rl-jass:{net}", "random"]\ngames = 8\n'
    result = run_suite(load_suite(str(_written(tmp_path, tournament))))
    html = write_report(result, tmp_path, ["stammtisch", "bench"]).read_text()
    assert "<code>rl-jass:net - random</code>" in html
    assert "deep" not in html
    assert str(net) in (tmp_path / "matches.csv").read_text()


def test_studies_of_a_suite_do_not_mix_runs(tmp_path):
    """`bench --games 8` and then `--resume` without it once averaged both."""
    text = '[[study]]\ngame = "einstein-3x3"\nepisodes = 20\nvary = { lam = [0.0] }\n'
    path = str(_written(tmp_path, text + "seeds = 2\npoints = 1\ngames = 20\n"))
    few = run_suite(load_suite(path, games=8, folder=tmp_path)).studies[0].outcomes[0]
    many = run_suite(load_suite(path, folder=tmp_path)).studies[0].outcomes[0]
    assert (few.games, len(few.scores)) == (16, 2)
    assert (many.games, len(many.scores)) == (40, 2)

"""Writes the results of a suite: one self-contained HTML page, PNG plots, CSV tables and JSON."""

import base64
import csv
import datetime
import importlib.resources
import io
import json
import os
import pathlib
import platform
import shlex
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import jinja2

from stammtisch.arena.intervals import mean_interval, score_interval, seeds_interval
from stammtisch.arena.match import MatchResult, cheaters
from stammtisch.arena.outcomes import SettingOutcome, as_score, verdict
from stammtisch.arena.plan import GameRecord
from stammtisch.arena.play import states_of
from stammtisch.arena.ratings import Rating, superiority
from stammtisch.arena.records import Records
from stammtisch.arena.store import versions
from stammtisch.benchmarks.jass.habits import jass_stats
from stammtisch.benchmarks.regret.count import RegretResult
from stammtisch.benchmarks.regret.pictures import LEGEND, moment_picture, moment_text
from stammtisch.benchmarks.regret.tables import regret_rows, stage_rows, unit_of
from stammtisch.benchmarks.reports import plots
from stammtisch.benchmarks.reports.learning import Learned, learned
from stammtisch.benchmarks.suites.entries import Comparison, GridEntry, RegretEntry, SizeEntry, StudyEntry
from stammtisch.benchmarks.suites.run import GridResult, StudyResult, SuiteResult
from stammtisch.benchmarks.suites.suite import NOT_BUILT
from stammtisch.envs import load_game
from stammtisch.files import write_text
from stammtisch.json_text import finite, json_text
from stammtisch.plots import THEMES, plot_curves
from stammtisch.training.ntuple.study import picture_of

Draw = Callable[[pathlib.Path, str], None]
Tell = Callable[[str], None]

_MOST_FRAMES = 130
_MOST_EXAMPLES = 24  # games on the page, per tournament
_HABIT_DEALS = 500
_MOMENTS = 12  # worst moments on the page, per table of losses; at least one per agent
_Z95 = 1.959963984540054
_ROUNDED = 2e-3


def write_report(
    result: SuiteResult,
    folder: pathlib.Path,
    command: Sequence[str] | None = None,
    habits: bool = True,
    tell: Tell | None = None,
) -> pathlib.Path:
    """Write ``report.html``, ``*.png``, ``results.json`` and a CSV file each of matches, ratings, comparisons, regret.

    Args:
        result: what a suite showed.
        folder: an existing folder.
        command: the command line that made it, to be printed; by default this process's own.
        habits: whether to add the behaviour statistics of Jass players, who must be agents of ours.
        tell: called with a line about what is being drawn.

    Returns:
        The path of the page.
    """
    sections = [
        _section(folder, f"{i + 1}-{tournament.game}", tournament.game, matches, ratings, habits, tell)
        for i, (tournament, matches, ratings) in enumerate(result.tournaments)
        if matches
    ]
    trained = learned(result.suite)
    source = importlib.resources.files("stammtisch.benchmarks.reports").joinpath("report.html.j2").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    brief = plots.brief_names({agent for match in result.matches() for agent in match.agents})
    environment.filters["brief"] = lambda name: brief.get(name, name)
    asked = plots.brief_names({agent for comparison, _ in result.comparisons for agent in comparison.agents})
    page = environment.from_string(source).render(
        suite=result.suite,
        seconds=result.seconds,
        sections=sections,
        comparisons=[
            {**comparison_row(*pair), "pair": [asked[agent] for agent in pair[0].agents]} for pair in result.comparisons
        ],
        has_paper=any(comparison.paper is not None for comparison, _ in result.comparisons),
        trainings=[_training(folder, number, each) for number, each in enumerate(trained, 1)],
        tests=[row for each in trained for row in each.tests],
        studies=[_study(study) for study in result.studies],
        grids=[_grid(grid) for grid in result.grids],
        sizes=[size_row(*pair) for pair in result.sizes],
        spent=result.spent,
        regrets=[_regret(*pair) for pair in result.regrets],
        games=games_of(result),
        has_files=any(name != short for name, short in brief.items()),
        command=shlex.join(command or ["stammtisch", *sys.argv[1:]]),
        versions=versions(),
        machine=f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        date=datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
    )
    write_text(folder / "matches.csv", _table([_match_row(match) for match in result.matches()]))
    write_text(folder / "ratings.csv", _table(rating_rows(result)))
    write_text(folder / "comparisons.csv", _table([comparison_row(*pair) for pair in result.comparisons]))
    write_text(folder / "regret.csv", _table([row for _, each in result.regrets for row in regret_rows(each)]))
    write_text(folder / "results.json", json_text(to_json(result), indent=1))
    write_text(folder / "report.html", page)
    return folder / "report.html"


def games_of(result: SuiteResult) -> int:
    """Return how many games a suite played, apart from those of trainings and studies."""
    judged = sum(each.games for _, measured in result.regrets for each in measured)
    cells = sum(outcome.games for grid in result.grids for outcome in grid.outcomes)
    return judged + cells + sum(match.games for match in result.matches())


def to_json(result: SuiteResult) -> dict[str, Any]:
    """Return everything that the report says, ready for ``json.dumps``."""
    data = {
        "suite": result.suite.name,
        "scale": result.suite.scale,
        "seed": result.suite.seed,
        "seconds": result.seconds,
        "versions": versions(),
        "matches": [match.to_json() for match in result.matches()],
        "ratings": rating_rows(result),
        "comparisons": [comparison_row(*pair) for pair in result.comparisons],
        "trainings": [each.to_json() for each in learned(result.suite)],
        "studies": [
            {**asdict(study.study), "settings": outcome_rows(study.study, study.outcomes)} for study in result.studies
        ],
        "grids": [{**asdict(grid.grid), "settings": outcome_rows(grid.grid, grid.outcomes)} for grid in result.grids],
        "sizes": [size_row(*pair) for pair in result.sizes],
        "spent": None if result.spent is None else result.spent.seconds,
        "regret": [each.to_json() for _, measured in result.regrets for each in measured],
    }
    told: dict[str, Any] = finite(data)
    return told


def rating_rows(result: SuiteResult) -> list[dict[str, Any]]:
    """Return one row per rated agent and game."""
    return [
        {
            "game": tournament.game,
            "agent": rating.name,
            "elo": round(rating.elo, 1),
            "low": round(rating.ci95[0], 1),
            "high": round(rating.ci95[1], 1),
            "games": rating.games,
            "score": round(rating.score, 4),
        }
        for tournament, _, ratings in result.tournaments
        for rating in ratings
    ]


def comparison_row(comparison: Comparison, matches: Sequence[MatchResult]) -> dict[str, Any]:
    """Return paper value, ours, interval, seeds and games of one comparison.

    The interval of one match is taken over its groups of games, that of several over the seeds.
    """
    row: dict[str, Any] = {
        "name": comparison.name,
        "game": comparison.game,
        "agents": " - ".join(comparison.agents),
        "paper": comparison.paper,
        "paper_score": None,
        "ours": NOT_BUILT,
        "low": None,
        "high": None,
        "seeds": len(matches),
        "games": sum(match.games for match in matches),
        "verdict": "",
        "note": comparison.note,
    }
    if comparison.paper is not None:
        row["paper_score"] = round(as_score(comparison.paper, comparison.printed), 4)
    if matches:
        measured = [_measured(comparison.measure, match) for match in matches]
        values = [value for value, _ in measured]
        if len(matches) == 1:
            low, high = measured[0][1]
        else:
            low, high = (
                mean_interval(values) if comparison.measure == "return" else seeds_interval(values, row["games"])
            )
        row |= {"ours": round(sum(values) / len(values), 4), "low": round(low, 4), "high": round(high, 4)}
        error = _paper_error(row["paper_score"], comparison.paper_games) if comparison.measure != "return" else 0.0
        row["verdict"] = verdict(row["paper_score"], error, low, high)
    return row


def _measured(measure: str, match: MatchResult) -> tuple[float, tuple[float, float]]:
    """Return what a comparison compares of a match, and its interval."""
    if measure == "return":
        return match.mean_return, match.return_ci95
    if measure == "first":
        played = Records.of(match.records)
        begun = played.first_seat_scores()
        sizes = played.group_sums(begun * 0 + 1)
        return match.first_mover_score, score_interval(played.group_sums(begun), sizes)
    return match.score, match.ci95


def _paper_error(score: float | None, games: int) -> float:
    """Return half of the 95 % interval of a printed score, 0 where its games are not known."""
    return _Z95 * (score * (1 - score) / games) ** 0.5 if score is not None and games else 0.0


def outcome_rows(entry: StudyEntry | GridEntry, outcomes: Sequence[SettingOutcome]) -> list[dict[str, Any]]:
    """Return the rows of a study or grid: what was measured, the printed figure, and how the two lie."""
    rows = []
    for outcome in outcomes:
        paper = entry.paper.get(outcome.label)
        score = None if paper is None else as_score(paper, entry.printed)
        said = verdict(score, 0.0, *outcome.ci95)
        rows.append({**asdict(outcome), "paper": paper, "paper_score": score, "verdict": said})
    return rows


def size_row(entry: SizeEntry, number: int) -> dict[str, Any]:
    """Return the row of a computed number beside the printed one; printed ones may be rounded to few digits."""
    same = "" if entry.paper is None else "same" if abs(number / entry.paper - 1) < _ROUNDED else "other"
    name = entry.name or f"{entry.game}, {entry.kind}"
    return {"name": name, "game": entry.game, "paper": entry.paper, "ours": number, "verdict": same, "note": entry.note}


def _match_row(match: MatchResult) -> dict[str, Any]:
    half = (match.ci95[1] - match.ci95[0]) / 2
    return {
        "game": match.game,
        "agents": " - ".join(match.agents),
        "games": match.games,
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "score": round(match.score, 4),
        "low": round(match.ci95[0], 4),
        "high": round(match.ci95[1], 4),
        "superiority": round(superiority(match.score, half / _Z95), 4),
        "mean_return": round(match.mean_return, 4),
        "return_low": round(match.return_ci95[0], 4),
        "return_high": round(match.return_ci95[1], 4),
        "mean_moves": round(match.mean_moves, 2),
        "duplicates": round(match.duplicates, 4),
        "first_mover_score": round(match.first_mover_score, 4),
    }


def _table(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def _section(
    folder: pathlib.Path,
    name: str,
    game_id: str,
    matches: list[MatchResult],
    ratings: list[Rating],
    habits: bool,
    tell: Tell | None,
) -> dict[str, Any]:
    """Draw the plots of one tournament and gather what the page shows of it."""
    names = [rating.name for rating in ratings]
    spent = _thinking_times(matches)
    drawings: list[tuple[str, Draw]] = [
        ("ratings", lambda path, theme: plots.plot_ratings(ratings, path, theme)),
        ("cross table", lambda path, theme: plots.plot_cross_table(matches, names, path, theme)),
        ("game length", lambda path, theme: plots.plot_lengths(matches, path, theme)),
        ("first seat", lambda path, theme: plots.plot_first_mover(matches, path, theme)),
    ]
    if spent:
        drawings.insert(2, ("thinking time", lambda path, theme: plots.plot_thinking(spent, ratings, path, theme)))
    pictures = []
    for title, draw in drawings:
        if tell is not None:
            tell(f"drawing {title} of {game_id}")
        pictures.append(_picture(folder, name, title, draw))
    if tell is not None:
        tell(f"drawing games of {game_id}")
    shown = matches[:: -(-len(matches) // _MOST_EXAMPLES)]  # from all over the list
    return {
        "id": name,
        "game": game_id,
        "per_unit": load_game(game_id).info.points_per_unit,
        "summary": _summary(matches, ratings),
        "ratings": ratings,
        "cheaters": cheaters(names),
        "matches": [{**_match_row(match), "pair": match.agents} for match in matches],
        "pictures": pictures,
        "examples": [_example(match) for match in shown],
        "habits": _habits(names) if habits and game_id.startswith("jass-schieber") else None,
    }


def _summary(matches: Sequence[MatchResult], ratings: Sequence[Rating]) -> dict[str, Any]:
    """Return who came first, and how it fared against the second: the score of the first and its interval."""
    first, second = ratings[:2]
    direct = next((match for match in matches if set(match.agents) == {first.name, second.name}), None)
    if direct is None:
        score = None
    elif direct.agents[0] == first.name:
        score = direct.score, *direct.ci95
    else:
        score = 1 - direct.score, 1 - direct.ci95[1], 1 - direct.ci95[0]
    anchor = min(ratings, key=lambda rating: abs(rating.elo)).name
    return {"first": first, "second": second, "score": score, "anchor": anchor}


def _picture(folder: pathlib.Path, name: str, title: str, draw: Draw) -> dict[str, str]:
    """Draw a picture for light and dark pages; return its title and both as the page holds them."""
    images = {}
    for theme in THEMES:
        suffix = "" if theme == "light" else f"-{theme}"
        path = folder / f"{name}-{title.replace(' ', '-')}{suffix}.png"
        draw(path, theme)
        images[theme] = base64.b64encode(path.read_bytes()).decode()
    return {"title": title, **images}


def _training(folder: pathlib.Path, number: int, result: Learned) -> dict[str, Any]:
    """Gather what the page shows of the trainings of one entry."""

    def draw(path: pathlib.Path, theme: str) -> None:
        plot_curves(result.curves, result.unit, "score", path, theme)

    has_line = any(len(curve[0]) > 1 for curve in result.curves.values())
    picture = _picture(folder, f"training-{number}", "learning curves", draw) if has_line else None
    return {"result": result, "picture": picture}


def _study(result: StudyResult) -> dict[str, Any]:
    """Gather what the page shows of a study."""
    names = [("learning curves", "curves"), ("final scores", "boxes")]
    for number, opponent in enumerate(result.study.also, 2):
        names.append((f"learning curves against {opponent}", f"curves-{number}"))
    rows = outcome_rows(result.study, result.outcomes)
    return {"study": result.study, "rows": rows, "pictures": _stored_pictures(result.folder, names)}


def _grid(result: GridResult) -> dict[str, Any]:
    """Gather what the page shows of a grid."""
    drawn = sorted(path.stem for path in result.folder.glob("*.png") if not path.stem.endswith("-dark"))
    titles = {"heat": "scores by two options", "boxes": "measurements"}
    here = [(titles.get(name, "scores by one option"), name) for name in reversed(drawn)]
    rows = outcome_rows(result.grid, result.outcomes)
    return {"grid": result.grid, "rows": rows, "pictures": _stored_pictures(result.folder, here)}


def _stored_pictures(folder: pathlib.Path, names: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return pictures by their titles, as a page holds them."""
    return [
        {
            "title": title,
            **{theme: base64.b64encode(picture_of(folder, name, theme).read_bytes()).decode() for theme in THEMES},
        }
        for title, name in names
    ]


def _regret(entry: RegretEntry, results: Sequence[RegretResult]) -> dict[str, Any]:
    """Gather what the page shows of the losses on one game: tables, and the worst moments of every agent."""
    ordered = sorted(results, key=lambda result: result.per_game.mean)
    each = max(1, _MOMENTS // len(ordered))
    moments = [
        {
            "agent": result.plan.agent,
            "text": moment_text(result.plan, decision),
            "stage": decision.stage,
            "svg": moment_picture(result.plan, decision).to_svg(),
        }
        for result in reversed(ordered)
        for decision in result.worst[:each]
    ]
    return {
        "title": entry.name or entry.game,
        "plan": results[0].plan,
        "unit": unit_of(results[0].plan)[1],
        "digits": 3 if unit_of(results[0].plan)[1] == "value" else 1,
        "has_hidden": results[0].plan.worlds > 0,
        "has_loser_first": len(ordered) > 1 and ordered[0].per_game.mean > 0,  # else a column would repeat another
        "rows": regret_rows(results),
        "names": [result.plan.agent for result in ordered],
        "stages": stage_rows(results),
        "moments": moments,
        "legend": LEGEND,
    }


def _habits(names: Sequence[str]) -> dict[str, Any]:
    """Return the behaviour statistics of Jass players, one column per agent."""
    columns = {name: jass_stats(name, _HABIT_DEALS)["habits"] for name in names}
    rows = zip(*columns.values(), strict=True)
    return {
        "names": list(columns),
        "rows": [
            {"id": row[0]["id"], "meaning": row[0]["meaning"], "rates": [each["rate"] for each in row]} for row in rows
        ],
    }


def _thinking_times(matches: Sequence[MatchResult]) -> dict[str, float]:
    """Return the mean seconds per move of every agent that was timed."""
    times: dict[str, list[float]] = {}
    for match in matches:
        for name, seconds in zip(match.agents, match.seconds_per_move, strict=True):
            if seconds is not None:
                times.setdefault(name, []).append(seconds)
    return {name: sum(seconds) / len(seconds) for name, seconds in times.items()}


def _example(match: MatchResult) -> dict[str, Any]:
    """Return the first game of a match as frames: a picture and what was done, the end shown first."""
    record = match.records[0]
    frames = _frames(match, record)
    winners, returns = _result(match, record)
    packed = base64.b64encode(zlib.compress(json.dumps(frames).encode())).decode()
    return {
        "pair": match.agents,
        "seats": [match.agents[agent] for agent in record.seating],
        "winners": winners,
        "returns": returns,
        "moves": record.moves,
        "final": frames[-1],
        "last": len(frames) - 1,
        "frames": packed,
    }


def _result(match: MatchResult, record: GameRecord) -> tuple[list[str], str]:
    """Return who won a game, the agents with the highest return, or nobody if it is drawn; and all returns."""
    best = max(record.returns)
    returns = ", ".join(f"{value:+.4g}" for value in record.returns)
    if min(record.returns) == best:
        return [], returns
    seated = zip(record.seating, record.returns, strict=True)
    return list(dict.fromkeys(match.agents[agent] for agent, value in seated if value == best)), returns


def _frames(match: MatchResult, record: GameRecord) -> list[dict[str, str]]:
    """Return the positions of a game; of a long one the first ones and the last."""
    game = load_game(match.game, **match.options)
    positions = list(states_of(game, record, match.seed, len(match.agents)))
    left_out = len(positions) - _MOST_FRAMES
    if left_out > 0:
        end, said = positions[-1]
        positions = [*positions[: _MOST_FRAMES - 1], (end, f"{left_out} positions later, {said}")]
    return [{"svg": game.picture(state).to_svg(), "text": text} for state, text in positions]

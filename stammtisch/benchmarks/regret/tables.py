"""Rows of regret tables, the same on the terminal, in pages and in CSV files."""

from collections.abc import Sequence
from typing import Any

from stammtisch.arena.match import cheaters
from stammtisch.benchmarks.regret.count import Figure, RegretResult, StageRegret, difference
from stammtisch.benchmarks.regret.plan import RegretPlan


def unit_of(plan: RegretPlan) -> tuple[float, str]:
    """Return by how much values are multiplied to be shown, and what they count then."""
    per_unit = plan.loaded().info.points_per_unit
    return (1.0, "value") if per_unit is None else (float(per_unit), "points")


def figure_text(figure: Figure, scale: float = 1.0, digits: int = 3) -> str:
    """Write a mean and its interval."""
    mean, low, high = (f"{scale * number:.{digits}f}" for number in (figure.mean, figure.low, figure.high))
    return f"{mean} ({low} to {high})"


def regret_rows(results: Sequence[RegretResult]) -> list[dict[str, Any]]:
    """Return one row per agent of measurements on one game, who loses least first."""
    ordered = sorted(results, key=lambda result: result.per_game.mean)
    first = ordered[0]
    return [_row(result, first) for result in ordered]


def _row(result: RegretResult, first: RegretResult) -> dict[str, Any]:
    scale, unit = unit_of(result.plan)
    more = difference(result, first)
    row: dict[str, Any] = {
        "game": result.plan.game,
        "agent": result.plan.agent,
        "opponent": result.plan.opponent,
        "cheats": bool(cheaters([result.plan.agent])),
        "games": result.games,
        "decisions": result.whole.decisions,
        "forced": result.forced,
        "uncovered": result.uncovered,
        "unit": unit,
        **_figures("per_move", result.whole.loss, scale),
        **_figures("per_game", result.per_game, scale),
        **_figures("more_than_first", more, scale),
        **_figures("blunders", result.whole.blunders, 1.0),
        "thrown": result.whole.thrown,
        "lost": result.whole.lost,
        "best_moves": _rounded(result.whole.best),
        **_figures("known", result.whole.known, scale),
        **_figures("hidden", result.whole.hidden, scale),
    }
    return row


def stage_rows(results: Sequence[RegretResult]) -> list[dict[str, Any]]:
    """Return the loss per decision and the share of blunders of every agent in every part of the games."""
    names = list(dict.fromkeys(stage.stage for result in results for stage in result.stages))
    rows = []
    for name in names:
        cells = []
        for result in sorted(results, key=lambda result: result.per_game.mean):
            found = next((stage for stage in result.stages if stage.stage == name), None)
            cells.append(None if found is None else _cell(result.plan, found))
        rows.append({"stage": name, "cells": cells})
    return rows


def _cell(plan: RegretPlan, stage: StageRegret) -> dict[str, Any]:
    scale, _ = unit_of(plan)
    return {**_figures("loss", stage.loss, scale), "blunders": stage.blunders.mean, "decisions": stage.decisions}


def _figures(name: str, figure: Figure, scale: float) -> dict[str, float]:
    return {
        name: _rounded(scale * figure.mean),
        f"{name}_low": _rounded(scale * figure.low),
        f"{name}_high": _rounded(scale * figure.high),
    }


def _rounded(number: float) -> float:
    return round(number, 6) + 0.0  # no negative zero

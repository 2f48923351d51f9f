"""Ties: one helper for all, every one of the equals with the same probability, and no draw without a tie."""

import pathlib
import re

import numpy as np
import pytest
from numba import njit

import stammtisch
from stammtisch.envs.core.ties import WHOLE, is_better, wins_tie

PACKAGE = pathlib.Path(stammtisch.__file__).parent


@njit
def chosen_of(values, margin, r):
    best, chosen, ties = -np.inf, -1, 0
    for i in range(len(values)):
        is_best, best, ties = is_better(values[i], best, ties, margin, r, 0)
        if is_best:
            chosen = i
    return chosen


@njit
def last_of(n, r):
    chosen = -1
    for i in range(n):
        if wins_tie(r, 0, i + 1):
            chosen = i
    return chosen


def test_only_the_best_are_chosen_all_alike():
    values, r = np.array([3.0, 7.0, 7.0, 1.0, 7.0 - 1e-12]), np.array([5], np.uint64)
    counts = np.bincount([chosen_of(values, 1e-9, r) for _ in range(6000)], minlength=5)
    assert counts[[0, 3]].sum() == 0
    assert np.abs(counts[[1, 2, 4]] - 2000).max() < 5 * np.sqrt(6000 * 2 / 9)
    counts = np.bincount([last_of(4, r) for _ in range(6000)])
    assert np.abs(counts - 1500).max() < 5 * np.sqrt(6000 * 3 / 16)


@pytest.mark.parametrize(("values", "margin", "expected"), [([1, 2, 3], WHOLE, 2), ([3, 2, 1], WHOLE, 0)])
def test_without_a_tie_nothing_is_drawn(values, margin, expected):
    r = np.array([5], np.uint64)
    assert chosen_of(np.array(values, np.int64), margin, r) == expected
    assert r[0] == 5


def test_nobody_draws_ties_elsewhere():
    found = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"below\(.*\bties\b", line) and path.name != "ties.py"
    ]
    assert not found

"""Borrowed arrays: the same numbers, nothing owned, nothing freed."""

import sys

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed


@njit
def _add_up_rows(table, sums):
    table, sums = borrowed(table), borrowed(sums)
    for i in range(len(table)):
        row = table[i]
        for value in row:
            sums[i] += value
        row[0] = -1.0


def test_rows_of_a_borrowed_array_are_read_and_written_and_nothing_is_freed():
    table, sums = np.arange(12.0).reshape(4, 3), np.zeros(4)
    owners = sys.getrefcount(table), sys.getrefcount(sums)
    for _ in range(100):
        table[:, 0], sums[:] = [0, 3, 6, 9], 0.0
        _add_up_rows(table, sums)
    assert sums.tolist() == [3, 12, 21, 30]
    assert table[:, 0].tolist() == [-1] * 4
    assert (sys.getrefcount(table), sys.getrefcount(sums)) == owners

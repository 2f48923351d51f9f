"""Borrowed arrays: the same numbers, nothing owned, nothing freed."""

import sys

import numpy as np
from numba import njit

import stammtisch
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


def test_moves_of_random_games_count_no_owners():
    game = stammtisch.load_game("morris-3")
    playouts = njit(nogil=True, error_model="numpy")(game.kernels("playouts").playouts.py_func)
    playouts(1, 1, np.zeros(2))
    machine = playouts.inspect_llvm(playouts.signatures[0])
    assert machine.count("call void @NRT_incref") == 1  # of the array that the kernel is called with

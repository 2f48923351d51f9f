"""Borrowed arrays: the same numbers, nothing owned, nothing freed."""

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit, typeof

import stammtisch
from stammtisch.baselines.kernels.puct_arrays import halving_table
from stammtisch.baselines.learned.alphazero.lanes import gumbel_search, search_arrays, search_kernels
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


class _Pair(NamedTuple):
    table: Any
    more: Any  # a tuple
    factor: float


@njit
def _add_up_pair(pair, name):
    pair, name = borrowed((pair, name))
    sums = pair.more[0]
    for i in range(len(pair.table)):
        row = pair.table[i]
        for value in row:
            sums[i] += value * pair.factor
    return name + str(len(sums))


def test_a_borrowed_tuple_lends_its_arrays_and_keeps_the_rest():
    table, sums = np.arange(12.0).reshape(4, 3), np.zeros(4)
    pair = _Pair(table, (sums, 7), 2.0)
    owners = sys.getrefcount(table), sys.getrefcount(sums)
    for _ in range(100):
        sums[:] = 0.0
        said = _add_up_pair(pair, "sums: ")
    assert said == "sums: 4"
    assert sums.tolist() == [6, 24, 42, 60]
    assert (sys.getrefcount(table), sys.getrefcount(sums)) == owners


def test_moves_of_random_games_count_no_owners():
    game = stammtisch.load_game("morris-3")
    playouts = njit(nogil=True, error_model="numpy")(game.kernels("playouts").playouts.py_func)
    playouts(1, 1, np.zeros(2))
    machine = playouts.inspect_llvm(playouts.signatures[0])
    assert machine.count("call void @NRT_incref") == 1  # of the array that the kernel is called with


@pytest.mark.slow
@pytest.mark.parametrize("game", ["reversi-4x4", "jass-schieber"])
def test_simulations_of_searches_by_a_network_count_no_owners(game):
    """None but those of the arrays that the first of them is called with, before it borrows them."""
    game = stammtisch.load_game(game)
    kernels, arrays = search_kernels(game), search_arrays(game, 1, 16, np.zeros((1, 5), np.uint64))
    acts, reals = np.zeros(game.rules.MAX_BRANCH, np.int64), np.zeros(game.rules.MAX_BRANCH)
    third = np.zeros(2, np.float32) if game.rules.HAS_HIDDEN else reals  # worth or probabilities
    given = (arrays, np.int64(0), gumbel_search(), halving_table(16, 16), acts, reals, third, reals)
    simulate = njit(nogil=True, error_model="numpy")(kernels.TREE.simulate.py_func)
    simulate.compile(tuple(typeof(each) for each in given))
    functions = simulate.inspect_llvm(simulate.signatures[0]).split("\ndefine ")[1:]
    counting = [each.partition("(")[0] for each in functions if "call void @NRT_incref" in each]
    assert not [name for name in counting if "kernels" in name and "simulate" not in name]

"""Functions that kernels call are compiled without an entry for Python; Python may call them all the same."""

import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.direct import Direct
from stammtisch.envs.core.jit import IS_OFF, has_no_entry, without_entry

pytestmark = pytest.mark.skipif(IS_OFF, reason="nothing is compiled")


@numba.njit
def half(n):
    return n // 2


@numba.njit(nogil=True)
def steps(n, most=100):
    count = 0
    while n > 1 and count < most:
        n, count = half(n), count + 1
    return count


@numba.njit
def kernel(n):
    return 10 * steps(n)


@numba.njit(cache=True)
def kernel_on_disk(n):
    return kernel(n)


@pytest.fixture(scope="module", autouse=True)
def helpers():
    without_entry(steps)
    without_entry(kernel_on_disk)


def entries(dispatcher):
    """Names of the entries that were compiled for a function."""
    libraries = [compiled.library for compiled in dispatcher.overloads.values()]
    names = [function.name for library in libraries for function in library.get_defined_functions()]
    assert names
    return [name for name in names if name.startswith(("_ZN7cpython", "cfunc."))]


def test_what_is_only_called_by_kernels_has_no_entry():
    assert kernel(64) == 60
    assert [has_no_entry(each) for each in (kernel_on_disk, steps, half)] == [False, True, True]
    assert not entries(steps)
    assert not entries(half)
    assert entries(kernel)


def test_python_calls_it_before_and_after_kernels_do():
    for n in (9, 64):
        assert (half(n), steps(n), kernel(n)) == {9: (4, 3, 30), 64: (32, 6, 60)}[n]
    assert [half(9.0), steps(9, most=2), steps(n=9)] == [4.0, 2, 3]
    with pytest.raises(TypeError):
        steps()
    assert has_no_entry(half)


def test_it_may_be_sent_to_another_process(tmp_path):
    (tmp_path / "helper").write_bytes(pickle.dumps(half))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))(9))"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "helper"], capture_output=True, text=True, check=True)
    assert done.stdout == "4\n"


@pytest.mark.parametrize("name", ["einstein-3x3", "reversi-4x4", "morris-3"])
def test_rules_can_be_called_from_python(name):
    game = stammtisch.load_game(name)
    state = game.new_state(seed=0)
    for family in (game.rules, Direct(game.rules)):
        assert has_no_entry(family.player)
        assert family.player(state.row) == state.player
        actions = np.zeros(1000, np.int64)
        count = family.legal(state.row.copy(), actions)
        assert actions[:count].tolist() == state.legal_actions()

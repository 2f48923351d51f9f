"""Kernels at their entry points do what they do through numba's dispatcher."""

import copy
import pickle
import sys

import numba
import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core import lent
from stammtisch.envs.core.direct import Direct
from stammtisch.errors import IllegalAction


@pytest.fixture
def muehle():
    return stammtisch.load_game("muehle")


def test_the_second_call_goes_past_the_dispatcher_with_the_same_result(muehle):
    family = muehle.kernels("step")
    direct = Direct(family)
    assert (direct.N_ACTIONS, direct.OBS_SHAPE) == (family.N_ACTIONS, family.OBS_SHAPE)
    row = muehle.new_state(seed=0).row
    masks = []
    for _ in range(2):
        masks.append(np.empty(family.N_ACTIONS, np.int8))
        direct.fill_own_mask(row, masks[-1])
    assert not hasattr(direct.fill_own_mask, "py_func")
    assert type(direct.fill_own_mask).__name__ == "builtin_function_or_method"
    assert masks[0].tolist() == masks[1].tolist() == muehle.new_state(seed=0).legal_mask().tolist()
    with pytest.raises(TypeError, match="unbox"):
        direct.fill_own_mask(row.astype(np.int32), masks[0])


def test_arrays_of_another_order_or_number_of_dimensions_are_refused(muehle):
    direct = muehle.stepping
    row, mask = muehle.new_state(seed=0).row, np.empty(direct.N_ACTIONS, np.int8)
    direct.fill_own_mask(row, mask)
    expected = mask.tolist()
    for wrong in (np.repeat(row, 2)[::2], row[None], row.astype(np.uint64), row.astype(np.float64)):
        with pytest.raises(TypeError, match="unbox"):
            direct.fill_own_mask(wrong, mask)
    for right in (np.vstack([row, row])[1], np.frombuffer(bytes(8) + row.tobytes(), np.int64)[1:]):
        mask[:] = 7
        direct.fill_own_mask(right, mask)
        assert mask.tolist() == expected


def test_lent_arrays_are_let_go(muehle):
    direct = muehle.stepping
    row, mask = muehle.new_state(seed=0).row, np.empty(direct.N_ACTIONS, np.int8)
    before = sys.getrefcount(row), sys.getrefcount(mask)
    for _ in range(100):
        direct.fill_own_mask(row, mask)
        with pytest.raises(TypeError, match="unbox"):
            direct.fill_own_mask(row, row)
    assert (sys.getrefcount(row), sys.getrefcount(mask)) == before


def test_where_arrays_are_laid_out_otherwise_numba_takes_them_over(muehle, monkeypatch):
    monkeypatch.setattr(lent, "_IS_LAID_OUT_SO", False)
    kinds = [lent.lent_type(np.zeros(2)), lent.lent_type(3)]
    assert not any(isinstance(kind, lent.Lent) for kind in kinds)
    assert kinds == [numba.typeof(np.zeros(2)), numba.typeof(3)]


def test_it_survives_copying_and_pickling(muehle):
    direct = muehle.stepping
    muehle.new_state(seed=0).legal_mask()
    row = muehle.new_state(seed=0).row
    for other in (copy.deepcopy(direct), pickle.loads(pickle.dumps(direct))):
        assert other.seat_to_move(row) == other.seat_to_move(row) == direct.seat_to_move(row) == 0
    env = stammtisch.aec_env("muehle")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    for each in (env, twin):
        each.step(3)
    assert env.observe("player_1")["observation"].tolist() == twin.observe("player_1")["observation"].tolist()


@pytest.mark.parametrize("game_id", ["muehle", "einstein-3x3"])
@pytest.mark.parametrize("action", [-1, 1 << 63, 1 << 70, -(1 << 70)])
def test_actions_that_no_kernel_could_take_are_illegal(game_id, action):
    state = stammtisch.load_game(game_id).new_state(seed=0)
    before = state.row.tolist()
    with pytest.raises(IllegalAction, match="illegal"):
        state.apply(action)
    assert state.row.tolist() == before

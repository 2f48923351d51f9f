"""Kernels at their entry points do what they do through numba's dispatcher."""

import copy
import pickle

import numpy as np
import pytest

import stammtisch
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

"""Rollouts of TorchRL, regrouped into own decisions and own rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wrappers.seat_records import TABLES, RecordedAEC, complete

pytest.importorskip("torchrl", reason="TorchRL is not installed: pip install stammtisch[torchrl]")

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from stammtisch.wrappers.libraries.torchrl.seats import GROUP, own_decisions, seated_env

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")


def by_seat(record, seat):
    return [game[seat] for game in record.games if game[seat]]


@pytest.mark.parametrize(("game_id", "options"), TABLES)
@given(seed=st.integers(0, 2**31), steps=st.integers(1, 120))
@settings(max_examples=3)
def test_every_seat_has_its_own_decisions_and_earns_its_own_rewards(game_id, options, seed, steps):
    torch.manual_seed(seed)
    record = RecordedAEC(game_id, **options)
    env = seated_env(record, seed=seed)
    data = own_decisions(env.rollout(steps, break_when_any_done=False))
    for seat in range(len(record.possible_agents)):
        chain = [transition for part in by_seat(record, seat) for transition in complete(part)]
        mine = data[data["seat"] == seat]
        assert len(mine) == len(chain)
        for row, own in zip(mine, chain, strict=True):
            assert np.array_equal(row["observation"].numpy(), own.observation.ravel())
            assert np.array_equal(row["action_mask"].numpy(), own.mask == 1)
            assert row["action"] == own.action
            assert row["next", "reward"].item() == pytest.approx(own.reward, abs=1e-5)
            assert np.array_equal(row["next", "observation"].numpy(), own.following.ravel())
            assert row["next", "terminated"].item() == own.over
    ends = sum(bool(complete(chain)) for game in record.games for chain in game)
    assert data["next", "done"].sum().item() == ends
    assert not len(data) or data["next", "done"][-1]
    for chains, returns in zip(record.games, record.returns, strict=False):
        assert [sum(t.reward for t in chain) for chain in chains] == pytest.approx(list(returns))


def test_chains_follow_each_other():
    env = seated_env(RecordedAEC("einstein-4x4-4p"), seed=5)
    data = own_decisions(env.rollout(100, break_when_any_done=False))
    inside = ~data["next", "done"][:-1, 0]
    assert torch.equal(data["seat"][1:][inside], data["seat"][:-1][inside])
    assert torch.equal(data["observation"][1:][inside], data["next", "observation"][:-1][inside])


def test_an_actor_for_all_seats_plays_legal_actions_and_tells_their_probability():
    record = RecordedAEC("einstein-3x3")
    env = seated_env(record, seed=0)
    net = torch.nn.Linear(99, 9)
    module = TensorDictModule(
        lambda seats: net(seats.flatten(-3).float()),
        in_keys=[(GROUP, "observation", "observation")],
        out_keys=[(GROUP, "logits")],
    )
    keys = {"logits": (GROUP, "logits"), "mask": (GROUP, "action_mask")}
    actor = ProbabilisticActor(
        module, keys, [(GROUP, "action")], distribution_class=MaskedCategorical, return_log_prob=True
    )
    with torch.no_grad():
        data = own_decisions(env.rollout(60, actor, break_when_any_done=False))
        logits = net(data["observation"]).masked_fill(~data["action_mask"], -torch.inf)
    assert data["action_mask"][torch.arange(len(data)), data["action"]].all()
    told = torch.log_softmax(logits, -1)[torch.arange(len(data)), data["action"]]
    assert torch.allclose(data["action_log_prob"], told, atol=1e-5)


@pytest.mark.parametrize("game_id", ["einstein-5x5", "reversi-4x4", "muehle"])
def test_torchrl_finds_the_environment_sound(game_id):
    # After three random turns it draws an action once more, whether or not the game is over: none of these can be.
    check_env_specs(seated_env(RecordedAEC(game_id), seed=0))

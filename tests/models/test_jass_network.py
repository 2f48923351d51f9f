"""The networks of Schieber that ship: as strong as the manual says, with and without search."""

import numpy as np
import pytest

from stammtisch.arena.intervals import mean_interval
from stammtisch.arena.match import play_match
from stammtisch.arena.plan import lineup
from stammtisch.baselines import load_agent
from stammtisch.baselines.learned.jass.network import JassNetworks
from stammtisch.baselines.learned.jass.sighted import shipped_file
from stammtisch.envs import load_game
from stammtisch.training.rl_jass.table import DealTable

GAME = load_game("jass-schieber")


def leads(deals, seed):
    """Return the points by which the networks lead `heuristic` in each deal, the mean of both sides."""
    networks = JassNetworks.load(shipped_file())
    assert networks.trump is not None
    return DealTable(GAME, deals).match(networks.card.scores, networks.trump.scores, seed).mean(0)


def test_they_are_small_and_play_by_name():
    assert shipped_file().stat().st_size < 5 << 20
    agent = load_agent("rl-jass", GAME, 0)
    state = GAME.new_state(seed=1)
    while state.player == -1:
        state.sample_chance(np.random.default_rng(1))
    assert agent.act(state.view(state.player)) in state.legal_actions()


def test_they_are_stronger_than_the_reference_bot():
    assert leads(300, 31).mean() > 10


@pytest.mark.slow
def test_they_gain_five_points_and_more_over_four_thousand_deals(capsys):
    found = np.concatenate([leads(1000, 1_900_000 + part) for part in range(4)])
    low, high = mean_interval(found)
    with capsys.disabled():
        print(f"\n4000 duplicate deals against heuristic: {found.mean():+.2f} ({low:+.2f} to {high:+.2f})")
    assert low > 5


@pytest.mark.slow
def test_with_search_they_gain_against_sampled_deals(capsys):
    spec = f"pimc:worlds=20,file={shipped_file()},beliefs=on"
    found = play_match(GAME, lineup(GAME, spec, "pimc:worlds=30"), 240, 11)
    low, high = (100 * bound for bound in found.return_ci95)
    with capsys.disabled():
        print(f"\n{spec} against pimc:worlds=30: {100 * found.mean_return:+.2f} ({low:+.2f} to {high:+.2f})")
        print(f"{found.games} games, seconds per move {found.seconds_per_move}")
    assert low > 0

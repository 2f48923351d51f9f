"""Searches where more than two play: paranoid alpha-beta, max^n, and tree search with a value for each seat."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from tests.playing import random_state

SMALL = "3\n1\n1 1\n4 5\n0 b 0 0 0\n0 1 2 0 c\n0 3 1 2 0\n0 x 3 0 i\n"


@pytest.fixture(scope="module")
def small():
    return stammtisch.load_game("reversixt", map=SMALL)


def values_of(agent, state):
    """Return the value of each action and the actions that are as good as the best."""
    found = agent.act(state.view(state.player), explain=True)
    best = found.actions[found.values >= found.values.max() - 1e-9]
    return found, set(best.tolist())


def positions(game, count=25):
    states = (random_state(game, seed, seed % 18) for seed in range(count))
    return [state for state in states if state.player != TERMINAL]


def maxn(state, depth, evaluate):
    """Return the vector of values, as the definition says it."""
    if state.player == TERMINAL:
        return state.returns()
    if depth == 0:
        return evaluate(state)
    vectors = [maxn(state.child(action), depth - 1, evaluate) for action in state.legal_actions()]
    return max(vectors, key=lambda vector: vector[state.player])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_paranoid_alphabeta_finds_what_minimax_finds(small, depth):
    plain = stammtisch.load_agent(f"minimax:depth={depth}", small, seed=0)
    pruning = stammtisch.load_agent(f"alphabeta:depth={depth},exact=1", small, seed=0)
    compared = 0
    for state in positions(small):
        expected, best = values_of(plain, state)
        found, _ = values_of(pruning, state)
        pruning.reset()
        if found.effort["depth"] == depth:  # a certain result is not searched any deeper
            assert found.values == pytest.approx(expected.values, abs=1e-7)
            assert found.action in best
            compared += 1
    assert compared > 10


def test_a_table_of_one_seat_does_not_mislead_another(small):
    """One agent that plays all seats finds in each the same as an agent that plays that seat alone."""
    everywhere = stammtisch.load_agent("alphabeta:depth=3,exact=1", small, seed=0)
    state = small.new_state()
    while state.player != TERMINAL:
        alone = stammtisch.load_agent("alphabeta:depth=3,exact=1", small, seed=0)
        found, _ = values_of(everywhere, state)
        expected, _ = values_of(alone, state)
        assert found.values == pytest.approx(expected.values, abs=1e-7)
        state.apply(found.action)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_maxn_finds_what_its_definition_says(small, depth):
    agent = stammtisch.load_agent(f"maxn:depth={depth}", small, seed=0)
    heuristic = small.policy_module()

    def evaluate(state):
        return np.array([heuristic.evaluate(state.row, p) for p in range(3)])

    compared = 0
    for state in positions(small, count=12):
        found, _ = values_of(agent, state)
        if found.effort["depth"] == depth:
            expected = [maxn(state.child(a), depth - 1, evaluate)[state.player] for a in state.legal_actions()]
            assert found.values == pytest.approx(expected, abs=1e-7)
            compared += 1
    assert compared > 5


def test_maxn_is_minimax_where_two_play():
    game = stammtisch.load_game("reversi-4x4")
    plain = stammtisch.load_agent("minimax:depth=4", game, seed=0)
    agent = stammtisch.load_agent("maxn:depth=4", game, seed=0)
    for state in positions(game, count=15):
        expected, best = values_of(plain, state)
        found, _ = values_of(agent, state)
        if found.effort["depth"] == 4:
            assert found.values.max() == pytest.approx(expected.values.max())
            assert found.action in best


def test_maxn_rolls_dice():
    game = stammtisch.load_game("einstein-3x3")
    plain = stammtisch.load_agent("minimax:depth=2", game, seed=0)
    agent = stammtisch.load_agent("maxn:depth=2", game, seed=0)
    for seed in range(20):
        state = random_state(game, seed, 3)
        if state.player >= 0:
            assert values_of(agent, state)[0].values == pytest.approx(values_of(plain, state)[0].values)


@pytest.mark.parametrize("spec", ["alphabeta", "maxn", "mcts:iterations=100000000", "mc:iterations=2", "heuristic"])
def test_limits_of_time_and_depth_are_kept(small, spec):
    agent = stammtisch.load_agent(spec, small, seed=0)
    state = small.new_state()
    agent.limit(time_s=0.05, depth=1)
    assert agent.act(state.view(0)) in state.legal_actions()
    if spec in ("alphabeta", "maxn"):
        assert agent.act(state.view(0), explain=True).effort["depth"] == 1
        agent.limit(depth=2)
        assert agent.act(state.view(0), explain=True).effort["depth"] == 2
        agent.limit()
        assert agent.act(state.view(0), explain=True).effort["depth"] > 2
    if spec.startswith("mcts"):
        assert agent.act(state.view(0), explain=True).effort["simulations"] < 100_000_000


def test_maxn_keeps_to_its_nodes(small):
    agent = stammtisch.load_agent("maxn:nodes=500", small, seed=0)
    found = agent.act(small.new_state().view(0), explain=True)
    assert found.effort["nodes"] <= 500 + 50
    assert found.effort["depth"] >= 1


def test_rote_learning_stays_with_two_sides(small):
    with pytest.raises(ValueError, match='agent "rote" cannot play reversixt: it is played by 3 sides, not two'):
        stammtisch.load_agent("rote", small)


@pytest.mark.parametrize("spec", ["mcts:iterations=60", "maxn:depth=2", "alphabeta:depth=2"])
def test_searches_play_whole_games_of_eight(spec):
    """Every seat is searched for; what is played is legal."""
    row = " ".join("12345678")
    text = f"8\n0\n0 0\n3 9\n0 0 0 0 0 0 0 0 0\n0 {row}\n0 0 0 0 0 0 0 0 0\n"
    game = stammtisch.load_game("reversixt", map=text)
    agent = stammtisch.load_agent(spec, game, seed=1)
    state = game.new_state()
    while state.player != TERMINAL:
        state.apply(agent.act(state.view(state.player)))
    assert state.returns().sum() == pytest.approx(0)

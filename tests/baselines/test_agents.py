"""What every agent promises, and how agents are named."""

import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from tests.playing import random_state, random_states


def policies(game):
    return ("random", *game.POLICIES)


def test_reference_players_answer_legally_and_repeatably(game):
    for name in policies(game):
        agents = [stammtisch.load_agent(name, game, seed=7) for _ in range(2)]
        assert agents[0].name == name
        assert agents[0].spec == name
        for state in random_states(game, seed=3, games=2):
            if state.player >= 0:
                before = state.row
                answers = [agent.act(state.view(state.player)) for agent in agents]
                assert answers[0] == answers[1]
                assert answers[0] in state.legal_actions()
                assert np.array_equal(state.row, before)


def test_a_reset_with_a_seed_starts_the_stream_anew(game):
    agent = stammtisch.load_agent("random", game, seed=1)
    views = [state.view(state.player) for state in random_states(game, seed=3) if state.player >= 0]
    first = [agent.act(view) for view in views]
    agent.reset(seed=1)
    assert [agent.act(view) for view in views] == first


def test_agents_pickle(game):
    for name in policies(game):
        agent = pickle.loads(pickle.dumps(stammtisch.load_agent(name, game, seed=1)))
        state = random_state(game, 1, 5)
        if state.player >= 0:
            assert agent.act(state.view(state.player)) in state.legal_actions()


def test_random_is_uniform_over_the_legal_actions():
    game = stammtisch.load_game("einstein-5x5")
    agent = stammtisch.load_agent("random", game, seed=0)
    view = game.new_state().child(0).view(0)
    draws = [agent.act(view) for _ in range(3000)]
    counts = [draws.count(action) for action in view.legal_actions()]
    assert sum(counts) == 3000
    assert max(counts) - min(counts) < 200


def test_the_heuristic_takes_the_win_in_one(game):
    """From random positions in which some action wins at once, the reference bot wins in the same turn."""
    agent = stammtisch.load_agent("heuristic", game, seed=0)
    chances = taken = 0
    for state in random_states(game, seed=11, games=60):
        player = state.player
        if player < 0 or game.info.hidden:
            continue
        children = {a: state.child(a) for a in state.legal_actions()}
        wins = {a for a, child in children.items() if child.player == TERMINAL and child.returns()[player] > 0}
        if wins and len(wins) < len(children):
            chances += 1
            while state.player == player:
                state.apply(agent.act(state.view(player)))
            taken += state.player == TERMINAL and state.returns()[player] > 0
    assert taken == chances


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rndom", 'no agent "rndom"; did you mean "random"'),
        ("random:speed=3", 'no option for agent random "speed"'),
        ("random:fast", 'cannot read "fast"'),
    ],
)
def test_wrong_specs_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        stammtisch.load_agent(spec, "einstein-3x3")


def test_an_agent_object_is_handed_back():
    agent = stammtisch.load_agent("random", "einstein-3x3")
    assert stammtisch.load_agent(agent, "einstein-3x3") is agent

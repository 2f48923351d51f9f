"""Monte Carlo tree search."""

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import stammtisch
from stammtisch import CHANCE, TERMINAL
from tests.baselines.guided_twin import guided_twin
from tests.baselines.tactics import CAPTURE_OR_LOSE, WIN_IN_ONE, best_actions, said
from tests.playing import random_state, random_states

EINSTEIN = stammtisch.load_game("einstein-4x4")
REVERSI = stammtisch.load_game("reversi-4x4")
SMALL_MAP = "3\n1\n1 1\n3 5\n0 b 0 0 0\n0 1 2 0 c\n0 3 1 2 i\n"


class Stream:
    """The kernels' splitmix64 in plain Python."""

    def __init__(self, counter):
        self.counter = int(counter)

    def below(self, n):
        mask = 2**64 - 1
        self.counter = (self.counter + 0x9E3779B97F4A7C15) & mask
        z = self.counter
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return ((z ^ (z >> 31)) >> 32) * n >> 32


class Node:
    def __init__(self, action):
        self.action, self.visits, self.total = action, 0, 0.0
        self.children, self.tried = [], 0


def twin_search(state, simulations, c, stream):
    """UCT as a textbook has it: one node at a time, every seat for itself; return the root."""
    root = Node(None)
    for _ in range(simulations):
        position, node, path = state.clone(), root, []
        while position.player != TERMINAL and (node is root or node.visits):
            if not node.children:
                node.children = [Node(action) for action in position.legal_actions()]
            seat = position.player
            node = twin_child(node, seat, c, stream)
            path.append((seat, node))
            position.apply(node.action)
        while position.player != TERMINAL:
            legal = position.legal_actions()
            position.apply(legal[stream.below(len(legal))])
        root.visits += 1
        for seat, node in path:
            node.visits += 1
            node.total += position.returns()[seat] if seat >= 0 else 0.0
    return root


def twin_child(node, seat, c, stream):
    children, tried = node.children, node.tried
    if seat == CHANCE:
        return children[stream.below(len(children))]
    if tried < len(children):
        drawn = tried + stream.below(len(children) - tried)
        children[tried], children[drawn] = children[drawn], children[tried]
        node.tried += 1
        return children[tried]
    log_visits = math.log(node.visits + 1)
    return max(children, key=lambda child: child.total / child.visits + c * math.sqrt(log_visits / child.visits))


@pytest.mark.parametrize("game_id", ["einstein-4x4", "einstein-4x4-4p", "reversi-4x4"])
def test_agrees_with_the_twin(game_id):
    game = stammtisch.load_game(game_id)
    agent = stammtisch.load_agent("mcts:iterations=300,depth=0,unit=utility,reuse=0", game, seed=0)
    for seed in range(4):
        state = random_state(game, seed, 5)
        if state.player < 0:
            state.apply(0)
        root = twin_search(state, 300, 1.4, Stream(agent.streams[0]))
        found = agent.act(state.view(state.player), explain=True)
        children = sorted(root.children, key=lambda child: child.action)
        assert found.actions.tolist() == [child.action for child in children]
        assert found.visits.tolist() == [child.visits for child in children]
        assert found.values.tolist() == pytest.approx([child.total / child.visits for child in children])


@pytest.mark.parametrize("game", [REVERSI, stammtisch.load_game("reversixt", map=SMALL_MAP)], ids=lambda game: game.id)
def test_guided_by_the_evaluation_it_equals_a_plain_twin(game):
    """A simulation ends with the value of the position after one move by lot."""
    evaluate = game.policy_module().evaluate
    agent = stammtisch.load_agent("mcts:prior=0.3,depth=1,iterations=80,unit=utility,c=0.8,reuse=0", game, seed=0)
    seats = range(game.info.num_players)

    def valued(position):
        if position.player == TERMINAL:
            return position.returns()
        return [evaluate(position.row, seat) for seat in seats]

    def values_of(position):
        return [valued(position.child(action))[position.player] for action in position.legal_actions()]

    def returns_of(position):
        legal = position.legal_actions()
        return valued(position.child(legal[stream.below(len(legal))]))

    for state in list(random_states(game, seed=4, games=1))[:6]:
        if state.player >= 0:
            stream = Stream(agent.streams[0])
            visits = guided_twin(state, values_of, returns_of, simulations=80, c=0.8, softness=0.3)
            found = agent.act(state.view(state.player), explain=True)
            assert dict(zip(found.actions.tolist(), found.visits.tolist(), strict=True)) == visits


def test_a_game_says_what_suits_it(monkeypatch):
    monkeypatch.setattr(type(REVERSI), "AGENTS", {"mcts": {"prior": 0.2, "depth": 1}})
    suited = stammtisch.load_agent("mcts:depth=3", REVERSI).options
    assert (suited["prior"], suited["depth"]) == (0.2, 3)
    assert stammtisch.load_agent("mctse", EINSTEIN).options["prior"] == 0


def test_guiding_needs_an_evaluation(monkeypatch):
    monkeypatch.setattr(type(REVERSI), "HEURISTIC", "stammtisch.envs.kernels.no_policies")
    with pytest.raises(ValueError, match=r"prior=0\.2 needs an evaluation, which reversi-4x4 has not"):
        stammtisch.load_agent("mcts:prior=0.2", REVERSI)


def test_takes_the_win_and_stops_the_loss():
    agent = stammtisch.load_agent("mcts", EINSTEIN, seed=0)
    assert said(EINSTEIN.from_text(WIN_IN_ONE), agent) == "1 diagonal"
    assert said(EINSTEIN.from_text(CAPTURE_OR_LOSE), agent) == "1 diagonal"


def test_plays_the_last_cells_of_reversi_perfectly():
    agent = stammtisch.load_agent("mcts:iterations=2000,reuse=0", REVERSI, seed=0)
    for seed in range(12):
        state = random_state(REVERSI, seed, 7)
        if state.player != TERMINAL:
            assert agent.act(state.view(state.player)) in best_actions(state)


def test_partners_spare_each_other():
    game = stammtisch.load_game("einstein-4x4-4p")
    agent = stammtisch.load_agent("mcts:depth=0,unit=utility,reuse=0", game, seed=0)
    state = game.from_text("""
        .  .  .  d1
        .  a1 .  .
        .  .  c1 .
        .  .  .  b1
        die 1, a to move""")  # taking the last stone of partner c loses for both
    found = agent.act(state.view(0), explain=True)
    assert state.action_text(found.action) != "1 diagonal"
    assert found.values[found.actions == state.parse_action("1 diagonal")] == -1
    state = game.from_text("""
        a1 .  .  d3
        .  .  .  .
        .  d1 .  b1
        c1 .  .  .
        die 1, c to move""")  # d1 is next to its corner at the bottom left
    assert said(state, agent) == "1 diagonal"


def test_explains_actions_and_the_main_line():
    view = EINSTEIN.new_state().child(0).view(0)
    found = stammtisch.load_agent("mcts:iterations=500", EINSTEIN, seed=0).act(view, explain=True)
    assert found.actions.tolist() == view.legal_actions()
    assert found.visits.sum() == found.effort["simulations"] == 500
    assert found.visits.argmax() == found.actions.tolist().index(found.action)
    assert found.effort["carried"] == 0
    assert abs(found.values).max() <= 1
    state = EINSTEIN.new_state().child(0)
    for event in found.line:
        state.apply(event)
    assert len(found.line) > 2
    few = stammtisch.load_agent("mcts:iterations=1", EINSTEIN, seed=0).act(view, explain=True)
    assert np.isnan(few.values).sum() == len(few.actions) - 1


def test_same_seed_same_moves_whatever_was_played_before():
    fresh = stammtisch.load_agent("mcts:iterations=3000", REVERSI, seed=0)
    used = stammtisch.load_agent("mcts:iterations=3000", REVERSI, seed=1)
    for state in random_states(REVERSI, seed=9):
        if state.player >= 0:
            used.act(state.view(state.player))
    used.reset(seed=0)
    for state in random_states(REVERSI, seed=2):
        if state.player >= 0:
            view = state.view(state.player)
            first, second = (agent.act(view, explain=True) for agent in (fresh, used))
            assert first.line == second.line
            assert first.visits.tolist() == second.visits.tolist()
            assert np.array_equal(view.row, state.row)


@pytest.mark.parametrize("game", [EINSTEIN, REVERSI], ids=lambda game: game.id)
def test_the_kept_part_of_the_tree_belongs_to_the_position(game):
    agent = stammtisch.load_agent("mcts:iterations=300", game, seed=0)
    partner = stammtisch.load_agent("random", game, seed=1)
    rng = np.random.default_rng(0)
    state = game.new_state()
    carried = 0
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state.sample_chance(rng)
            continue
        view = state.view(state.player)
        if state.player == 0:
            found = agent.act(view, explain=True)
            assert found.actions.tolist() == state.legal_actions()
            assert found.effort["simulations"] == 300
            assert 300 <= found.visits.sum() <= 300 + found.effort["carried"]
            carried += found.effort["carried"]
            state.apply(found.action)
        else:
            state.apply(partner.act(view))
    assert carried > 0


def test_starting_anew_carries_nothing():
    agent = stammtisch.load_agent("mcts:iterations=300,reuse=0", REVERSI, seed=0)
    for state in random_states(REVERSI, seed=4):
        if state.player >= 0:
            assert agent.act(state.view(state.player), explain=True).effort["carried"] == 0


def test_the_tree_keeps_its_limits():
    view = EINSTEIN.new_state().child(0).view(0)
    small = stammtisch.load_agent("mcts:iterations=1000,max_nodes=20", EINSTEIN, seed=0).act(view, explain=True)
    assert small.effort["nodes"] == 20
    assert small.visits.sum() == 1000
    shallow = stammtisch.load_agent("mcts:iterations=1000,tree_depth=2", EINSTEIN, seed=0).act(view, explain=True)
    assert len(shallow.line) == 2


@pytest.mark.parametrize(("tick", "looks"), [(0.01, 6), (0.02, 4), (1.0, 2)])
def test_time_can_be_the_budget(monkeypatch, tick, looks):
    """By a clock that goes on at every look, the search ends with the first look after its time."""
    agent = stammtisch.load_agent("mcts:time_s=0.045", REVERSI, seed=0)
    shown = []

    def look():
        shown.append(tick * len(shown))
        return shown[-1]

    monkeypatch.setattr("stammtisch.baselines.search.mcts.time", SimpleNamespace(perf_counter=look))
    found = agent.act(REVERSI.new_state().view(0), explain=True)
    assert len(shown) == looks
    assert found.visits.sum() == found.effort["simulations"] > 0


def test_epsilon_draws_uniformly():
    agent = stammtisch.load_agent("mcts:iterations=10,epsilon=1", REVERSI, seed=0)
    view = REVERSI.new_state().view(0)
    draws = [agent.act(view) for _ in range(800)]
    counts = [draws.count(action) for action in view.legal_actions()]
    assert sum(counts) == 800
    assert max(counts) - min(counts) < 100


def test_pickles_with_its_tree():
    agent = stammtisch.load_agent("mcts:iterations=100", REVERSI, seed=0)
    state = REVERSI.new_state()
    state.apply(agent.act(state.view(0)))
    copy = pickle.loads(pickle.dumps(agent))
    view = state.view(1)
    assert copy.act(view, explain=True).line == agent.act(view, explain=True).line


def test_one_signature_per_kernel():
    agent = stammtisch.load_agent("mcts:iterations=100", REVERSI, seed=0)
    for state in random_states(REVERSI, seed=3):
        if state.player >= 0:
            agent.act(state.view(state.player))
    kernels = agent._kernels
    assert [len(kernel.signatures) for kernel in (kernels.simulate, kernels.find, kernels.transplant)] == [1, 1, 1]

"""Tree search by a network: the kernel against its plain twin, and what every search must find."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers, halving_table, head_count
from stammtisch.baselines.learned.alphazero.agent import AlphaZero
from stammtisch.baselines.learned.alphazero.lanes import KEEP_ANSWER, KEEP_TREE, SearchLanes, gumbel_search, puct_search
from stammtisch.envs.core.streams import seed_streams
from tests.baselines.puct_twin import Twin

SMALL_MAP = "3\n1\n0 1\n6 6\n0 0 0 0 0 0\n0 0 1 2 0 0\n0 3 2 3 1 0\n0 1 3 1 2 0\n0 0 2 3 0 0\n0 0 0 0 0 0\n"
EIGHT_SEATS = "8\n1\n0 1\n6 6\n0 0 0 0 0 0\n0 1 2 3 4 0\n0 5 6 7 8 0\n0 2 1 4 3 0\n0 6 5 8 7 0\n0 0 0 0 0 0\n"
SEARCHES = {
    "gumbel": gumbel_search(8, noise=1.0),
    "gumbel without noise": gumbel_search(4),
    "puct": puct_search(1.5, noise=0.25),
    "puct without noise": puct_search(3.5),
}


class Oracle:
    """A network that has thought of nothing: its answers are drawn by the observation alone, each row by itself."""

    def __init__(self, game):
        rng = np.random.default_rng(5)
        self.towards = rng.normal(size=(game.rules.OBS_LEN, game.rules.N_ACTIONS))
        self.values = rng.normal(size=(game.rules.OBS_LEN, head_count(game.rules)))

    def __call__(self, questions):
        exact = questions.astype(np.float64)
        logits = np.stack([(row[:, None] * self.towards).sum(0) for row in exact])
        values = np.stack([np.tanh((row[:, None] * self.values).sum(0) * 0.3) for row in exact])
        return NetworkAnswers(logits.astype(np.float32), values.astype(np.float32))


class Indifferent:
    """A network that thinks all actions equal and everything even."""

    def __init__(self, game):
        self.actions, self.heads = game.info.num_actions, head_count(game.rules)

    def __call__(self, questions):
        n = len(questions)
        return NetworkAnswers(np.zeros((n, self.actions), np.float32), np.zeros((n, self.heads), np.float32))


def positions(game, count, seed=0):
    """Decisions of random games."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        state = game.new_state(int(rng.integers(1 << 30)))
        while state.player != stammtisch.TERMINAL:
            if state.player == stammtisch.CHANCE:
                state.sample_chance(rng)
                continue
            if len(state.legal_actions()) > 1:
                found.append(state.clone())
            state.apply(int(rng.choice(state.legal_actions())))
    return [found[i] for i in rng.choice(len(found), count, replace=False)]


def streams(lanes, players):
    return seed_streams(7, lanes * (1 + players)).reshape(lanes, 1 + players)


def compare_trees(kernels, forest, lane, number, node):
    """Compare all nodes: who moves, visits, sums; and their edges: action, prior, visits, total and what is behind."""
    first, count, mover, visits = forest.nodes[lane, number]
    assert (mover, visits) == (node.mover, node.visits)
    assert forest.sums[lane, number] == pytest.approx(node.sums, abs=1e-4)
    if not node.is_open:
        assert count == 0
        return 1
    edges, scores = forest.edges[lane, first : first + count], forest.scores[lane, first : first + count]
    assert edges[:, kernels.ACTION].tolist() == node.actions
    assert edges[:, kernels.TRIED].tolist() == node.tried
    assert scores[:, 0] == pytest.approx(node.priors, abs=1e-5)
    assert scores[:, kernels.TOTAL] == pytest.approx(node.totals, abs=1e-4)
    assert [child < 0 for child in edges[:, kernels.CHILD]] == [child is None for child in node.children]
    behind = [pair for pair in zip(edges[:, kernels.CHILD], node.children, strict=True) if pair[1]]
    return 1 + sum(compare_trees(kernels, forest, lane, *pair) for pair in behind)


def compare_with_twin(game, count, simulations):
    oracle = Oracle(game)

    def ask(state):
        answers = oracle(state.observation(state.player).reshape(1, -1).astype(np.float32))
        return answers.logits[0], answers.values[0]

    for search in SEARCHES.values():
        states = positions(game, count)
        lanes = SearchLanes(game, oracle, search, count, simulations, streams(count, game.info.num_players))
        for lane, state in enumerate(states):
            lanes.put(lane, state._row, simulations)
        lanes.run()
        for lane, state in enumerate(states):
            shift = int(lanes._forest.lanes[lane, lanes._kernels.SHIFT])
            twin = Twin(game, state, ask, search, simulations, lanes._forest.noise[lane], shift)
            found = lanes.found(lane)
            assert found.actions.tolist() == twin.root.actions
            assert found.visits.tolist() == twin.root.tried
            assert found.policy == pytest.approx(twin.policy(), abs=1e-5)
            assert found.simulations == simulations
            assert compare_trees(lanes._kernels, lanes._forest, lane, 0, twin.root) == found.nodes
            policy = np.zeros(game.rules.MAX_BRANCH)
            policy[: len(found.policy)] = found.policy
            worth = np.zeros(max(game.info.teams) + 1, np.float32)
            lanes._kernels.found_value(lanes._forest, lane, search, policy, worth)
            assert worth == pytest.approx(twin.value(), abs=1e-4)
            scale = max(abs(bound) for bound in game.info.utility_range)
            for value, total, n in zip(found.values, twin.root.totals, twin.root.tried, strict=True):
                assert (np.isnan(value) and n == 0) or value == pytest.approx(float(total) / n * scale, abs=1e-4)


@pytest.mark.parametrize("name", ["reversi-4x4", "einstein-3x3"])
def test_the_kernel_searches_as_its_plain_twin(name):
    compare_with_twin(stammtisch.load_game(name), 12, 48)


def test_three_players_each_for_itself_search_as_the_twin():
    compare_with_twin(stammtisch.load_game("reversixt", map=SMALL_MAP), 6, 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["einstein-4x4-4p", "morris-6", "einstein-6x6-3p"])
def test_more_games_search_as_the_twin(name):
    compare_with_twin(stammtisch.load_game(name), 8, 40)


@pytest.mark.slow
def test_eight_players_each_for_itself_search_as_the_twin():
    compare_with_twin(stammtisch.load_game("reversixt", map=EIGHT_SEATS), 4, 40)


@pytest.mark.parametrize(("considered", "simulations"), [(16, 16), (16, 64), (5, 32), (1, 9), (2, 100)])
def test_halving_gives_equal_visits_to_those_still_considered(considered, simulations):
    table = halving_table(considered, simulations)
    for m in range(1, considered + 1):
        visits = [0] * m
        for wanted in table[m]:
            fitting = [i for i, n in enumerate(visits) if n == wanted]
            assert fitting, "somebody has as many visits as are wanted"
            visits[fitting[0]] += 1
        assert sum(visits) == simulations
        assert visits[0] >= visits[-1]


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_an_indifferent_network_finds_the_win_in_one(search):
    game = stammtisch.load_game("einstein-3x3")
    agent = AlphaZero.of(game, Indifferent(game), seed=0, search=search, simulations=200)
    tried = 0
    for state in positions(game, 200, seed=3):
        wins = [a for a in state.legal_actions() if state.child(a).returns()[state.player] == 1]
        if wins and len(wins) < len(state.legal_actions()):
            tried += 1
            assert agent.act(state.view(state.player)) in wins
            agent.reset()
    assert tried > 10


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_exact_values_make_play_perfect(search):
    """With the value of every position known, the search keeps it: four squares of Reversi."""
    game = stammtisch.load_game("reversi-4x4")
    oracle = game.oracle()

    states = [s for s in positions(game, 40, seed=9) if oracle.covers(s)]
    known = {}

    class ByObservation(Indifferent):
        def __call__(self, questions):
            answers = super().__call__(questions)
            for i, row in enumerate(questions):
                answers.values[i, 0] = known[row.tobytes()]
            return answers

    def learn(state, depth):
        if state.player < 0:
            return
        key = state.observation(state.player).reshape(-1).astype(np.float32).tobytes()
        known[key] = np.sign(oracle.value(state)[state.player])
        if depth:
            for action in state.legal_actions():
                learn(state.child(action), depth - 1)

    for state in states:
        if len(state.legal_actions()) < 2:
            continue
        known.clear()
        learn(state, 2)
        simulations = len(state.legal_actions())  # each action once: nothing deeper is asked
        agent = AlphaZero.of(game, ByObservation(game), seed=0, search=search, simulations=simulations)
        action = agent.act(state.view(state.player))
        best = max(oracle.values(state).values())
        assert np.sign(oracle.values(state)[action]) == np.sign(best)


@pytest.mark.parametrize("keeps", [KEEP_ANSWER, KEEP_TREE])
def test_what_is_kept_of_a_tree_is_what_was_there(keeps):
    game = stammtisch.load_game("reversi-4x4")
    oracle = Oracle(game)
    search = gumbel_search(8) if keeps == KEEP_ANSWER else puct_search()
    state = game.new_state(0)
    lanes = SearchLanes(game, oracle, search, 1, 64, streams(1, 2))
    lanes.put(0, state._row, 64)
    lanes.run()
    line = lanes.found(0).line
    after = state.child(line[0])
    fresh = SearchLanes(game, oracle, search, 1, 64, streams(1, 2))
    fresh.put(0, after._row, 64)
    fresh.run()
    lanes.put(0, after._row, 64, keeps)
    lanes.run()
    if keeps == KEEP_ANSWER:  # the answer is the network's: the same search follows
        assert lanes.found(0).visits.tolist() == fresh.found(0).visits.tolist()
    else:
        assert lanes.found(0).visits.sum() > fresh.found(0).visits.sum()
    assert lanes.found(0).actions.tolist() == fresh.found(0).actions.tolist()


def test_one_seed_gives_one_game():
    game = stammtisch.load_game("einstein-3x3")
    agents = [AlphaZero.of(game, Oracle(game), seed=3, simulations=16) for _ in range(2)]
    for state in positions(game, 20, seed=4):
        assert len({agent.act(state.view(state.player)) for agent in agents}) == 1

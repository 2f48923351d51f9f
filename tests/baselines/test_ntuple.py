"""N-tuple learning: the arithmetic beside a plain twin, tuple sets, files, resuming, and players."""

import dataclasses
import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch import CHANCE
from stammtisch.baselines.learned.ntuple.agent import NTupleAgent
from stammtisch.baselines.learned.ntuple.compact import pack, unpack
from stammtisch.baselines.learned.ntuple.network import Layout, Network
from stammtisch.baselines.learned.ntuple.tuples import taps_of, tuple_set
from stammtisch.benchmarks import play_match
from stammtisch.cli import main
from stammtisch.envs.einstein.game import stones
from stammtisch.envs.muehle.game import contents
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.run import Watch, keep_the_better, run_ntuple, run_training
from stammtisch.training.ntuple.settings import NTupleRunSettings, defaults, read_network_pairs
from stammtisch.training.ntuple.studies import STUDIES
from stammtisch.training.ntuple.study import variants
from tests.baselines.guided_twin import guided_twin
from tests.baselines.ntuple_twin import StrengthTwin, Twin, einstein_board, reversi_board
from tests.baselines.tactics import exact_value, said
from tests.playing import random_states


@pytest.fixture(scope="module")
def small():
    return stammtisch.load_game("einstein-3x3")


def one_stage(state, seat):
    return 0


def by_discs(state, seat):
    discs = sum(cell != 0 for cell in reversi_board(state, seat))
    return discs * 3 // 17


CASES = {
    "next": ("einstein-3x3", {"lam": 0.6, "gamma": 0.9}),
    "own": ("einstein-3x3", {"lam": 0.7, "target": "own", "alpha": 0.8, "alpha_final": 0.2}),
    "coherence": ("einstein-3x3", {"coherence": 1, "lam": 0.3, "opening": 3, "epsilon_final": 0.0, "noise": 0.2}),
    "uniform": ("einstein-3x3", {"replay": "uniform", "buffer": 16, "batch": 3, "every": 2, "freeze": 4}),
    "prioritized": ("einstein-3x3", {"replay": "prioritized", "buffer": 32, "batch": 4, "target": "own", "noise": 0.1}),
    "only replay": (
        "einstein-3x3",
        {"online": False, "replay": "uniform", "insertion": "random", "buffer": 13, "batch": 5, "every": 0},
    ),
    "newest, least": (
        "einstein-3x3",
        {"online": False, "replay": "newest", "insertion": "least", "buffer": 16, "batch": 6, "target": "own"},
    ),
    "four": ("einstein-4x4-4p", {"lam": 0.5}),
    "four own": ("einstein-4x4-4p", {"target": "own", "lam": 0.5}),
    "reversi": ("reversi-4x4", {"lam": 0.8, "stages": 3}),
    "strength": ("einstein-3x3", {"goal": "strength", "lam": 0.6, "coherence": 1, "opening": 2, "noise": 0.1}),
    "strength with search": (
        "einstein-3x3",
        {"goal": "strength", "lam": 0.6, "coherence": 1, "opening": 2, "noise": 0.1, "search": 0.6},
    ),
    "reversi strength with search": (
        "reversi-4x4",
        {"goal": "strength", "stages": 3, "endgame": 4, "opening": 4, "lam": 0.4, "search": 0.7},
    ),
    "reversi strength": ("reversi-4x4", {"goal": "strength", "stages": 3, "endgame": 5, "opening": 4}),
}


@pytest.mark.parametrize("case", CASES)
def test_training_equals_the_plain_twin(case):
    game_id, changes = CASES[case]
    game = stammtisch.load_game(game_id)
    layout, settings = defaults(game, {"coding": 0 if "reversi" in case else 2, "episodes": 30, **changes})
    layout = dataclasses.replace(layout, stages=changes.get("stages", 1), sharing="orders")
    training = NTupleTraining(game, layout, settings, seed=5)
    twin = (StrengthTwin if "strength" in case else Twin)(
        training,
        reversi_board if "reversi" in case else einstein_board,
        by_discs if "stages" in changes else one_stage,
        lambda seat: seat % 2 if game.info.num_players == 4 else 0,
    )
    training.run(30)
    for _ in range(30):
        twin.episode()
    assert int(training._streams[0]) == twin.stream.word
    checked = 0
    for state in random_states(game, seed=1, games=10):
        if state.player < 0:
            continue
        for action in state.legal_actions():
            after = state.child(action)
            if after.player != stammtisch.TERMINAL:
                keys = twin.keys(after, state.player)
                assert value_of(training.network, after, state.player) == pytest.approx(twin.value(keys), abs=1e-6)
                checked += 1
    assert checked > 30
    learned = sorted(float(w) for w in twin.weights.values() if w)
    kept = training.network.net.weights
    assert np.allclose(np.sort(kept[kept != 0]), learned, atol=1e-6)


def value_of(network, after, seat):
    """The sum of the weights that the network's arrays point at, worked out with numpy."""
    net, features = network.net, network.features
    board = np.zeros(features.CELLS, np.int64)
    features.fill(after._row, seat, board)
    at = net.offsets + net.blocks[features.table_set(seat), features.phase(after._row, seat)]
    for cell in range(features.CELLS):
        reads = slice(net.first[cell], net.first[cell + 1])
        np.add.at(at, net.taps[reads], board[cell] * net.powers[reads])
    return np.tanh(net.weights[at].astype(np.float64).sum())


def test_learning_does_not_depend_on_how_it_is_divided(small):
    layout, settings = defaults(small, {"episodes": 50, "lam": 0.5, "replay": "prioritized", "freeze": 7})
    whole, parts = (NTupleTraining(small, layout, settings, seed=3) for _ in range(2))
    whole.run(50)
    for episodes in (1, 9, 40):
        parts.run(episodes)
    assert np.array_equal(whole.network.net.weights, parts.network.net.weights)
    assert not np.array_equal(whole.network.net.weights, _trained(small, seed=4).network.net.weights)


def _trained(game, seed=0, episodes=50, **changes):
    layout, settings = defaults(game, {"episodes": episodes, **changes})
    training = NTupleTraining(game, layout, settings, seed)
    training.run(episodes)
    return training


def test_a_file_gives_back_the_network_and_the_training(small, tmp_path):
    path = tmp_path / "net.npz"
    layout, settings = defaults(small, {"episodes": 60, "coherence": 1, "replay": "uniform", "buffer": 64})
    whole, first = (NTupleTraining(small, layout, settings, seed=1) for _ in range(2))
    first.run(25)
    first.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["net.npz"]
    network = Network.load(path, small)
    assert np.array_equal(network.net.weights, first.network.net.weights)
    assert network.net.weights.flags.aligned
    with np.load(path, allow_pickle=False) as archive:
        assert np.array_equal(archive["weights"], first.network.net.weights)
    second = NTupleTraining.resume(path, small, layout, settings, seed=1)
    second.run(35)
    whole.run(60)
    assert np.array_equal(whole.network.net.weights, second.network.net.weights)
    assert np.array_equal(whole.network.net.sums, second.network.net.sums)


def test_a_compact_file_plays_like_the_network(small, tmp_path):
    network = _trained(small, episodes=300).network
    network.save(tmp_path / "whole.npz")
    network.save_compact(tmp_path / "small.npz")
    again = Network.load(tmp_path / "small.npz", small)
    assert np.abs(again.net.weights - network.net.weights).max() <= 0.5 / 1024 + 1e-7
    assert (tmp_path / "small.npz").stat().st_size < (tmp_path / "whole.npz").stat().st_size / 3
    network.save_compact(tmp_path / "coarse.npz", steps=64)
    coarse = Network.load(tmp_path / "coarse.npz", small)
    assert 0.1 / 64 < np.abs(coarse.net.weights - network.net.weights).max() <= 0.5 / 64 + 1e-6
    assert (tmp_path / "coarse.npz").stat().st_size < (tmp_path / "small.npz").stat().st_size
    layout, settings = defaults(small, {"episodes": 300})
    again.facts = {"seed": 0, "settings": dataclasses.asdict(settings)}
    again.save_compact(tmp_path / "again.npz")
    with pytest.raises(ValueError, match="can be played but not resumed"):
        NTupleTraining.resume(tmp_path / "again.npz", small, layout, settings, seed=0)
    gaps, values = pack(network.net.weights)
    assert np.array_equal(unpack(gaps, values, len(network.net.weights)), again.net.weights)
    for wrong in ((gaps, values, len(network.net.weights) // 2), (gaps, values[1:], len(network.net.weights))):
        with pytest.raises(ValueError, match="do not fit"):
            unpack(*wrong)
    assert len(pack(np.zeros(5, np.float32))[0]) == 0


def test_a_training_may_stop_before_its_schedule_ends(small, tmp_path):
    few = {"episodes": 60, "until": 25, "opponents": [], "seed": 3}
    settings = NTupleRunSettings.for_game("einstein-3x3", {**few, "options": {"random_start": False}})
    assert run_ntuple(settings, tmp_path / "net.npz")["episodes"] == 25
    layout, learning = settings.layout, settings.learning
    training = NTupleTraining(small, layout, learning, seed=3)
    training.run(25)
    assert np.array_equal(Network.load(tmp_path / "net.npz", small).net.weights, training.network.net.weights)


def test_minutes_say_how_many_episodes(small, tmp_path):
    settings = NTupleRunSettings.for_game(
        "einstein-3x3", {"goal": "strength", "minutes": 0.002, "opponents": [], "compact": str(tmp_path / "small.npz")}
    )
    facts = run_ntuple(settings, tmp_path / "net.npz")
    assert facts["episodes"] == facts["settings"]["episodes"] > 16
    assert Network.load(tmp_path / "small.npz", small).facts["episodes"] == facts["episodes"]
    again = run_ntuple(settings, tmp_path / "net.npz", resume=True)
    assert again["episodes"] == facts["episodes"]


def test_what_does_not_fit_is_named(small, tmp_path):
    path = tmp_path / "net.npz"
    layout, settings = defaults(small, {"episodes": 20})
    NTupleTraining(small, layout, settings, seed=1).save(path)
    with pytest.raises(ValueError, match="learned for einstein-3x3, not for einstein-4x4"):
        stammtisch.load_agent(f"ntuple:file={path}", "einstein-4x4")
    with pytest.raises(ValueError, match="choice='gbg'"):
        Network.load(path, stammtisch.load_game("einstein-3x3", choice="gbg"))
    with pytest.raises(ValueError, match="trained with seed=1, not 2"):
        NTupleTraining.resume(path, small, layout, settings, seed=2)
    with pytest.raises(ValueError, match="trained with gamma"):
        NTupleTraining.resume(path, small, layout, dataclasses.replace(settings, gamma=0.5), seed=1)
    with pytest.raises(ValueError, match=r"cannot read n-tuple network .*: there is no such file"):
        Network.load(tmp_path / "nowhere.npz", small)
    with pytest.raises(ValueError, match="needs a network"):
        stammtisch.load_agent("ntuple", small)
    with pytest.raises(ValueError, match="from 0 to 3"):
        stammtisch.load_agent(f"ntuple:file={path},plies=4", small)
    with pytest.raises(ValueError, match="cards are hidden"):
        Network(stammtisch.load_game("jass-schieber"), Layout())


@pytest.mark.parametrize("damage", ["cut", "foreign", "empty"])
def test_damaged_files_are_refused(small, tmp_path, damage):
    path = tmp_path / "net.npz"
    _trained(small).save(path)
    data = path.read_bytes()
    path.write_bytes({"cut": data[: len(data) // 2], "foreign": b"hello" * 100, "empty": b""}[damage])
    with pytest.raises(ValueError, match="cannot read n-tuple network"):
        Network.load(path, small)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gamma": 1.5}, "gamma=1.5"),
        ({"replay": "often"}, 'replay="often" .* choose one of none, uniform, prioritized, newest'),
        ({"coding": 4}, "codings 0..3, not 4"),
        ({"stages": 99}, "stages, not 99"),
        ({"endgame": 4}, "endgame=4 needs goal=strength"),
        ({"search": 0.5}, "search=0.5 needs goal=strength"),
        ({"goal": "strength", "endgame": 4}, "no exact solver"),
        ({"goal": "strength", "replay": "uniform"}, "neither replay nor"),
        ({"alhpa": 1}, 'did you mean "alpha"'),
        ({"tuples": "randm-walk"}, 'did you mean "random-walk"'),
        ({"tuples": "0,1;2,99"}, "different cells of 0..8"),
        ({"tuples": "0,1;x,2"}, "cannot read tuples"),
        ({"tuples": "nowhere.json"}, r"cannot read tuple list .*there is no such file"),
        ({"tuples": "random-walk", "length": 10}, "1..9 cells, not 10"),
    ],
)
def test_bad_parameters_are_named(small, changes, message):
    with pytest.raises(ValueError, match=message):
        NTupleTraining(small, *defaults(small, changes))
    if "gamma" in changes:
        with pytest.raises(ValueError, match="give a number from 0 to 1"):
            read_network_pairs(["gamma=much"])


@pytest.mark.parametrize(
    ("game_id", "count", "length"),
    [("einstein-3x3", 4, 4), ("einstein-4x4", 9, 4), ("einstein-5x5", 24, 6), ("einstein-6x6-4p", 40, 6)],
)
def test_fixed_sets_are_those_of_the_thesis(game_id, count, length):
    game = stammtisch.load_game(game_id)
    tuples = tuple_set(game, game.features(0), "fixed", 0, 0, 0)
    assert len({frozenset(cells) for cells in tuples}) == count
    assert {len(cells) for cells in tuples} == {length}
    if game_id == "einstein-5x5":
        assert {0, 5, 10, 1, 6, 11} in map(set, tuples)
        assert {17, 18, 19, 22, 23, 24} in map(set, tuples)


@pytest.mark.parametrize("kind", ["random-walk", "random-point"])
def test_random_sets_follow_their_seed(small, kind):
    features = Network(small, Layout()).features
    first, again, other = (tuple_set(small, features, kind, 20, 4, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert all(len(set(cells)) == 4 for cells in first)
    if kind == "random-walk":
        for cells in first:
            assert all(any(b in features.NEIGHBOURS[a] for a in cells[:i]) for i, b in enumerate(cells) if i)


def test_tuple_lists_from_text_and_file(small, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("[[0, 1, 2], [3, 4]]")
    wanted = [(0, 1, 2), (3, 4)]
    assert Network(small, Layout(tuples=str(path))).tuples == wanted
    assert Network(small, Layout(tuples="0,1,2;3,4")).tuples == wanted


@pytest.mark.parametrize("study", STUDIES)
def test_studies_name_parameters_that_exist(small, study):
    for changes in variants(study, [], False).values():
        Network(small, defaults(small, changes)[0])


def test_sharing(small):
    mirror = [(0, 1, 2, 3), (0, 2, 1, 3)]
    assert taps_of([(0, 1), (0, 2), (1, 2)], mirror, "orders") == ([(0, 1), (0, 2), (1, 2), (2, 1)], [0, 0, 1, 1])
    assert taps_of([(0, 1), (0, 2), (1, 2)], mirror, "cells") == ([(0, 1), (0, 2), (1, 2)], [0, 0, 1])
    assert taps_of([(0, 1), (0, 2), (1, 2)], mirror, "none") == ([(0, 1), (0, 2), (1, 2)], [0, 1, 2])


@pytest.mark.parametrize("game_id", ["einstein-3x3", "reversi-4x4"])
def test_symmetric_positions_have_equal_values(game_id):
    """The symmetries that share tables are those of the game: after them every value is the same."""
    game = stammtisch.load_game(game_id)
    network = _trained(game, sharing="orders").network
    for state in random_states(game, seed=2, games=3):
        if state.player == stammtisch.TERMINAL:
            continue
        board = np.zeros(network.features.CELLS, np.int64)
        network.features.fill(state._row, 0, board)
        values = [value_of_board(network, board[list(s)], state) for s in network.features.SYMMETRIES]
        assert values == pytest.approx([values[0]] * len(values), abs=1e-6)


def value_of_board(network, board, state):
    net = network.net
    at = net.offsets + net.blocks[0, network.features.phase(state._row, 0)]
    for cell, value in enumerate(board):
        reads = slice(net.first[cell], net.first[cell + 1])
        np.add.at(at, net.taps[reads], value * net.powers[reads])
    return net.weights[at].astype(np.float64).sum()


def plain_value(agent, state, seat, plies):
    """Expectimax by recursion: value for ``seat`` of a position that its own side or another is to play on from."""
    if state.player == stammtisch.TERMINAL:
        return state.returns()[seat]
    if state.player == CHANCE:
        return sum(q * plain_value(agent, state.child(o), seat, plies) for o, q in state.chance_outcomes())
    mover = state.player
    if plies == 0:
        found = []
        for action in state.legal_actions():
            after = state.child(action)
            is_over = after.player == stammtisch.TERMINAL
            found.append(after.returns()[mover] if is_over else value_of(agent.network, after, mover))
        best = max(found)
    else:
        best = max(plain_value(agent, state.child(a), mover, plies - 1) for a in state.legal_actions())
    sign = 1 if state.game.info.teams[mover] == state.game.info.teams[seat] else -1
    return sign * 0.999 * best


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize("game_id", ["einstein-3x3", "einstein-4x4-4p", "reversi-4x4"])
def test_search_equals_plain_expectimax(game_id, plies):
    game = stammtisch.load_game(game_id)
    agent = NTupleAgent(game, seed=0, network=_trained(game, episodes=200).network, plies=plies)
    looked_at = 0
    for state in random_states(game, seed=4, games=1 if plies == 2 else 3):
        if state.player < 0 or (looked_at > 2 and plies == 2):
            continue
        looked_at += 1
        found = agent.act(state.view(state.player), explain=True)
        assert found.actions.tolist() == state.legal_actions()
        for action, value in zip(found.actions, found.values, strict=True):
            after = state.child(int(action))
            if plies == 0 and after.player != stammtisch.TERMINAL:
                wanted = value_of(agent.network, after, state.player)
            else:
                wanted = plain_value(agent, after, state.player, plies - 1)
            assert value == pytest.approx(wanted, abs=1e-6)


WIN_IN_ONE = """
    .  .  b1
    .  a1 .
    .  .  .
    die 1, a to move"""
CAPTURE_OR_LOSE = """
    a1 .  .
    .  b1 .
    b3 .  .
    die 1, a to move"""  # b1 goes into its corner on a 1 or a 2


def test_an_untrained_network_sees_wins_and_threats(small):
    network = Network(small, defaults(small, {})[0])
    greedy, deeper = (NTupleAgent(small, seed=0, network=network, plies=plies) for plies in (0, 1))
    assert said(small.from_text(WIN_IN_ONE), greedy) == "1 diagonal"
    assert said(small.from_text(CAPTURE_OR_LOSE), deeper) == "1 diagonal"


def test_several_threads_learn_one_network(small, tmp_path):
    layout, settings = defaults(small, {"episodes": 4001})
    training = NTupleTraining(small, layout, settings, seed=0, threads=2)
    training.run(2500)
    training.save(tmp_path / "net.npz")
    training = NTupleTraining.resume(tmp_path / "net.npz", small, layout, settings, 0, threads=2)
    training.run(10_000)
    assert training.done == 4001
    assert training.report()["moves per game"] > 3
    agent = NTupleAgent(small, seed=0, network=training.network)
    assert play_match(small, [agent, "random"], games=200).score > 0.6
    with pytest.raises(ValueError, match="trained with threads=2, not 1"):
        NTupleTraining.resume(tmp_path / "net.npz", small, layout, settings, 0)
    with pytest.raises(ValueError, match="learns in one thread"):
        NTupleTraining(small, layout, dataclasses.replace(settings, replay="uniform"), threads=2)


def test_agents_pickle(small):
    agent = NTupleAgent(small, seed=0, network=_trained(small).network, plies=1)
    copy = pickle.loads(pickle.dumps(agent))
    view = small.new_state().child(0).view(0)
    assert copy.act(view, explain=True).values.tolist() == agent.act(view, explain=True).values.tolist()


@pytest.mark.parametrize("prior", ["", ",prior=0.2"])
def test_tree_search_takes_the_network_for_its_simulations(small, tmp_path, prior):
    path = tmp_path / "net.npz"
    network = _trained(small, episodes=5000).network
    network.save(path)
    agent = stammtisch.load_agent(f"mctse:file={path},iterations=300{prior}", small, seed=0)
    assert said(small.from_text(WIN_IN_ONE), agent) == "1 diagonal"
    assert said(small.from_text(CAPTURE_OR_LOSE), agent) == "1 diagonal"
    state = small.new_state().child(0)
    found = agent.act(state.view(0), explain=True)
    deep = NTupleAgent(small, seed=0, network=network, plies=2).act(state.view(0), explain=True)
    assert found.actions[found.visits.argmax()] in deep.actions[deep.values > deep.values.max() - 0.1]
    with pytest.raises(ValueError, match=r"cannot read n-tuple network .*: there is no such file"):
        stammtisch.load_agent("mcts:file=nowhere.npz", small)


def test_values_approach_the_exact_ones(small):
    """After some thousand games the greedy player gives little away in positions with few stones."""
    network = _trained(small, episodes=30_000, noise=0.0).network
    agent = NTupleAgent(small, seed=0, network=network)
    lost = []
    for state in random_states(small, seed=9, games=60):
        if state.player >= 0 and len(state.legal_actions()) > 1 and len(stones(state)) <= 3:
            values = [exact_value(state.child(action), state.player) for action in state.legal_actions()]
            chosen = state.legal_actions().index(agent.act(state.view(state.player)))
            lost.append(max(values) - values[chosen])
    assert len(lost) > 10
    assert np.mean(lost) < 0.03


@pytest.mark.parametrize("game_id", ["muehle", "morris-3"])
def test_muehle_as_the_network_sees_it(game_id):
    game = stammtisch.load_game(game_id)
    features = Network(game, defaults(game, {})[0]).features
    rules, board, phases = game.rules, np.zeros(game.rules.POINTS, np.int64), set()
    for state in random_states(game, seed=6, games=2):
        men = contents(state)
        for seat, own in enumerate("WB"):
            features.fill(state._row, seat, board)
            assert board.tolist() == [0 if man == "." else 1 if man == own else 2 for man in men]
            phase = features.phase(state._row, seat)
            assert phase // features.KINDS == state._row[rules.PENDING]
            placing = state._row[rules.HAND] + state._row[rules.HAND + 1] > 0
            assert (phase % features.KINDS < 3) == placing
            phases.add(phase)
    assert {0, 1, 2, 3} <= phases
    assert len(set(features.SYMMETRIES)) == (16 if game_id == "muehle" else 8)
    lines = {frozenset(line) for line in rules.LINES}
    for symmetry in features.SYMMETRIES:
        assert {frozenset(symmetry[point] for point in line) for line in rules.LINES} == lines


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["einstein-6x6-3p", "morris-3"])
def test_every_kind_of_game_learns_and_plays(game_id):
    game = stammtisch.load_game(game_id)
    training = _trained(game, episodes=2000)
    agent = NTupleAgent(game, seed=0, network=training.network, plies=1)
    assert training.report()["moves per game"] > 2
    for state in random_states(game, seed=3):
        if state.player >= 0:
            assert agent.act(state.view(state.player)) in state.legal_actions()


def test_guided_tree_search_equals_a_plain_twin(tmp_path):
    """PUCT on a game without chance, where a simulation ends with the value of the best next move."""
    game = stammtisch.load_game("reversi-4x4")
    network = _trained(game, episodes=200).network
    judge = NTupleAgent(game, seed=0, network=network)
    network.save(tmp_path / "net.npz")

    def values_of(position):
        return judge.act(position.view(position.player), explain=True).values

    def returns_of(position):
        best = values_of(position).max()
        return [best if seat == position.player else -best for seat in range(2)]

    spec = f"mcts:file={tmp_path / 'net.npz'},prior=0.3,iterations=80,unit=utility,c=0.8,reuse=0"
    agent = stammtisch.load_agent(spec, game, seed=0)
    for state in list(random_states(game, seed=4, games=1))[:6]:
        if state.player >= 0:
            visits = guided_twin(state, values_of, returns_of, simulations=80, c=0.8, softness=0.3)
            found = agent.act(state.view(state.player), explain=True)
            assert dict(zip(found.actions.tolist(), found.visits.tolist(), strict=True)) == visits


def test_a_game_without_features_says_so_and_does_not_speak_of_cards(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("stammtisch.envs.reversi.game.Reversi.FEATURES", None)
    monkeypatch.setattr("sys.argv", ["stammtisch", "train", "ntuple", "reversi-4x4", "--out", str(tmp_path / "n.npz")])
    with pytest.raises(SystemExit):
        main()
    line = " ".join(capsys.readouterr().err.split())
    assert "n-tuples cannot play reversi-4x4: it has no features" in line
    assert "card" not in line


def test_a_buffer_has_exactly_the_size_that_was_asked_for(small):
    training = _trained(small, replay="uniform", buffer=5000)
    assert len(training._memory.seats) == 5000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"online": False}, "learns nothing without replay"),
        ({"replay": "uniform", "buffer": 4, "batch": 5}, "batch=5 must not be more than buffer=4"),
    ],
)
def test_replay_that_makes_no_sense_is_refused(small, changes, message):
    with pytest.raises(ValueError, match=message):
        defaults(small, changes)


def test_the_better_weights_are_kept_and_a_training_goes_on_with_them(small, tmp_path):
    layout, settings = defaults(small, {"episodes": 400, "keep": 100, "keep_games": 60})
    whole, parts = (NTupleTraining(small, layout, settings, seed=2) for _ in range(2))
    watch = Watch(opponents=[])
    run_training(whole, None, watch)
    run_training(parts, tmp_path / "net.npz", watch, until=200)
    again = NTupleTraining.resume(tmp_path / "net.npz", small, layout, settings, 2)
    run_training(again, None, watch)
    assert np.array_equal(whole.network.net.weights, again.network.net.weights)
    assert np.array_equal(whole.kept, whole.network.net.weights)  # the last match left one set
    good = whole.network.net.weights.copy()
    whole.network.net.weights[:] = np.random.default_rng(0).normal(0, 1, len(good))
    assert not keep_the_better(whole)
    assert np.array_equal(whole.network.net.weights, good)


def test_weights_may_begin_at_random(small):
    layout, settings = defaults(small, {"init": 0.1})
    weights = [NTupleTraining(small, layout, settings, seed).network.net.weights for seed in (0, 0, 1)]
    assert np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])
    assert 0.05 < np.abs(weights[0]).max() <= 0.1


def test_coding_3_has_the_tables_of_the_thesis_and_tells_what_coding_2_tells():
    """Its table 2: 257,049 weights on 4x4, where ours has 21,609; 115,843,416 on 5x5; four players by owners."""
    sizes = {("einstein-4x4", 3): 257_049, ("einstein-4x4", 2): 21_609, ("einstein-4x4-4p", 0): 2 * 5_625}
    sizes |= {("einstein-5x5", 2): 115_843_416, ("einstein-6x6-4p", 0): 2 * 625_000}
    for (name, coding), weights in sizes.items():
        network = Network(stammtisch.load_game(name), Layout(coding=coding, sharing="none"))
        assert len(network.net.weights) == weights
    game = stammtisch.load_game("einstein-4x4")
    learned = []
    for coding in (2, 3):
        training = _trained(game, coding=coding)
        state = game.new_state()
        state.apply(0)
        after = state.child(state.legal_actions()[0])
        learned.append(value_of(training.network, after, 0))
    assert learned[0] == learned[1] != 0

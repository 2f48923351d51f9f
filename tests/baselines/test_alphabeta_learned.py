"""Alpha-beta on learned values: equal to plain minimax, taps that follow moves, budgets, threads and exact endgames."""

import functools

import numpy as np
import pytest

from stammtisch import CHANCE, TERMINAL, load_agent, load_game
from stammtisch.baselines.search.alphabeta_learned import LearnedSearch
from stammtisch.envs.core import loader
from stammtisch.envs.core.streams import seed_streams
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.probcut import fit_probcut
from stammtisch.training.ntuple.settings import defaults
from tests.playing import positions

# Positions, greatest depth.
COMPARED = {"einstein-3x3": (1200, 3), "morris-6": (600, 2), "reversi-4x4": (1500, 4)}


@functools.cache
def trained(game_id):
    """Return a game and a network that has played a little."""
    game = load_game(game_id)
    layout, settings = defaults(game, {"episodes": 300, "stages": 1 if "ein" in game_id else 3})
    training = NTupleTraining(game, layout, settings, seed=2)
    training.run(300)
    return game, training.network


@pytest.fixture(scope="module")
def file_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")

    @functools.cache
    def path(game_id):
        network = trained(game_id)[1]
        network.save(folder / f"{game_id}.npz")
        return folder / f"{game_id}.npz"

    return path


def value_of(network, state, seat):
    """What the search takes an afterstate for: the sum of the weights, rounded to its grid."""
    net, features = network.net, network.features
    board = np.zeros(features.CELLS, np.int64)
    features.fill(state._row, seat, board)
    at = net.offsets + net.blocks[features.table_set(seat), features.phase(state._row, seat)]
    for cell in range(features.CELLS):
        reads = slice(net.first[cell], net.first[cell + 1])
        np.add.at(at, net.taps[reads], board[cell] * net.powers[reads])
    value = np.rint(np.tanh(float(net.weights[at].sum(dtype=np.float64))) * 2**14) / 2**14
    return min(max(value, 2**-14 - 1), 1 - 2**-14)


def is_pending(state):
    return state.game.FAMILY == "muehle" and state._row[state.game.rules.PENDING] > 0


def minimax(network, state, depth, me, mover):
    """Value of a state for seat ``me`` by the book, made by ``mover``; chance costs no depth, a due removal neither."""
    teams = state.game.info.teams
    if state.player == TERMINAL:
        return state.returns()[me]
    if depth <= 0 and not is_pending(state):
        return value_of(network, state, mover) * (1 if teams[mover] == teams[me] else -1)
    if state.player == CHANCE:
        return sum(p * minimax(network, state.child(a), depth, me, mover) for a, p in state.chance_outcomes())
    choose = max if teams[state.player] == teams[me] else min
    children = [minimax(network, state.child(a), depth - 1, me, state.player) for a in state.legal_actions()]
    return choose(children)


@pytest.mark.parametrize("game_id", COMPARED)
def test_exact_searches_have_the_values_of_minimax(game_id, file_of):
    game, network = trained(game_id)
    count, deepest = COMPARED[game_id]
    compared = 0
    for depth in range(1, deepest + 1):
        agent = load_agent(f"alphabeta:file={file_of(game_id)},depth={depth},selective=no,endgame=0", game, seed=depth)
        for state in positions(game, count // 2**depth, seed=10 * depth):
            found = agent.act(state.view(state.player), explain=True)
            me = state.player
            truth = [minimax(network, state.child(a), depth - 1, me, me) for a in state.legal_actions()]
            chosen = found.actions.tolist().index(found.action)
            if len(truth) == 1 or max(truth) == -1 or found.effort["depth"] < depth:
                continue  # a forced move needs no thought, a loss is put off, a sure win is taken at once
            assert found.values[chosen] == pytest.approx(max(truth), abs=2e-4)
            assert truth[chosen] == pytest.approx(max(truth), abs=2e-4)
            compared += 1
    assert compared > count / 4


def test_every_move_is_valued_if_asked(file_of):
    game, network = trained("reversi-4x4")
    agent = load_agent(f"alphabeta:file={file_of(game.id)},depth=3,selective=no,endgame=0,exact=yes", game)
    for state in positions(game, 40, seed=3):
        found = agent.act(state.view(state.player), explain=True)
        if found.effort["depth"] == 3:
            truth = [minimax(network, state.child(a), 2, state.player, state.player) for a in state.legal_actions()]
            assert found.values == pytest.approx(truth, abs=2e-4)


def test_endgames_are_solved(file_of):
    game, _ = trained("reversi-4x4")
    agent = load_agent(f"alphabeta:file={file_of(game.id)},depth=2,endgame=9", game)
    solved = 0
    for state in positions(game, 120, seed=5):
        if game.rules.empties(state._row) > 9 or len(state.legal_actions()) == 1:
            continue
        found = agent.act(state.view(state.player), explain=True)
        truth = game.solve(state, every=True)
        assert np.sign(truth.scores[found.action]) == np.sign(truth.score)
        assert found.effort["solved"] >= 1
        solved += 1
    assert solved > 30


def test_one_thread_plays_the_same_again_and_more_play_legally(file_of):
    game, _ = trained("reversi-4x4")
    spec = f"alphabeta:file={file_of(game.id)},nodes=3000,endgame=0"
    first, second = load_agent(spec, game, seed=7), load_agent(spec, game, seed=7)
    crowd = load_agent(f"{spec},threads=3", game, seed=7)
    for state in positions(game, 30, seed=8):
        view = state.view(state.player)
        assert first.act(view) == second.act(view)
        found = crowd.act(view, explain=True)
        assert found.action in state.legal_actions()
        assert len(found.line) >= 1


def test_budgets_of_nodes_and_time_are_kept(file_of):
    game, _ = trained("reversi-4x4")
    state = game.new_state()
    found = load_agent(f"alphabeta:file={file_of(game.id)},nodes=500,endgame=0", game).act(state.view(0), explain=True)
    assert found.effort["nodes"] < 600
    agent = load_agent(f"alphabeta:file={file_of(game.id)},time_s=0.05,endgame=0", game)
    agent.act(state.view(0))
    assert agent.act(state.view(0), explain=True).effort["seconds"] < 5


def test_probcut_is_fitted_and_leaves_out_work(tmp_path):
    game, network = trained("reversi-4x4")
    rows = fit_probcut(network, 30, seed=1)
    assert {row["depth"]: row["shallow"] for row in rows}[4] == 2
    assert all(row["spread"] >= 0 and row["slope"] > 0 for row in rows)
    assert fit_probcut(network, 30, seed=1) == rows
    for row in rows:
        row.update(slope=1.0, offset=0.0, spread=0.01)
    whole, cut = tmp_path / "whole.npz", tmp_path / "cut.npz"
    network.save(whole)
    network.facts = {**network.facts, "probcut": rows}
    network.save(cut)
    effort = {
        path: sum(
            load_agent(f"alphabeta:file={path},depth=7,endgame=0", game)
            .act(state.view(state.player), True)
            .effort["nodes"]
            for state in positions(game, 40, seed=9)
        )
        for path in (whole, cut)
    }
    assert effort[cut] < effort[whole]


def test_following_taps_gives_the_value_looked_up_anew():
    game, network = trained("reversi-4x4")
    sources = "stammtisch.baselines.kernels"
    track = loader.load(f"{sources}.ntuple_track", game.id, RULES=game.rules, FEATURES=network.features)
    kernels = loader.load(f"{sources}.ntuple_pace", game.id, RULES=game.rules, TRACK=track)
    ways = [
        kernels.walk(50, seed_streams(1, 1), way, network.net_of_searches) for way in (kernels.PLAIN, kernels.FOLLOWING)
    ]
    assert ways[0] == ways[1]
    assert ways[0][0] > 500


def test_what_cannot_be_read_is_said(tmp_path):
    with pytest.raises(ValueError, match="there is no such file"):
        load_agent(f"alphabeta:file={tmp_path / 'none.npz'}", "reversi-4x4")
    game, network = trained("reversi-4x4")
    options = {"table_mb": 1, "threads": 1, "endgame": 0, "nodes": 0, "exact": False, "selective": False}
    search = LearnedSearch(network, options, 3)
    row = game.new_state()._row
    assert search.search(row, np.zeros(1, np.uint64), 3, 0.0).action in game.new_state().legal_actions()

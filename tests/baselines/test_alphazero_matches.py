"""AlphaZero in matches: many games share one call of the network, and nothing else changes."""

import numpy as np
import pytest

import stammtisch
from stammtisch.arena import play
from stammtisch.arena.match import play_match
from stammtisch.baselines.learned.alphazero.evaluators import sample_questions
from stammtisch.baselines.learned.alphazero.files import save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape


def network_file(path, game_id, network):
    """A network that says something, though it has learned nothing."""
    game = stammtisch.load_game(game_id)
    shape = NetworkShape.for_game(game, network)
    rng = np.random.default_rng(0)
    weights = {k: (rng.normal(size=v) * 0.3).astype(np.float32) for k, v in shape.weight_shapes().items()}
    file = path / f"{game_id}.safetensors"
    save_network(file, game, shape, weights, {})
    return file


@pytest.mark.parametrize(
    ("game", "network", "options", "opponent"),
    [
        ("reversi-4x4", "1x4", "simulations=8", "mcts:iterations=8"),
        ("reversi-4x4", "1x4", "search=puct,simulations=8,temperature=0.5", "heuristic"),
        ("einstein-3x3", "mlp-8", "simulations=6,epsilon=0.2", "mctse:iterations=8"),
        ("einstein-3x3", "mlp-8", "search=off", "random"),
        ("einstein-3x3", "mlp-8", "simulations=6", "alphazero:{file},backend=numpy,simulations=4"),
        ("jass-schieber", "mlp-8", "simulations=6", "heuristic"),
        ("jass-schieber", "mlp-8", "search=off", "random"),
    ],
)
def test_games_side_by_side_are_the_same_games(tmp_path, monkeypatch, game, network, options, opponent):
    file = network_file(tmp_path, game, network)
    agents = [f"alphazero:{file},backend=numpy,{options}", opponent.format(file=file)]
    found = []
    for at_once in (16, 3):
        monkeypatch.setattr(play, "_AT_ONCE", at_once)
        found.append([record.events for record in play_match(game, agents, 20, seed=4, opening=1).records])
    monkeypatch.setattr(stammtisch.baselines.learned.alphazero.agent.AlphaZero, "in_many_games", lambda *_: None)
    alone = [record.events for record in play_match(game, agents, 20, seed=4, opening=1).records]
    assert found[0] == found[1] == alone


def test_one_call_of_the_network_answers_for_all_games(tmp_path, monkeypatch):
    file = network_file(tmp_path, "reversi-4x4", "1x4")
    sizes = []
    from stammtisch.baselines.learned.alphazero.evaluators import NumpyEvaluator

    real = NumpyEvaluator.__call__

    def counted(self, questions):
        sizes.append(len(questions))
        return real(self, questions)

    monkeypatch.setattr(NumpyEvaluator, "__call__", counted)
    match = play_match("reversi-4x4", [f"alphazero:{file},backend=numpy,simulations=8", "random"], 32, seed=1)
    assert match.games == 32
    assert np.mean(sizes) > 8
    assert all(seconds is not None for seconds in match.seconds_per_move)


def test_an_object_of_somebody_is_not_doubled(tmp_path):
    """An agent object plays its games one after the other, as it always did."""
    file = network_file(tmp_path, "reversi-4x4", "1x4")
    game = stammtisch.load_game("reversi-4x4")
    asked = []

    class First:
        def act(self, view):
            asked.append(len(view.legal_actions()))
            return view.legal_actions()[0]

    match = play_match(game, [f"alphazero:{file},backend=numpy,simulations=4", First()], 4, seed=2)
    assert match.games == 4
    assert asked


def test_without_a_file_a_game_that_ships_none_is_named():
    with pytest.raises(ValueError, match="no network of alphazero ships for reversi-4x4"):
        stammtisch.load_agent("alphazero:simulations=8", "reversi-4x4")


def test_eight_bits_play_nearly_the_same(tmp_path):
    pytest.importorskip("openvino", reason="openvino is an extra")
    file = network_file(tmp_path, "reversi-4x4", "1x4")
    game = stammtisch.load_game("reversi-4x4")
    exact, coarse = (
        stammtisch.load_agent(f"alphazero:{file},backend=openvino,precision={precision},search=off", game, seed=0)
        for precision in ("fp32", "int8")
    )
    questions = sample_questions(game, 64)
    assert np.array_equal(questions, sample_questions(game, 64))
    differences = exact._evaluator(questions).values - coarse._evaluator(questions).values
    assert 0 < np.abs(differences).max() < 0.2

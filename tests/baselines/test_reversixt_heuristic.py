"""The reference player of ReversiXT: sound values, sensible moves, and how it fares."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.benchmarks import play_match
from stammtisch.envs.reversixt.map import parse_map, shipped_maps
from tests.playing import random_states


def is_small(board):
    return max(board.width, board.height) <= 15


def mean_rank(result):
    """Return the mean rank of the first agent, equal ones sharing theirs, and half the width of its 95 % interval."""
    ranks = []
    for record in result.records:
        players = len(record.returns)
        own = record.returns[record.seating.index(0)]
        ranks.append(1 + (1 - own) * (players - 1) / 2)
    return np.mean(ranks), 1.96 * np.std(ranks) / np.sqrt(len(ranks))


def against_random(game_id, games, **options):
    players = stammtisch.load_game(game_id, **options).info.num_players
    return play_match(game_id, ["heuristic", *["random"] * (players - 1)], games=games, seed=5, **options)


def test_values_add_up_to_zero_and_stay_in_range():
    game = stammtisch.load_game("reversixt-4")
    policy = game.policy_module()
    for state in random_states(game, seed=3):
        if state.player != TERMINAL:
            values = [policy.evaluate(state.row, seat) for seat in range(4)]
            assert sum(values) == pytest.approx(0, abs=1e-9)
            assert max(map(abs, values)) <= 1


@pytest.mark.parametrize("actions", ["flat", "two-step"])
def test_whoever_is_behind_exchanges_its_stones(actions):
    game = stammtisch.load_game("reversixt", map="2\n0\n0 0\n2 7\n1 2 c 0 2 2 2\n2 2 0 - 2 2 2\n", actions=actions)
    agent = stammtisch.load_agent("heuristic", game, seed=0)
    state = game.new_state()
    while state.player == 0:
        state.apply(agent.act(state.view(0)))
    assert game.stones(state)[0] > game.stones(state)[1]


def test_the_reference_player_beats_random():
    result = against_random("reversixt-2", 60)
    assert result.score > 0.8
    rank, _ = mean_rank(against_random("reversixt-4", 24))
    assert rank < 1.5


@pytest.mark.slow
def test_the_reference_player_beats_random_as_often_as_we_say():
    assert against_random("reversixt-2", 1000).ci95[0] >= 0.9
    rank, half = mean_rank(against_random("reversixt-4", 400))
    assert rank + half <= 1.3


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, text in shipped_maps().items() if is_small(parse_map(text))])
def test_tree_search_beats_the_reference_player(name):
    players = stammtisch.load_game("reversixt", map=name).info.num_players
    agents = ["mcts:iterations=200", *["heuristic"] * (players - 1)]
    games = 240 if players == 2 else 60  # games of two are short, and few of them say little
    result = play_match("reversixt", agents, games=games, seed=6, map=name)
    assert result.return_ci95[0] > 0

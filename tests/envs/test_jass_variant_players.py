"""The reference players and searches in Differenzler, Molotow and Coiffeur: what they may see, how strong they are."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.benchmarks import play_match
from stammtisch.training.evaluator import Evaluator
from tests.envs.jass_hidden import check_policies_are_blind
from tests.playing import random_move, random_state

SOLO = ["jass-differenzler", "jass-molotow"]
IDS = [*SOLO, "jass-coiffeur"]


@pytest.mark.parametrize("game_id", IDS)
def test_policies_see_only_what_their_seat_may_know(game_id):
    game = stammtisch.load_game(game_id)
    check_policies_are_blind(game, game.lane_kernels(("greedy", "heuristic")), positions=200, moves=41)


@pytest.mark.parametrize(
    ("game_id", "other", "gap"),
    [
        ("jass-differenzler", "random", 0.35),
        ("jass-molotow", "random", 0.12),
        ("jass-differenzler", "greedy", 0.02),
        ("jass-molotow", "greedy", 0.04),
    ],
)
def test_one_heuristic_does_better_than_the_three_others(game_id, other, gap):
    """Mean return of the heuristic's seat minus that of the other seats, on the same deals in every seat."""
    result = play_match(game_id, ["heuristic", other, other, other], games=2000, seed=0)
    rest = np.mean([np.sum(r.returns) - r.returns[r.seating.index(0)] for r in result.records]) / 3
    assert result.return_ci95[0] - rest > gap
    assert result.ci95[0] > 0.6


def test_the_heuristic_wins_coiffeur():
    result = play_match("jass-coiffeur", ["heuristic", "random"], games=100, seed=0)
    assert result.ci95[0] > 0.95
    result = play_match("jass-coiffeur", ["heuristic", "greedy"], games=100, seed=0)
    assert result.ci95[0] > 0.9


def test_the_heuristic_predicts_more_with_better_trumps():
    game = stammtisch.load_game("jass-differenzler")
    agent = stammtisch.load_agent("heuristic", game, seed=0)
    hands = "HJ H9 HA HK HQ DA D6 CA SA / H6 D7 D8 D9 C6 C7 C8 S6 S7 / H7 H8 H10 D10 DJ DQ C9 C10 S8 / "
    hands += "DK CJ CQ CK S9 S10 SJ SQ SK"
    said = []
    for forehand in range(4):
        state = game.from_text(
            f"deal 1, totals 0:0:0:0, forehand {forehand}, trumps hearts\nhands {hands}\npredictions -\nplay -"
        )
        said.append(agent.act(state.view(forehand)) - 36)
    assert said[0] > 90
    assert max(said[1:]) < 40


def test_evaluations_know_the_result():
    for game_id in SOLO:
        game = stammtisch.load_game(game_id)
        evaluate = game.policy_module().evaluate
        for seed in range(10):
            row = random_state(game, seed, 100).row
            assert [evaluate(row, p) for p in range(4)] == pytest.approx(game.from_row(row).returns().tolist())


def play_with(spec, game, moves):
    """Let an agent play in all seats; hidden cards must not matter to what it answers."""
    rng = np.random.default_rng(2)
    agent = stammtisch.load_agent(spec, game, seed=1)
    state = game.new_state(0)
    for number in range(moves):
        if state.player < 0:
            if state.player == TERMINAL:
                break
            random_move(state, rng)
            continue
        view = state.view(state.player)
        if number % 9 == 4:
            answers = [
                stammtisch.load_agent(spec, game, seed=3).act(v)
                for v in (view, view.sample_state(rng).view(view.player))
            ]
            assert answers[0] == answers[1]
        state.apply(agent.act(view))
    return state


def test_information_set_search_plays_molotow():
    state = play_with("ismcts:iterations=20", stammtisch.load_game("jass-molotow"), 100)
    assert state.player == TERMINAL


@pytest.mark.slow
@pytest.mark.parametrize("game_id", IDS)
@pytest.mark.parametrize("spec", ["pimc:worlds=3", "ismcts:iterations=20"])
def test_searches_play_all_variants(game_id, spec):
    play_with(spec, stammtisch.load_game(game_id), 90)


@pytest.mark.parametrize("game_id", IDS)
@pytest.mark.parametrize("agent", ["mcts", "alphabeta"])
def test_searches_for_open_cards_refuse(game_id, agent):
    with pytest.raises(ValueError, match=f'agent "{agent}" cannot play {game_id}: cards are hidden'):
        stammtisch.load_agent(agent, game_id)


def test_a_win_where_everyone_plays_alone_is_a_return_above_the_mean():
    result = play_match("jass-differenzler", ["random"] * 4, games=400, seed=0)
    assert 0.35 < result.score < 0.65
    for record, score in zip(result.records, result.records.scores(), strict=True):
        assert (record.returns[record.seating.index(0)] - np.mean(record.returns) > 1e-9) == (score == 1)


def test_an_evaluator_seats_its_opponent_in_all_other_seats():
    evaluator = Evaluator("jass-molotow", ["random"], every=1, games=8)
    point = evaluator.evaluate(stammtisch.load_agent("greedy", evaluator.game, seed=0), step=0)[0]
    assert (point.opponent, point.games) == ("random", 8)

"""Matches: seats exchanged, the same chance for both, intervals that hold, results independent of the workers."""

import json
import math

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.intervals import elo_difference, mean_interval, score_interval, seeds_interval
from stammtisch.arena.match import seatings
from stammtisch.arena.sprt import Sprt
from stammtisch.benchmarks import play_match


def test_the_heuristic_beats_random_on_the_classic_board():
    result = play_match("einstein-5x5", ["heuristic", "random"], games=2000, seed=0)
    assert result.games == 2000
    assert result.wins + result.draws + result.losses == 2000
    assert result.score >= 0.75
    assert result.ci95[0] > 0.75


@pytest.mark.parametrize("game_id", ["einstein-3x3", "einstein-4x4", "einstein-6x6-3p", "einstein-4x4-4p"])
def test_the_heuristic_beats_random_on_the_other_boards(game_id):
    result = play_match(game_id, ["heuristic", "random"], games=300, seed=0)
    assert result.ci95[0] > 0.65


def test_results_do_not_depend_on_the_number_of_workers():
    results = [play_match("einstein-3x3", ["heuristic", "random"], games=41, seed=5, workers=w) for w in (1, 2)]
    assert results[0].records == results[1].records
    assert results[0].score == results[1].score
    assert results[0].ci95 == results[1].ci95


def test_one_seed_gives_one_match_and_another_seed_another():
    first, again, other = (play_match("einstein-4x4", ["random", "random"], games=20, seed=s) for s in (1, 1, 2))
    assert first.records == again.records
    assert first.records != other.records


def test_games_of_a_pair_share_start_and_dice_with_the_seats_exchanged():
    result = play_match("einstein-5x5", ["random", "heuristic"], games=20, seed=3, random_start=True)
    for first, second in zip(result.records[::2], result.records[1::2], strict=True):
        assert first.group == second.group
        assert first.seating == (0, 1)
        assert second.seating == (1, 0)
        assert first.events[0] == second.events[0]


def test_equal_agents_score_exactly_half_over_pairs_of_the_same_play():
    """Agents that draw nothing play the same game twice: whoever sits in the winning seat wins."""
    result = play_match("einstein-3x3", ["heuristic", "heuristic"], games=200, seed=0)
    assert 0.4 < result.score < 0.6


@pytest.mark.parametrize(
    ("game_id", "agents", "expected"),
    [
        ("einstein-5x5", 2, [(0, 1), (1, 0)]),
        ("einstein-6x6-3p", 2, [(0, 0, 1), (1, 1, 0)]),
        ("einstein-4x4-4p", 2, [(0, 1, 0, 1), (1, 0, 1, 0)]),
        ("einstein-6x6-3p", 3, [(0, 1, 2), (1, 2, 0), (2, 0, 1)]),
        ("einstein-4x4-4p", 4, [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]),
    ],
)
def test_seatings(game_id, agents, expected):
    assert seatings(stammtisch.load_game(game_id), agents) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": ["random"]}, "not by 1 agents"),
        ({"agents": ["random", "rndom"]}, "did you mean"),
        ({"games": 0}, "at least one game"),
        ({"workers": 0}, "at least one worker"),
        ({"seed": -1}, "seed"),
        ({"colour": 1}, "no option"),
    ],
)
def test_bad_matches_are_refused(arguments, message):
    good = {"agents": ["random", "random"], "games": 2}
    with pytest.raises(ValueError, match=message):
        play_match("einstein-3x3", **{**good, **arguments})


def test_agent_objects_play_in_this_process_only():
    game = stammtisch.load_game("einstein-3x3")
    agents = [stammtisch.load_agent("random", game), "random"]
    assert play_match(game, agents, games=4).games == 4
    with pytest.raises(ValueError, match="agent objects"):
        play_match(game, agents, games=4, workers=2)


@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95])
def test_score_intervals_cover_the_truth(truth):
    """Pairs whose two games are correlated, as with shared dice."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        shared = rng.random(100) < 0.3
        first = rng.random(100) < truth
        second = np.where(shared, first, rng.random(100) < truth)
        low, high = score_interval((first.astype(float) + second).tolist(), [2] * 100)
        covered += low <= truth <= high
    assert 0.93 <= covered / 2000 <= 0.97


def test_intervals_at_the_edges():
    low, high = score_interval([2.0] * 50, [2] * 50)
    assert 0.95 < low < 1
    assert high == 1
    assert score_interval([], []) == (0, 1)
    assert mean_interval([1.0]) == (-math.inf, math.inf)
    assert mean_interval([1.0, 1.0]) == (1, 1)
    assert mean_interval([0.4, 0.6]) == pytest.approx((0.5 - 12.706 * 0.1, 0.5 + 12.706 * 0.1))  # Student's t
    assert seeds_interval([0.99, 1.0, 1.0], 3000)[1] == 1.0
    assert seeds_interval([1.0, 1.0, 1.0], 300) == pytest.approx(score_interval([1.0] * 300, [1] * 300))
    assert seeds_interval([0.3, 0.6], 1000) == (0, 1)  # seeds that differ decide


def test_elo_of_a_score():
    assert elo_difference(0.5) == 0
    assert elo_difference(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_difference(1.0) == math.inf
    assert elo_difference(0.0) == -math.inf


def test_everyone_for_himself_is_rated_by_rank():
    result = play_match("jass-differenzler", ["heuristic", "random", "random", "random"], games=80, seed=3)
    assert set(result.strengths) == {"heuristic", "random"}
    assert result.strengths["heuristic"] > 0 > result.strengths["random"]
    assert play_match("einstein-3x3", ["heuristic", "random"], games=2).strengths == {}


class Quiet:
    """No subclass of anything: it only has ``act``."""

    def __init__(self):
        self.resets = []

    def act(self, view):
        return view.legal_actions()[0]


class Seeded(Quiet):
    def reset(self, seed=None):
        self.resets.append(seed)


class Forgetful(Quiet):
    def reset(self):
        self.resets.append("forgotten")


@pytest.mark.parametrize("kind", [Quiet, Seeded, Forgetful])
def test_any_object_with_act_plays(kind):
    player = kind()
    result = play_match("einstein-3x3", [player, "random"], games=6, seed=0)
    assert result.agents == [kind.__name__, "random"]
    assert result.games == 6
    assert len(player.resets) == (0 if kind is Quiet else 6)
    if kind is Seeded:
        assert len(set(player.resets)) == 6
        assert None not in player.resets


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Quiet, "not the class Quiet; give an instance"),
        (lambda view: 0, r"an object with act\(view\).*BatchPolicyAgent"),
        (3, r"stammtisch\.Agent.*not 3"),
    ],
)
def test_what_cannot_play_is_told_what_would_be_right(given, message):
    with pytest.raises(ValueError, match=message):
        play_match("einstein-3x3", [given, "random"], games=2)
    with pytest.raises(ValueError, match=message):
        stammtisch.load_agent(given, "einstein-3x3")


def test_a_sequential_test_stops_a_match_of_agent_objects_as_it_stops_one_of_specs():
    test = Sprt(elo0=0, elo1=50)
    specs = play_match("einstein-3x3", ["mc:iterations=20", "random"], games=2000, seed=1, sprt=test)
    game = stammtisch.load_game("einstein-3x3")
    agents = [stammtisch.load_agent(spec, game) for spec in ("mc:iterations=20", "random")]
    objects = play_match(game, agents, games=2000, seed=1, sprt=test)
    assert specs.stopped
    assert objects.stopped == specs.stopped
    assert objects.records == specs.records
    assert objects.games < 2000


def test_matches_of_agent_objects_report_their_progress():
    game, told = stammtisch.load_game("einstein-3x3"), []
    play_match(game, [Quiet(), "random"], games=20, seed=1, progress=told.append)
    assert sum(told) == 20
    assert len(told) > 1


def test_the_json_of_a_one_sided_match_is_json():
    result = play_match("einstein-3x3", ["mcts:iterations=200", "random"], games=1, seed=0)
    assert math.isinf(result.elo)
    assert all(map(math.isinf, result.return_ci95))
    told = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert told["elo"] is None
    assert told["return_ci95"] == [None, None]


def test_an_even_score_has_no_sign():
    assert math.copysign(1, elo_difference(0.5)) == 1


def test_thinking_time_begins_after_what_is_compiled_and_loaded(monkeypatch):
    """A clock that only the agents move: their first two decisions cost a hundred, every other one costs one."""
    now, asked = [0.0], []

    def act(self, view):
        asked.append(view.player)
        now[0] += 100.0 if len(asked) <= 2 else 1.0
        return view.legal_actions()[0]

    monkeypatch.setattr("stammtisch.baselines.search.mc.FlatMonteCarlo.act", act)
    monkeypatch.setattr("stammtisch.arena.play.time.perf_counter", lambda: now[0])
    result = play_match("einstein-3x3", ["mc:iterations=1", "random"], games=2, seed=0)
    own_moves = sum(record.moves for record in result.records) / 2
    assert result.records[0].seconds[0] <= result.records[0].moves
    assert result.seconds_per_move[0] == pytest.approx((len(asked) - 2) / own_moves)


def test_a_negative_action_is_no_legal_one():
    class Backwards(Quiet):
        def act(self, view):
            return view.legal_actions()[-1] - view.game.info.num_actions

    with pytest.raises(stammtisch.IllegalAction, match="illegal action -"):
        play_match("einstein-3x3", [Backwards(), "random"], games=2)

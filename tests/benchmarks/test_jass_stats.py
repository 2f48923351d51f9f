"""Habits of Jass players: the random player's rates, and single situations."""

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks.jass.habits import MEANINGS, jass_stats
from stammtisch.envs.core import loader
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.jass import card_id

DEALS = 20_000


def test_random_play_has_the_known_rates():
    stats = jass_stats("random", DEALS, seed=1)
    assert [h["id"] for h in stats["habits"]] == list(MEANINGS)
    for habit in stats["habits"]:
        # the reference is of the same size, so both have this error; it is given with three digits
        tolerance = 3.5 * np.sqrt(2) * habit["error"] + 0.0005
        assert abs(habit["rate"] - habit["random"]) < tolerance, habit
    assert stats["excess"] == pytest.approx(3.14, abs=0.08)


def test_the_heuristic_has_better_habits_than_random():
    stats = jass_stats("heuristic", 3000, seed=2)
    rates = {h["id"]: h["rate"] for h in stats["habits"]}
    for name in ("A1", "A2", "B1", "C1", "D1", "E1", "F1", "G2", "H1"):
        habit = next(h for h in stats["habits"] if h["id"] == name)
        assert rates[name] < habit["random"], habit
    assert stats["excess"] < 1


class Lowest(Agent):
    """Plays its lowest legal action, outside of the kernels."""

    def act(self, view):
        return view.legal_actions()[0]


def test_agents_outside_the_kernels_are_counted_alike():
    game = stammtisch.load_game("jass-schieber")
    agent = Lowest(game, spec="lowest")
    stats = jass_stats(agent, 40, seed=3)
    assert stats["agent"] == "lowest"
    assert stats == jass_stats(agent, 40, seed=3)
    by_name = {h["id"]: h for h in stats["habits"]}
    assert by_name["E1"]["opportunities"] == 0  # it always makes hearts trumps
    assert by_name["E1"]["rate"] is None
    assert by_name["A1"]["rate"] == 1.0  # and leads its lowest card, a heart, as long as it has one
    assert by_name["C1"]["opportunities"] > 20


@pytest.fixture(scope="module")
def kernels():
    game = stammtisch.load_game("jass-schieber")
    lanes = game.lane_kernels(())
    return loader.load("stammtisch.benchmarks.jass.counts", game.id, RULES=game.rules, LANES=lanes)


def habits(kernels, hands, mode, plays, card, forehand=0):
    """Return what one play counts for: opportunities, events."""
    game = stammtisch.load_game("jass-schieber")
    state = game.from_text(f"forehand {forehand}\nhands {hands}\nmode {mode}\nplay {plays}")
    assert card_id(card) in state.legal_actions()
    counts, excess = np.zeros((13, 2), np.int64), np.zeros(1)
    kernels.note(state.row, card_id(card), counts, excess)
    seen = {name for i, name in enumerate(kernels.COLUMNS) if counts[i, 0]}
    return seen, {name for i, name in enumerate(kernels.COLUMNS) if counts[i, 1]}


MIXED = "H6 HK HA D6 D8 C8 S6 S8 D9 / H7 H9 D7 C7 S7 C9 S9 D10 C10 / "
MIXED += "H8 H10 HQ DJ DQ CJ CQ SJ SQ / HJ DK DA CK CA SK SA C6 S10"


def test_a_lone_buur_on_a_trump_lead(kernels):
    seen, done = habits(kernels, MIXED, "hearts", "H6 H7 H8", "HJ")
    assert {"G1", "G1b", "D1"} <= seen
    assert {"G1", "G1b", "D1"} <= done
    seen, done = habits(kernels, MIXED, "hearts", "H6 H7 H8", "C6")
    assert {"G1", "G1b", "D1", "I1"} <= seen
    assert done == set()  # its three plain colours have an ace each


def test_giving_and_keeping_points_as_the_last_player(kernels):
    hands = "D6 D7 DA H6 H7 C6 C7 S6 S7 / D8 D9 H8 H9 C8 C9 S8 S9 H10 / "
    hands += "DJ DQ HJ HQ HK HA CJ CQ S10 / C10 D10 DK SJ CK CA SQ SK SA"
    seen, done = habits(kernels, hands, "obeabe", "DA D8 DJ", "D10")
    assert seen == done == {"C1", "G2"}
    seen, done = habits(kernels, hands, "obeabe", "DA D8 DJ", "DK")
    assert (seen, done) == ({"C1", "G2"}, set())
    partner = " / ".join([*hands.split(" / ")[1:], hands.split(" / ")[0]])  # now seat 3 led, 1 and 3 are partners
    seen, done = habits(kernels, partner, "obeabe", "DA D8 DJ", "DK", forehand=3)
    assert (seen, done) == ({"C1", "G2"}, set())
    overtaken = hands.replace("D8 D9 H8", "DQ D9 H8").replace("DJ DQ HJ", "DJ D8 HJ")
    seen, done = habits(kernels, overtaken, "obeabe", "D6 DQ DJ", "DK")
    assert seen == {"B1", "H1"}
    assert done == {"B1"}
    seen, done = habits(kernels, overtaken, "obeabe", "D6 DQ DJ", "D10")
    assert done == set()

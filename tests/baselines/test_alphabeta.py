"""Alpha-beta search: the same values as plain minimax, exact endgames, and moves that a person would call forced."""

import functools

import numpy as np
import pytest

from stammtisch import CHANCE, TERMINAL, IllegalAction, load_agent, load_game
from stammtisch.benchmarks import play_match
from tests.playing import positions

# Options, positions, greatest depth.
COMPARED = {
    "einstein-3x3": ({}, 800, 4),
    "morris-3": ({"repetition": True}, 800, 4),
    "muehle": ({}, 600, 3),
    "reversi-4x4": ({"reward": "discs"}, 800, 5),
    "reversi-6x6": ({}, 600, 4),
}


@functools.cache
def game_of(game_id):
    """Return the game with the options that these tests use, so that few variants are compiled."""
    return load_game(game_id, **COMPARED[game_id][0])


def decide(spec, state, seed=0):
    return load_agent(spec, state.game, seed).act(state.view(state.player), explain=True)


def said(spec, state, seed=0):
    return state.action_text(decide(spec, state, seed).action)


def brute_force(state, depth, me):
    """Value of a state for seat ``me`` by the book; chance costs no depth."""
    if state.player == TERMINAL:
        return state.returns()[me]
    if depth == 0:
        return state.game.policy_module().evaluate(state.row, me)
    if state.player == CHANCE:
        return sum(odds * brute_force(state.child(a), depth, me) for a, odds in state.chance_outcomes())
    teams = state.game.info.teams
    choose = max if teams[state.player] == teams[me] else min
    return choose(brute_force(state.child(a), depth - 1, me) for a in state.legal_actions())


@pytest.mark.parametrize("game_id", COMPARED)
def test_values_and_moves_are_those_of_minimax(game_id):
    game = game_of(game_id)
    _, count, deepest = COMPARED[game_id]
    saved = compared = 0
    for depth in range(1, deepest + 1):
        quick = load_agent(f"alphabeta:depth={depth},endgame=0", game, seed=depth)
        plain = load_agent(f"minimax:depth={depth}", game, seed=depth)
        for state in positions(game, count // deepest, seed=100 * depth):
            found = quick.act(state.view(state.player), explain=True)
            truth = plain.act(state.view(state.player), explain=True)
            assert found.actions.tolist() == truth.actions.tolist() == state.legal_actions()
            chosen = truth.actions.tolist().index(found.action)
            saved += truth.effort["nodes"] - found.effort["nodes"]
            if len(found.actions) == 1 or truth.values.max() == game.info.utility_range[0]:
                continue  # a forced move needs no thought, and a loss is put off by looking less far
            assert found.values[chosen] == pytest.approx(truth.values.max(), abs=1e-9)
            assert truth.values[chosen] == pytest.approx(truth.values.max(), abs=1e-9)
            compared += 1
    assert compared > count / 3
    assert saved > 0


@pytest.mark.parametrize(("game_id", "depth"), [("einstein-3x3", 3), ("morris-3", 3), ("reversi-4x4", 4)])
def test_exact_values_every_move(game_id, depth):
    game = game_of(game_id)
    for state in positions(game, 60, seed=3):
        if len(state.legal_actions()) > 1:
            found = decide(f"alphabeta:depth={depth},exact=1,endgame=0", state)
            if found.effort["depth"] == depth:
                assert found.values == pytest.approx(decide(f"minimax:depth={depth}", state).values, abs=1e-9)


@pytest.mark.parametrize(("game_id", "depth"), [("einstein-3x3", 2), ("einstein-4x4-4p", 2)])
def test_expectation_over_the_dice_is_that_of_plain_python(game_id, depth):
    game = load_game(game_id)
    for state in positions(game, 25, seed=7):
        truth = [brute_force(state.child(a), depth - 1, state.player) for a in state.legal_actions()]
        found = decide(f"alphabeta:depth={depth},exact=1", state)
        if found.effort["depth"] == depth:
            assert found.values == pytest.approx(truth, abs=1e-9)


def test_a_small_dice_game_is_solved_to_its_end():
    @functools.cache
    def exact(state):
        """Probability that seat 0 wins, less that it loses."""
        if state.player == TERMINAL:
            return state.returns()[0]
        if state.player == CHANCE:
            return sum(odds * exact(state.child(a)) for a, odds in state.chance_outcomes())
        return (max, min)[state.player](exact(state.child(a)) for a in state.legal_actions())

    game = load_game("einstein-3x3")
    for state in positions(game, 40, seed=11)[::4]:
        found = decide("alphabeta:depth=40", state)
        chosen = found.actions.tolist().index(found.action)
        sign = 1 if state.player == 0 else -1
        best = max(sign * exact(state.child(a)) for a in state.legal_actions())
        assert sign * exact(state.child(found.action)) == pytest.approx(best)
        if len(found.actions) > 1 and best > -1:
            assert found.values[chosen] == pytest.approx(best)


@pytest.mark.parametrize(("game_id", "empties", "least"), [("reversi-6x6", 12, 3), ("reversi-4x4", 8, 10)])
def test_reversi_endgames_are_played_perfectly(game_id, empties, least):
    @functools.cache
    def exact(state):
        """Value for black by the book."""
        if state.player == TERMINAL:
            return state.returns()[0]
        return (max, min)[state.player](exact(state.child(a)) for a in state.legal_actions())

    game = game_of(game_id)
    states = [state for state in positions(game, 60 * least, seed=5) if len(state.legal_actions()) > 1]
    endgames = [state for state in states if game.rules.empties(state.row) == empties][:least]
    assert len(endgames) == least
    for state in endgames:
        found = decide(f"alphabeta:depth=1,endgame={empties}", state)
        sign = 1 if state.player == 0 else -1
        truth = [sign * exact(state.child(a)) for a in state.legal_actions()]
        chosen = found.actions.tolist().index(found.action)
        assert truth[chosen] == max(truth)
        if max(truth) > -1:
            assert found.values[chosen] == pytest.approx(max(truth))


def with_men(game, white, black, **facts):
    names = [game.point_name(point) for point in range(game.rules.POINTS)]
    board = "".join("W" if name in white.split() else "B" if name in black.split() else "." for name in names)
    return game.from_board(board=board, **facts)


def test_muehle_mill_that_leaves_two_men_wins():
    state = with_men(load_game("muehle"), "a7 d7 g4 b2 c3", "f6 e5 d1", turn=40)
    found = decide("alphabeta:depth=2", state)
    assert state.action_text(found.action) == "g4-g7"
    assert found.values.max() == 1.0
    assert len(found.line) == 2  # closing the mill and the removal are both the same player's


def test_muehle_two_moves_ahead():
    """A second way to close the mill: black can stop only one of them."""
    state = with_men(load_game("muehle"), "a7 d6 g4 f2 d3", "a1 d1 g1", turn=40)
    assert decide("alphabeta:depth=6", state).values.max() > 0.0


def test_muehle_placing_stops_a_mill():
    state = with_men(load_game("muehle"), "a7", "b2 d2", in_hand=(8, 7), turn=3)
    assert said("alphabeta:depth=3", state) == "f2"


def test_morris_row_wins_at_once_and_is_blocked():
    game = game_of("morris-3")
    wins = with_men(game, "a3 b3", "a1 b1", in_hand=(1, 1), turn=4)
    assert said("alphabeta", wins) == "c3"
    blocks = with_men(game, "a3", "b2 b1", in_hand=(2, 1), turn=3)
    assert said("alphabeta", blocks) == "b3"


def test_morris_is_won_from_the_centre():
    """Three men's morris without flying is a win for whoever begins: in the centre, seven actions deep."""
    state = game_of("morris-3").new_state()
    found = decide("alphabeta:depth=11", state)
    assert state.action_text(found.action) == "b2"
    assert found.values.max() == 1.0


def test_einstein_corner_is_taken():
    game = game_of("einstein-3x3")
    states = [state for state in positions(game, 600, seed=21) if len(state.legal_actions()) > 1]
    wins = [
        state for state in states if any(state.child(a).returns()[state.player] == 1.0 for a in state.legal_actions())
    ]
    assert len(wins) > 20
    for state in wins:
        after = state.child(decide("alphabeta:depth=2", state).action)
        assert after.returns()[state.player] == 1.0


def test_reversi_wipe_out_is_taken():
    state = load_game("reversi-4x4").from_board(board="xx-- -o-- --o- ----", to_move=0)
    assert said("alphabeta:depth=1,endgame=0", state) == "d4"


def test_a_won_game_is_won_on_the_shortest_way():
    """Depth shows the distance: the search stops as soon as it sees the win, and every move brings it nearer."""
    state = game_of("morris-3").new_state()
    agent = load_agent("alphabeta:depth=14", state.game, seed=3)
    depths = []
    while state.player != TERMINAL:
        found = agent.act(state.view(state.player), explain=True)
        if state.player == 0:
            depths.append(found.effort["depth"])
        state.apply(found.action)
    assert state.returns()[0] == 1.0
    assert depths == sorted(depths, reverse=True)
    assert depths[-1] == 1


@pytest.mark.parametrize("spec", ["alphabeta:depth=3", "alphabeta:nodes=300", "minimax:depth=2"])
def test_same_seed_same_game(spec):
    def played(seed):
        state = load_game("muehle").new_state()
        agents = [load_agent(spec, state.game, seed=[seed, seed + 10][p]) for p in (0, 1)]
        moves = []
        for _ in range(12):
            moves.append(agents[state.player].act(state.view(state.player)))
            state.apply(moves[-1])
        return moves

    assert played(1) == played(1)
    assert len({tuple(played(seed)) for seed in range(5)}) > 1  # equal moves are drawn at random


def test_a_search_forgets_nothing_that_matters():
    """What the table holds from earlier positions changes neither value nor choice."""
    game = game_of("reversi-6x6")
    used = load_agent("alphabeta:depth=4", game, seed=0)
    for state in positions(game, 40, seed=31):
        used.streams[0] = 7
        fresh = load_agent("alphabeta:depth=4", game)
        fresh.streams[0] = 7
        view = state.view(state.player)
        found, expected = used.act(view, explain=True), fresh.act(view, explain=True)
        assert found.action == expected.action
        assert found.effort["depth"] == expected.effort["depth"]


def test_budgets_are_kept():
    state = load_game("muehle").new_state()
    assert decide("alphabeta:nodes=5000", state).effort["nodes"] <= 5000
    assert decide("alphabeta:nodes=5000", state).effort["depth"] > 2
    assert decide("alphabeta:nodes=1", state).effort["depth"] == 1
    assert decide("alphabeta:depth=2,nodes=5000", state).effort["depth"] == 2


class Alarm:
    """A timer that goes off when it is told to, not when it is late."""

    def __init__(self, seconds, function, arguments):
        self.seconds, self.ring = seconds, lambda: function(*arguments)
        self.started = self.cancelled = False
        alarms.append(self)

    def start(self):
        self.started = True
        if self.seconds < 1:
            self.ring()

    def cancel(self):
        self.cancelled = True


alarms = []


def test_time_can_be_the_budget(monkeypatch):
    """Rung at once, the search still has looked one action ahead; never rung, it goes as deep as it may."""
    monkeypatch.setattr("stammtisch.baselines.search.lookahead.threading.Timer", Alarm)
    state = load_game("muehle").new_state()
    alarms.clear()
    at_once = decide("alphabeta:time_s=0.2", state)
    assert at_once.effort["depth"] <= 1
    assert at_once.action in state.legal_actions()
    assert decide("alphabeta:time_s=100,depth=3", state).effort["depth"] == 3
    decide("alphabeta:depth=1", state)
    assert [(alarm.seconds, alarm.started, alarm.cancelled) for alarm in alarms] == [
        (0.2, True, True),
        (100.0, True, True),
        (0.0, False, True),
    ]


def test_the_third_occurrence_is_a_draw_for_the_search_too():
    """White is better off elsewhere; going back to a position seen twice is worth exactly nothing."""
    state = game_of("morris-3").from_text("""
        3 .-W-W
        2 B-.-.
        1 B-B-W
          a b c
        W to move, in hand 0 0, turn 14
        seen 1c112 5c01a 3801a 78019 1c019 5c01a 2c01a 6c016 1c016""")
    found = decide("alphabeta:depth=1,exact=1", state)
    values = dict(zip([state.action_text(int(a)) for a in found.actions], found.values, strict=True))
    assert state.child(state.parse_action("c3-c2")).player == TERMINAL
    assert values["c3-c2"] == 0.0
    assert values["b3-a3"] > 0.0


def test_the_main_line_is_legal():
    game = game_of("reversi-6x6")
    for state in positions(game, 30, seed=41):
        line = decide("alphabeta:depth=4", state).line
        assert line
        for action in line:
            try:
                state.apply(action)
            except IllegalAction:
                pytest.fail(f"{action} in {line}")


def test_epsilon_plays_anything():
    state = game_of("morris-3").new_state()
    agent = load_agent("alphabeta:epsilon=1", state.game, seed=0)
    assert len({agent.act(state.view(0)) for _ in range(100)}) == 9


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "rote"])
def test_hidden_cards_are_refused_in_one_line(name):
    with pytest.raises(ValueError, match=f'^agent "{name}" cannot play jass-schieber: cards are hidden'):
        load_agent(name, "jass-schieber")


def test_it_beats_the_reference_bot_of_muehle():
    assert play_match("muehle", ["alphabeta:depth=4", "heuristic"], games=20, seed=1).score > 0.75


def test_kernels_have_one_signature():
    game = game_of("morris-3")
    agent = load_agent("alphabeta", game, seed=0)
    state = game.new_state()
    for depth in (1, 2):
        load_agent(f"alphabeta:depth={depth},exact={depth - 1},nodes={depth}", game).act(state.view(0))
    assert len(agent._kernels.think.signatures) == 1
    assert np.iinfo(np.int64).max == agent._kernels.NO_LIMIT

"""Mühle against a slow twin in plain Python, against OpenSpiel, and against itself under symmetries."""

import random

import numpy as np
import pyspiel
import pytest

from stammtisch import TERMINAL, load_game
from stammtisch.envs.muehle.game import contents
from tests.playing import random_states

IDS = ["muehle", "morris-3", "morris-6", "morris-12"]
# Columns and lines of the points of each ring in order, measured from the centre: corner, middle, corner, …
CLOCKWISE = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]


class Twin:
    """Mühle on a dictionary from places to men, by geometry instead of masks."""

    def __init__(self, rings, men, diagonals, flying, max_turns=200, repetition=False):
        self.places = [(x * d, y * d) for d in range(rings, 0, -1) for x, y in CLOCKWISE]
        if rings == 1:
            self.places.append((0, 0))
        self.rings, self.men, self.diagonals = rings, men, diagonals
        self.flying, self.max_turns, self.repetition = flying, max_turns, repetition
        self.board = dict.fromkeys(self.places, ".")
        self.hand = {"W": men, "B": men}
        self.mover, self.other, self.pending, self.turn, self.result = "W", "B", False, 0, None
        self.history = []

    def joined(self, a, b):
        """Whether two places are next to each other on a line."""
        (x, y), (u, v) = a, b
        ring_a, ring_b = max(abs(x), abs(y)), max(abs(u), abs(v))
        if ring_a == ring_b:
            return (x == u or y == v) and abs(x - u) + abs(y - v) == ring_a
        if abs(ring_a - ring_b) > 1 or (self.rings > 1 and 0 in (ring_a, ring_b)):
            return False
        straight = (x == u == 0 or y == v == 0) and abs(x - u) + abs(y - v) == 1
        diagonal = self.diagonals and abs(x) == abs(y) and abs(u) == abs(v) and abs(x - u) == abs(y - v) == 1
        return straight or diagonal

    def is_mill(self, places, man):
        """Whether three places hold ``man`` and form a joined straight row, whatever their order."""
        if any(self.board[place] != man for place in places):
            return False
        return any(
            self.joined(a, b) and self.joined(b, c) and b[0] - a[0] == c[0] - b[0] and b[1] - a[1] == c[1] - b[1]
            for a, b, c in (places, places[1:] + places[:1], places[2:] + places[:2])
        )

    def in_mill(self, place):
        """Whether the man on ``place`` belongs to a mill."""
        man = self.board[place]
        own = [p for p in self.places if self.board[p] == man and p != place]
        return any(self.is_mill([place, a, b], man) for i, a in enumerate(own) for b in own[:i])

    def left(self, man):
        return self.hand[man] + sum(content == man for content in self.board.values())

    def actions(self):
        n = len(self.places)
        empty = [i for i, place in enumerate(self.places) if self.board[place] == "."]
        if self.pending:
            enemies = [i for i, place in enumerate(self.places) if self.board[place] == self.other]
            return [i for i in enemies if not self.in_mill(self.places[i])] or enemies
        if self.hand[self.mover]:
            return empty
        flies = self.flying and self.left(self.mover) == 3
        return [
            n + n * i + j
            for i, place in enumerate(self.places)
            if self.board[place] == self.mover
            for j in empty
            if flies or self.joined(place, self.places[j])
        ]

    def play(self, action):
        n = len(self.places)
        lasting = True
        if self.pending:
            self.board[self.places[action]] = "."
        else:
            if action < n:
                target = self.places[action]
                self.hand[self.mover] -= 1
            else:
                start, target = (self.places[i] for i in divmod(action - n, n))
                self.board[start] = "."
                lasting = False
            self.board[target] = self.mover
            if self.in_mill(target):
                if self.rings == 1:
                    self.result = self.mover
                else:
                    self.pending = True
                    return
        self.pending = False
        self.turn += 1
        self.mover, self.other = self.other, self.mover
        if self.result:
            return
        full = "." not in self.board.values()
        if self.left(self.mover) < 3 or (not self.actions() and not full):
            self.result = self.other
        position = ("".join(self.board.values()), self.mover)
        self.history = [position] if lasting else [*self.history, position]
        repeated = self.repetition and self.history.count(position) > 2
        if not self.result and (full or repeated or self.turn == self.max_turns):
            self.result = "."

    def returns(self):
        return {"W": [1, -1], "B": [-1, 1], ".": [0, 0], None: [0, 0]}[self.result]


@pytest.mark.parametrize(
    ("game_id", "options", "positions"),
    [
        ("muehle", {}, 6000),
        ("morris-3", {}, 4000),
        ("morris-6", {}, 4000),
        ("morris-12", {}, 4000),
        ("morris-6", {"flying": True, "repetition": True, "max_turns": 60}, 3000),
        ("morris-3", {"flying": True, "repetition": True}, 3000),
    ],
)
def test_the_rules_agree_with_a_slow_twin(game_id, options, positions):
    game = load_game(game_id, **options)
    rules, rng = game.rules, random.Random(7)
    customs = {name: game.options[name] for name in ("flying", "max_turns", "repetition")}
    while positions > 0:
        twin = Twin(rules.RINGS, rules.MEN, rules.DIAGONALS, **customs)
        state = game.new_state()
        while twin.result is None:
            legal = state.legal_actions()
            assert legal == twin.actions()
            assert state.player == "WB".index(twin.mover)
            action = rng.choice(legal)
            state.apply(action)
            twin.play(action)
            positions -= 1
            assert contents(state) == "".join(twin.board.values())
            if not game.options["repetition"]:
                assert state == game.from_board(
                    board="".join(twin.board.values()),
                    to_move="WB".index(twin.mover),
                    in_hand=(twin.hand["W"], twin.hand["B"]),
                    removal_pending=twin.pending,
                    turn=twin.turn,
                )
        assert state.player == TERMINAL
        assert state.returns().tolist() == twin.returns()


# OpenSpiel numbers the points line by line.
POINT_TO_OPEN_SPIEL = [0, 1, 2, 14, 23, 22, 21, 9, 3, 4, 5, 13, 20, 19, 18, 10, 6, 7, 8, 12, 17, 16, 15, 11]


def test_random_games_agree_with_open_spiel_action_by_action():
    game = load_game("muehle")
    other = pyspiel.load_game("nine_mens_morris")
    to_other = POINT_TO_OPEN_SPIEL + [24 + 24 * a + b for a in POINT_TO_OPEN_SPIEL for b in POINT_TO_OPEN_SPIEL]
    rng = random.Random(3)
    results = set()
    for _ in range(2000):
        ours, theirs = game.new_state(), other.new_initial_state()
        while not theirs.is_terminal():
            legal = ours.legal_actions()
            assert ours.player == theirs.current_player()
            assert sorted([to_other[a] for a in legal]) == theirs.legal_actions()
            action = legal[int(rng.random() * len(legal))]
            ours.apply(action)
            theirs.apply_action(to_other[action])
        assert ours.player == TERMINAL
        assert ours.returns().tolist() == theirs.returns()
        results.add(ours.returns()[0])
    assert results == {-1.0, 0.0, 1.0}


PERFT = {1: 24, 2: 552, 3: 12_144, 4: 255_024, 5: 5_100_480, 6: 96_223_680}
PERFT_MERGED = {1: 24, 2: 552, 3: 12_144, 4: 255_024, 5: 5_140_800, 6: 99_274_176}


def perft(game, depth, merged):
    counts = np.zeros(2, np.int64)
    game.kernels("perft").perft(game.new_state().row, depth, merged, -1, counts)
    return counts.tolist()


@pytest.mark.parametrize("depth", PERFT)
def test_leaves_with_removals_as_plies_of_their_own(depth):
    assert perft(load_game("muehle"), depth, False) == [PERFT[depth], 0]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_leaves_with_removals_merged_into_the_closing_action(depth):
    assert perft(load_game("muehle"), depth, True) == [PERFT_MERGED[depth], 0]


@pytest.mark.parametrize(("game_id", "order"), [*zip(IDS, [16, 8, 16, 16], strict=True)])
def test_symmetries_form_the_group_of_the_board(game_id, order):
    actions = [tuple(symmetry.action.tolist()) for symmetry in load_game(game_id).symmetries]
    assert len(set(actions)) == len(actions) == order
    assert {tuple(np.array(a)[list(b)].tolist()) for a in actions for b in actions} == set(actions)


def transformed(state, symmetry):
    game, row = state.game, state.row
    rules = game.rules
    board = ["."] * rules.POINTS
    for point, content in enumerate(contents(state)):
        board[symmetry.action[point]] = content
    return game.from_board(
        board=board,
        to_move=int(row[rules.MOVER]),
        in_hand=(int(row[rules.HAND]), int(row[rules.HAND + 1])),
        removal_pending=bool(row[rules.PENDING]),
        turn=int(row[rules.TURN]),
    )


@pytest.mark.parametrize(
    ("game_id", "options"), [*((name, {}) for name in IDS), ("muehle", {"observation": "dqn-flat"})]
)
def test_transforming_commutes_with_playing(game_id, options):
    game = load_game(game_id, **options)
    rng = random.Random(5)
    for state in [*random_states(game, seed=11, games=2)][:150]:
        legal = state.legal_actions()
        for symmetry in game.symmetries:
            image = transformed(state, symmetry)
            for seat in (0, 1):
                flat = state.observation(seat).ravel()
                assert np.array_equal(image.observation(seat).ravel(), flat[symmetry.observation])
            assert image.legal_actions() == sorted(symmetry.action[legal].tolist())
            assert image.returns().tolist() == state.returns().tolist()
            if legal:
                action = rng.choice(legal)
                assert image.child(int(symmetry.action[action])) == transformed(state.child(action), symmetry)

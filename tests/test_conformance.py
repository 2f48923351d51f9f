"""The promises of Game, State and View, asked of every game."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stammtisch
from stammtisch import CHANCE, TERMINAL, IllegalAction
from tests.playing import random_move, random_state, random_states

seeds = st.integers(0, 2**32 - 1)


def is_listed_chance(state):
    return state.player == CHANCE and state.game.info.chance == "explicit"


def test_random_games_keep_every_promise(game):
    info = game.info
    low, high = info.utility_range
    for state in random_states(game, seed=1, games=20):
        mask = state.legal_mask()
        assert mask.dtype == np.int8
        assert mask.shape == (info.num_actions,)
        assert np.all((state.returns() >= low) & (state.returns() <= high))
        if state.player >= 0:
            legal = state.legal_actions()
            assert legal
            assert legal == sorted(set(legal))
            assert np.flatnonzero(mask).tolist() == legal
            assert not state.returns().any()
        else:
            assert not mask.any()
        if state.player == TERMINAL:
            assert state.legal_actions() == []
        if is_listed_chance(state):
            outcomes = state.chance_outcomes()
            assert [o for o, _ in outcomes] == state.legal_actions()
            assert sum(p for _, p in outcomes) == pytest.approx(1)
            assert all(p > 0 for _, p in outcomes)


def test_observations_fill_their_space_and_views_know_their_turn(game):
    from stammtisch.envs.core.spaces import observation_box

    space = observation_box(game)
    for state in random_states(game, seed=2, games=2):
        for player in range(game.info.num_players):
            assert space.contains(state.observation(player))
            view = state.view(player)
            assert np.array_equal(view.observation(), state.observation(player))
            assert bool(view.legal_actions()) == (state.player == player)
            assert np.flatnonzero(view.legal_mask()).tolist() == view.legal_actions()


def test_text_is_an_exact_inverse(game):
    for state in random_states(game, seed=3, games=5):
        again = game.from_text(state.to_text())
        assert again == state
        assert hash(again) == hash(state)
        assert again.to_text() == state.to_text()
        assert isinstance(str(state), str)


def test_moves_can_be_said_and_read(game):
    for state in random_states(game, seed=4, games=2):
        if state.player >= 0 or is_listed_chance(state):
            said = [state.action_text(a) for a in state.legal_actions()]
            assert len(set(said)) == len(said)
            assert [state.parse_action(text) for text in said] == state.legal_actions()


def test_chance_appears_only_where_the_game_says_so(game):
    seen = any(state.player == CHANCE for state in random_states(game, seed=5, games=3))
    assert seen == (game.info.chance != "none")


def test_the_winning_side_is_a_team(game):
    for state in random_states(game, seed=6, games=20):
        if state.player == TERMINAL:
            by_team = {}
            for team, value in zip(game.info.teams, state.returns(), strict=True):
                by_team.setdefault(team, set()).add(value)
            assert all(len(values) == 1 for values in by_team.values())
            if game.info.zero_sum:
                assert sum(next(iter(values)) for values in by_team.values()) == pytest.approx(0)


def test_games_end_within_their_bound(game):
    rng = np.random.default_rng(7)
    for number in range(20):
        state = game.new_state(seed=number)
        moves = 0
        while state.player != TERMINAL:
            moves += state.player >= 0
            random_move(state, rng)
        assert moves <= game.info.max_moves


@given(seed=seeds, moves=st.integers(0, 60))
def test_a_clone_never_changes_its_original(game, seed, moves):
    state = random_state(game, seed, moves)
    before = state.to_text()
    rng = np.random.default_rng(seed)
    copies = [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    for other in copies:
        assert other == state
        if other.player != TERMINAL:
            random_move(other, rng)
        assert state.to_text() == before
    if state.player >= 0:
        state.child(state.legal_actions()[-1])
        assert state.to_text() == before


@given(seed=seeds)
def test_the_same_seed_gives_the_same_game(game, seed):
    first = [state.to_text() for state in random_states(game, seed)]
    assert first == [state.to_text() for state in random_states(game, seed)]


@given(seed=seeds, moves=st.integers(0, 60), action=st.integers(-5, 2000))
def test_an_illegal_action_is_refused_and_nothing_is_half_done(game, seed, moves, action):
    state = random_state(game, seed, moves)
    if state.player == CHANCE and game.info.chance == "sampled":
        return
    if action in state.legal_actions():
        return
    before = state.row
    with pytest.raises(IllegalAction, match=str(action)) as caught:
        state.apply(action)
    assert "\n" not in str(caught.value)
    assert np.array_equal(state.row, before)


def test_wrong_seats_and_things_that_are_no_actions_are_refused(game):
    state = random_state(game, 1, 3)
    for player in (-1, game.info.num_players):
        with pytest.raises(ValueError, match="seats are 0"):
            state.observation(player)
        with pytest.raises(ValueError, match="seats are 0"):
            state.view(player)
    with pytest.raises(IllegalAction, match="integer"):
        state.apply("d3")
    with pytest.raises(ValueError, match="cannot read"):
        state.parse_action("no such move")
    if state.player != CHANCE:
        with pytest.raises(ValueError, match="no chance node"):
            state.sample_chance(np.random.default_rng(0))
        with pytest.raises(ValueError, match="no chance node"):
            state.chance_outcomes()


@given(text=st.text(max_size=80))
def test_corrupt_records_are_refused(game, text):
    with pytest.raises(stammtisch.BadText):
        game.from_text(text)


@given(seed=seeds, cut=st.integers(1, 400), letter=st.sampled_from("abWxX.-#0 9\n"))
def test_damaged_records_are_read_exactly_or_refused(game, seed, cut, letter):
    record = random_state(game, seed % 50, 12).to_text()
    cut %= len(record)
    damaged = record[:cut] + letter + record[cut + 1 :]
    try:
        state = game.from_text(damaged)
    except stammtisch.BadText:
        return
    assert game.from_text(state.to_text()) == state


def test_a_view_of_a_perfect_information_game_is_the_position(game, rng):
    if game.info.hidden:
        pytest.skip("cards are hidden in this game; its own tests ask what a view shows")
    for state in random_states(game, seed=8):
        for player in range(game.info.num_players):
            assert state.view(player).sample_state(rng) == state


def test_planning_on_a_view_leaves_the_position_alone(game, rng):
    state = random_state(game, 9, 4)
    before = state.row
    for player in range(game.info.num_players):
        sampled = state.view(player).sample_state(rng)
        while sampled.player != TERMINAL:
            random_move(sampled, rng)
    assert np.array_equal(state.row, before)


def test_games_are_equal_by_id_and_options(game):
    again = stammtisch.load_game(game.id)
    assert again == game
    assert hash(again) == hash(game)
    assert pickle.loads(pickle.dumps(game)) == game
    assert repr(game) == f"load_game({game.id!r})"


def test_unknown_options_and_values_are_refused(game):
    with pytest.raises(ValueError, match="no option for"):
        stammtisch.load_game(game.id, colour="red")
    for name in game.OPTIONS:
        with pytest.raises(ValueError, match=f"option {name}=.* is not allowed"):
            stammtisch.load_game(game.id, **{name: "nonsense"})


def test_symmetries_are_permutations_with_the_identity_first(game):
    size = int(np.prod(game.info.observation_shape))
    symmetries = game.symmetries
    assert np.array_equal(symmetries[0].observation, np.arange(size))
    assert np.array_equal(symmetries[0].action, np.arange(game.info.num_actions))
    for symmetry in symmetries:
        assert np.array_equal(np.sort(symmetry.observation), np.arange(size))
        assert np.array_equal(np.sort(symmetry.action), np.arange(game.info.num_actions))


def test_pictures_are_drawn(game):
    for moves in (0, 7, 1000):
        state = random_state(game, 10, moves)
        picture = game.draw(state)
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10

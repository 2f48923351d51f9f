"""Pictures in environments: hidden cards stay hidden, boards have coordinates, manuals are at hand."""

import re

import gymnasium as gym
import numpy as np
import pytest

import stammtisch
from stammtisch.envs import GAMES
from stammtisch.envs.einstein.game import column_name
from tests.playing import random_states

HIDDEN = [entry for game_id, entry in GAMES.items() if game_id.startswith("jass-")]


def play(env, steps, seed=5):
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        *_, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        assert not over


def same_picture(one, other):
    return one == other if isinstance(one, str) else np.array_equal(one, other)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
@pytest.mark.parametrize("entry", HIDDEN, ids=lambda entry: entry.env_name)
def test_hidden_cards_are_not_in_the_picture_of_the_learner(entry, mode):
    """Cards that the learner does not see are dealt anew: the picture stays the same."""
    rng = np.random.default_rng(0)
    shown, everything = (
        gym.make(entry.env_id, render_mode=mode, seat=2, show_all=show_all, disable_env_checker=True)
        for show_all in (False, True)
    )
    for steps in (0, 1, 4):
        for env in (shown, everything):
            play(env, steps)
        state = shown.unwrapped.state
        other = state.view(2).sample_state(rng)
        assert other != state
        pictures = [env.render() for env in (shown, everything)]
        for env in (shown, everything):
            env.unwrapped._lanes.rows[0] = other.row
        again = [env.render() for env in (shown, everything)]
        assert same_picture(pictures[0], again[0])
        assert not same_picture(pictures[1], again[1])
        assert not same_picture(pictures[0], pictures[1])


def test_the_learner_sees_its_own_cards_and_the_backs_of_the_others():
    env = gym.make("stammtisch/JassSchieber-v0", render_mode="ansi", seat=1, disable_env_checker=True)
    play(env, 2)
    hands = [line for line in env.render().splitlines() if line[2:3] in tuple("0123") and line[:2] in ("> ", "  ")]
    assert ["##" in hand for hand in hands] == [True, False, True, True]
    played = [int(env.unwrapped.state.row[env.unwrapped.game.rules.PLAYED + p]).bit_count() for p in range(4)]
    assert [hand.count("##") for hand in hands] == [9 - played[0], 0, 9 - played[2], 9 - played[3]]


def test_with_all_seats_the_one_to_move_is_shown():
    env = gym.make("stammtisch/JassSchieber-v0", render_mode="ansi", opponent="self", disable_env_checker=True)
    play(env, 7)
    for line in env.render().splitlines()[2:6]:
        assert ("##" in line) != line.startswith(">")


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_the_aec_face_shows_the_cards_of_the_seat_to_move(mode):
    rng = np.random.default_rng(1)
    env = stammtisch.aec_env("jass-schieber", render_mode=mode, raw=True)
    env.reset(seed=1)
    for _ in range(6):
        seat = env._seat[env.agent_selection]
        before = env.render()
        row = env._row.copy()
        env._row[:] = env.position().view(seat).sample_state(rng).row
        assert same_picture(before, env.render())
        env._row[:] = row
        env.step(int(env.last()[0]["action_mask"].argmax()))
    everything = stammtisch.aec_env("jass-schieber", render_mode=mode, raw=True, show_all=True)
    everything.reset(seed=1)
    env.reset(seed=1)
    assert not same_picture(env.render(), everything.render())


def test_the_vector_face_hides_cards_too():
    env = gym.make_vec("stammtisch/JassSchieber-v0", num_envs=2, render_mode="ansi", seat=3)
    env.reset(seed=0)
    for text in env.render():
        assert ["##" in line for line in text.splitlines()[2:6]] == [True, True, True, False]


def test_a_state_itself_still_shows_everything():
    state = stammtisch.load_game("jass-schieber").new_state()
    state.sample_chance(np.random.default_rng(0))
    assert "##" not in str(state)
    assert str(state.seen_by(0)).count("##") == 27


@pytest.mark.parametrize("game_id", [game_id for game_id in GAMES if game_id.startswith("einstein")])
def test_einstein_boards_have_coordinates_and_are_read_with_them(game_id):
    game = stammtisch.load_game(game_id)
    for state in random_states(game, seed=1):
        shown = str(state).splitlines()
        size = game.rules.SIZE
        assert shown[0].split() == [column_name(i) for i in range(size)]
        assert [line.split()[0] for line in shown[1 : 1 + size]] == [str(i + 1) for i in range(size)]
        assert game.from_text(str(state)) == state
        assert game.from_text(state.to_text()) == state


def test_einstein_pictures_have_coordinates():
    state = stammtisch.load_game("einstein-5x5").new_state()
    svg = state.game.picture(state).to_svg()
    assert all(svg.count(f">{name}</text>") == 2 for name in "ABCDE")


def test_legal_moves_of_reversi_are_rings_and_star_points_are_dots():
    state = stammtisch.load_game("reversi-8x8").new_state()
    svg = state.game.picture(state).to_svg()
    assert len(re.findall(r'<circle [^>]*fill="none"', svg)) == len(state.legal_actions())
    assert '<circle cx="162.0" cy="162.0" r="4.0" fill="#125432"/>' in svg


@pytest.mark.parametrize("game_id", ["einstein-3x3", "jass-schieber"])
def test_every_face_has_the_manual_at_hand(game_id):
    env_id = GAMES[game_id].env_id
    faces = [
        gym.make(env_id).unwrapped,
        gym.make_vec(env_id, num_envs=2).unwrapped,
        stammtisch.aec_env(game_id).unwrapped,
    ]
    for env in faces:
        assert "## Observation Space" in env.manual()
        assert env.manual() == env.game.manual()
        assert "manual()" in type(env).__doc__

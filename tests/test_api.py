"""The faces of every game: official checkers, pickling, twins; and what they say to bad arguments."""

import gymnasium as gym
import pytest

import stammtisch
from stammtisch.testing import CHECKS, faces

FACES = [name for name, check in CHECKS.items() if check.__module__ == faces.__name__]


@pytest.mark.parametrize("check", FACES)
def test_every_face_of_a_game_passes(game, check):
    CHECKS[check](game)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"opponent": "rnadom"}, 'did you mean "random"'),
        ({"opponent": []}, "at least one entry"),
        ({"opponent": {"random": -1.0}}, "not negative"),
        ({"opponent": ["random", "self"]}, "alone"),
        ({"opponent": 3}, r"an object with act\(view\).*subclass of stammtisch\.Agent.*not 3"),
        ({"opponent": [stammtisch.Agent]}, "not the class Agent; give an instance"),
        ({"partner": object()}, r"an object with act\(view\)"),
        ({"seat": 9}, "no seat 9"),
        ({"on_illegal": "cry"}, "on_illegal"),
        ({"render_mode": "hologram"}, "no render mode"),
        ({"colour": 1}, "no option"),
        ({"oponent": "random"}, 'did you mean "opponent"'),
        ({"saet": 0}, 'did you mean "seat"'),
        ({"random_strat": True}, 'did you mean "random_start"'),
    ],
)
def test_bad_arguments_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        gym.make("stammtisch/EinStein3x3-v0", **kwargs)
    with pytest.raises(ValueError, match=message):
        gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=2, **kwargs)


def test_the_aec_face_offers_near_misses_among_its_arguments():
    with pytest.raises(ValueError, match='did you mean "render_mode"'):
        stammtisch.aec_env("einstein-3x3", rendermode="ansi")


class First:
    """An outside player that is no subclass of ``Agent``."""

    def __init__(self):
        self.asked = 0

    def act(self, view):
        self.asked += 1
        return view.legal_actions()[0]


@pytest.mark.parametrize("pool", [lambda one: one, lambda one: [one, "random"], lambda one: {one: 3.0, "heuristic": 1}])
def test_any_object_with_act_is_an_opponent(pool):
    player = First()
    for env in (gym.make("stammtisch/EinStein3x3-v0", opponent=pool(player), partner=player),):
        for seed in range(4):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    many = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=4, opponent=pool(player), seat=1)
    many.reset(seed=0)
    assert player.asked > 4
    assert len(env.unwrapped._lanes.agents) == 1


def test_unknown_games_offer_near_misses():
    with pytest.raises(ValueError, match='no game "einstien-5x5"; did you mean "einstein-5x5"'):
        stammtisch.load_game("einstien-5x5")
    with pytest.raises(ValueError, match="no game"):
        stammtisch.aec_env("chess")

"""Fixtures parametrised over the table of games, and grouping so that one worker compiles one game."""

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from hypothesis import settings

import stammtisch
from stammtisch.envs import GAMES

settings.register_profile("default", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("default")


def pytest_collection_modifyitems(items):
    for item in items:
        params = getattr(item, "callspec", None)
        group = params.params.get("game_id", item.path.name) if params else item.path.name
        item.add_marker(pytest.mark.xdist_group(str(group)))


@pytest.fixture(scope="session", params=[game_id for game_id, entry in GAMES.items() if not entry.is_outside])
def game_id(request):
    return request.param


@pytest.fixture(scope="session")
def game(game_id):
    return stammtisch.load_game(game_id)


@pytest.fixture(scope="session")
def env_id(game_id):
    return GAMES[game_id].env_id


@pytest.fixture
def rng():
    return np.random.default_rng(2024)


def forget_games(names):
    """Take back what ``register_game`` did."""
    for name in names:
        env_id = GAMES.pop(name).env_id
        for registry in (gym.registry, getattr(pettingzoo, "aec_registry", {})):
            registry.pop(env_id, None)


@pytest.fixture(autouse=True)
def _forget_new_games():
    """No test sees the games that another one, or a page of the manual, has registered."""
    before = set(GAMES)
    yield
    forget_games(set(GAMES) - before)

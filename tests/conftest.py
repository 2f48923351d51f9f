"""Fixtures parametrised over the table of games, and grouping so that one worker compiles one game."""

import numpy as np
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

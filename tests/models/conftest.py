import pathlib
import sys

import pytest

from stammtisch.envs.core.games import GAMES, GameEntry

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "connect_four"


@pytest.fixture
def connect_four(monkeypatch):
    """The example of an outside game, registered for one test."""
    import stammtisch

    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.setitem(GAMES, "connect-four", GameEntry("outside/ConnectFour-v0", "connect_four.game:ConnectFour"))
    yield stammtisch.load_game("connect-four")
    for name in [name for name in sys.modules if name.partition(".")[0] == "connect_four"]:
        del sys.modules[name]

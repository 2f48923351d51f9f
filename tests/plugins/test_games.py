"""Games of other packages: installed with an entry point, or registered by a script."""

import json
import shutil

import gymnasium as gym
import pytest

import stammtisch
from stammtisch.envs import GAMES
from stammtisch.envs.core.plugins import resolve
from tests.plugins.conftest import ROOT

TARGET = "somewhere.game:Game"


def test_the_package_tests_itself(plugged):
    tests = plugged.package / "tests"
    assert " passed" in plugged.run(
        "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", tests, tests
    )


def test_an_installed_game_is_listed(plugged):
    (row,) = [row for row in plugged.json("games")["games"] if row["id"] == "connect-four"]
    assert row["env"] == "connect_four/ConnectFour-v0"
    assert row["options"]["columns"]["choices"] == [5, 6, 7, 8]
    assert "connect-four" in plugged.call("games")


def test_an_installed_game_has_all_faces(plugged):
    plugged.script("""
        import gymnasium as gym, numpy as np, pettingzoo
        import stammtisch
        name = "connect_four/ConnectFour-v0"
        env = gym.make(name, opponent=["random", "mcts:iterations=20", "connect-four-careful"], columns=6)
        observation, info = env.reset(seed=0)
        assert observation.shape == (3, 6, 6)
        over = False
        while not over:
            _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        batch = gym.make_vec(name, num_envs=16, opponent={"heuristic": 0.5, "connect-four-careful": 0.5})
        _, info = batch.reset(seed=0)
        for _ in range(30):
            *_, info = batch.step(info["action_mask"].argmax(axis=1))
        assert gym.make("stammtisch:" + name).spec.id == name
        if hasattr(pettingzoo, "make"):
            assert pettingzoo.make("aec", name).possible_agents == ["player_0", "player_1"]
        assert stammtisch.aec_env("connect-four", render_mode="ansi").metadata["name"] == name
        """)


def test_an_installed_game_is_imported_only_when_it_is_used(plugged):
    said = plugged.script("""
        import sys
        import stammtisch
        print([name for name in sys.modules if name.startswith("connect_four")])
        stammtisch.load_game("connect-four")
        print("connect_four.game" in sys.modules)
        """)
    assert said.split("\n")[:2] == ["[]", "True"]


def test_matches_do_not_depend_on_workers_or_engine(plugged):
    words = ("match", "connect-four", "mcts:iterations=30", "connect-four-careful", "--games", "8", "--opening", "2")
    alone = plugged.json(*words)
    several = [plugged.json(*words, "--workers", "2"), plugged.json(*words, "--workers", "2", "--engine", "ray")]
    for result in several:
        assert result["games"] == 8
        for key in ("wins", "draws", "losses", "mean_moves", "mean_return"):
            assert result[key] == alone[key]


def test_an_edited_rule_is_compiled_anew(plugged, tmp_path):
    """Two processes find the same kernel; after an edit of the rules or of what they import, a third does not."""
    package = tmp_path / "edited_four"
    shutil.copytree(plugged.package / "connect_four", package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in package.glob("*.py"):
        file.write_text(file.read_text().replace("connect_four", "edited_four"))
    rules, helper = package / "rules.py", package / "lines.py"
    text = rules.read_text()
    first, second = text.index("@njit\ndef has_line"), text.index("@njit\ndef is_open")
    helper.write_text(f"from numba import njit\nUP = 7\nSTEPS = (1, UP, UP - 1, UP + 1)\n{text[first:second]}")
    rules.write_text(f"{text[:first]}from .lines import has_line\n{text[second:]}")
    probe = f"""
        import json, sys
        sys.path.insert(0, {str(tmp_path)!r})
        import numpy as np, stammtisch
        stammtisch.register_game("edited-four", "EditedFour", "edited_four.game:ConnectFour")
        game = stammtisch.load_game("edited-four", columns=5)
        playouts, totals = game.kernels("playouts").playouts, np.zeros(2)
        playouts(400, 1, totals)
        print(json.dumps([totals.tolist(), sum(playouts.stats.cache_hits.values())]))
        """
    cache = str(tmp_path / "cache")

    def totals():
        return json.loads(plugged.script(probe, NUMBA_CACHE_DIR=cache))

    compiled, hits = totals()
    assert hits == 0
    assert totals() == [compiled, 1]
    helper.write_text(helper.read_text().replace("return True", "return False"))
    nobody_wins, hits = totals()
    assert (nobody_wins, hits) == ([0.0, 0.0], 0)
    rules.write_text(rules.read_text().replace("out[1] = -out[0]", "out[0] = 0.5\n    out[1] = -0.5"))
    changed, hits = totals()
    assert (changed, hits) == ([200.0, -200.0], 0)


def test_names_of_environments():
    stammtisch.register_game("my-game", "MyGame", "my_pkg.rooms.game:MyGame", {"size": 3})
    assert GAMES["my-game"].env_id == "my_pkg/MyGame-v0"
    stammtisch.register_game("my-game-2", "other/MyGame-v2", "my_pkg.rooms.game:MyGame")
    assert GAMES["my-game-2"].env_id == "other/MyGame-v2"
    assert {"my_pkg/MyGame-v0", "other/MyGame-v2"} <= set(gym.registry)
    stammtisch.register_game("my-game", "my_pkg/MyGame-v0", "my_pkg.rooms.game:MyGame", {"size": 3})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reversi-8x8", "My", TARGET), 'the game id "reversi-8x8" is taken by stammtisch.envs.reversi'),
        (("my-game", "stammtisch/My-v0", TARGET), "in our namespace"),
        (("my game", "My", TARGET), "cannot be the id"),
        (("my-game", "My Game", TARGET), "as the name of an environment"),
        (("my-game", "My", "somewhere.game"), "write package.module:Class"),
    ],
)
def test_what_cannot_be_registered(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        stammtisch.register_game(*arguments)
    assert "\n" not in str(caught.value)


def test_names_that_are_taken():
    stammtisch.register_game("my-game", "My", TARGET)
    with pytest.raises(ValueError, match='the game id "my-game" is taken by somewhere'):
        stammtisch.register_game("my-game", "My", TARGET, {"size": 4})
    with pytest.raises(ValueError, match='"somewhere/My-v0" is taken by the game my-game'):
        stammtisch.register_game("my-game-2", "My", TARGET)


def test_what_cannot_be_loaded_says_why_in_one_line():
    stammtisch.register_game("nowhere", "Nowhere", "no_such_package.game:Game")
    with pytest.raises(ValueError, match='cannot load game nowhere: cannot import "no_such_package'):
        stammtisch.load_game("nowhere")
    stammtisch.register_game("no-game", "NoGame", "json:JSONDecoder")
    with pytest.raises(ValueError, match="is no class derived from"):
        stammtisch.load_game("no-game")
    with pytest.raises(ValueError, match='"json" has no "Nothing"'):
        resolve("json:Nothing", "x")


def test_a_game_that_a_script_registers_is_known_to_its_workers(plugged):
    """Under ``if __name__``, where no worker sees it."""
    script = plugged.work / "registers.py"
    script.write_text(
        "import stammtisch\n"
        "from stammtisch.benchmarks import play_match\n"
        'if __name__ == "__main__":\n'
        '    stammtisch.register_game("four-again", "FourAgain", "connect_four.game:ConnectFour")\n'
        '    results = [play_match("four-again", ["mcts:iterations=10", "heuristic"], 6, workers=2, engine_name=name)\n'
        '               for name in ("serial", "process", "ray")]\n'
        "    assert len({(r.wins, r.draws, r.mean_moves) for r in results}) == 1, results\n"
        '    print(results[0].games, "games")\n'
    )
    assert plugged.run(script).split() == ["6", "games"]


BROKEN = {
    "raises": 'def register():\n    raise RuntimeError("out of\\norder")\n',
    "taken": "def register():\n    from stammtisch import register_game\n"
    '    register_game("muehle", "Mine", "broken.game:Mine")\n',
    "syntax": "def register(:\n",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_plug_in_is_named_and_left_out(plugged, tmp_path, how):
    (tmp_path / "broken.py").write_text(BROKEN[how])
    metadata = tmp_path / "broken_pkg-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[stammtisch.games]\nbroken = broken:register\n")
    code = "import stammtisch, sys; print(len(stammtisch.envs.GAMES)); print('connect-four' in stammtisch.envs.GAMES)"
    path = f"{tmp_path}:{plugged.package}"
    with_it = plugged.run("-c", f"import sys; sys.stderr = sys.stdout; {code}", PYTHONPATH=f"{path}:{ROOT}")
    warning, count, still_there = with_it.splitlines()
    assert "broken_pkg" in warning
    assert int(count) == len(GAMES) + 1
    assert still_there == "True"


def test_a_function_registers_several_games(plugged, tmp_path):
    (tmp_path / "wide_fours.py").write_text(
        "def register():\n"
        "    import stammtisch\n"
        "    for n in (5, 6):\n"
        '        stammtisch.register_game(f"four-{n}", f"Four{n}", "wide_fours:Four", {"columns": n})\n'
        "def __getattr__(name):\n"
        "    from connect_four.game import ConnectFour\n"
        '    return type("Four", (ConnectFour,), {"OPTIONS": {}})\n'
    )
    metadata = tmp_path / "wide_fours-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[stammtisch.games]\nfours = wide_fours:register\n")
    said = plugged.run(
        "-c",
        "import stammtisch, gymnasium; print(*[stammtisch.load_game(f'four-{n}').info.num_actions for n in (5, 6)]);"
        "print(gymnasium.make('wide_fours/Four6-v0').action_space.n)",
        PYTHONPATH=f"{tmp_path}:{ROOT}",
    )
    assert said.split() == ["5", "6", "6"]


def test_looking_for_plug_ins_is_quick(plugged):
    """In processor time, the least of several; what it costs on top of ``import stammtisch``."""
    said = plugged.script("""
        import time
        import stammtisch
        from stammtisch.envs.core import plugins
        took = []
        for _ in range(20):
            plugins._all_offers.cache_clear()
            begun = time.process_time()
            stammtisch.register_plugins()
            took.append(time.process_time() - begun)
        print(min(took))
        """)
    assert float(said) < 0.005

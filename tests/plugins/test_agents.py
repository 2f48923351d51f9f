"""Agents of other packages, by the name of their entry point or by the place of their class."""

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.envs.core.specs import split_spec

LAST = "tests.plugins.players:Last"
ONE_LINE = """
import stammtisch

class Edge(stammtisch.Agent):
    OPTIONS = {"side": stammtisch.Option("left", "where it drops", ("left", "right"))}

    def act(self, view):
        legal = view.legal_actions()
        return legal[0 if self.options["side"] == "left" else -1]
"""


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("random", ("random", "")),
        ("mcts:iterations=5,c=1", ("mcts", "iterations=5,c=1")),
        ("sb3:model.safetensors", ("sb3", "model.safetensors")),
        ("my_pkg.players:Careful", ("my_pkg.players:Careful", "")),
        ("my_pkg.players:Careful,risk=0.2,file=a:b", ("my_pkg.players:Careful", "risk=0.2,file=a:b")),
        ("players:Careful,risk=1", ("players:Careful", "risk=1")),
    ],
)
def test_what_a_spec_consists_of(spec, parts):
    assert split_spec(spec) == parts


def test_a_class_is_loaded_from_its_place_with_options():
    agent = stammtisch.load_agent(f"{LAST},count=2", "einstein-3x3", seed=0)
    assert agent.name == LAST
    assert agent.spec == f"{LAST},count=2"
    assert agent.options == {"count": 2}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (f"{LAST},cuont=2", 'did you mean "count"'),
        (f"{LAST},count=0", "count=0 .* is not allowed"),
        ("tests.plugins.players:First", 'has no "First"'),
        ("tests.plugins.no_players:Last", 'cannot import "tests.plugins.no_players"'),
        ("tests.plugins.players:np", "is no class derived from stammtisch"),
        ("tests.plugins.failing:Last", "ZeroDivisionError"),
        ("rnadom:Last", 'did you mean "random"'),
    ],
)
def test_what_is_wrong_is_said_in_one_line(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        stammtisch.load_agent(spec, "einstein-3x3")
    assert "\n" not in str(caught.value)


def test_it_plays_matches_and_pools():
    assert play_match("einstein-3x3", [LAST, "random"], games=20).games == 20
    env = stammtisch.envs.load_game("einstein-3x3")
    from stammtisch.envs.vector import BatchedEnv

    batch = BatchedEnv(env.id, 8, opponent={f"{LAST},count=2": 0.5, "random": 0.5})
    _, info = batch.reset(seed=0)
    for _ in range(10):
        *_, info = batch.step(info["action_mask"].argmax(axis=1))
    assert np.isfinite(info["rewards"]).all()


def test_an_agent_beside_one_plays_on_the_command_line_whatever_the_engine(plugged):
    (plugged.work / "my_players.py").write_text(ONE_LINE)
    words = ("match", "connect-four", "my_players:Edge,side=right", "my_players:Edge", "--games", "6", "--opening", "3")
    results = [plugged.json(*words, *more) for more in ((), ("--workers", "2"), ("--workers", "2", "--engine", "ray"))]
    assert results[0]["agents"] == ["my_players:Edge,side=right", "my_players:Edge"]
    assert len({(r["wins"], r["draws"], r["losses"], r["mean_moves"]) for r in results}) == 1


def test_an_installed_agent_is_listed_with_its_options(plugged):
    (row,) = [row for row in plugged.json("agents")["agents"] if row["name"] == "connect-four-careful"]
    assert "connect_four" in row["help"]
    assert row["options"]["attention"]["default"] == 1.0
    assert "attention" in plugged.call("agents", "connect-four-careful")
    assert "attention" in plugged.call("agents", "connect_four.players:Careful")


def test_a_broken_agent_breaks_neither_import_nor_list(plugged, tmp_path):
    metadata = tmp_path / "broken_agents-1.0.dist-info"
    metadata.mkdir()
    (tmp_path / "broken_agents.py").write_text("1 / 0\n")
    (metadata / "entry_points.txt").write_text(
        "[stammtisch.agents]\nbroken = broken_agents:Agent\nrandom = broken_agents:Agent\n"
    )
    from tests.plugins.conftest import ROOT

    path = f"{tmp_path}:{ROOT}"
    said = plugged.run("-W", "error", "-c", "import stammtisch", fails=True, PYTHONPATH=path)
    assert 'random = "broken_agents:Agent" in stammtisch.agents of the package broken_agents' in said
    assert "connect-four-careful" in plugged.call("agents", PYTHONPATH=path)
    said = plugged.call("match", "connect-four", "broken", "random", fails=True, PYTHONPATH=path)
    assert said.strip().splitlines()[-1].endswith('cannot import "broken_agents": ZeroDivisionError: division by zero')


def test_agents_of_plug_ins_sit_opposite_a_learner(plugged):
    """The opponents of a training may be of any kind."""
    (plugged.work / "my_players.py").write_text(ONE_LINE)
    told = plugged.json(
        *("train", "sb3", "connect-four", "--steps", "512", "--out", "learner"),
        *("--set", 'opponents={"latest": 0.4, "connect-four-careful": 0.3, "my_players:Edge,side=right": 0.3}'),
        *("--set", "envs=8", "--set", "rollout=32", "--set", "batch=64", "--set", "layers=[16]"),
        *("--set", "eval_games=4", "--set", 'ladder=["random", "my_players:Edge"]'),
    )
    assert set(told["scores"]) == {"random", "my_players:Edge"}
    model = f"sb3:{told['model']}"
    assert plugged.json("match", "connect-four", model, "connect-four-careful", "--games", "4")["games"] == 4

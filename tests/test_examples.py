"""The examples are short and run."""

import importlib.util
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.py"))
FEW = {
    "cleanrl_loop": {"steps": 4_000, "lanes": 32},
    "dqn_muehle": {"games": 3, "parallel": 3, "least_memory": 30, "validate_games": 2},
    "jass_team": {"steps": 4_096, "games": 4},
    "maskable_ppo_einstein": {"steps": 4_096, "games": 10},
    "ppo_self_play_reversi": {"steps": 4_096, "games": 4},
    "rllib_self_play": {"steps": 256, "games": 20, "batch": 128},
    "tianshou_dqn": {"steps": 400, "games": 20, "parallel": 4},
    "torchrl_ppo": {"steps": 300, "games": 20, "batch": 150},
}
LIBRARIES = {"rllib_self_play": "ray.rllib", "tianshou_dqn": "tianshou", "torchrl_ppo": "torchrl"}


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path, monkeypatch):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
    library = LIBRARIES.get(path.stem, "stable_baselines3")
    pytest.importorskip(library, reason=f"no {library} here; RLlib has an environment of its own", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module.main(**FEW[path.stem]), float)

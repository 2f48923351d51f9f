"""The examples are short and run."""

import importlib.util
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.py"))
FEW = {
    "cleanrl_loop": {"steps": 4_000, "lanes": 32},
    "dqn_muehle": {"games": 3, "parallel": 3, "least_memory": 30, "validate_games": 2},
    "jass_team": {"steps": 4_096, "games": 4, "game": "einstein-4x4-4p"},
    "maskable_ppo_einstein": {"steps": 4_096, "games": 10},
    "ppo_self_play_reversi": {"steps": 4_096, "games": 4},
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path, monkeypatch):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module.main(**FEW[path.stem]), float)

"""What trainings tell while they run, and that they stop when they are asked to, and go on from there."""

import numpy as np
import pytest

import stammtisch
from stammtisch.training.learners import LEARNERS, learner_named
from stammtisch.training.progress import FIGURES

SMALL = {
    "ntuple": {"episodes": 400, "eval_games": 2, "eval_every": 100},
    "rote": {"games": 4, "plies": 6, "nodes": 200, "searches": 3, "answers": 50},
    "dqn": {"games": 90, "least_memory": 50, "validate_every": 30, "validate_games": 2, "layers": [8]},
    "sb3": {"steps": 256, "envs": 8, "rollout": 8, "batch": 64, "eval_every": 128, "eval_games": 2, "layers": [8]},
}


class Listener:
    """Keeps what a training tells, and asks it to stop after so much work."""

    def __init__(self, stop_after=None):
        self.done, self.stop_after = 0, stop_after
        self.figures, self.points = {}, []

    def __call__(self, done, line=None, figures=None, points=(), /):
        self.done += done
        self.figures |= figures or {}
        self.points += points
        return self.stop_after is not None and self.done >= self.stop_after


def run(name, out, stop_after=None, resume=False):
    learner, listener = learner_named(name), Listener(stop_after)
    settings = learner.settings_class.for_game("einstein-3x3", SMALL[name])
    learner.train(settings, out, resume, listener)
    return settings, listener


@pytest.mark.parametrize("name", SMALL)
def test_a_training_tells_all_its_work_and_figures_by_known_names(name, tmp_path):
    settings, heard = run(name, tmp_path / "player.npz")
    assert heard.done >= getattr(settings, LEARNERS[name].work)
    assert heard.figures
    assert set(heard.figures) <= set(FIGURES)
    assert all(isinstance(value, int | float) and np.isfinite(value) for value in heard.figures.values())
    steps = [point.step for point in heard.points]
    assert steps == sorted(steps)
    assert bool(steps) == (name != "rote")


@pytest.mark.parametrize("name", ["ntuple", "rote", "sb3"])
def test_a_training_stops_when_it_is_asked_to_and_goes_on(name, tmp_path):
    out = tmp_path / "player.npz"
    settings, first = run(name, out, stop_after=1)
    total = getattr(settings, LEARNERS[name].work)
    assert first.done < total
    assert stammtisch.load_agent(LEARNERS[name].agent.format(out=out), "einstein-3x3")
    rest, done = LEARNERS[name].remaining(settings, out)
    second = Listener()
    LEARNERS[name].train(rest, out, True, second)
    assert done + second.done >= total
    told = [(point.step, point.opponent) for point in second.points]
    assert len(told) == len(set(told))


def test_deep_q_learning_stops_with_a_model_and_a_checkpoint(tmp_path, monkeypatch):
    from stammtisch.training.dqn import learner as module

    clock = iter(range(10**9))  # each look at it is two seconds later, so that it reports at once
    monkeypatch.setattr(module.time, "perf_counter", lambda: 2.0 * next(clock))
    out = tmp_path / "player.safetensors"
    _, first = run("dqn", out, stop_after=1)
    assert 0 < first.done < 90
    assert stammtisch.load_agent(f"dqn:{out}", "einstein-3x3")
    _, second = run("dqn", out, resume=True)
    assert second.done >= 90
    assert second.figures["loss"] > 0

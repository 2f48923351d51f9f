"""The choice of the mode apart from the play, and the suite of the Jass thesis."""

import pathlib

from stammtisch.benchmarks.jass.modes import compare_modes
from stammtisch.benchmarks.suites import trainings
from stammtisch.benchmarks.suites.suite import files_of, load_suite
from stammtisch.benchmarks.suites.trainings import missing_trainings, run_trainings
from stammtisch.training.supervised.architectures import CARD_NETWORKS


def test_an_agent_compared_with_itself_gains_nothing():
    first, second = compare_modes(["heuristic", "heuristic"], deals=20, seed=3)
    assert first.points == second.points
    assert second.more == 0.0
    assert sum(first.modes.values()) == 20
    assert 0.0 < first.passed < 1.0


def test_choosing_by_the_hand_is_worth_more_than_at_random():
    lot, chosen = compare_modes(["random", "heuristic"], deals=150, seed=1)
    assert chosen.more > 0
    assert chosen.more_ci95[0] > 0
    assert set(lot.modes) == set(chosen.modes)


def test_the_suite_of_the_thesis_trains_all_that_plays(tmp_path):
    suite = load_suite("jass-thesis", folder=tmp_path)
    made = {out for entry in suite.trainings for out in entry.outs()}
    named = {
        file for entry in (*suite.tournaments, *suite.comparisons) for agent in entry.agents for file in files_of(agent)
    }
    assert named <= made
    assert all(comparison.paper is None for comparison in suite.comparisons)
    assert suite.tournaments[0].games == 150
    assert suite.comparisons[0].games == 450
    full = load_suite("jass-thesis", folder=tmp_path, scale="thesis")
    assert "133652" in full.trainings[0].command
    learned = {word.partition("=")[2] for entry in suite.trainings for word in entry.command.split()}
    assert set(CARD_NETWORKS) | {"SL_37_1", "SL_37_1_relu_adam_cc"} <= learned


def test_trainings_wait_for_what_they_need(tmp_path, monkeypatch):
    suite = load_suite("jass-thesis", folder=tmp_path)
    begun = []
    monkeypatch.setattr(trainings.SuiteTraining, "run", lambda self, *_: begun.append(self.out.name))
    run_trainings(missing_trainings(suite), ["stammtisch"], workers=2)
    assert len(begun) == len(suite.trainings)
    for first, second in (
        ("deals.npz", "supervised-150.safetensors"),
        ("supervised-186-latest.safetensors", "hybrid.safetensors"),
        ("sighted.safetensors", "hybrid-gradient.safetensors"),
    ):
        assert begun.index(first) < begun.index(second)


def test_commands_name_results_by_their_place(tmp_path):
    jobs = {job.out.name: job for job in missing_trainings(load_suite("jass-thesis", folder=tmp_path))}
    words = jobs["hybrid.safetensors"].words()
    start = pathlib.Path(words[words.index("--start") + 1])
    assert start == tmp_path / "models-quick" / "supervised-186-latest.safetensors"
    assert jobs["deals.npz"].words()[0] == "jass-data"


def test_names_of_networks_are_known():
    for entry in load_suite("jass-thesis").trainings:
        for word in entry.command.split():
            if word.startswith("network="):
                assert word.partition("=")[2] in CARD_NETWORKS

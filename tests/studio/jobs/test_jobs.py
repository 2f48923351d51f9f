"""Jobs are processes of their own: they are watched, paused, stopped, killed, found again, and go on."""

import json
import os
import signal
import time
from contextlib import closing

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.studio.jobs import manager, processes
from stammtisch.training.learners import learner_named

LONG = 50_000_000


def test_a_training_that_was_stopped_learns_what_an_undisturbed_one_learns(bench):
    settings = {"episodes": 150_000, "eval_every": 50_000}
    job = bench.train(**settings)
    assert job.state == "starting"
    bench.wait_for_work(job, 1)
    bench.jobs.stop(job.id)
    stopped = bench.wait(job, "stopped", "done")
    bench.open()  # the studio is started anew
    if stopped.state == "stopped":
        bench.jobs.resume(job.id)
        bench.wait(job, "done")
    reader = bench.jobs.progress(job.id)
    reader.look()
    assert [step for step, _ in sorted(reader.points)] == [50_000, 100_000, 150_000]
    done = [line["done"] for line in reader.lines]
    assert done == sorted(done)
    assert reader.seconds_left() in (None, 0.0)
    model = bench.models.named("tiny")
    assert model.facts["scores"]["random"]["step"] == 150_000
    agent = stammtisch.load_agent(bench.trust.spec("model:tiny"), "einstein-3x3")
    learner = learner_named("ntuple")
    values = {"eval_games": 2, "checkpoint_s": 0.5, **settings}
    learner.train(learner.settings_class.for_game("einstein-3x3", values), bench.folder / "whole.npz")
    whole = Network.load(bench.folder / "whole.npz", agent.game)
    assert np.array_equal(agent.network.net.weights, whole.net.weights)


def test_a_training_is_paused_killed_and_goes_on_under_another_studio(bench):
    job = bench.train(episodes=LONG)
    bench.wait_for_work(job, 1)
    assert bench.jobs.pause(job.id).state == "paused"
    time.sleep(0.3)
    reader = bench.jobs.progress(job.id)
    reader.look()
    before = reader.last["done"]
    time.sleep(1.0)
    assert not reader.look()
    bench.open()
    assert bench.jobs.job(job.id).state == "paused"
    assert bench.jobs.resume(job.id).state == "running"
    bench.wait_for_work(job, before + 1)
    while not bench.models.named("tiny").is_playable:
        time.sleep(0.2)
    pid = bench.jobs.job(job.id).run["pid"]
    os.kill(pid, signal.SIGKILL)
    while processes.birth_of(pid):
        time.sleep(0.05)
    bench.open()
    assert bench.jobs.job(job.id).state == "interrupted"
    bench.jobs.recover()
    again = bench.wait(job, "running")
    assert again.run["pid"] != pid
    marks = bench.wait_for_work(job, before)
    assert marks.total == LONG
    bench.jobs.stop(job.id)
    assert bench.wait(job, "stopped").run["state"] == "stopped"


def test_a_validation_counts_live_and_leaves_an_ordinary_match(bench):
    job = bench.jobs.create(
        "validation", {"game": "einstein-3x3", "agent": "heuristic", "opponent": "random", "games": 1200, "opening": 2}
    )
    done = bench.wait(job, "done")
    reader = bench.jobs.progress(job.id)
    lines = [line for line in reader.look() if "wdl" in line]
    facts = done.run["facts"]
    assert sum(facts[name] for name in ("wins", "draws", "losses")) == 1200
    assert lines[-1]["wdl"] == [facts["wins"], facts["draws"], facts["losses"]]
    assert all(sum(line["wdl"]) == line["done"] for line in lines)
    with closing(Store(done.folder / "results.sqlite", read_only=True)) as store:
        (plan,) = store.plans()
        records = store.games_of(plan)
        assert verify(plan, records) == (1200, [])
    assert sum(record.seating[0] == 0 for record in records) == 600


def test_no_more_jobs_run_than_there_is_room_for_and_no_more_wait(bench, monkeypatch):
    jobs = bench.open(most_running=1)
    begun = []

    def begin(job):
        begun.append(job.id)
        (job.folder / "run.json").write_text(json.dumps({"state": "starting", "at": time.time()}))

    monkeypatch.setattr(jobs, "_begin", begin)
    made = [bench.train(f"m{i}") for i in range(manager._MOST_WAITING + 1)]
    assert begun == [made[0].id]
    with pytest.raises(ValueError, match="24 jobs wait already"):
        bench.train("one-more")
    assert "one-more" not in [model.name for model in bench.models.listed()]
    for job in made[1:]:
        assert jobs.stop(job.id).state == "stopped"
    mark = jobs.delete(made[1].id)
    with pytest.raises(ValueError, match="there is no job"):
        jobs.job(made[1].id)
    assert jobs.restore(mark).id == made[1].id
    with pytest.raises(ValueError, match="not in the bin any more"):
        jobs.restore(mark)


def test_a_process_that_got_the_number_of_a_dead_one_is_left_alone(bench, monkeypatch):
    monkeypatch.setattr(bench.jobs, "_begin", lambda job: None)
    job = bench.train()
    mine = processes.birth_of(os.getpid())
    assert processes.is_running(os.getpid(), mine)
    run = '{"state": "running", "at": 1.0, "pid": %d, "birth": "%s"}'
    (job.folder / "run.json").write_text(run % (os.getpid(), f"{mine}9"))
    assert bench.jobs.job(job.id).state == "interrupted"
    assert not processes.send(os.getpid(), f"{mine}9", signal.SIGKILL)
    for damaged in ("", "[]", '{"state": 1}', '{"state": "running", "at": 1.0, "pid": "x"}', "{" * 5000):
        (job.folder / "run.json").write_text(damaged)
        assert bench.jobs.job(job.id).state == "interrupted"


def test_a_job_that_cannot_write_fails_in_one_line_and_can_be_resumed(bench, monkeypatch):
    job = bench.train(episodes=2000)
    model = bench.models.named("tiny")
    model.out.mkdir()  # where its file should go
    end = time.monotonic() + 120
    while (now := bench.jobs.job(job.id)).state not in ("failed", "done"):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert now.state == "failed"
    assert "Is a directory" in now.run["message"] or "cannot" in now.run["message"]
    model.out.rmdir()
    bench.jobs.resume(job.id)
    bench.wait(job, "done")


def test_nothing_begins_on_a_full_disk(bench, monkeypatch):
    monkeypatch.setattr(manager.shutil, "disk_usage", lambda path: type("usage", (), {"free": 1000}))
    with pytest.raises(ValueError, match="less than 64 MB are free"):
        bench.train()
    assert not bench.models.listed()

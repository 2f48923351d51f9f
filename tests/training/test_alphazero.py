"""AlphaZero trainings: they learn, they go on after a stop as if there had been none, and damaged files are refused."""

import dataclasses
import itertools
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_records import COUNT, MOVER, PLY
from stammtisch.baselines.learned.alphazero.evaluators import make_evaluator
from stammtisch.baselines.learned.alphazero.files import load_network, save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.errors import BadFile
from stammtisch.training.alphazero.lessons import Lessons
from stammtisch.training.alphazero.selfplay import SelfPlay, packed, unpacked
from stammtisch.training.alphazero.settings import AlphaZeroSettings, preset_named
from stammtisch.training.alphazero.training import AlphaZeroTraining, run_alphazero
from stammtisch.training.alphazero.workers import WorkerProcesses

GAME = "einstein-3x3"
SMALL = {
    "minutes": 0.0,
    "positions": 3_000,
    "network": "mlp-16",
    "portion": 500,
    "lanes": 16,
    "batch": 64,
    "evaluations": 2,
    "eval_games": 4,
    "eval_simulations": 4,
    "eval_ladder": False,
    "checkpoint_minutes": 0.0,
    "backend": "numpy",
}


def small(**changes):
    return AlphaZeroSettings.for_game(GAME, {**SMALL, **changes})


def weights_of(training):
    return {name: values.copy() for name, values in training.learner.network.weights().items()}


@pytest.mark.parametrize("network", ["2x8", "mlp-16-8"])
@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_all_back_ends_give_the_same_answers(network, backend):
    game = stammtisch.load_game(GAME)
    if backend == "openvino":
        pytest.importorskip("openvino", reason="openvino is an extra")
    shape = NetworkShape.for_game(game, network)
    rng = np.random.default_rng(0)
    weights = {k: rng.normal(size=v).astype(np.float32) * 0.3 for k, v in shape.weight_shapes().items()}
    questions = (rng.random((9, shape.inputs)) < 0.3).astype(np.float32)
    plain = make_evaluator(shape, weights, "numpy")(questions)
    other = make_evaluator(shape, weights, backend, "fp32")(questions)
    assert other.logits == pytest.approx(plain.logits, abs=1e-4)
    assert other.values == pytest.approx(plain.values, abs=1e-4)
    if backend == "openvino":
        coarse = make_evaluator(shape, weights, backend, "bf16")(questions)
        assert coarse.values == pytest.approx(plain.values, abs=0.05)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not tell")
def test_a_network_does_not_bind_its_process_to_a_core():
    """Two processes bound to the same core would share it, whatever the machine has."""
    pytest.importorskip("openvino", reason="openvino is an extra")
    game = stammtisch.load_game(GAME)
    shape = NetworkShape.for_game(game, "2x8")
    before = os.sched_getaffinity(0)
    make_evaluator(shape, shape.fresh_weights(0), "openvino")(np.ones((8, shape.inputs), np.float32))
    assert os.sched_getaffinity(0) == before


def test_a_fresh_network_thinks_everything_even():
    game = stammtisch.load_game(GAME)
    shape = NetworkShape.for_game(game, "2x8")
    answers = make_evaluator(shape, shape.fresh_weights(0), "numpy")(np.ones((3, shape.inputs), np.float32))
    assert not answers.logits.any()
    assert not answers.values.any()


@pytest.mark.parametrize("network", ["4x", "mlp", "mlp-0", "conv", "0x8", ""])
def test_unreadable_networks_are_named(network):
    with pytest.raises(ValueError, match=r"network|layer"):
        NetworkShape.for_game(stammtisch.load_game(GAME), network)


def test_flat_observations_take_no_tower():
    with pytest.raises(ValueError, match="flat observation"):
        NetworkShape.for_game(stammtisch.load_game("muehle"), "4x32")


def test_a_damaged_network_is_refused(tmp_path):
    game = stammtisch.load_game(GAME)
    shape = NetworkShape.for_game(game, "mlp-8")
    path = tmp_path / "net.safetensors"
    save_network(path, game, shape, shape.fresh_weights(0), {})
    assert load_network(path, game)[0] == shape
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BadFile, match="damaged"):
        load_network(path, game)


def test_records_of_self_play_hold_what_was_searched():
    settings = small()
    worker = SelfPlay(settings)
    shape = NetworkShape.for_game(worker.game, settings.network_for(worker.game))
    worker.use(shape.fresh_weights(0), 3)
    portion = worker.play(400, -2.0)
    records = portion.records
    assert len(records.facts) >= 400
    assert portion.games > 20
    for i in range(0, len(records.facts), 7):
        state = worker.game.from_row(records.rows[i])
        n = records.facts[i, COUNT]
        assert state.player == records.facts[i, MOVER]
        assert state.legal_actions() == records.actions[i, :n].tolist()
        assert records.policy[i, :n].sum() == pytest.approx(1, abs=1e-5)
        assert abs(records.outcome[i, 0]) == 1
        assert abs(records.found[i, 0]) <= 1


def test_the_same_seed_gives_the_same_games_and_a_saved_worker_goes_on(tmp_path):
    settings = small()
    workers = [SelfPlay(settings) for _ in range(3)]
    shape = NetworkShape.for_game(workers[0].game, "mlp-16")
    weights = shape.fresh_weights(1)
    for worker in workers[:2]:
        worker.use(weights, 0)
        worker.play(200, -2.0)
    workers[2].restore({name: array.copy() for name, array in workers[0].saved().items()})
    workers[2].use(weights, 0)
    first, second, third = (worker.play(200, -2.0).records for worker in workers)
    for a, b, c in zip(first, second, third, strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(a, c)


def test_a_training_that_was_interrupted_goes_on_as_if_it_had_not_been(tmp_path):
    whole = AlphaZeroTraining(small(), tmp_path / "whole").run()

    class Stop(Exception):
        pass

    def stop(now):
        if now.positions > 1_500:
            raise Stop

    settings = small()
    with pytest.raises(Stop):
        AlphaZeroTraining(settings, tmp_path / "parts", progress=stop).run()
    resumed = AlphaZeroTraining(settings, tmp_path / "parts", resume=True).run()
    assert resumed.games == whole.games
    assert resumed.learner.steps == whole.learner.steps
    for name, values in weights_of(whole).items():
        assert np.array_equal(values, weights_of(resumed)[name]), name
    assert resumed.evaluator.points == whole.evaluator.points


def test_a_training_goes_on_after_positions_were_forgotten(tmp_path):
    settings = small(portion=100, window=300, least_window=100, checkpoint_minutes=9.0)
    whole = AlphaZeroTraining(settings, tmp_path / "whole").run()
    run_alphazero(settings, tmp_path / "parts", show=_stop_at(15))
    resumed = AlphaZeroTraining(settings, tmp_path / "parts", resume=True)
    assert 0 < sum(n for _, n in resumed.window.pieces) < resumed.window.added
    resumed.run()
    for name, values in weights_of(whole).items():
        assert np.array_equal(values, weights_of(resumed)[name]), name


def test_lessons_of_a_teacher_come_first_and_are_part_of_an_exact_resume(tmp_path):
    settings = small(teacher="heuristic", lessons=1_000)
    seen = []

    def look(now):
        seen.append((now.positions, now.simulations_per_second))

    whole = AlphaZeroTraining(settings, tmp_path / "whole", progress=look).run()
    taught = [positions for positions, rate in seen if rate == 0]
    assert taught == [positions for positions, _ in seen[: len(taught)]]
    assert taught[-2] < 1_000 <= taught[-1] < 3_000
    for calls in (1, 4):
        run_alphazero(settings, tmp_path / "parts", resume=calls > 1, show=_stop_at(calls))
    resumed = AlphaZeroTraining(settings, tmp_path / "parts", resume=True).run()
    assert resumed.games == whole.games
    for name, values in weights_of(whole).items():
        assert np.array_equal(values, weights_of(resumed)[name]), name


def _stop_at(call):
    calls = itertools.count(1)
    return lambda *news: next(calls) >= call


@pytest.mark.parametrize(
    ("game", "teacher"), [(GAME, "heuristic"), ("reversi-4x4", "heuristic"), ("jass-schieber", "greedy")]
)
def test_lessons_are_the_moves_of_the_teacher_as_its_seat_saw_them(game, teacher):
    settings = AlphaZeroSettings.for_game(game, {"teacher": teacher, "portion": 400, "future_weight": 1.0})
    lessons = Lessons(settings)
    loaded = stammtisch.load_game(game)
    records = lessons.portion(0).records
    assert len(records.facts) > 50
    for i in range(0, len(records.facts), 3):
        seat, n = records.facts[i, MOVER], records.facts[i, COUNT]
        state = loaded.from_row(records.rows[i])
        assert state.player == seat
        assert np.array_equal(state.view(seat).row, records.rows[i])  # nothing is in there that the seat cannot see
        assert state.view(seat).legal_actions() == records.actions[i, :n].tolist()
        assert records.policy[i, :n].sum() == pytest.approx(1, abs=1e-5)
        assert loaded.from_row(records.last[i]).player == stammtisch.TERMINAL
        if game.startswith("reversi"):
            assert records.outcome[i, 0] == loaded.from_row(records.last[i]).returns()[seat]
            state.apply(int(records.actions[i, records.policy[i, :n].argmax()]))
            follows = i + 1 < len(records.facts) and records.facts[i + 1, PLY] == records.facts[i, PLY] + 1
            assert not follows or np.array_equal(state.row, records.rows[i + 1])
    again = lessons.portion(0).records
    other = lessons.portion(64).records
    assert all(np.array_equal(a, b) for a, b in zip(records, again, strict=True))
    assert not np.array_equal(records.rows[:50], other.rows[:50])


def test_a_head_for_the_end_learns_and_goes_on_after_a_stop(tmp_path):
    settings = small(positions=2_000, future_weight=1.0)
    whole = AlphaZeroTraining(settings, tmp_path / "whole").run()
    lines = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text("utf-8").splitlines()]
    losses = [line["losses"]["future"] for line in lines if "losses" in line]
    assert 0 < losses[-1] < losses[0]
    run_alphazero(settings, tmp_path / "parts", show=lambda *news: True)
    resumed = AlphaZeroTraining(settings, tmp_path / "parts", resume=True).run()
    for name, values in weights_of(whole).items():
        assert np.array_equal(values, weights_of(resumed)[name]), name
    assert load_network(tmp_path / "whole" / "network.safetensors", whole.game)[0].name == "mlp-16"


def test_what_is_foretold_is_what_the_seat_sees_at_the_end():
    settings = small(future_weight=1.0)
    worker = SelfPlay(settings)
    shape = NetworkShape.for_game(worker.game, "mlp-16")
    worker.use(shape.fresh_weights(0), 0)
    records = worker.play(300, -2.0).records
    for i in range(0, len(records.facts), 5):
        last = worker.game.from_row(records.last[i])
        assert last.player == stammtisch.TERMINAL
        assert last.returns()[records.facts[i, MOVER]] == records.outcome[i, 0]


def test_a_rating_on_the_ladder_and_scalars_are_written(tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is an extra")
    facts = run_alphazero(small(positions=1_000, eval_ladder=True, tensorboard=True), tmp_path)
    assert -400 <= facts["elo"] <= 1_200
    assert any((tmp_path / "tensorboard").iterdir())
    opponents = {point["opponent"] for point in facts["curve"]}
    assert {"random", "heuristic"} <= opponents
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert any(line.get("elo") is not None for line in lines)


def test_minutes_may_count_processor_time(tmp_path):
    settings = small(minutes=0.02, positions=0, clock="cpu")
    training = AlphaZeroTraining(settings, tmp_path).run()
    assert training.seconds >= 1.2


def test_a_portion_survives_the_wire_and_what_is_too_old_is_dropped(tmp_path):
    settings = small(positions=600, stale=2)
    training = AlphaZeroTraining(settings, tmp_path)
    training.workers.publish(training.playing, 0, -2.0)
    portion = training.workers.next_portion()
    sent = packed(portion)
    arrived = unpacked(sent)
    for mine, theirs in zip(portion.records, arrived.records, strict=True):
        assert np.array_equal(mine, theirs)
    assert (arrived.games, arrived.simulations) == (portion.games, portion.simulations)
    assert len(sent) < sum(array.nbytes for array in portion.records) / 2
    training.version = 2
    training._take(arrived)
    assert training.window.added == len(portion.records.facts)
    training.version = 3
    training._take(arrived)
    assert training.window.added == len(portion.records.facts)


def test_other_settings_and_damaged_positions_are_refused(tmp_path):
    AlphaZeroTraining(small(positions=600), tmp_path).run()
    with pytest.raises(ValueError, match="changed: batch 64 -> 32"):
        AlphaZeroTraining(small(positions=2_000, batch=32), tmp_path, resume=True)
    piece = next((tmp_path / "positions").iterdir())
    piece.write_bytes(piece.read_bytes()[:-9])
    with pytest.raises(BadFile, match="positions of self-play"):
        AlphaZeroTraining(small(positions=2_000), tmp_path, resume=True)


def test_the_result_plays(tmp_path):
    shown = []
    settings = small(positions=1_000)
    facts = run_alphazero(settings, tmp_path, show=lambda *news: shown.append(news))
    json.dumps(facts, allow_nan=False)
    assert sum(parts for parts, *_ in shown) == settings.parts
    assert sum(len(points) for *_, points in shown) == len(facts["curve"])
    agent = stammtisch.load_agent(f"alphazero:{facts['model']},simulations=8", GAME, seed=0)
    state = stammtisch.load_game(GAME).new_state(0)
    state.sample_chance(np.random.default_rng(0))
    found = agent.act(state.view(state.player), explain=True)
    assert found.action in state.legal_actions()
    assert found.visits.sum() == 8


def test_a_training_stops_when_it_is_asked_to_and_goes_on_later(tmp_path):
    stopped = run_alphazero(small(), tmp_path, show=lambda *news: True)
    assert stopped["positions"] < 1_000
    assert run_alphazero(small(), tmp_path, resume=True)["positions"] >= 3_000


@pytest.mark.slow
def test_a_lost_worker_costs_only_its_games(tmp_path):
    settings = small(workers=2, positions=4_000)
    workers = WorkerProcesses(settings)

    def kill_once(now):
        if now.positions < 1_200:
            workers._processes[0].kill()

    training = AlphaZeroTraining(settings, tmp_path, progress=kill_once, workers=workers).run()
    assert training.window.added >= 4_000
    assert workers._incarnations[0] >= 1


@pytest.mark.slow
def test_a_killed_training_goes_on_as_if_it_had_not_been(tmp_path):
    """kill -9 at moments of its own, several times: the network is the one of a training that nobody disturbed."""
    words = [sys.executable, "-m", "stammtisch.cli", "train", "alphazero", GAME, "--positions", "6000", "--seed", "3"]
    words += [
        word
        for key, value in SMALL.items()
        if key not in ("minutes", "positions")
        for word in ("--set", f"{key}={value}")
    ]
    subprocess.run([*words, "--out", str(tmp_path / "whole")], check=True, capture_output=True)
    target = [*words, "--out", str(tmp_path / "parts")]
    checkpoint, metrics = tmp_path / "parts" / "checkpoint.safetensors", tmp_path / "parts" / "metrics.jsonl"
    for _ in range(3):
        before = metrics.stat().st_size if metrics.exists() else 0
        running = subprocess.Popen([*target, *(["--resume"] if checkpoint.exists() else [])], stderr=subprocess.DEVNULL)
        while running.poll() is None and (metrics.stat().st_size if metrics.exists() else 0) <= before + 300:
            time.sleep(0.05)
        running.kill()
        running.wait()
    subprocess.run([*target, "--resume"], check=True, capture_output=True)
    whole, parts = (
        load_network(tmp_path / name / "network.safetensors", stammtisch.load_game(GAME)) for name in ("whole", "parts")
    )
    assert whole[2] == parts[2]
    for name, values in whole[1].items():
        assert np.array_equal(values, parts[1][name]), name


@pytest.mark.slow
def test_it_learns_to_beat_random(tmp_path):
    settings = AlphaZeroSettings.for_game(
        GAME, {"minutes": 0.0, "positions": 60_000, "network": "mlp-64-64", "evaluations": 1, "eval_games": 400}
    )
    training = AlphaZeroTraining(settings, tmp_path).run()
    assert training.evaluator.points[0].ci95[0] > 0.68


def test_the_gate_keeps_weights_that_do_not_win(tmp_path):
    training = AlphaZeroTraining(small(gate=1.0, gate_every=500, gate_games=2), tmp_path).run()
    changed = any(np.abs(values - training.playing[name]).max() > 0 for name, values in weights_of(training).items())
    assert changed
    assert training.version < 6


def test_presets_are_settings():
    for name in ("laptop", "large", "alphago-zero"):
        AlphaZeroSettings.for_game("reversi-8x8", preset_named(name))
    with pytest.raises(ValueError, match='no preset "lapto"'):
        preset_named("lapto")
    assert dataclasses.replace(small(), minutes=1.0).network_for(stammtisch.load_game("reversi-4x4")) == "mlp-16"


@pytest.mark.slow
def test_actors_of_a_cluster_play_and_a_lost_one_is_replaced(tmp_path):
    ray = pytest.importorskip("ray", reason="ray is an extra")
    from stammtisch.training.alphazero.ray_workers import WorkerActors

    settings = small(workers=2, engine="ray", positions=4_000)
    workers = WorkerActors(settings)

    def kill_once(now):
        if now.positions < 1_200:
            ray.kill(workers._actors[0])

    try:
        training = AlphaZeroTraining(settings, tmp_path, progress=kill_once, workers=workers).run()
    finally:
        ray.shutdown()
    assert training.window.added >= 4_000
    assert workers._incarnations[0] >= 1

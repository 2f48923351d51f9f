"""``train sb3``: settings, resuming, the files it writes and the player that comes out."""

import json

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.benchmarks import play_match
from stammtisch.cli import app
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.training.sb3.learner import BEST, CHECKPOINT, MODEL, SB3Training
from stammtisch.training.sb3.settings import ALGORITHMS, SB3Settings
from stammtisch.training.settings import read_settings
from tests.dying import run_and_die
from tests.test_cli import call
from tests.training.resuming import assert_same_arrays

SMALL = {
    "steps": 768,
    "envs": 8,
    "rollout": 16,
    "batch": 64,
    "epochs": 1,
    "layers": [16],
    "snapshot_every": 128,
    "eval_every": 256,
    "eval_games": 20,
    "checkpoint_every": 128,
    "buffer": 1000,
    "warm_up": 100,
    "opponents": {"latest": 0.4, "league": 0.4, "heuristic": 0.2},
}


def small(game="reversi-4x4", **changes):
    return SB3Settings.for_game(game, SMALL, changes)


def curve(training):
    return [(point.step, point.opponent, point.score) for point in training.evaluator.points]


def weights(training):
    return {name: tensor.numpy().copy() for name, tensor in training.model.policy.state_dict().items()}


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("algo", ALGORITHMS)
@pytest.mark.parametrize("opponents", [SMALL["opponents"], {"mcts:iterations=10": 1.0}], ids=["league", "outside"])
def test_a_resumed_training_gives_the_same_curve(tmp_path, algo, opponents):
    settings = small(algo=algo, opponents=opponents)
    whole = SB3Training(settings, tmp_path / "whole").run()

    def stop(now):
        if now.steps >= 450:
            raise Interrupted

    with pytest.raises(Interrupted):
        SB3Training(settings, tmp_path / "parts", progress=stop).run()
    resumed = SB3Training(settings, tmp_path / "parts", resume=True)
    assert 0 < resumed.model.num_timesteps < 768
    resumed.run()
    assert curve(resumed) == curve(whole)
    assert [s.step for s in resumed.pool.snapshots] == [s.step for s in whole.pool.snapshots]
    before, after = weights(whole), weights(resumed)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_killed_training_goes_on_as_if_nothing_had_happened(tmp_path):
    changes = {**SMALL, "steps": 4096}
    words = ["train", "sb3", "reversi-4x4", *[f"--set={key}={json.dumps(value)}" for key, value in changes.items()]]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    run_and_die([*words, "--out", killed], after="stammtisch.training.sb3.learner:save_checkpoint", calls=2)
    resumed = json.loads(call(*words, "--out", str(killed), "--resume", "--json"))
    undisturbed = json.loads(call(*words, "--out", str(whole), "--json"))
    assert resumed["scores"] == undisturbed["scores"]
    assert (killed / "curve.json").read_text() == (whole / "curve.json").read_text()
    assert_same_arrays(killed / MODEL, whole / MODEL)


@pytest.mark.parametrize("algo", ["ppo", "a2c", "qr-dqn"])
def test_other_algorithms_train_and_play(tmp_path, algo):
    SB3Training(small("einstein-3x3", algo=algo, steps=256, partner="random"), tmp_path).run()
    match = play_match("einstein-3x3", [f"sb3:{tmp_path / MODEL}", "random"], games=4)
    assert match.games == 4


def test_what_a_training_leaves_behind(tmp_path):
    training = SB3Training(small(tensorboard=True), tmp_path).run()
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {MODEL, BEST, CHECKPOINT, "settings.json", "curve.json", "tensorboard"}
    assert list((tmp_path / "tensorboard").glob("*/events.*"))
    assert len(json.loads((tmp_path / "curve.json").read_text())) == len(training.evaluator.points)
    agent = stammtisch.load_agent(f"sb3:{tmp_path / MODEL}", "reversi-4x4")
    state = stammtisch.load_game("reversi-4x4").new_state()
    assert agent.act(state.view(0)) in state.legal_actions()
    with pytest.raises(ValueError, match="holds a training"):
        SB3Training(small(tensorboard=True), tmp_path)
    with pytest.raises(ValueError, match="changed: gamma"):
        SB3Training(small(tensorboard=True, gamma=0.5), tmp_path, resume=True)
    with pytest.raises(ValueError, match="was trained on reversi-4x4"):
        stammtisch.load_agent(f"sb3:{tmp_path / MODEL}", "einstein-3x3")


def test_a_team_game_trains_with_its_latest_self_as_partner(tmp_path):
    training = SB3Training(small("einstein-4x4-4p", steps=256), tmp_path).run()
    assert training.pool.latest in training.env.inner.lanes.agents


def test_damaged_and_foreign_files_are_refused(tmp_path):
    SB3Training(small(steps=128), tmp_path).run()
    whole = (tmp_path / MODEL).read_bytes()
    bad = tmp_path / "bad.safetensors"
    flipped = bytearray(whole)
    flipped[-100] ^= 1
    for content in (whole[: len(whole) // 2], b"hello", b"", whole[:8] + b"x" * 100, bytes(flipped)):
        bad.write_bytes(content)
        with pytest.raises(ValueError, match="damaged"):
            stammtisch.load_agent(f"sb3:{bad}", "reversi-4x4")
    with pytest.raises(ValueError, match="holds 'sb3 checkpoint'"):
        stammtisch.load_agent(f"sb3:{tmp_path / CHECKPOINT}", "reversi-4x4")
    with pytest.raises(ValueError, match=r"cannot read sb3 model .*: there is no such file"):
        stammtisch.load_agent(f"sb3:{tmp_path / 'none'}", "reversi-4x4")
    with pytest.raises(ValueError, match="needs the file"):
        stammtisch.load_agent("sb3", "reversi-4x4")
    arrays, header = read_tensors(tmp_path / MODEL, "sb3 model")
    write_tensors(bad, {**arrays, "action_net.bias": arrays["action_net.bias"] * np.nan}, header)
    with pytest.raises(ValueError, match=r"damaged: action_net\.bias is not finite"):
        stammtisch.load_agent(f"sb3:{bad}", "reversi-4x4")
    for name in ("game", "algo", "network"):
        write_tensors(bad, arrays, {key: value for key, value in header.items() if key != name})
        with pytest.raises(ValueError, match="bad"):
            stammtisch.load_agent(f"sb3:{bad}", "reversi-4x4")
    (tmp_path / CHECKPOINT).write_bytes(whole)
    with pytest.raises(ValueError, match="holds 'sb3 model'"):
        SB3Training(small(steps=128), tmp_path, resume=True)


def test_a_zip_of_stable_baselines_needs_trust(tmp_path):
    from stable_baselines3 import PPO

    training = SB3Training(small(steps=128), tmp_path / "run").run()
    training.model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match="can run any program"):
        stammtisch.load_agent(f"sb3:{tmp_path / 'model.zip'}", "reversi-4x4")
    agent = stammtisch.load_agent(f"sb3:{tmp_path / 'model.zip'},trust=1", "reversi-4x4")
    ours = stammtisch.load_agent(f"sb3:{tmp_path / 'run' / MODEL}", "reversi-4x4")
    view = stammtisch.load_game("reversi-4x4").new_state().view(0)
    assert agent.act(view) == ours.act(view)
    match = ["match", "reversi-4x4", f"sb3:{tmp_path / 'model.zip'}", "random", "--games=2", "--json"]
    with pytest.raises(ValueError, match="--trust"):
        app(match, standalone_mode=False)
    app([*match, "--trust"], standalone_mode=False)
    PPO("MlpPolicy", "CartPole-v1", device="cpu").save(tmp_path / "cart.zip")
    with pytest.raises(ValueError, match="was trained on observations"):
        stammtisch.load_agent(f"sb3:{tmp_path / 'cart.zip'},trust=1", "reversi-4x4")


@pytest.mark.parametrize("settings_of", [SB3Settings.for_game, DQNSettings.for_game])
def test_the_defaults_of_every_game_are_options_that_it_has(game_id, settings_of):
    options = settings_of(game_id).options
    assert stammtisch.load_game(game_id, **options).changed_options() == options


def test_evaluations_have_openings_where_nothing_else_is_drawn(game_id, tmp_path):
    settings = SB3Settings.for_game(game_id)
    assert (settings.eval_opening > 0) == (stammtisch.load_game(game_id).info.chance == "none")
    assert SB3Training(small(eval_opening=3), tmp_path).evaluator.opening == 3


@pytest.mark.slow
def test_every_game_trains_with_its_defaults(game_id, tmp_path):
    few = {name: SMALL[name] for name in ("envs", "rollout", "layers", "eval_games")}
    training = SB3Training(
        SB3Settings.for_game(game_id, few, {"steps": 256, "gate": 0.55, "gate_games": 8}), tmp_path
    ).run()
    assert {point.opponent for point in training.evaluator.points} == {"random", "heuristic"}


def test_settings_come_from_files_and_are_checked(tmp_path):
    (tmp_path / "a.yaml").write_text("steps: 1000\nlayers: [32, 16]\nopponents: {latest: 1.0}\n")
    (tmp_path / "a.toml").write_text("steps = 1000\nlayers = [32, 16]\nopponents = {latest = 1.0}\n")
    first, second = (SB3Settings.for_game("muehle", read_settings(tmp_path / name)) for name in ("a.yaml", "a.toml"))
    assert first == second
    assert first.layers == [32, 16]
    assert first.symmetry
    (tmp_path / "c.yaml").write_text("steps: 1e3\nlearning_rate: 1e-4\n")
    assert SB3Settings.for_game("muehle", read_settings(tmp_path / "c.yaml")).learning_rate == 0.0001
    assert SB3Settings.changes(["gamma=1", "algo=dqn", "layers=8,8"]) == {"gamma": 1.0, "algo": "dqn", "layers": [8, 8]}
    assert SB3Settings.for_game("muehle", {"algo": "dqn"}).envs == 64
    assert SB3Settings.for_game("muehle", {"algo": "dqn", "envs": 8}).envs == 8
    assert SB3Settings.for_game("jass-schieber", {"options": {"weis": True}}).options == {"pay": "trick", "weis": True}
    with pytest.raises(ValueError, match='no setting for train sb3 "gama"; did you mean "gamma"'):
        SB3Settings.for_game("muehle", {"gama": 1.0})
    with pytest.raises(ValueError, match="give a number from 0 to 1"):
        SB3Settings(game="muehle", gamma="much")
    with pytest.raises(ValueError, match="at least 1"):
        SB3Settings(game="muehle", envs=0)
    with pytest.raises(ValueError, match=r'algo="ppo2" .* did you mean "ppo"'):
        SB3Settings(game="muehle", algo="ppo2")
    (tmp_path / "b.yaml").write_text("[1, 2")
    for name in ("b.yaml", "none.yaml", "a.txt"):
        with pytest.raises(ValueError, match="cannot read settings"):
            read_settings(tmp_path / name)


def test_the_command_trains_and_tells(tmp_path, capsys):
    changes = [f"--set={key}={json.dumps(value)}" for key, value in SMALL.items() if key != "steps"]
    out = str(tmp_path / "run")
    picture = tmp_path / "curve.png"
    arguments = ["train", "sb3", "reversi-4x4", "--steps=128", "--out", out, "--plot", str(picture), "--json", *changes]
    app(arguments, standalone_mode=False)
    assert picture.read_bytes().startswith(b"\x89PNG")
    told = json.loads(capsys.readouterr().out)
    assert told["steps"] == 128
    assert set(told["scores"]) == {"random", "heuristic"}
    app(["train", "sb3", "reversi-4x4", "--settings", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["symmetry"]

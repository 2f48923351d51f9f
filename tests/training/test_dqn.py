"""The deep-Q learner: transitions from decision to own next decision, the right network for the next phase, masks."""

import json

import numpy as np
import pytest
import torch

import stammtisch
from stammtisch.arena.plan import lineup
from stammtisch.baselines.learned.dqn import DeepQ, action_values, phase_actions, phase_names, phases_of
from stammtisch.benchmarks import play_match
from stammtisch.cli import app
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.dqn.learner import DQNTraining
from stammtisch.training.dqn.replay import OwnDecisions, Replay
from stammtisch.training.dqn.settings import DQNSettings

SMALL = {
    "games": 12,
    "parallel": 4,
    "layers": [16],
    "least_memory": 50,
    "batch": 16,
    "target_every": 5,
    "validate_every": 100,
    "validate_games": 4,
}


def small(game="muehle", **changes):
    return DQNSettings.for_game(game, SMALL, changes)


def followed(game_id, n_step, gamma, steps=60, lanes=3):
    """Play at random; return the transitions of ``OwnDecisions`` and those of a plain twin, as comparable tuples."""
    env = BatchedEnv(game_id, lanes, "self", autoreset_mode="SameStep")
    rules = env.game.rules
    follow = OwnDecisions(lanes, rules.N_PLAYERS, rules.OBS_LEN, rules.OBS_DTYPE, rules.N_ACTIONS, n_step, gamma)
    rng = np.random.default_rng(3)
    obs, info = env.reset(seed=7)
    ours, twin = [], []
    stories = {(lane, seat): [] for lane in range(lanes) for seat in range(rules.N_PLAYERS)}

    def tell(batch):
        for i in range(len(batch)):
            following = batch.next_observations[i].tobytes() if batch.discounts[i] else b""
            legal = batch.next_masks[i].tobytes() if batch.discounts[i] else b""
            head = batch.observations[i].tobytes(), int(batch.actions[i]), round(float(batch.returns[i]), 5)
            ours.append((*head, following, legal, round(float(batch.discounts[i]), 5)))

    def close(story, following, legal, going_on):
        """Emit the transition of the oldest decision of a seat."""
        start, action = story[0][:2]
        earned = sum(gamma**k * decision[2] for k, decision in enumerate(story))
        discount = gamma ** len(story) if going_on else 0.0
        twin.append((start, action, round(earned, 5), following, legal, round(discount, 5)))

    for _ in range(steps):
        movers, masks, flat = info["player"], info["action_mask"], obs.reshape(lanes, -1)
        tell(follow.arrive(movers, flat, masks))
        actions = np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1)
        for lane in range(lanes):
            story = stories[lane, int(movers[lane])]
            if len(story) == n_step:
                close(story, flat[lane].tobytes(), masks[lane].tobytes(), True)
                story.pop(0)
            story.append([flat[lane].tobytes(), int(actions[lane]), 0.0])
        follow.begin(movers, flat, actions)
        obs, _, over, _, info = env.step(actions)
        follow.pay(info["rewards"])
        tell(follow.finish(over))
        for (lane, seat), story in stories.items():
            if story:
                story[-1][2] += info["rewards"][lane, seat]
            while over[lane] and story:
                close(story, b"", b"", False)
                story.pop(0)
    return sorted(ours), sorted(twin)


@pytest.mark.parametrize("game_id", ["einstein-3x3", "einstein-6x6-3p", "einstein-4x4-4p"])
@pytest.mark.parametrize(("n_step", "gamma"), [(1, 0.9), (3, 0.5)])
def test_transitions_join_a_players_own_decisions(game_id, n_step, gamma):
    ours, twin = followed(game_id, n_step, gamma)
    assert len(ours) > 50
    assert ours == twin


def test_the_loser_gets_a_last_transition_too():
    ours, _ = followed("einstein-3x3", 1, 1.0)
    last = [t for t in ours if t[-1] == 0.0]
    assert {t[2] for t in last} == {-1.0, 1.0}
    assert sum(t[2] < 0 for t in last) == sum(t[2] > 0 for t in last)


def test_the_value_of_the_next_decision_comes_from_its_own_phase():
    training = DQNTraining(small(double=False))
    with torch.no_grad():
        for number, network in enumerate(training.target):
            for tensor in network.parameters():
                tensor.zero_()
            network[-1].bias.fill_(float(number + 1))
            network[-1].bias[5] = 99.0  # forbidden below
    game, n = training.game, 24
    observations = np.zeros((3, game.rules.OBS_LEN), np.float32)
    for phase in range(3):
        observations[phase, 2 * n + 2 + phase] = 1.0
    assert phases_of(game, training.phases, observations).tolist() == [0, 1, 2]
    masks = np.zeros((3, game.rules.N_ACTIONS), np.int8)
    masks[:, :3] = 1
    from stammtisch.training.dqn.replay import Transitions

    zeros = np.zeros(3, np.float32)
    batch = Transitions(observations, np.zeros(3, np.int64), zeros, observations, masks, np.ones(3, np.float32))
    assert training._next_values(batch).tolist() == [1.0, 2.0, 3.0]
    batch.discounts[1] = 0.0
    assert training._next_values(batch).tolist() == [1.0, 0.0, 3.0]


def test_a_network_knows_every_action_of_its_phase():
    game = stammtisch.load_game("muehle")
    names = phase_names(game)
    outputs = [set(actions.tolist()) for actions in phase_actions(game, names)]
    env = BatchedEnv("muehle", 8, "self", autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    obs, info = env.reset(seed=0)
    seen = set()
    for _ in range(200):
        phases = phases_of(game, names, obs)
        masks = info["action_mask"]
        for lane in range(8):
            assert set(np.flatnonzero(masks[lane]).tolist()) <= outputs[phases[lane]]
        seen.update(phases.tolist())
        obs, _, _, _, info = env.step(np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1))
    assert seen == {0, 1, 2}


def test_mirrored_transitions_are_still_transitions():
    training = DQNTraining(small("reversi-4x4"))
    game = training.game
    memory = Replay(64, game.rules.OBS_LEN, game.rules.OBS_DTYPE, game.rules.N_ACTIONS)
    state = game.new_state()
    action = state.legal_actions()[0]
    after = state.child(action)
    from stammtisch.training.dqn.replay import Transitions

    one = Transitions(
        state.observation(0).reshape(1, -1),
        np.array([action]),
        np.zeros(1, np.float32),
        after.observation(1).reshape(1, -1),
        after.legal_mask()[None],
        np.ones(1, np.float32),
    )
    memory.add(one, np.ones(1, np.bool_))
    batch = training._mirrored(memory.sample(64, np.random.default_rng(0)))
    starts = {row.tobytes() for row in batch.observations}
    assert len(starts) == 2  # the start of Reversi has two frames that differ
    for i in range(64):
        discs = batch.observations[i].reshape(3, 4, 4)
        board = "".join(
            "x" if a else "o" if b else "-" for a, b in zip(discs[0].ravel(), discs[1].ravel(), strict=True)
        )
        child = game.from_board(board=board).child(int(batch.actions[i]))
        assert np.array_equal(child.observation(1).ravel(), batch.next_observations[i])
        assert np.array_equal(child.legal_mask(), batch.next_masks[i])


@pytest.mark.parametrize("game_id", ["muehle", "reversi-4x4", "einstein-3x3", "einstein-6x6-3p", "jass-differenzler"])
def test_training_gives_a_player(tmp_path, game_id):
    out = tmp_path / "model.safetensors"
    training = DQNTraining(small(game_id, n_step=2), out).run()
    assert training.games >= 12
    assert training.updates > 0
    assert all(torch.isfinite(tensor).all() for tensor in training.main.state_dict().values())
    assert training.phases == (("placing", "moving", "flying") if game_id == "muehle" else ("all",))
    assert play_match(training.game, lineup(training.game, f"dqn:{out}", "random"), games=4).games == 4


def test_one_seed_one_result():
    first, second = (DQNTraining(small("einstein-3x3", seed=4)).run() for _ in range(2))
    states = [training.main.state_dict() for training in (first, second)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_phases_can_be_trained_alone_and_begin_with_a_model(tmp_path):
    out = tmp_path / "model.safetensors"
    DQNTraining(small(), out).run()
    before = DeepQ(stammtisch.load_game("muehle"), file=str(out)).networks.state_dict()
    training = DQNTraining(small(start=str(out), train_phases=["moving"])).run()
    after = training.main.state_dict()
    changed = {name.partition(".")[0] for name in before if not torch.equal(before[name], after[name])}
    assert changed == {"1"}
    with pytest.raises(ValueError, match="has layers"):
        DQNTraining(small(start=str(out), layers=[8]))
    with pytest.raises(ValueError, match='no phase "jumping"'):
        DQNTraining(small(train_phases=["jumping"]))


def test_the_agent_masks_what_it_may_not_play(tmp_path):
    game = stammtisch.load_game("einstein-3x3")
    training = DQNTraining(small("einstein-3x3"), tmp_path / "m.safetensors").run()
    agent = stammtisch.load_agent(f"dqn:{tmp_path / 'm.safetensors'},epsilon=0.5", game, seed=1)
    state = game.new_state(seed=0)
    state.sample_chance(np.random.default_rng(0))
    assert all(agent.act(state.view(0)) in state.legal_actions() for _ in range(20))
    values = action_values(training.main, game, training.phases, state.observation(0).reshape(1, -1))
    assert np.isfinite(values).all()


def test_wrong_files_and_settings_are_refused(tmp_path):
    out = tmp_path / "m.safetensors"
    DQNTraining(small("einstein-3x3"), out).run()
    with pytest.raises(ValueError, match="was trained on einstein-3x3"):
        stammtisch.load_agent(f"dqn:{out}", "reversi-4x4")
    out.write_bytes(out.read_bytes()[:300])
    with pytest.raises(ValueError, match="damaged"):
        stammtisch.load_agent(f"dqn:{out}", "einstein-3x3")
    with pytest.raises(ValueError, match="needs the file"):
        stammtisch.load_agent("dqn", "einstein-3x3")
    with pytest.raises(ValueError, match="cannot have 3 networks"):
        DQNTraining(small("einstein-3x3", networks=3))
    with pytest.raises(ValueError, match="at least 1"):
        DQNSettings(n_step=0)


def test_the_command_trains_and_tells(tmp_path, capsys):
    changes = [f"--set={key}={json.dumps(value)}" for key, value in SMALL.items()]
    out = tmp_path / "m.safetensors"
    app(["train", "dqn", "einstein-3x3", "--out", str(out), "--json", *changes], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert told["games"] >= 12
    assert out.exists()
    with pytest.raises(ValueError, match="exists"):
        app(["train", "dqn", "einstein-3x3", "--out", str(out), *changes], standalone_mode=False)

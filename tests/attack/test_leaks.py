"""Hidden cards never reach a seat: whatever it is shown stays the same when they are dealt anew behind its back."""

import json
import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines import AGENTS as ALL_AGENTS
from stammtisch.baselines import agent_class
from stammtisch.baselines.engines.protocol import Situation
from stammtisch.baselines.engines.text import position_facts
from stammtisch.baselines.learned.alphazero.files import save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.cli.play import _Session
from stammtisch.envs import GAMES
from stammtisch.envs.aec import RawAEC
from stammtisch.envs.jass.family.names import CARDS
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv
from stammtisch.models.index import FOLDER
from stammtisch.wrappers import RecordGames
from tests.playing import random_state

HIDDEN = [game_id for game_id in GAMES if stammtisch.load_game(game_id).info.hidden]
FEW, MANY = 12, 400  # positions
AGENTS = ["heuristic", "pimc:worlds=3,search=heuristic", "ismcts:iterations=16"]
COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]


def positions(game, count):
    """Yield states in which somebody decides, each with two more that look the same to him."""
    rng = np.random.default_rng(7)
    seed = 0
    while count:
        seed += 1
        state = random_state(game, seed, int(rng.integers(1, 44)))
        if state.player >= 0:
            view = state.view(state.player)
            yield state.player, [state, view.sample_state(rng), view.sample_state(rng)]
            count -= 1


def plain(value):
    """Return anything that is shown as bytes that can be compared."""
    return pickle.dumps(value)


def shown_by_view(state, seat):
    view = state.view(seat)
    texts = [view.action_text(action) for action in view.legal_actions()]
    names = [name for name in dir(view) if not name.startswith("_") and name not in ("game", "sample_state")]
    facts = [(name, getattr(view, name)) for name in names if not callable(getattr(view, name))]
    drawn = view.sample_state(np.random.default_rng(3)).row
    return plain([view.row, view.legal_mask(), view.observation(), texts, drawn]), repr(facts), pickle.dumps(view)


def shown_by_aec(env, state, seat):
    env.reset(seed=0)
    env._row[:] = state.row
    env.agent_selection = env.possible_agents[seat]
    return plain([env.observe(env.possible_agents[seat]), sorted(env.infos[env.agent_selection]), env.render()])


def shown_by_single(env, recorded, state, seat):
    """An illegal action ends the game where it is: what is shown comes from that very position."""
    env.reset(seed=1)
    lanes = env.unwrapped._lanes
    lanes.rows[0], lanes.players[0], lanes.seats[0] = state.row, seat, seat
    recorded.write_text("")
    return env.render(), plain(env.step(env.action_space.n)), env.render(), recorded.read_text()


def shown_by_batch(env, state, seat):
    env.reset(seed=1)
    env.lanes.rows[:], env.lanes.players[:], env.lanes.seats[:] = state.row, seat, seat
    drawn = env.render()
    observations, rewards, over, _, info = env.step(np.full(env.num_envs, env.single_action_space.n))
    told = {key: np.array(value) for key, value in info.items()}
    return drawn, plain([observations, rewards, over, told]), env.render()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("game_id", HIDDEN)
def test_faces_pictures_pickles_and_records_show_nothing_hidden(game_id, count, tmp_path):
    game = stammtisch.load_game(game_id)
    recorded = tmp_path / "games.jsonl"
    aec = RawAEC(game_id, render_mode="ansi")
    single = RecordGames(SingleAgentEnv(game_id, render_mode="ansi"), recorded)
    batch = BatchedEnv(game_id, 2, render_mode="ansi")
    differing = 0
    for seat, states in positions(game, count):
        differing += len({state.row.tobytes() for state in states}) - 1
        for show in (
            shown_by_view,
            lambda state, seat: shown_by_aec(aec, state, seat),
            lambda state, seat: shown_by_single(single, recorded, state, seat),
            lambda state, seat: shown_by_batch(batch, state, seat),
        ):
            first, *others = (show(state, seat) for state in states)
            assert all(other == first for other in others)
    assert differing > count // 2
    assert json.loads(recorded.read_text())["ended"] == "terminated"


@pytest.mark.parametrize("game_id", HIDDEN)
def test_drawings_show_nothing_hidden(game_id):
    env = RawAEC(game_id, render_mode="rgb_array")
    for seat, states in positions(env.game, 2):
        first, *others = (shown_by_aec(env, state, seat) for state in states)
        assert all(other == first for other in others)


@pytest.mark.parametrize("game_id", [HIDDEN[0], *(pytest.param(each, marks=pytest.mark.slow) for each in HIDDEN[1:])])
def test_explanations_tell_nothing_hidden(game_id):
    game = stammtisch.load_game(game_id)
    for seat, states in positions(game, 3):
        for spec in AGENTS:
            told = []
            for state in states:
                agent = stammtisch.load_agent(spec, game, seed=5)
                view = state.view(seat)
                explains = hasattr(agent, "search")
                told.append(plain(agent.act(view, explain=True) if explains else agent.act(view)))
            assert told[0] == told[1] == told[2]


NETWORK = FOLDER / "jass-schieber.safetensors"
LEARNED = [
    f"rl-jass:{NETWORK}",
    f"pimc:worlds=3,file={NETWORK},beliefs=on",
    f"ismcts:iterations=16,file={NETWORK},beliefs=on",
    "alphazero:simulations=4",
]


@pytest.mark.parametrize("spec", LEARNED, ids=lambda spec: spec.partition(":")[0])
def test_networks_and_beliefs_tell_nothing_hidden(spec, tmp_path):
    game = stammtisch.load_game("jass-schieber")
    if spec.startswith("alphazero"):
        spec = f"{_fresh_alphazero(game, tmp_path)},{spec.partition(':')[2]}"
    for seat, states in positions(game, 3):
        told = []
        for state in states:
            agent = stammtisch.load_agent(spec, game, seed=5)
            view = state.view(seat)
            told.append(plain([agent.act(view), agent.act(view, explain=True) if hasattr(agent, "search") else None]))
        assert told[0] == told[1] == told[2]


def _fresh_alphazero(game, folder):
    shape = NetworkShape.for_game(game, "mlp-8")
    save_network(folder / "n.safetensors", game, shape, shape.fresh_weights(0), {"positions": 0})
    return f"alphazero:{folder / 'n.safetensors'},backend=numpy"


@pytest.mark.parametrize("game_id", HIDDEN)
def test_engines_and_people_at_a_terminal_are_told_nothing_hidden(game_id, monkeypatch, capsys):
    game = stammtisch.load_game(game_id)
    adviser = stammtisch.load_agent("heuristic", game, seed=0)
    for seat, states in positions(game, 4):
        told = []
        for state in states:
            view = state.view(seat)
            facts = json.dumps(position_facts(Situation(view, view._state, None)))
            legal = {view.action_text(action) for action in view.legal_actions()}
            typed = Typist([*(card for card in CARDS if card not in legal), "moves", "text", "hint", "quit"])
            monkeypatch.setattr("builtins.input", typed)
            players = [None if each == seat else adviser for each in range(game.info.num_players)]
            _Session(game, players, adviser, np.random.default_rng(0)).run(state)
            told.append((facts, typed.prompts, capsys.readouterr()))
        assert told[0] == told[1] == told[2]


class Typist:
    """Types one word after the other."""

    def __init__(self, words):
        self._words, self.prompts = iter(words), []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        return next(self._words)


def test_predictions_of_machines_are_not_told_at_a_terminal(monkeypatch, capsys):
    game = stammtisch.load_game("jass-differenzler")
    machine = stammtisch.load_agent("heuristic", game, seed=0)
    state = game.new_state(seed=1)
    state.sample_chance(np.random.default_rng(1))
    person = (state.player + 1) % 4  # somebody predicts before
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    session = _Session(game, [None if seat == person else machine for seat in range(4)], machine, None)
    session.run(state)
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(f"player {state.player} (")]
    assert said == [f"player {state.player} (heuristic): …"]
    predicted = machine.act(state.view(state.player))
    assert state.child(predicted).seen_by(person) == state.child(predicted ^ 1).seen_by(person)


@pytest.mark.parametrize("name", sorted(ALL_AGENTS))
def test_whoever_cheats_says_so_and_is_not_to_be_asked_with_a_view(name):
    """Agents get views, in which nothing is hidden; the one that sees all cards has a door of its own."""
    cls = agent_class(name)
    assert cls.CHEATS == (name == "cheater") == (cls.cheat is not stammtisch.Agent.cheat)
    if cls.CHEATS:
        game = stammtisch.load_game("jass-schieber")
        agent = stammtisch.load_agent(name, game, seed=0)
        for seat, (state, *_) in positions(game, 3):
            for explain in (False, True):
                with pytest.raises(ValueError, match="sees all cards"):
                    agent.act(state.view(seat), explain=explain)

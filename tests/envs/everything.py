"""Plays one game through all faces, matches, searches and a short training, and tells what came of it.

``python -m tests.envs.everything GAME PART`` prints it as JSON. The same code runs with and without compiled kernels.
"""

import json
import sys
import warnings

import gymnasium
import numpy as np

import stammtisch
from stammtisch.arena.plan import lineup
from stammtisch.baselines.learned.ntuple.network import Layout
from stammtisch.benchmarks import play_match
from stammtisch.envs import GAMES
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.settings import NTupleSettings

OPEN = ("mc:iterations=8", "mcts:iterations=20", "minimax:depth=1", "alphabeta:depth=2", "rote:depth=1")
SEARCHES = {
    "einstein-3x3": (*OPEN, "mctse:iterations=20"),
    "reversi-4x4": OPEN,
    "morris-3": OPEN,
    "reversixt": ("mc:iterations=1", "mcts:iterations=12", "maxn:depth=1", "alphabeta:depth=2"),
    "jass-schieber": ("pimc:worlds=1,exact=1", "ismcts:iterations=4"),
}
OPTIONS = {"reversixt": {"map": "3\n1\n1 1\n4 5\n0 b 0 0 0\n0 1 2 0 c\n0 3 1 2 0\n- x 3 0 i\n0 0 0 <-> 2 3 4\n"}}
NOT_LEARNED = ("jass-schieber", "reversixt")  # by n-tuples


def load(game_id):
    """Return a game small enough for Python."""
    return stammtisch.load_game(game_id, **OPTIONS.get(game_id, {}))


def faces(game):
    """Whole games through every face; observations count as a weighted sum."""
    return {"state": _state(game), "aec": _aec(game), "single": _single(game), "vector": _vector(game)}


def matches(game):
    """A match of the reference bot, and a draw of the rules' own playouts."""
    total = np.zeros(game.info.num_players)
    counts = game.kernels("playouts").playouts(5, 3, total)
    return {"bot": _match(game, "heuristic", 4), "playouts": [*counts, *total.tolist()]}


def searches(game):
    """A match of every search."""
    return {agent: _match(game, agent, 2) for agent in SEARCHES[game.id]}


def training(game):
    """A short n-tuple training with everything switched on; the weights themselves."""
    settings = NTupleSettings(episodes=4, epsilon=0.2, coherence=1, replay="prioritized", buffer=16, batch=2)
    learner = NTupleTraining(game, Layout(), settings, seed=5)
    learner.run(4)
    weights = learner.network.net.weights
    return {"weights": weights[weights != 0].tolist(), "report": list(learner.report().values())}


def _state(game):
    rng = np.random.default_rng(1)
    state = game.new_state(seed=1)
    seen = []
    while state.player != stammtisch.TERMINAL:
        if state.player == stammtisch.CHANCE:
            seen.append(state.sample_chance(rng))
            continue
        view = state.view(state.player)
        seen += [state.player, _sum(state.observation(state.player)), _sum(view.sample_state(rng).row)]
        state.apply(int(rng.choice(state.legal_actions())))
    return [*seen, str(state), *state.returns().tolist()]


def _aec(game):
    env = stammtisch.aec_env(game.id, **game.changed_options())
    rng = np.random.default_rng(2)
    env.reset(seed=2)
    seen = []
    for agent in env.agent_iter():
        obs, reward, terminated, truncated, info = env.last()
        seen += [agent, reward, _sum(obs["observation"]), info.get("chance")]
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(obs["action_mask"]))))
    return seen


def _single(game):
    seen = []
    for opponent in ("random", "heuristic"):
        env = gymnasium.make(GAMES[game.id].env_id, opponent=opponent, **game.changed_options())
        rng = np.random.default_rng(3)
        obs, info = env.reset(seed=3)
        done = False
        while not done:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            obs, reward, done, _, info = env.step(action)
            seen += [action, reward, _sum(obs)]
    return seen


def _vector(game):
    env = gymnasium.make_vec(GAMES[game.id].env_id, num_envs=3, **game.changed_options())
    obs, info = env.reset(seed=4)
    seen = []
    for _ in range(20):
        obs, rewards, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        seen += [_sum(obs), *rewards.tolist(), *ended.tolist()]
    return seen


def _match(game, agent, games):
    result = play_match(game, lineup(game, agent, "random"), games=games, seed=6)
    return [(list(record.events), list(record.returns)) for record in result.records]


def _sum(array):
    return float(np.dot(array.ravel(), np.arange(1, 1 + array.size) % 101))


PARTS = {"faces": faces, "matches": matches, "searches": searches, "training": training}


def main():
    warnings.simplefilter("error", RuntimeWarning)  # what overflows by design must not warn
    print(json.dumps(PARTS[sys.argv[2]](load(sys.argv[1]))))


if __name__ == "__main__":
    main()

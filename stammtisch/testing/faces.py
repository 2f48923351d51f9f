"""The faces of any game: the official checkers, pickling, illegal actions, and the batch against single games."""

import copy
import io
import pickle
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo

from stammtisch.envs.aec import aec_env
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import GAMES
from stammtisch.errors import IllegalAction
from stammtisch.testing.playing import BrokenPromise, expect

_CYCLES = 50
_LANES, _STEPS = 6, 60


def gymnasium_checker(game: Game) -> None:
    """Gymnasium's ``check_env`` passes against every kind of opponent."""
    from gymnasium.utils.env_checker import check_env

    for opponent in _opponents(game):
        with _official(f"check_env against {opponent}"):
            check_env(_single(game, opponent=opponent, render_mode="rgb_array"))


def pettingzoo_api(game: Game) -> None:
    """PettingZoo's ``api_test`` passes, with its stock wrappers and without."""
    from pettingzoo.test import api_test

    for raw in (False, True):
        with _official(f"api_test, raw={raw}"):
            api_test(_aec(game, raw=raw), num_cycles=_CYCLES)


def pettingzoo_seeds(game: Game) -> None:
    """PettingZoo's ``seed_test`` passes."""
    from pettingzoo.test import seed_test

    with _official("seed_test"):
        seed_test(lambda: _aec(game), num_cycles=_CYCLES)


def pettingzoo_rendering(game: Game) -> None:
    """PettingZoo's ``render_test`` passes."""
    from pettingzoo.test import render_test

    with _official("render_test"):
        render_test(lambda render_mode: _aec(game, render_mode=render_mode))


def registries(game: Game) -> None:
    """Gymnasium and PettingZoo make the game by its name."""
    entry = GAMES[game.id]
    expect(_single(game).game == game, f'gym.make("{entry.env_id}") makes another game')
    spec = gym.make(f"stammtisch:{entry.env_id}").spec
    expect(spec is not None and spec.id == entry.env_id, f'gym.make("stammtisch:{entry.env_id}") makes something else')
    batch = gym.make_vec(entry.env_id, num_envs=2)
    expect(batch.num_envs == 2, f'gym.make_vec("{entry.env_id}") makes {batch.num_envs} games, not 2')
    if hasattr(pettingzoo, "make"):
        name = pettingzoo.make("aec", entry.env_id).metadata["name"]
        expect(name == entry.env_name, f'pettingzoo.make("aec", "{entry.env_id}") is called {name}')


def rendering(game: Game) -> None:
    """The single-agent face renders as text and as a picture."""
    for mode in ("ansi", "rgb_array"):
        env = _single(game, render_mode=mode)
        env.reset(seed=0)
        picture = env.render()
        fits = isinstance(picture, str) if mode == "ansi" else picture.dtype == np.uint8
        expect(fits, f'render_mode="{mode}" gives {type(picture).__name__}')


def single_copies(game: Game) -> None:
    """A pickled or copied single-agent environment plays on the same way."""
    env = _single(game, opponent=_opponents(game)[-1] if game.POLICIES else "random")
    _play_single(env, 3, seed=4)
    env.reset()
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    first, *others = [_play_single(each, 30) for each in (env, *twins)]
    expect(all(other == first for other in others), "a pickled or copied environment plays on differently")


def aec_copies(game: Game) -> None:
    """A pickled or copied PettingZoo environment plays on the same way."""
    env = _aec(game)
    env.reset(seed=3)
    for _ in range(3):
        _step_aec(env)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(30):
        if not env.agents:
            break
        first, *others = [_step_aec(each) for each in (env, *twins)]
        expect(all(other == first for other in others), "a pickled or copied environment plays on differently")


def vector_copies(game: Game) -> None:
    """A pickled or copied vector environment plays on the same way."""
    env = _vector(game, 5)
    _, info = env.reset(seed=3)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(20):
        actions = info["action_mask"].argmax(axis=1)
        first, *others = [each.step(actions) for each in (env, *twins)]
        for other in others:
            same = np.array_equal(first[0], other[0]) and np.array_equal(first[1], other[1])
            expect(same, "a pickled or copied batch plays on differently")
        info = first[4]


def illegal_actions_of_seats(game: Game) -> None:
    """The raw PettingZoo environment refuses an illegal action; the wrapped one lets the offender lose."""
    raw, wrapped = _aec(game, raw=True), _aec(game)
    raw.reset(seed=1)
    wrapped.reset(seed=1)
    while (illegal := _illegal(raw.last()[0]["action_mask"])) is None:
        for env in (raw, wrapped):
            env.step(0)
        if any(raw.terminations.values()):
            return  # a game in which everything is always legal
    try:
        raw.step(illegal)
    except IllegalAction:
        pass
    else:
        raise BrokenPromise(f"the raw environment accepts the illegal action {illegal}")
    offender = wrapped.agent_selection
    with _quiet():
        wrapped.step(illegal)
    expect(all(wrapped.terminations.values()), "an illegal action does not end the game")
    paid, loss = wrapped.rewards[offender], game.info.utility_range[0]
    expect(paid == loss, f"the offender is paid {paid:g} for an illegal action, not {loss:g}")


def illegal_actions_of_the_learner(game: Game) -> None:
    """An illegal action of the learner forfeits the game, or raises where that is asked for."""
    env, strict = _single(game), _single(game, on_illegal="raise")
    _, info = env.reset(seed=1)
    strict.reset(seed=1)
    while (illegal := _illegal(info["action_mask"])) is None:
        *_, over, _, info = env.step(0)
        strict.step(0)
        if over:
            return  # a game in which everything is always legal
    _, reward, terminated, _, info = env.step(illegal)
    loss = game.info.utility_range[0]
    expect(terminated, "an illegal action does not end the game")
    expect(reward == loss, f"an illegal action is paid {reward:g}, not {loss:g}")
    expect(info.get("illegal_action") == illegal, 'info["illegal_action"] does not name the illegal action')
    before = strict.state
    try:
        strict.step(illegal)
    except IllegalAction:
        expect(strict.state == before, "an illegal action that was refused changed the position")
    else:
        raise BrokenPromise(f'on_illegal="raise" accepts the illegal action {illegal}')


def batched_twin(game: Game) -> None:
    """A batch of games goes step by step as single games do, against every kind of opponent."""
    for opponent in _opponents(game):
        env = _vector(game, _LANES, opponent=opponent)
        obs, info = env.reset(seed=40)
        singles = [list(_play_lane(game, 40 + lane, opponent)) for lane in range(_LANES)]
        rewards, over = np.zeros(_LANES), np.zeros(_LANES, np.bool_)
        for step in range(_STEPS + 1):
            masks = info["action_mask"]
            for lane in range(_LANES):
                expected = singles[lane][step]
                found = (obs[lane], rewards[lane], over[lane], masks[lane])
                for name, ours, theirs in zip(("observation", "reward", "end", "mask"), found, expected, strict=True):
                    same = np.array_equal(ours, theirs)
                    expect(same, f"the {name} of game {lane} at step {step} against {opponent} differs in a batch")
            actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
            obs, rewards, over, _, info = env.step(actions)


def seats_twin(game: Game) -> None:
    """With ``opponent="self"`` every decision comes back as the position shows it, and the end pays its returns."""
    env = _single(game, opponent="self")
    rng = np.random.default_rng(1)
    for episode in range(5):
        obs, info = env.reset(seed=episode)
        paid = np.zeros(game.info.num_players)
        terminated = False
        while not terminated:
            state = env.state
            expect(info["player"] == state.player, f"player {info['player']} is said to be to move", state)
            same = np.array_equal(obs, state.observation(state.player))
            expect(same, "the environment shows something else than the position", state)
            legal = np.flatnonzero(info["action_mask"])
            expect(legal.tolist() == state.legal_actions(), "the environment allows other actions", state)
            obs, _, terminated, _, info = env.step(legal[rng.integers(len(legal))])
            paid += info["rewards"]
        final = env.state.returns()
        expect(np.allclose(paid, final), f"rewards add up to {paid.tolist()}, the game returns {final.tolist()}")


def _opponents(game: Game) -> list[str]:
    return ["random", "self", *(["heuristic"] if "heuristic" in game.POLICIES else [])]


def _single(game: Game, **kwargs: Any) -> Any:
    return gym.make(GAMES[game.id].env_id, **kwargs, **game.changed_options()).unwrapped


def _vector(game: Game, n: int, **kwargs: Any) -> Any:
    return gym.make_vec(GAMES[game.id].env_id, num_envs=n, **kwargs, **game.changed_options())


def _aec(game: Game, **kwargs: Any) -> Any:
    return aec_env(game.id, **kwargs, **game.changed_options())


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", UserWarning)
        yield


@contextmanager
def _official(name: str) -> Iterator[None]:
    """Run an official checker; it prints and warns of matters of taste, and its asserts often say nothing."""
    try:
        with _quiet():
            yield
    except Exception as error:
        raise BrokenPromise(f"{name} fails: {type(error).__name__}: {error}") from error


def _illegal(mask: Any) -> int | None:
    found = np.flatnonzero(np.asarray(mask) == 0)
    return int(found[0]) if len(found) else None


def _play_single(env: Any, steps: int, seed: int | None = None) -> list[Any]:
    """Play random legal actions; return everything that came back."""
    rng = np.random.default_rng(5)
    obs, info = env.reset(seed=seed)
    trace: list[Any] = [(obs.tobytes(), info["action_mask"].tobytes())]
    for _ in range(steps):
        legal = np.flatnonzero(info["action_mask"])
        obs, reward, terminated, truncated, info = env.step(legal[rng.integers(len(legal))])
        trace.append((obs.tobytes(), info["action_mask"].tobytes(), reward, terminated, truncated))
        if terminated:
            obs, info = env.reset()
    return trace


def _step_aec(env: Any) -> tuple[Any, ...]:
    obs, reward, terminated, _, _ = env.last()
    legal = np.flatnonzero(obs["action_mask"])
    agent = env.agent_selection
    env.step(None if terminated else int(legal[len(legal) // 2]))
    return agent, reward, obs["observation"].tobytes(), obs["action_mask"].tobytes()


def _play_lane(game: Game, seed: int, opponent: str) -> Iterator[tuple[Any, float, bool, Any]]:
    """Play one single environment the way a lane of the batch is played."""
    env = _single(game, opponent=opponent)
    obs, info = env.reset(seed=seed)
    reward, over = 0.0, False
    for _ in range(_STEPS + 1):
        yield obs, reward, over, info["action_mask"]
        if over:
            obs, info = env.reset()
            reward, over = 0.0, False
        else:
            obs, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))

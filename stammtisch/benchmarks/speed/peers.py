"""The same work done by other packages, for ``stammtisch speed``; whoever is not installed is left out."""

import contextlib
import importlib.util
import io
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Task = Callable[[int], int]

_OPEN_SPIEL_NAMES = {
    "einstein-5x5": "einstein_wurfelt_nicht",
    "reversi-8x8": "othello",
    "muehle": "nine_mens_morris",
}

_PGX_NAMES = {"reversi-8x8": "othello"}
_PGX_LANES = 4096
_STEPS_PER_DEAL = 37
_DRAWS = 4096


class Chooser:
    """Draws legal actions from masks, cheaply and the same way for every package."""

    def __init__(self, seed: int):
        self._numbers = np.random.default_rng(seed).random(_DRAWS)
        self._draws: dict[int, Callable[[], int]] = {}  # by how many there are to draw from

    def below(self, n: int) -> int:
        """Draw an integer in ``0..n-1``."""
        draw = self._draws.get(n) or self._begin(n)
        return draw()

    def _begin(self, n: int) -> Callable[[], int]:
        self._draws[n] = draw = itertools.cycle((self._numbers * n).astype(np.int64).tolist()).__next__
        return draw

    def from_masks(self, n: int) -> Callable[[NDArray[Any]], int]:
        """Return what draws an action from a mask of so many: the first legal one from a random place on."""
        draw = self._begin(n)

        def choose(mask: NDArray[Any]) -> int:
            data = mask.tobytes()
            action = data.find(1, draw())
            return action if action >= 0 else data.find(1)

        return choose


def tasks(game_id: str, face: str, seed: int) -> dict[str, Task]:
    """Return the installed peers' version of one face of one game, by name."""
    if face == "vector" and game_id in _PGX_NAMES and importlib.util.find_spec("pgx") is not None:
        return {"pgx (all cores)": _pgx(_PGX_NAMES[game_id], seed)}
    if face in ("aec", "playouts") and game_id == "jass-schieber" and importlib.util.find_spec("jass") is not None:
        return {"jass-kit arena": _jass_kit()}
    name = _OPEN_SPIEL_NAMES.get(game_id)
    if name is None or importlib.util.find_spec("pyspiel") is None:
        return {}
    if face == "state":
        return {
            "pyspiel lists": _spiel_lists(name, seed),
            "pyspiel buffer": _spiel_buffer(name, seed),
        }
    if face == "playouts":
        return {"pyspiel C++": _spiel_rollouts(name, seed)}
    if face == "aec" and importlib.util.find_spec("shimmy") is not None:
        return {"shimmy": _shimmy(name, seed)}
    return {}


def _spiel_task(name: str, seed: int, look: Callable[[Any], Callable[[Any], NDArray[np.int8]]]) -> Task:
    """Apply, chance, mask and observation through OpenSpiel's Python states; ``look`` reads observation and mask."""
    import pyspiel

    game = pyspiel.load_game(name)
    look_at = look(game)
    chooser = Chooser(seed)
    choose = chooser.from_masks(game.num_distinct_actions())

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[chooser.below(len(outcomes))][0])
                else:
                    state.apply_action(choose(look_at(state)))
                    done += 1
        return done

    return task


def _spiel_lists(name: str, seed: int) -> Task:
    def look(game: Any) -> Callable[[Any], NDArray[np.int8]]:
        def look_at(state: Any) -> NDArray[np.int8]:
            np.array(state.observation_tensor(state.current_player()), np.float32)
            return np.array(state.legal_actions_mask(), np.int8)

        return look_at

    return _spiel_task(name, seed, look)


def _spiel_buffer(name: str, seed: int) -> Task:
    def look(game: Any) -> Callable[[Any], NDArray[np.int8]]:
        from open_spiel.python.observation import make_observation

        observer = make_observation(game)
        assert observer is not None
        mask = np.zeros(game.num_distinct_actions(), np.int8)

        def look_at(state: Any) -> NDArray[np.int8]:
            observer.set_from(state, state.current_player())
            mask[:] = 0
            mask[state.legal_actions()] = 1
            return mask

        return look_at

    return _spiel_task(name, seed, look)


def _spiel_rollouts(name: str, seed: int) -> Task:
    """Random rollouts inside OpenSpiel's C++ Monte Carlo search, counted by the mean length of random games.

    A search of one simulation with many rollouts per leaf spends its time in rollouts from a position one move deep.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(seed)
    start = game.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.legal_actions()[0])
    length = sum(_random_length(start.clone(), rng) for _ in range(200)) / 200

    def task(steps: int) -> int:
        games = max(1, round(steps / length))
        evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, seed, False)
        bot.mcts_search(start)
        return round(games * length)

    return task


def _random_length(state: Any, rng: np.random.Generator) -> int:
    length = 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(int(legal[rng.integers(len(legal))]))
        length += 1
    return length


def _pgx(name: str, seed: int) -> Task:
    """Steps of a batch with the first legal action, finished games begun anew, as the vector face does.

    XLA computes a batch on all cores of the machine.
    """
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    init = jax.jit(jax.vmap(env.init))
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda state: state.legal_action_mask.argmax(axis=1))
    keys = jax.random.split(jax.random.PRNGKey(seed), _PGX_LANES)
    state = init(keys)

    def task(steps: int) -> int:
        nonlocal state
        rounds = max(1, steps // _PGX_LANES)
        for _ in range(rounds):
            state = step(state, choose(state), keys)
        jax.block_until_ready(state)
        return rounds * _PGX_LANES

    return task


def _jass_kit() -> Task:
    """Whole deals of random players in jass-kit's arena; a deal is counted as 37 steps."""
    from jass.agents.agent_random_schieber import AgentRandomSchieber
    from jass.arena.arena import Arena

    def task(steps: int) -> int:
        deals = max(1, steps // _STEPS_PER_DEAL)
        arena = Arena(nr_games_to_play=deals, print_every_x_games=deals + 1)
        players = [AgentRandomSchieber() for _ in range(4)]
        arena.set_players(*players)
        with contextlib.redirect_stdout(io.StringIO()):
            arena.play_all_games()
        return deals * _STEPS_PER_DEAL

    return task


def _shimmy(name: str, seed: int) -> Task:
    import pyspiel
    from shimmy import OpenSpielCompatibilityV0

    game = pyspiel.load_game(name)
    env = OpenSpielCompatibilityV0(env=game)
    choose = Chooser(seed).from_masks(game.num_distinct_actions())

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            env.reset(seed=seed + done)
            for _ in env.agent_iter():
                _, _, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(choose(np.asarray(info["action_mask"], np.int8)))
                    done += 1
        return done

    return task

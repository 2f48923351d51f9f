"""Speed of tree search against OpenSpiel's C++ search in the same run, in simulations per second from the start."""

import importlib.util
from collections.abc import Iterator, Sequence

from stammtisch.baselines import load_agent
from stammtisch.benchmarks.speed.faces import Speed, first_decision, race
from stammtisch.benchmarks.speed.peers import _OPEN_SPIEL_NAMES, Task
from stammtisch.envs import load_game

SIMULATIONS = 1000  # per search
EXPLORATION = 1.4
_MEMORY_MB = 100


def search_speed(games: Sequence[str], seconds: float = 1.0, seed: int = 0) -> Iterator[Speed]:
    """Measure UCT with one random playout per simulation; ``seconds`` is spent on each side of each comparison."""
    for game_id in games:
        tasks = {"ours": _our_task(game_id, seed)}
        name = _OPEN_SPIEL_NAMES.get(game_id)
        if name is not None and importlib.util.find_spec("pyspiel") is not None:
            tasks["pyspiel C++"] = _spiel_task(name, seed)
        rates = race(tasks, SIMULATIONS, seconds)
        yield Speed(game_id, "search", rates.pop("ours"), rates)


def _our_task(game_id: str, seed: int) -> Task:
    game = load_game(game_id)
    agent = load_agent(f"mcts:iterations={SIMULATIONS},c={EXPLORATION},unit=utility,depth=0,reuse=0", game, seed)
    state = first_decision(game, seed)
    view = state.view(state.player)

    def task(steps: int) -> int:
        searches = -(-steps // SIMULATIONS)
        for _ in range(searches):
            agent.act(view)
        return searches * SIMULATIONS

    return task


def _spiel_task(name: str, seed: int) -> Task:
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, SIMULATIONS, _MEMORY_MB, False, seed, False)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])

    def task(steps: int) -> int:
        searches = -(-steps // SIMULATIONS)
        for _ in range(searches):
            bot.mcts_search(state)
        return searches * SIMULATIONS

    return task

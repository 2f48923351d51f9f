"""Measures self-play of AlphaZero: simulations per second, shares of network and tree, one worker against two.

    python docs/tools/alphazero_speed.py --seconds 8
    python docs/tools/alphazero_speed.py --openspiel --seconds 20

Configurations are measured in turn, several rounds, so that a change of the machine's speed touches all of them.
``--openspiel`` plays Reversi 8x8 against itself with the same search (PUCT, 16 simulations), a network 4x32 and one
process, here and by OpenSpiel's AlphaZero in Python, which needs ``pip install open_spiel jax flax optax chex
orbax-checkpoint``; the one in C++ is not part of its packages.
"""

import argparse
import json
import multiprocessing
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

CONFIGURATIONS = (("reversi-6x6", "4x32"), ("reversi-6x6", "mlp-256-256"), ("reversi-8x8", "4x32"))
OPENSPIEL_SIMULATIONS = 16
MOVES_PER_GAME = 60  # of Reversi 8x8, about


def worker(game: str, network: str, lanes: int, **more: Any) -> Any:
    """Return a worker that has compiled and begun."""
    from stammtisch.baselines.learned.alphazero.shape import NetworkShape
    from stammtisch.training.alphazero.selfplay import SelfPlay
    from stammtisch.training.alphazero.settings import AlphaZeroSettings

    settings = AlphaZeroSettings.for_game(game, {"network": network, "lanes": lanes, **more})
    found = SelfPlay(settings)
    found.use(NetworkShape.for_game(found.game, network).fresh_weights(0), 0)
    found.play(500, -2.0)
    return found


def measured(self_play: Any, seconds: float) -> dict[str, float]:
    """Play for so long; return rates, the share of the time that is not the network's, and bytes to be sent."""
    from stammtisch.training.alphazero.selfplay import packed

    network_s = 0.0
    evaluate = self_play._evaluator

    def timed(questions: Any) -> Any:
        nonlocal network_s
        begun = time.perf_counter()
        found = evaluate(questions)
        network_s += time.perf_counter() - begun
        return found

    self_play._evaluator = timed
    begun, before = time.perf_counter(), time.process_time()
    simulations = games = positions = 0
    while time.perf_counter() - begun < seconds:
        portion = self_play.play(1_000, -2.0)
        simulations += portion.simulations
        games += portion.games
        positions += len(portion.records.facts)
    size = len(packed(portion)) / len(portion.records.facts)
    self_play._evaluator = evaluate
    wall, processor = time.perf_counter() - begun, time.process_time() - before
    return {
        "simulations/s": simulations / wall,
        "simulations/cpu-s": simulations / processor,
        "games/h": games / wall * 3600,
        "positions/s": positions / wall,
        "tree and glue": 1 - network_s / wall,
        "bytes per position": size,
    }


def learned(self_play: Any, network: str, seconds: float) -> dict[str, float]:
    """Learn for so long from what was played; return samples per second."""
    import numpy as np

    from stammtisch.baselines.learned.alphazero.shape import NetworkShape
    from stammtisch.training.alphazero.learner import NetworkLearner
    from stammtisch.training.alphazero.window import ReplayWindow

    settings = self_play.settings
    with tempfile.TemporaryDirectory() as folder:
        window = ReplayWindow(self_play.game, settings, pathlib.Path(folder))
        window.add(self_play.play(4_000, -2.0).records)
        shape = NetworkShape.for_game(self_play.game, network)
        learner, rng = NetworkLearner(self_play.game, shape, shape.fresh_weights(0), settings), np.random.default_rng(0)
        learner.step(window.draw(rng), 0.0)
        begun, steps = time.perf_counter(), 0
        while time.perf_counter() - begun < seconds:
            learner.step(window.draw(rng), 0.0)
            steps += 1
        return {"samples/s": steps * settings.batch / (time.perf_counter() - begun)}


def openspiel_player() -> Callable[[float], dict[str, float]]:
    """Return what measures self-play of OpenSpiel's AlphaZero in Python for so many seconds."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.algorithms.alpha_zero import evaluator, utils

    game = pyspiel.load_game("othello")
    with tempfile.TemporaryDirectory() as folder:
        model = utils.api_selector("nnx").Model.build_model(
            "resnet", game.observation_tensor_shape(), game.num_distinct_actions(), 32, 4, 1e-4, 1e-3, folder
        )
    bot = mcts.MCTSBot(
        game,
        1.5,
        OPENSPIEL_SIMULATIONS,
        evaluator.AlphaZeroEvaluator(game, model),
        solve=False,
        dirichlet_noise=(0.25, 1.0),
        child_selection_fn=mcts.SearchNode.puct_value,
        dont_return_chance_node=True,
    )
    rng = np.random.default_rng(0)
    state = game.new_initial_state()
    bot.mcts_search(state)

    def measure(seconds: float) -> dict[str, float]:
        nonlocal state
        moves = 0
        begun, before = time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < seconds:  # as its `_play_game` does, which cannot be left on the way
            if state.is_terminal():
                state = game.new_initial_state()
            children = bot.mcts_search(state).children
            visits = np.array([child.explore_count for child in children], float)
            state.apply_action(children[rng.choice(len(children), p=visits / visits.sum())].action)
            moves += 1
        wall, processor = time.perf_counter() - begun, time.process_time() - before
        simulations = moves * OPENSPIEL_SIMULATIONS
        return {
            "simulations/s": simulations / wall,
            "simulations/cpu-s": simulations / processor,
            "games/h": moves / MOVES_PER_GAME / wall * 3600,
        }

    return measure


def against_openspiel(seconds: float, rounds: int, lanes: int) -> None:
    """Print self-play here and by OpenSpiel, in turn."""
    ours = worker("reversi-8x8", "4x32", lanes, search="puct", simulations=OPENSPIEL_SIMULATIONS)
    theirs = openspiel_player()
    for number in range(rounds):
        for name, found in (("stammtisch", measured(ours, seconds)), ("openspiel", theirs(seconds))):
            kept = {key: round(value, 1) for key, value in found.items() if key.endswith(("/s", "-s", "/h"))}
            print(json.dumps({"round": number, "of": name, **kept}), flush=True)


def serve(end: Any, game: str, network: str, lanes: int) -> None:
    """Measure in a process of its own whenever it is told for how many seconds; 0 ends it."""
    self_play = worker(game, network, lanes)
    end.send("ready")
    while seconds := end.recv():
        end.send(measured(self_play, seconds))


def side_by_side(game: str, network: str, lanes: int, seconds: float, rounds: int) -> None:
    """Print the simulations per second of one worker and of two together, in turn.

    Where others are at work on the machine, those per second of processor time tell what a worker loses by the other.
    """
    context = multiprocessing.get_context("spawn")
    ends = []
    for _ in range(2):
        mine, theirs = context.Pipe()
        context.Process(target=serve, args=(theirs, game, network, lanes), daemon=True).start()
        ends.append(mine)
    for end in ends:
        end.recv()
    for number in range(rounds):
        for count in (1, 2):
            for end in ends[:count]:
                end.send(seconds)
            found = [end.recv() for end in ends[:count]]
            rates = {name: round(sum(each[name] for each in found)) for name in ("simulations/s", "simulations/cpu-s")}
            print(json.dumps({"round": number, "workers": count, **rates}), flush=True)
    for end in ends:
        end.send(0.0)


def main() -> None:
    """Measure and print a line of JSON per result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--openspiel", action="store_true", help="compare with OpenSpiel's AlphaZero instead")
    given = parser.parse_args()
    if given.openspiel:
        against_openspiel(given.seconds, given.rounds, given.lanes)
        return
    workers = {key: worker(*key, given.lanes) for key in CONFIGURATIONS}
    for number in range(given.rounds):
        for (game, network), self_play in workers.items():
            found = {name: round(value, 3) for name, value in measured(self_play, given.seconds).items()}
            print(json.dumps({"round": number, "game": game, "network": network, **found}), flush=True)
    for (game, network), self_play in workers.items():
        found = {name: round(value) for name, value in learned(self_play, network, given.seconds / 2).items()}
        print(json.dumps({"game": game, "network": network, **found}), flush=True)
    side_by_side(*CONFIGURATIONS[0], given.lanes, given.seconds, given.rounds)


if __name__ == "__main__":
    main()

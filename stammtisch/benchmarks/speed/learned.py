"""Speed of search on n-tuples: positions per second beside the hand-made evaluation, and what following taps saves."""

import time
from collections.abc import Iterator, Sequence

import numpy as np

from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.baselines.search.alphabeta_learned import LearnedSearch
from stammtisch.benchmarks.speed.faces import Speed, first_decision
from stammtisch.envs import load_game
from stammtisch.envs.core import loader
from stammtisch.envs.core.streams import seed_streams
from stammtisch.training.ntuple.settings import NTupleRunSettings

_GAMES = 20  # at random, per round
_SPREAD = 0.05  # of weights drawn at random: values then differ, and cuts happen
_NODES = 50_000
_OPTIONS = {"table_mb": 8, "threads": 1, "endgame": 0, "nodes": _NODES, "exact": False, "selective": False}


def learned_speed(games: Sequence[str], seconds: float = 1.0, seed: int = 0) -> Iterator[Speed]:
    """Measure, in processor time, searches on networks of the layout that suits strength, and single evaluations."""
    for game_id in games:
        if load_game(game_id).FEATURES is None:
            continue
        network = _network(game_id, seed)
        yield Speed(game_id, "alphabeta on n-tuples", _nodes_per_s(network, seconds, seed), {})
        plain, following = (_values_per_s(network, way, seconds, seed) for way in ("PLAIN", "FOLLOWING"))
        yield Speed(game_id, "n-tuple value", following, {"looked up anew": plain})


def _network(game_id: str, seed: int) -> Network:
    settings = NTupleRunSettings.for_game(game_id, {"goal": "strength"})
    network = Network(load_game(game_id), settings.layout)
    network.net.weights[:] = np.random.default_rng(seed).normal(0, _SPREAD, len(network.net.weights))
    return network


def _nodes_per_s(network: Network, seconds: float, seed: int) -> float:
    search = LearnedSearch(network, _OPTIONS, 60)
    row = first_decision(network.game, seed).row
    streams = seed_streams(seed, 1)
    search.search(row, streams, 2, 0.0)
    best, spent = 0.0, 0.0
    while spent < seconds:
        search.reset()
        begun = time.process_time()
        nodes = search.search(row, streams, 60, 0.0).effort["nodes"]
        now = time.process_time() - begun
        best, spent = max(best, nodes / now), spent + now
    return best


def _values_per_s(network: Network, way: str, seconds: float, seed: int) -> float:
    """Return evaluations per second; what playing costs without them has been taken off."""
    game = network.game
    track = loader.load(
        "stammtisch.baselines.kernels.ntuple_track", game.id, RULES=game.rules, FEATURES=network.features
    )
    kernels = loader.load("stammtisch.baselines.kernels.ntuple_pace", game.id, RULES=game.rules, TRACK=track)
    kernels.walk(1, seed_streams(seed, 1), kernels.NOTHING, network.net_of_searches)
    best: dict[int, float] = {}
    begun = time.process_time()
    valued = 0
    while time.process_time() - begun < seconds or len(best) < 2:
        for chosen in (kernels.NOTHING, getattr(kernels, way)):
            before = time.process_time()
            valued, _ = kernels.walk(_GAMES, seed_streams(seed, 1), chosen, network.net_of_searches)
            best[chosen] = min(best.get(chosen, np.inf), time.process_time() - before)
    return float(valued / max(best[getattr(kernels, way)] - best[kernels.NOTHING], 1e-9))

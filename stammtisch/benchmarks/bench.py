"""The quick benchmark: the reference agents against each other on every board of EinStein."""

from stammtisch.benchmarks.match import MatchResult, Progress, play_match
from stammtisch.envs import GAMES

PAIRS = [(game, ("heuristic", "random")) for game in GAMES if game.startswith("einstein")]


def run_bench(games: int, seed: int, workers: int, progress: Progress | None = None) -> list[MatchResult]:
    """Play every pair; ``games`` each."""
    return [play_match(game, list(agents), games, seed, workers, progress) for game, agents in PAIRS]

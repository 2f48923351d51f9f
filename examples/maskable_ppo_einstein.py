"""MaskablePPO learns EinStein against a mixture of opponents, all of them inside the environment's kernel."""

import sys

from sb3_contrib import MaskablePPO

from stammtisch import load_game
from stammtisch.baselines.learned.sb3 import ModelAgent
from stammtisch.benchmarks import play_match
from stammtisch.envs.vector import BatchedEnv
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv


def main(steps: int = 200_000, game: str = "einstein-3x3", games: int = 200) -> float:
    """Train, play a match against random and return the score."""
    opponents = {"random": 0.5, "heuristic": 0.5}
    env = SB3VecEnv(BatchedEnv(game, 64, opponents, autoreset_mode="SameStep"))
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=4, seed=0, device="cpu")
    model.learn(steps)
    loaded = load_game(game)
    result = play_match(loaded, [ModelAgent(loaded, model), "random"], games=games)
    print(f"{result.score:.0%} of {result.games} games against random after {model.num_timesteps} steps")
    return result.score


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

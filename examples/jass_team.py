"""A Jass team: the learner's partner is its own latest self, the other team plays at random or is its past."""

import sys

from sb3_contrib import MaskablePPO

from stammtisch import load_game
from stammtisch.baselines.learned.sb3 import ModelAgent
from stammtisch.benchmarks import play_match
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.sb3.self_play import OpponentPool, SelfPlayCallback
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv


def main(steps: int = 300_000, games: int = 200) -> float:
    """Train, play duplicate deals against two random players, and return the mean return of the team."""
    pool = OpponentPool({"random": 0.5, "pool": 0.5}, slots=1)
    env = BatchedEnv("jass-schieber", 64, pool.opponents(), partner=pool.latest, autoreset_mode="SameStep", pay="trick")
    model = MaskablePPO(
        "MlpPolicy", SB3VecEnv(env), n_steps=64, batch_size=512, n_epochs=4, gamma=1.0, seed=0, device="cpu"
    )
    model.learn(steps, callback=SelfPlayCallback(pool, every=max(1, steps // 10)))
    game = load_game("jass-schieber")
    result = play_match(game, [ModelAgent(game, model), "random"], games=games)
    print(f"mean return {result.mean_return:+.2f} in {result.games} games against two random players")
    return result.mean_return


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

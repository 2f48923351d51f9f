"""Plain PPO with the mask in its policy learns Reversi by self-play against a pool of its own past."""

import sys

from stable_baselines3 import PPO

from stammtisch import load_game
from stammtisch.baselines.learned.sb3_models import policy_arguments
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.evaluator import Evaluator
from stammtisch.training.sb3.evaluation import EvaluationCallback
from stammtisch.training.sb3.self_play import OpponentPool, SelfPlayCallback
from stammtisch.wrappers import VectorRandomSymmetry
from stammtisch.wrappers.libraries.sb3.masked import MaskedActorCriticPolicy
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv


def main(steps: int = 200_000, game: str = "reversi-4x4", games: int = 100) -> float:
    """Train and return the last score against random."""
    pool = OpponentPool({"latest": 0.5, "league": 0.4, "random": 0.1}, slots=1)
    env = VectorRandomSymmetry(BatchedEnv(game, 64, pool.opponents(), autoreset_mode="SameStep"))
    model = PPO(
        MaskedActorCriticPolicy,
        SB3VecEnv(env, mask_in_observation=True),
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        policy_kwargs=policy_arguments("ppo", {"layers": [128, 128]}),
        seed=0,
        device="cpu",
    )
    evaluator = Evaluator(load_game(game), ["random"], every=max(1, steps // 4), games=games, opening=2)
    callbacks = [SelfPlayCallback(pool, every=max(1, steps // 10)), EvaluationCallback(evaluator, verbose=1)]
    model.learn(steps, callback=callbacks)
    return evaluator.curve("random")[-1][1]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

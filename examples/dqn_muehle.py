"""The deep-Q learner of Mühle: three networks, replay per phase, self-play."""

import sys

from stammtisch.training.dqn.learner import DQNProgress, DQNTraining
from stammtisch.training.dqn.settings import DQNSettings


def main(games: int = 2_000, **changes: object) -> float:
    """Train and return the score of the last validation against random."""
    settings = DQNSettings.for_game("muehle", {"games": games, "validate_every": 500}, changes)

    def show(now: DQNProgress) -> None:
        print(f"{now.games} games, {now.updates} gradient steps, epsilon {now.epsilon:.2f}", end="\r")

    training = DQNTraining(settings, "muehle-dqn.safetensors", resume=True, progress=show).run()
    assert training.validation is not None
    print(f"\n{training.validation.score:.0%} against random; play with dqn:muehle-dqn.safetensors")
    return training.validation.score


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""A player that other tests load from its place."""

import numpy as np

from stammtisch import Agent, Option


class Last(Agent):
    """Plays one of the last legal actions."""

    OPTIONS = {"count": Option(1, "how many of them", minimum=1)}

    def __init__(self, game, seed=None, spec="", **options):
        super().__init__(game, seed, spec, **options)
        self.rng = np.random.default_rng(seed)

    def reset(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)

    def act(self, view):
        return int(self.rng.choice(view.legal_actions()[-self.options["count"] :]))

"""A player of one's own, written against views only: it plays any game in which no cards are hidden."""

import numpy as np

from stammtisch import TERMINAL, Agent, Option


class Careful(Agent):
    """Wins at once if it can, and does not let the opponent win at once; else plays at random."""

    OPTIONS = {"attention": Option(1.0, "share of moves for which it looks ahead", minimum=0, maximum=1)}

    def __init__(self, game, seed=None, spec="", **options):
        super().__init__(game, seed, spec, **options)
        if game.info.hidden or game.info.chance != "none":
            raise ValueError(f"Careful cannot play {game.id}: it looks ahead only where all is known")
        self.rng = np.random.default_rng(seed)

    def reset(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)

    def act(self, view):
        legal = view.legal_actions()
        if self.rng.random() >= self.options["attention"]:
            return int(self.rng.choice(legal))
        state = view.sample_state(self.rng)  # the position itself: nothing is hidden
        safe = []
        for action in legal:
            after = state.child(action)
            if after.player == TERMINAL and after.returns()[view.player] > 0:
                return action
            answers = [after.child(answer) for answer in after.legal_actions()]
            if not any(end.player == TERMINAL and end.returns()[view.player] < 0 for end in answers):
                safe.append(action)
        return int(self.rng.choice(safe or legal))

"""What the lines of recorded games must say."""

import numpy as np


def check_decisions(game, lines):
    """Check that every decision is one of the learner's seat, and that its text names its action."""
    for line in lines:
        assert line["ended"] == "terminated"
        for row, action, said, _ in line["decisions"]:
            state = game.from_row(np.array(row))
            assert state.player == line["seat"]
            assert state.parse_action(said) == action

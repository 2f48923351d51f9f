"""Positions with one right answer, and exact values of small trees, for the tests of the searches."""

from stammtisch import CHANCE, TERMINAL

# In EinStein player a heads down and right, b up and left.
WIN_IN_ONE = """
    .  .  .  .
    .  b1 .  .
    a2 .  a1 b2
    .  .  .  .
    die 1, a to move"""  # a1 into the corner
CAPTURE_OR_LOSE = """
    a1 .  .  .
    .  b1 .  .
    .  .  a3 .
    .  b3 .  .
    die 1, a to move"""  # b1 is one step from its corner and moves on a 1 or a 2


def exact_value(state, seat):
    """Value for ``seat`` if its team plays best and the others answer best; chance is averaged."""
    if state.player == TERMINAL:
        return state.returns()[seat]
    if state.player == CHANCE:
        return sum(share * exact_value(state.child(outcome), seat) for outcome, share in state.chance_outcomes())
    values = [exact_value(state.child(action), seat) for action in state.legal_actions()]
    teams = state.game.info.teams
    return max(values) if teams[state.player] == teams[seat] else min(values)


def best_actions(state):
    """Return the actions whose exact value is best for the seat to move."""
    values = {action: exact_value(state.child(action), state.player) for action in state.legal_actions()}
    return [action for action, value in values.items() if value == max(values.values())]


def said(state, agent, **options):
    """Let an agent act and say its move."""
    return state.action_text(agent.act(state.view(state.player), **options))

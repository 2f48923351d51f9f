"""The worst moments of a player as pictures, with what it played and what would have been best drawn in."""

from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import JudgedMove
from stammtisch.envs.core.drawing import Canvas, Color

BEST: Color = (24, 98, 222)
PLAYED: Color = (206, 44, 44)
_HALO: Color = (255, 255, 255)
_OUTCOMES = {1.0: "won", 0.0: "drawn", -1.0: "lost"}
LEGEND = "blue: the best move; red: what was played"


def moment_picture(plan: RegretPlan, decision: JudgedMove) -> Canvas:
    """Draw the position of a decision with everything in sight, the best action in blue and the played one in red."""
    game = plan.loaded()
    state = game.from_text(decision.position)
    canvas = game.picture(state, near=decision.seat)
    for action, color in ((decision.action, PLAYED), (decision.best_action, BEST)):
        way = game.way(state, action)
        canvas.mark_way(way, _HALO, 8)  # so that it shows on any board
        canvas.mark_way(way, color, 4)
    return canvas


def moment_text(plan: RegretPlan, decision: JudgedMove) -> str:
    """Say what a decision lost."""
    state = plan.loaded().from_text(decision.position)
    played, best = state.action_text(decision.action), state.action_text(decision.best_action)
    return (
        f"player {decision.seat} plays {played} ({value_text(plan, decision.chosen)}); "
        f"best: {best} ({value_text(plan, decision.best)})"
    )


def value_text(plan: RegretPlan, value: float) -> str:
    """Write a value as people would say it: in points, as won, drawn or lost, with dice how often that wins."""
    info = plan.loaded().info
    if info.points_per_unit is not None:
        return f"{value * info.points_per_unit:+z.0f} points"
    if info.chance == "none":
        return _OUTCOMES.get(value, f"{value:+z.3g}")
    return f"wins {(1 + value) / 2:.1%}" if info.utility_range == (-1.0, 1.0) else f"{value:+z.3g}"

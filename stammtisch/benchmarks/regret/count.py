"""What a measurement showed: mean losses, blunders and intervals, by stage; and players compared on the same starts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.match import cheaters
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import JudgedGame, JudgedMove
from stammtisch.json_text import finite

_RESAMPLES = 2000
_BOOTSTRAP_SEED = 20
_WORST = 6
_LOSS, _KNOWN, _HIDDEN, _THROWN, _LOST, _BEST, _COUNT = range(7)


@dataclass(frozen=True)
class Figure:
    """A mean with its 95 % interval, by the bootstrap over groups of games."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class StageRegret:
    """What was lost in one part of the games.

    Attributes:
        stage: its name, or "all".
        decisions: judged ones: with a choice, and known to the oracle.
        loss: mean loss of value per decision, in units of the return.
        blunders: share of decisions that throw a win away or lose a draw.
        thrown, lost: how many of either kind.
        best: share of decisions that lose nothing.
        known, hidden: in games with hidden cards the mean loss that the player could have known of, and what not seeing
            the cards costs in the mean; elsewhere ``known`` is the loss.
    """

    stage: str
    decisions: int
    loss: Figure
    blunders: Figure
    thrown: int
    lost: int
    best: float
    known: Figure
    hidden: Figure


@dataclass(frozen=True)
class RegretResult:
    """What a measurement showed.

    Attributes:
        plan: what was measured.
        games: number of games.
        forced, uncovered: decisions with one legal action, and decisions that the oracle did not know.
        per_game: mean loss of a game.
        whole: all decisions together.
        stages: the parts of the games, in the order in which they are reached.
        worst: the decisions that lost most.
        group_losses: float64[groups], mean loss of a game by group of games with the same start.
        seconds: time it took.
    """

    plan: RegretPlan
    games: int
    forced: int
    uncovered: int
    per_game: Figure
    whole: StageRegret
    stages: tuple[StageRegret, ...]
    worst: tuple[JudgedMove, ...]
    group_losses: NDArray[np.float64]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        data = {
            "plan": asdict(self.plan),
            "games": self.games,
            "forced": self.forced,
            "uncovered": self.uncovered,
            "per_game": asdict(self.per_game),
            **asdict(self.whole),
            "stages": [asdict(stage) for stage in self.stages],
            "worst": [{**asdict(decision), "loss": decision.loss} for decision in self.worst],
            "cheaters": cheaters([self.plan.agent, self.plan.opponent]),
            "seconds": self.seconds,
        }
        told: dict[str, Any] = finite(data)
        return told


def count(plan: RegretPlan, games: Sequence[JudgedGame], seconds: float) -> RegretResult:
    """Count judged games."""
    _, groups = np.unique([game.group for game in games], return_inverse=True)
    n_groups = int(groups.max()) + 1
    weights = _weights(n_groups)
    rows = [(int(groups[i]), decision) for i, game in enumerate(games) for decision in game.decisions]
    losses = np.zeros(n_groups)
    sizes = np.bincount(groups, minlength=n_groups).astype(np.float64)
    for group, decision in rows:
        losses[group] += decision.loss
    firsts: dict[str, list[int]] = {}
    for _, decision in rows:
        firsts.setdefault(decision.stage, []).append(decision.ply)
    ordered = sorted(firsts, key=lambda stage: float(np.mean(firsts[stage])))
    worst = sorted((decision for _, decision in rows if decision.loss > 0), key=_badness)[:_WORST]
    return RegretResult(
        plan=plan,
        games=len(games),
        forced=sum(game.forced for game in games),
        uncovered=sum(game.uncovered for game in games),
        per_game=_ratio(losses, sizes, weights),
        whole=_stage("all", rows, n_groups, weights),
        stages=tuple(
            _stage(stage, [row for row in rows if row[1].stage == stage], n_groups, weights) for stage in ordered
        ),
        worst=tuple(worst),
        group_losses=losses / sizes,
        seconds=seconds,
    )


def difference(one: RegretResult, other: RegretResult) -> Figure:
    """Return how much more the first loses per game than the second, over the starts that both had."""
    n = min(len(one.group_losses), len(other.group_losses))
    return _ratio(one.group_losses[:n] - other.group_losses[:n], np.ones(n), _weights(n))


def _badness(decision: JudgedMove) -> tuple[bool, float, int, int]:
    """Sort wins and draws thrown away first, then by what was lost."""
    is_blunder = decision.throws_win or decision.loses_draw
    return not is_blunder, -decision.loss, decision.number, decision.ply


def _stage(
    name: str, rows: Sequence[tuple[int, JudgedMove]], n_groups: int, weights: NDArray[np.float64]
) -> StageRegret:
    sums = np.zeros((7, n_groups))
    for group, each in rows:
        sums[:, group] += (
            each.loss,
            each.known,
            each.hidden,
            each.throws_win,
            each.loses_draw,
            each.loss == 0,
            1,
        )
    total = sums.sum(axis=1)
    counts = sums[_COUNT]
    return StageRegret(
        stage=name,
        decisions=len(rows),
        loss=_ratio(sums[_LOSS], counts, weights),
        blunders=_ratio(sums[_THROWN] + sums[_LOST], counts, weights),
        thrown=int(total[_THROWN]),
        lost=int(total[_LOST]),
        best=float(total[_BEST] / total[_COUNT]) if len(rows) else float("nan"),
        known=_ratio(sums[_KNOWN], counts, weights),
        hidden=_ratio(sums[_HIDDEN], counts, weights),
    )


def _weights(groups: int) -> NDArray[np.float64]:
    """Return how often each group is drawn in every resample, ``float64[resamples, groups]``; always the same draws."""
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    return rng.multinomial(groups, np.full(groups, 1 / groups), size=_RESAMPLES).astype(np.float64)


def _ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64], weights: NDArray[np.float64]) -> Figure:
    """Return the ratio of two sums over groups, with the interval of its resamples."""
    if wholes.sum() == 0:
        return Figure(float("nan"), float("nan"), float("nan"))
    drawn = weights @ wholes
    ratios = (weights @ parts)[drawn > 0] / drawn[drawn > 0]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Figure(float(parts.sum() / wholes.sum()), float(low), float(high))

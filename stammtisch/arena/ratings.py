"""Ratings from games: Bradley–Terry (Elo) for two sides with draws, Plackett–Luce for rankings of more."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ELO_PER_NAT = 400 / math.log(10)
_PRIOR_GAMES = 0.1  # a drawn tenth of a game against an average player keeps perfect scores finite
_NEWTON_STEPS = 200
_FEW_GROUPS = 16  # from as many on, drawing groups again shows how far results scatter
_NO_WIDTH = 1e-6
_DROP95 = 1.920729  # half the 95 % quantile of chi square with one degree of freedom
_WIDEST = 60.0  # nats that an end of an interval is looked for at most


@dataclass(frozen=True)
class Group:
    """Games of one pair of agents that share their chance events: the unit that is resampled.

    Attributes:
        first: name of one agent.
        second: name of the other.
        score: sum of the first one's scores (win 1, draw 0.5).
        games: number of games.
    """

    first: str
    second: str
    score: float
    games: int


@dataclass(frozen=True)
class Rating:
    """An agent's rating on the Elo scale, anchored at one agent's 0.

    Attributes:
        name: the agent.
        elo: rating.
        ci95: 95 % interval of the difference to the anchor; an end that no result bounds is infinite.
        games: games it played.
        score: its share of points.
    """

    name: str
    elo: float
    ci95: tuple[float, float]
    games: int
    score: float

    def interval_text(self) -> str:
        """Say the interval, such as ``+120 to +180``, ``+79 or more`` or ``anchor``."""
        low, high = self.ci95
        if low == high == 0:
            return "anchor"
        if math.isinf(low) and math.isinf(high):
            return "any"
        if math.isinf(high):
            return f"{low:+z.0f} or more"
        return f"{high:+z.0f} or less" if math.isinf(low) else f"{low:+z.0f} to {high:+z.0f}"


def fit_elo(groups: Sequence[Group], anchor: str | None = None, bootstrap: int = 400, seed: int = 0) -> list[Rating]:
    """Fit all ratings jointly (Bradley–Terry, a draw is half a win) and return them from the strongest down.

    Intervals come from resampled groups. Where these are few, or all went one way, they would look far too sure: then
    an interval is at least that of the likelihood, and open on a side that no point scored bounds.

    Args:
        groups: the games.
        anchor: the agent whose rating is 0; by default the weakest.
        bootstrap: how often groups are resampled for the intervals.
        seed: decides the resampling.
    """
    names = sorted({group.first for group in groups} | {group.second for group in groups})
    if len(names) < 2:
        raise ValueError("ratings need games between at least two agents")
    if anchor is not None and anchor not in names:
        raise ValueError(f'anchor "{anchor}" played no game; agents: {", ".join(names)}')
    index = {name: i for i, name in enumerate(names)}
    first = np.array([index[group.first] for group in groups])
    second = np.array([index[group.second] for group in groups])
    score = np.array([group.score for group in groups], np.float64)
    games = np.array([group.games for group in groups], np.float64)
    n = len(names)
    elo = _fit(*_tables(n, first, second, score, games, np.ones(len(groups))))
    zero = index[anchor] if anchor is not None else int(elo.argmin())
    rng = np.random.default_rng(seed)
    samples = np.empty((bootstrap, n))
    for k in range(bootstrap):
        weights = _resampled(first * n + second, rng)
        drawn = _fit(*_tables(n, first, second, score, games, weights), start=elo)
        samples[k] = drawn - drawn[zero]
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    won, played = _tables(n, first, second, score, games, np.ones(len(groups)))
    members = np.bincount(np.concatenate([first, second]), minlength=n)
    reaches = _reaches(won)
    for i in range(n) if bootstrap > 1 else ():
        is_open = not (reaches[i, zero] and reaches[zero, i])
        is_vague = min(members[i], members[zero]) < _FEW_GROUPS or high[i] - low[i] < _NO_WIDTH
        if i != zero and (is_open or is_vague):
            least, most = (_likelihood_end(won, played, elo, i, zero, sign) for sign in (-1, 1))
            low[i] = min(low[i], least) if reaches[i, zero] else -math.inf
            high[i] = max(high[i], most) if reaches[zero, i] else math.inf
    ratings = [
        Rating(
            name,
            float(elo[i] - elo[zero]),
            (float(low[i]), float(high[i])),
            int(played[i].sum()),
            float(won[i].sum() / played[i].sum()),
        )
        for i, name in enumerate(names)
    ]
    return sorted(ratings, key=lambda rating: -rating.elo)


def _reaches(won: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return who took points from whom, directly or over others: ``bool[n, n]`` by row from column.

    Only what such a chain joins can be compared: it bounds how much weaker than the column the row can be.
    """
    reaches = won > 0
    for middle in range(len(won)):
        reaches |= reaches[:, middle, None] & reaches[middle, None, :]
    return reaches


def _likelihood_end(
    won: NDArray[np.float64], played: NDArray[np.float64], elo: NDArray[np.float64], i: int, zero: int, sign: int
) -> float:
    """Return one end of the likelihood interval of ``i``'s rating above ``zero``'s, all other ratings fitted anew."""
    best = _log_likelihood(won, elo)
    at = float(elo[i] - elo[zero])
    near, far = 0.0, _WIDEST * ELO_PER_NAT
    for _ in range(20):
        middle = (near + far) / 2
        fitted = _fit(won, played, start=elo, fixed=(i, zero, at + sign * middle))
        if best - _log_likelihood(won, fitted) < _DROP95:
            near = middle
        else:
            far = middle
    return at + sign * far


def _log_likelihood(won: NDArray[np.float64], elo: NDArray[np.float64]) -> float:
    strength = elo / ELO_PER_NAT
    return -float((won * np.logaddexp(0, strength[None, :] - strength[:, None])).sum())


def _resampled(pairs: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw groups with replacement within each pair of agents; return how often each was drawn."""
    order = np.argsort(pairs, kind="stable")
    _, starts, which, sizes = np.unique(pairs[order], return_index=True, return_inverse=True, return_counts=True)
    drawn = order[starts[which] + rng.integers(sizes[which])]
    return np.bincount(drawn, minlength=len(pairs)).astype(np.float64)


def _tables(
    n: int,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    score: NDArray[np.float64],
    games: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points won and games played, each ``float64[n, n]`` by row against column."""
    won, played = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(won, (first, second), score * weights)
    np.add.at(won, (second, first), (games - score) * weights)
    np.add.at(played, (first, second), games * weights)
    np.add.at(played, (second, first), games * weights)
    return won, played


def _fit(
    won: NDArray[np.float64],
    played: NDArray[np.float64],
    start: NDArray[np.float64] | None = None,
    fixed: tuple[int, int, float] | None = None,
) -> NDArray[np.float64]:
    """Maximise the likelihood by Newton's method; return ratings on the Elo scale with mean 0.

    Args:
        won: float64[n, n], points of row against column.
        played: float64[n, n], games of row against column.
        start: where to begin.
        fixed: ``(i, j, difference)`` keeps ``i`` so many points above ``j``.
    """
    n = len(won)
    strength = np.zeros(n) if start is None else (start - start.mean()) / ELO_PER_NAT
    free = np.eye(n)
    if fixed is not None:
        i, j, difference = fixed
        strength[i] = strength[j] + difference / ELO_PER_NAT
        free[i, j] = 1.0
        free = np.delete(free, i, axis=1)  # i goes wherever j goes
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        prior = 1 / (1 + np.exp(-strength))
        gradient = (won - played * expected).sum(axis=1) + _PRIOR_GAMES * (0.5 - prior)
        curvature = played * expected * (1 - expected)
        hessian = np.diag(curvature.sum(axis=1) + _PRIOR_GAMES * prior * (1 - prior) + 1e-12) - curvature
        if fixed is not None:
            gradient, hessian = free.T @ gradient, free.T @ hessian @ free
        change = np.linalg.solve(hessian, gradient)
        step = np.clip(change, -2, 2)
        strength = strength + (step if fixed is None else free @ step)
        if np.abs(change).max() < 1e-9:
            break
    ratings: NDArray[np.float64] = (strength - strength.mean()) * ELO_PER_NAT
    return ratings


def fit_rankings(rankings: Sequence[Sequence[Sequence[str]]], times: Sequence[int] | None = None) -> dict[str, float]:
    """Fit Plackett–Luce strengths to rankings of any number of sides; return them on the Elo scale with mean 0.

    Args:
        rankings: one per game, best first: a list of tied sets of names, such as ``[["a"], ["b", "c"]]``. A name may
            stand for several sides of a game.
        times: how many games ended with each ranking; by default one.
    """
    names = sorted({name for ranking in rankings for tied in ranking for name in tied})
    index = {name: i for i, name in enumerate(names)}
    if len(names) < 2:
        raise ValueError("rankings need at least two names")
    stages: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()  # who is still in the race, who is taken next
    for ranking, games in zip(rankings, times or [1] * len(rankings), strict=True):
        left = [index[name] for tied in ranking for name in tied]
        for tied in ranking:
            members, later = left[: len(tied)], left[len(tied) :]
            if later:
                stages[tuple(sorted(left)), tuple(sorted(members))] += games
            left = later
    if not stages:  # everybody shared every place
        return dict.fromkeys(names, 0.0)
    seen = np.array(list(stages.values()), np.float64)
    racing, first = (np.array([np.bincount(stage[i], minlength=len(names)) for stage in stages]) for i in (0, 1))
    taken = _PRIOR_GAMES + seen @ first
    weights = np.ones(len(names))
    for _ in range(500):
        pull = _PRIOR_GAMES * 2 / (weights + 1) + (seen * first.sum(axis=1) / (racing @ weights)) @ racing
        updated = taken / pull
        updated /= np.exp(np.log(updated).mean())
        done = np.abs(np.log(updated / weights)).max() < 1e-8
        weights = updated
        if done:
            break
    return {name: float(math.log(weights[i]) * ELO_PER_NAT) for name, i in index.items()}


def superiority(score: float, standard_error: float) -> float:
    """Return the likelihood that the true score is above one half, given its standard error."""
    if standard_error == 0:
        return 0.5 if score == 0.5 else float(score > 0.5)
    return 0.5 * math.erfc((0.5 - score) / (standard_error * math.sqrt(2)))


def cross_table(groups: Sequence[Group], names: Sequence[str]) -> Mapping[tuple[str, str], tuple[float, int]]:
    """Return score and number of games of each row agent against each column agent."""
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    known = set(names)
    for group in groups:
        for key, score in (
            ((group.first, group.second), group.score),
            ((group.second, group.first), group.games - group.score),
        ):
            if key[0] in known and key[1] in known and key[0] != key[1]:
                points, games = sums.get(key, (0.0, 0))
                sums[key] = points + score, games + group.games
    return {key: (points / games, games) for key, (points, games) in sums.items()}

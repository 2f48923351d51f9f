"""Where a player stands on a frozen ladder, and how the rungs of a ladder were rated."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.intervals import score_interval
from stammtisch.arena.match import Progress, play_match
from stammtisch.arena.plan import lineup
from stammtisch.arena.ratings import ELO_PER_NAT, Group, Rating, fit_elo
from stammtisch.arena.records import Records
from stammtisch.arena.store import Store, versions
from stammtisch.envs import load_game
from stammtisch.json_text import finite
from stammtisch.models import Ladder, Rung

_NEAR = 3  # rungs that a player meets at least
_MARGIN = 400.0  # points beyond the ends of a ladder that are still told as a number
_PRIOR_GAMES = 0.1  # half won, against the rungs met: keeps the first guess after a perfect score finite
_BOOTSTRAP = 400
_DROP95 = 1.920729  # half the 95 % quantile of chi square with one degree of freedom
_WIDEST = 4000.0  # points that an end of an interval is looked for at most


@dataclass(frozen=True)
class Meeting:
    """What a player did against one rung."""

    rung: str
    agent: str
    elo: float
    games: int
    score: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Place:
    """The place of a player on the ladder of a game: the row that ``stammtisch rate`` writes.

    Attributes:
        elo: rating; the lowest rung has 0.
        ci95: its 95 % interval; an end that no result bounds is infinite. The ratings of the rungs are taken as given.
        seconds_per_move: its thinking time.
    """

    game: str
    agent: str
    elo: float
    ci95: tuple[float, float]
    games: int
    seed: int
    opening: int
    seconds_per_move: float | None
    meetings: list[Meeting]
    versions: dict[str, str] = field(default_factory=versions)

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``; None stands for what is infinite."""
        told: dict[str, Any] = finite(asdict(self))
        return told


def rate(
    agent: str,
    ladder: Ladder,
    games: int = 100,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    progress: Progress | None = None,
    begin: Callable[[str], None] | None = None,
) -> Place:
    """Play a player against the rungs near its strength and return where it stands.

    It begins in the middle of the ladder and goes on with the rungs nearest to what the games so far say. The same
    arguments give the same games; those that the store holds are not played again.

    Args:
        agent: an agent spec.
        ladder: the ladder.
        games: games against each rung met.
        seed: decides everything.
        workers: processes.
        store: keeps the games.
        progress: called with the number of games finished since the last call.
        begin: called with the name of each rung before it is met.
    """
    if not ladder.is_measured:
        raise ValueError(
            f"the ladder of {ladder.game} has no ratings; measure it: stammtisch ladder {ladder.game} --measure"
        )
    game = load_game(ladder.game, **ladder.options)
    ratings = {name: rung.elo for name, rung in zip(ladder.names(), ladder.rungs, strict=True)}
    groups: list[Group] = []
    meetings: dict[str, Meeting] = {}
    thinking: list[float] = []
    wanted = [ladder.names()[len(ratings) // 2]]
    while wanted:
        rung = wanted[0]
        if begin is not None:
            begin(rung)
        opponent: Rung = ladder.rung(1 + ladder.names().index(rung))
        result = play_match(
            game,
            lineup(game, agent, opponent.agent),
            games,
            seed,
            workers,
            progress,
            opening=ladder.opening,
            store=store,
        )
        played = Records.of(result.records)
        sums, sizes = _group_scores(played)
        groups += [Group(agent, rung, float(s), int(n)) for s, n in zip(sums, sizes, strict=True)]
        score = float(sums.sum() / sizes.sum())
        meetings[rung] = Meeting(rung, opponent.agent, opponent.elo, games, score, score_interval(sums, sizes))
        if result.seconds_per_move[0] is not None:
            thinking.append(result.seconds_per_move[0])
        guess = place(agent, groups, ratings, bootstrap=1).elo
        nearest = sorted(ratings, key=lambda name: abs(ratings[name] - guess))[:_NEAR]
        wanted = [name for name in nearest if name not in meetings]
    found = place(agent, groups, ratings, seed=seed)
    return Place(
        game=ladder.game,
        agent=agent,
        elo=found.elo,
        ci95=found.ci95,
        games=found.games,
        seed=seed,
        opening=ladder.opening,
        seconds_per_move=sum(thinking) / len(thinking) if thinking else None,
        meetings=sorted(meetings.values(), key=lambda meeting: meeting.elo),
    )


def place(
    name: str, groups: Sequence[Group], ratings: Mapping[str, float], bootstrap: int = _BOOTSTRAP, seed: int = 0
) -> Rating:
    """Fit the rating of one player against opponents whose ratings are given.

    Args:
        name: the player, first in all groups.
        groups: its games.
        ratings: rating of every opponent.
        bootstrap: how often groups are resampled for the interval.
        seed: decides the resampling.
    """
    theirs = np.array([ratings[group.second] for group in groups], np.float64)
    score = np.array([group.score for group in groups], np.float64)
    games = np.array([group.games for group in groups], np.float64)
    least, most = min(ratings.values()) - _MARGIN, max(ratings.values()) + _MARGIN
    elo = float(np.clip(_fitted(theirs, score, games), least, most))
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=bootstrap)
    samples = [_fitted(theirs, score * weights, games * weights) for weights in drawn]
    low, high = np.percentile(samples, [2.5, 97.5])
    # Resampling a handful of results, or results that all went one way, would look far too sure.
    low = min(low, _likelihood_end(theirs, score, games, elo, -1)) if score.sum() > 0 else -math.inf
    high = max(high, _likelihood_end(theirs, score, games, elo, 1)) if score.sum() < games.sum() else math.inf
    total = float(games.sum())
    return Rating(name, elo, (float(low), float(high)), int(total), float(score.sum() / total))


def measure_ladder(
    ladder: Ladder,
    games: int,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    progress: Progress | None = None,
) -> list[Rating]:
    """Play each rung against the next and the next but one; return the ratings, in the order of the rungs."""
    game = load_game(ladder.game, **ladder.options)
    names = ladder.names()
    agents = [rung.agent for rung in ladder.rungs]
    groups: list[Group] = []
    for i, j in meetings_of(len(agents)):
        pair = lineup(game, agents[j], agents[i])
        result = play_match(game, pair, games, seed, workers, progress, opening=ladder.opening, store=store)
        sums, sizes = _group_scores(Records.of(result.records))
        groups += [Group(names[j], names[i], float(s), int(n)) for s, n in zip(sums, sizes, strict=True)]
    found = {rating.name: rating for rating in fit_elo(groups, anchor=names[0])}
    return [found[name] for name in names]


def meetings_of(rungs: int) -> list[tuple[int, int]]:
    """Return who plays whom when a ladder is measured: places of a lower and of a higher rung."""
    return [(i, j) for i in range(rungs) for j in range(i + 1, min(i + 3, rungs))]


def _group_scores(played: Records) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points of the first agent and games, of each group.

    Where more than two sides play, a game counts the share of the other seats that the first agent left behind.
    """
    own = played.values()[:, None]
    others = played.seatings != 0
    ahead = (own > played.returns) + 0.5 * (own == played.returns)
    scores = (ahead * others).sum(axis=1) / others.sum(axis=1)
    return played.group_sums(scores), played.group_sums(np.ones(len(played)))


def _fitted(theirs: NDArray[np.float64], score: NDArray[np.float64], games: NDArray[np.float64]) -> float:
    """Return the rating that predicts as many points as were scored."""
    wanted = score.sum() + _PRIOR_GAMES / 2
    weights = games * (1 + _PRIOR_GAMES / max(games.sum(), 1.0))
    low, high = theirs.min() - _WIDEST, theirs.max() + _WIDEST
    for _ in range(60):
        middle = (low + high) / 2
        if (weights * _expected(middle, theirs)).sum() < wanted:
            low = middle
        else:
            high = middle
    return float((low + high) / 2)


def _expected(elo: float, theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    expected: NDArray[np.float64] = 1 / (1 + np.exp((theirs - elo) / ELO_PER_NAT))
    return expected


def _likelihood_end(
    theirs: NDArray[np.float64], score: NDArray[np.float64], games: NDArray[np.float64], elo: float, sign: int
) -> float:
    """Return one end of the likelihood interval of a rating."""

    def likelihood(at: float) -> float:
        nats = (theirs - at) / ELO_PER_NAT
        return float(-(score * np.logaddexp(0, nats) + (games - score) * np.logaddexp(0, -nats)).sum())

    best = likelihood(elo)
    near, far = 0.0, _WIDEST
    for _ in range(40):
        middle = (near + far) / 2
        if best - likelihood(elo + sign * middle) < _DROP95:
            near = middle
        else:
            far = middle
    return elo + sign * far

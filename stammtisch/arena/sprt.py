"""A sequential test that stops a match as soon as it has shown enough (generalised SPRT on groups of games)."""

import math
from dataclasses import dataclass

from stammtisch.envs.core.options import BaseSettings, option, split_pairs


@dataclass(frozen=True)
class Sprt(BaseSettings):
    """Tests the hypothesis ``elo >= elo1`` against ``elo <= elo0`` with error rates ``alpha`` and ``beta``.

    The log-likelihood ratio is the normal approximation on the mean scores of groups, whose variance is estimated from
    the games played (Van den Bergh, "A practical introduction to the GSPRT").
    """

    NOUN = "value"
    OWNER = "a sequential test"

    elo0: float = option(0.0, "difference in Elo that is not worth having")
    elo1: float = option(20.0, "difference in Elo that is")
    alpha: float = option(0.05, "probability of accepting ``elo1`` wrongly")
    beta: float = option(0.05, "probability of rejecting it wrongly")
    least_groups: int = option(16, "groups of games before it may stop", minimum=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0={self.elo0:g} must be less than elo1={self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name}={rate:g} is not allowed; it must lie between 0 and 0.5")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Read ``elo0=0,elo1=20,alpha=0.05,beta=0.05``; what is left out keeps its default."""
        return cls.read(cls.changes(split_pairs(text)))

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the log-likelihood ratio."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, group_means: list[float]) -> float:
        """Return the log-likelihood ratio of group means in 0..1."""
        n = len(group_means)
        if n < 2:
            return 0.0
        mean = sum(group_means) / n
        # One imagined group at a half keeps the variance of a one-sided start away from zero.
        variance = (sum((x - mean) ** 2 for x in group_means) + (0.5 - mean) ** 2 + 1e-9) / n
        s0, s1 = _score(self.elo0), _score(self.elo1)
        return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)

    def verdict(self, group_means: list[float]) -> str | None:
        """Say why to stop, or None to go on."""
        if len(group_means) < self.least_groups:
            return None
        ratio = self.ratio(group_means)
        low, high = self.bounds
        seen = f"log-likelihood ratio {ratio:.2f} after {len(group_means)} groups"
        if ratio >= high:
            return f"stronger by at least {self.elo1:g} Elo accepted: {seen} reached {high:.2f}"
        if ratio <= low:
            return f"stronger by at least {self.elo1:g} Elo rejected: {seen} reached {low:.2f}"
        return None


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))

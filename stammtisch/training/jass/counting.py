"""Counts of deals: games, deals, tricks, samples, modes, passes, and what was dropped and why."""

from collections import Counter
from typing import Any

import numpy as np

from stammtisch.envs.jass.family.names import MODES
from stammtisch.files.documents import fits
from stammtisch.training.jass.deals import ALL_SEATS, N_CARDS, N_MODES, Deals
from stammtisch.training.jass.samples import TrumpSamples, card_places

_NAMES = (
    "games",
    "deals",
    "complete",
    "cut_off",
    "tricks",
    "card_samples",
    "trump_samples",
    "passes",
    "passed_deals",
    "jass_kit_rule",
)


class Counts:
    """Counts deals as they come by."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()
        self._modes: Counter[str] = Counter()
        self._games = np.zeros(0, np.int64)
        self.dropped: Counter[str] = Counter()

    def add(self, deals: Deals) -> None:
        """Count deals."""
        if not len(deals):
            return
        self.see_games(deals)
        trump = TrumpSamples(deals)
        said = trump.batch(np.arange(len(trump)))[2]
        whole = (deals.views == ALL_SEATS) & (deals.first == 0)
        self._numbers.update(
            deals=len(deals),
            complete=int((deals.played == N_CARDS).sum()),
            cut_off=int(((deals.played < N_CARDS) & whole).sum()),
            tricks=int((deals.played[deals.first == 0] // 4).sum()),
            card_samples=len(card_places(deals)[0]),
            trump_samples=len(trump),
            passes=int((said == N_MODES).sum()),
            passed_deals=int(deals.passed.sum()),
            jass_kit_rule=int(deals.rule.sum()),
        )
        found = np.bincount(deals.mode[deals.mode >= 0], minlength=N_MODES)
        self._modes.update({MODES[mode]: int(found[mode]) for mode in range(N_MODES)})

    def drop(self, reason: str) -> None:
        """Count a deal, or a line, that cannot be used."""
        self.dropped[reason] += 1

    def told(self) -> dict[str, Any]:
        """Return all counts as plain values."""
        numbers: dict[str, Any] = {name: self._numbers[name] for name in _NAMES}
        numbers["games"] = len(self._games)
        numbers["share_passed"] = numbers["passed_deals"] / numbers["deals"] if numbers["deals"] else 0.0
        numbers["modes"] = {mode: self._modes[mode] for mode in MODES[:N_MODES]}
        numbers["dropped"] = dict(sorted(self.dropped.items()))
        return numbers

    def see_games(self, deals: Deals) -> None:
        """Remember the games that deals are of, and nothing else."""
        self._games = np.union1d(self._games, deals.game)

    def saved(self) -> dict[str, Any]:
        """Return everything but the games, to go on with later."""
        return {
            "numbers": dict(self._numbers),
            "modes": dict(self._modes),
            "dropped": dict(self.dropped),
        }

    @classmethod
    def restored(cls, saved: dict[str, Any]) -> "Counts":
        """Return counts that ``saved`` kept.

        Raises:
            ValueError: they are something else.
        """
        if not fits(saved, dict[str, dict[str, int]]):
            raise ValueError("its counts are something else")
        counts = cls()
        counts._numbers.update(saved["numbers"])
        counts._modes.update(saved["modes"])
        counts.dropped.update(saved["dropped"])
        return counts

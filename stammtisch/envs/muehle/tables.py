"""Tables of Mühle and its relatives: every sector of the moving phase up to a number of men; small boards altogether.

The large boards have tables of positions in which all men are placed. The boards of three and six men have the placing
as well: layer ``n`` holds the positions with ``n`` men in the hands of both sides.
"""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import OwnRules, own
from stammtisch.envs.core.tables import SUFFIX, Part, TableSet, Tell
from stammtisch.envs.muehle.points import renamings
from stammtisch.errors import BadFile

Codes = NDArray[np.uint8]
REMOVAL = "open-men-first"  # who may be removed: men outside of mills, any if there are none
_MOST_POINTS_SOLVED = 16  # boards that are solved altogether
_PIECES = 64  # of a sector, for threads to share
_LEAST_PIECE = 1 << 12
_PLACING = "placing-"
_NOTHING = np.zeros(1, np.uint8)
_ENDGAME_MEN = 11  # of both sides: what two cores build in ten minutes


class Sector(NamedTuple):
    """A kind of positions.

    Attributes:
        hands: men in both hands.
        own: men on the board of the side to move.
        other: men on the board of the other side.
    """

    hands: int
    own: int
    other: int

    def __str__(self) -> str:
        return f"{self.own}-{self.other}"


class MuehleTables(TableSet):
    """Codes of positions, one byte each; ``retrograde`` tells what they mean."""

    DEFAULT_SIZE = _ENDGAME_MEN
    SIZE_MEANS = "men of both sides together"

    def __init__(self, game: Game, folder: Any = None):
        self.rules: OwnRules = own(game.rules)
        super().__init__(game, folder)
        self.index_kernels = loader.load("stammtisch.envs.muehle.kernels.index", game.id, RULES=game.rules)
        self.kernels = loader.load(
            "stammtisch.envs.muehle.kernels.retrograde", game.id, RULES=game.rules, INDEX=self.index_kernels
        )
        self.is_complete = self.rules.POINTS <= _MOST_POINTS_SOLVED
        self._opened: dict[Sector, Codes] = {}

    @property
    def name(self) -> str:
        removal = "" if self.rules.LINE_WINS else f".remove-{REMOVAL}"
        return f"{self.game.id}.{'flying' if self.rules.FLYING else 'no-flying'}{removal}"

    # What there is

    def parts(self, size: int = 0) -> list[Part]:
        rules = self.rules
        if self.is_complete:
            size = 2 * rules.MEN
        least = rules.MEN if rules.LINE_WINS else rules.MEN_TO_FLY
        if 0 < size < 2 * least:
            raise ValueError(f"tables of {self.game.id} begin with {2 * least} men of both sides together, not {size}")
        most = min(size or self.DEFAULT_SIZE, 2 * rules.MEN)
        found = []
        for total in range(2 * least, most + 1):
            for b in range(total // 2, least - 1, -1):
                w = total - b
                if w <= rules.MEN:
                    sectors = sorted({Sector(0, w, b), Sector(0, b, w)}, reverse=True)
                    files = tuple(f"{sector}{SUFFIX}" for sector in sectors)
                    found.append(Part(str(sectors[0]), files, sum(map(self.entries, sectors))))
        if self.is_complete:
            for hands in range(1, 2 * rules.MEN + 1):
                entries = sum(map(self.entries, self.layer(hands)))
                found.append(Part(f"{_PLACING}{hands}", (f"{_PLACING}{hands}{SUFFIX}",), entries))
        return found

    def all_parts(self) -> list[Part]:
        return self.parts(2 * self.rules.MEN)

    def needed_for(self, part: Part) -> list[Part]:
        parts = self.all_parts()
        if part.name.startswith(_PLACING):
            return parts[: parts.index(part) + 1]
        w, b = _men(part)
        moving = [each for each in parts if not each.name.startswith(_PLACING)]
        return [each for each in moving if _men(each)[0] <= w and _men(each)[1] <= b]

    def entries(self, sector: Sector) -> int:
        """Return how many numbers a sector has."""
        index = self.index(sector.own)
        classes = int(index.first[sector.own + 1] - index.first[sector.own])
        return classes * int(index.choose[self.rules.POINTS - sector.own, sector.other])

    def index(self, most: int) -> Any:
        """Return the index of sectors with up to so many men a side."""
        return _index(self.index_kernels, self.rules.RINGS, self.rules.POINTS, most)

    def layer(self, hands: int) -> list[Sector]:
        """Return the sectors in which so many men are in both hands; as sides alternate, it is clear in whose."""
        rules = self.rules
        mine, theirs = hands_of(hands)
        return [
            Sector(hands, w, b)
            for w in range(rules.MEN - mine + 1)
            for b in range(rules.MEN - theirs + 1)
            if self._has_sector(Sector(hands, w, b))
        ]

    def _has_sector(self, sector: Sector) -> bool:
        rules = self.rules
        mine, theirs = hands_of(sector.hands)
        both = sector.own + mine, sector.other + theirs
        if rules.LINE_WINS:
            return bool(both == (rules.MEN, rules.MEN))
        return bool(min(both) > rules.MEN_TO_LOSE and max(both) <= rules.MEN)

    # Reading

    def codes(self, sector: Sector) -> Codes | None:
        """Return the codes of a sector, mapped from its file; None if there is none.

        Raises:
            BadFile: the file is damaged.
        """
        if sector not in self._opened:
            if not self._has_sector(sector):
                return None
            file = f"{_PLACING}{sector.hands}{SUFFIX}" if sector.hands else f"{sector}{SUFFIX}"
            if not (self.folder / file).is_file():
                return None
            self._open_sectors(sector, file)
        return self._opened[sector]

    def _open_sectors(self, sector: Sector, file: str) -> None:
        table = self.open(file)
        at = 0
        for each in self.layer(sector.hands) if sector.hands else [sector]:
            n = self.entries(each)
            self._opened[each] = table.entries[at : at + n]
            at += n
        if at != len(table.entries) or table.entries.dtype != np.uint8:
            self._opened.clear()
            raise BadFile(f'cannot read table "{table.path}": it has not as many entries as there are positions')

    def for_searches(self) -> tuple[Any, Any, Any]:
        if self.is_complete:
            for part in self.parts():
                self.build(part)
        rules = self.rules
        layers = 2 * rules.MEN + 1 if self.is_complete else 1
        found = {}
        for hands in range(layers):
            for w in range(rules.MEN + 1):
                for b in range(rules.MEN + 1):
                    codes = self.codes(Sector(hands, w, b))
                    if codes is not None:
                        found[hands, w, b] = codes.ctypes.data
        if not found:
            raise ValueError(
                f"no tables of {self.name} in {self.folder.parent}; stammtisch tables build {self.game.id}"
            )
        most = max(max(w, b) for _, w, b in found)
        places = np.zeros((layers, most + 1, most + 1), np.int64)
        for sector, place in found.items():
            places[sector] = place
        kernels = loader.load(
            "stammtisch.envs.muehle.kernels.probe", self.game.id, RULES=self.game.rules, INDEX=self.index_kernels
        )
        index = self.index(most)
        return kernels, kernels.Opened(index, places), kernels.Opened(index, np.zeros_like(places))

    # Building

    def make(self, part: Part, threads: int, tell: Tell) -> dict[str, tuple[NDArray[Any], dict[str, Any]]]:
        with ThreadPoolExecutor(threads) as pool:
            if part.name.startswith(_PLACING):
                return self._make_layer(part, pool, tell)
            w, b = _men(part)
            sectors = self._solve(w, b, pool, tell)
        return {f"{sector}{SUFFIX}": (codes, _facts(codes)) for sector, codes in sectors.items()}

    def _solve(self, w: int, b: int, pool: ThreadPoolExecutor, tell: Tell) -> dict[Sector, Codes]:
        """Work out the sectors w-b and b-w, which lead to each other."""
        kernels, index = self.kernels, self.index(max(w, b))
        sectors = sorted({Sector(0, w, b), Sector(0, b, w)}, reverse=True)
        codes = {sector: np.zeros(self.entries(sector), np.uint8) for sector in sectors}
        promises = {sector: np.zeros_like(codes[sector]) for sector in sectors}
        top = 0
        tell(f"{w}-{b}: captures")
        for sector in sectors:
            arguments = (codes[sector], promises[sector], self._captures(sector))
            top = max(top, *self._spread(pool, kernels.begin, sector, index, sector.own, sector.other, *arguments))
        code = 0
        while code < top:
            code += 1
            tell(f"{w}-{b}: {code - 1} turns from the end")
            for sector in sectors if code % 2 == 0 else ():
                self._spread(pool, kernels.keep_promises, sector, code, codes[sector], promises[sector])
            for sector in sectors:
                before = Sector(0, sector.other, sector.own)
                around = (codes[sector], codes[before], promises[before], self._captures(before))
                men = sector.own, sector.other
                top = max(top, *self._spread(pool, kernels.step_back, sector, index, code, *men, *around))
            if top > kernels.MOST_CODE:
                raise ValueError(f"{w}-{b} of {self.name} has wins too long for one byte: {top - 1} turns")
        return codes

    def _captures(self, sector: Sector) -> Codes:
        """Return the codes of where a capture leads to, or nothing if that is the end."""
        if self.rules.LINE_WINS or sector.other - 1 <= self.rules.MEN_TO_LOSE:
            return _NOTHING
        return self._needed(Sector(0, sector.other - 1, sector.own))

    def _needed(self, sector: Sector) -> Codes:
        codes = self.codes(sector)
        if codes is None:
            raise ValueError(f"{self.name} lacks the sector {sector}, which others need; build it first")
        return codes

    def _make_layer(
        self, part: Part, pool: ThreadPoolExecutor, tell: Tell
    ) -> dict[str, tuple[NDArray[Any], dict[str, Any]]]:
        sectors = self.layer(int(part.name.removeprefix(_PLACING)))
        tell(part.name)
        codes = {sector: np.zeros(self.entries(sector), np.uint8) for sector in sectors}
        for sector in sectors:
            self._place(pool, sector, codes[sector], checks=False)
        whole = np.concatenate(list(codes.values()))
        return {part.files[0]: (whole, _facts(whole))}

    def _place(self, pool: ThreadPoolExecutor, sector: Sector, codes: Codes, checks: bool) -> list[int]:
        hand = hands_of(sector.hands)[1]
        after = Sector(sector.hands - 1, sector.other, sector.own + 1)
        removed = after._replace(own=after.own - 1)
        lower = self._needed(removed) if self._has_sector(removed) and removed.own >= 0 else _NOTHING
        index = self.index(self.rules.MEN)
        return self._spread(
            pool,
            self.kernels.place,
            sector,
            index,
            sector.own,
            sector.other,
            hand,
            codes,
            self._needed(after),
            lower,
            checks,
        )

    def _spread(
        self, pool: ThreadPoolExecutor, kernel: Callable[..., Any], sector: Sector, *arguments: Any
    ) -> list[int]:
        """Call a kernel on pieces of a sector from several threads; return what each call does."""
        n = self.entries(sector)
        pieces = max(1, min(_PIECES, n // _LEAST_PIECE))
        bounds = [n * i // pieces for i in range(pieces + 1)]
        return [
            0 if found is None else int(found)
            for found in pool.map(lambda lo, hi: kernel(*arguments, lo, hi), bounds[:-1], bounds[1:])
        ]

    # Checking

    def find_fault(self, part: Part, threads: int, tell: Tell) -> str | None:
        with ThreadPoolExecutor(threads) as pool:
            if part.name.startswith(_PLACING):
                sectors = self.layer(int(part.name.removeprefix(_PLACING)))
            else:
                sectors = [Sector(0, *map(int, file.removesuffix(SUFFIX).split("-"))) for file in part.files]
            for sector in sectors:
                tell(f"checking {part.name}")
                codes = self._needed(sector)
                if sector.hands:
                    found = self._place(pool, sector, codes, checks=True)
                else:
                    others = self._needed(Sector(0, sector.other, sector.own))
                    arguments = (sector.own, sector.other, codes, others, self._captures(sector))
                    index = self.index(max(sector.own, sector.other))
                    found = self._spread(pool, self.kernels.check, sector, index, *arguments)
                if wrong := [number for number in found if number >= 0]:
                    return f"position {wrong[0]} of {sector} is not worth what its best move leads to"
        return None


def tables(game: Game, folder: Any = None) -> MuehleTables:
    """Return the tables of a game."""
    return MuehleTables(game, folder)


def _facts(codes: Codes) -> dict[str, Any]:
    """Count what a header tells."""
    counts = np.bincount(codes, minlength=256)
    known = np.flatnonzero(counts[:255])
    return {
        "positions": int(counts[:255].sum()),
        "won": int(counts[2:255:2].sum()),
        "drawn": int(counts[0]),
        "lost": int(counts[1:255:2].sum()),
        "longest": int(known[-1] - 1) if len(known) and known[-1] else 0,
    }


def _men(part: Part) -> tuple[int, int]:
    """Return the men of the stronger and of the weaker side."""
    w, b = map(int, part.name.split("-"))
    return w, b


def hands_of(total: int) -> tuple[int, int]:
    """Return how many men are in the hand of the side to move and of the other, if sides have placed in turn."""
    return (total + 1) // 2, total // 2


@functools.lru_cache(maxsize=16)
def _index(kernels: Any, rings: int, points: int, most: int) -> Any:
    return kernels.new_index(renamings(rings, points), most)

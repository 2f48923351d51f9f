"""Tables of EinStein with three stones for two players: every position, with perfect play and against ``random``."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.tables import SUFFIX, Part, TableSet, Tell

PERFECT, ANSWER = "perfect", "against-random"
MINE, THEIRS = f"{ANSWER}-to-move{SUFFIX}", f"{ANSWER}-waiting{SUFFIX}"
ERROR = 2.0**-24  # of a value, by keeping it in four bytes
_STONES = 3
_PIECES = 16  # of a level, for threads to share
_LEAST_PIECE = 1 << 12
_TOLERANCE = 1e-6


class EinSteinTables(TableSet):
    """Expected returns of the player to move, before the roll."""

    def __init__(self, game: Game, folder: Any = None):
        rules = own(game.rules)
        if rules.N_PLAYERS != 2 or rules.PIECES != _STONES:
            raise ValueError(f"{game.id} is not solved: einstein-3x3 and einstein-4x4 are")
        super().__init__(game, folder)
        self.kernels = loader.load("stammtisch.envs.einstein.kernels.perfect", game.id, RULES=game.rules)

    @property
    def name(self) -> str:
        return self.game.id  # with three stones no option changes what a position is worth

    def parts(self, size: int = 0) -> list[Part]:
        n = self.kernels.ENTRIES
        return [Part(PERFECT, (f"{PERFECT}{SUFFIX}",), n), Part(ANSWER, (MINE, THEIRS), 2 * n)]

    def make(self, part: Part, threads: int, tell: Tell) -> dict[str, tuple[NDArray[Any], dict[str, Any]]]:
        kernels = self.kernels
        n = kernels.ENTRIES
        ways = np.empty(n, np.uint8)
        files: dict[str, NDArray[np.float64]] = {file: np.empty(n) for file in part.files}
        with ThreadPoolExecutor(threads) as pool:
            tell(f"{part.name}: sorting {n} positions")
            self._spread(pool, kernels.measure, ways, bounds=(0, n))
            order = np.argsort(ways, kind="stable").astype(np.int32)
            ends = np.cumsum(np.bincount(ways))
            for way, hi in enumerate(ends):
                tell(f"{part.name}: {way} of {len(ends) - 1} steps to go")
                lo = int(ends[way - 1]) if way else 0
                for kind, values, next_values in self._passes(part, files):
                    self._spread(pool, kernels.fill, order, kind, values, next_values, bounds=(lo, int(hi)))
        facts = {"positions": n, "error": ERROR}
        return {file: (values.astype(np.float32), facts) for file, values in files.items()}

    def _passes(self, part: Part, files: dict[str, Any]) -> list[tuple[int, Any, Any]]:
        """Return what is filled from what."""
        kernels = self.kernels
        if part.name == PERFECT:
            (values,) = files.values()
            return [(kernels.PERFECT, values, values)]
        return [(kernels.BEST, files[MINE], files[THEIRS]), (kernels.RANDOM, files[THEIRS], files[MINE])]

    def find_fault(self, part: Part, threads: int, tell: Tell) -> str | None:
        files = {file: self.open(file).entries for file in part.files}
        with ThreadPoolExecutor(threads) as pool:
            for kind, values, next_values in self._passes(part, files):
                tell(f"checking {part.name}")
                found = self._spread(pool, self.kernels.compare, kind, values, next_values, bounds=(0, len(values)))
                if max(found) > _TOLERANCE:
                    return f"a value of {part.name} differs from that of its moves by {max(found):.2g}"
        return None

    def _spread(self, pool: ThreadPoolExecutor, kernel: Any, *arguments: Any, bounds: tuple[int, int]) -> list[Any]:
        """Call a kernel on pieces of a range from several threads."""
        lo, hi = bounds
        pieces = max(1, min(_PIECES, (hi - lo) // _LEAST_PIECE))
        cuts = [lo + (hi - lo) * i // pieces for i in range(pieces + 1)]
        return list(pool.map(lambda a, b: kernel(*arguments, a, b), cuts[:-1], cuts[1:]))


def tables(game: Game, folder: Any = None) -> EinSteinTables:
    """Return the tables of a game."""
    return EinSteinTables(game, folder)

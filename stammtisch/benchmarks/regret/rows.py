"""Judged decisions, and the SQLite file that keeps them."""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from stammtisch.arena.database import Database
from stammtisch.arena.store import versions
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.envs.core.game import GameInfo
from stammtisch.files.documents import fits

EQUAL = 1e-9  # values that differ by less are the same


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """One decision of the agent that the oracle knew.

    Attributes:
        number: of the game.
        ply: moves before it, from the start of the measurement on.
        seat: who decided.
        stage: the part of the game.
        action: what was played.
        best_action: the first of the best actions.
        best: value of the position for the seat.
        chosen: value after what was played.
        legal: number of legal actions, at least two.
        known: with hidden cards, the loss that the player could have known of: that against the best action in the mean
            over sampled deals; else the whole loss.
        hidden: with hidden cards, what not seeing them costs in the mean over these deals; else 0.
        position: the record of the position.
    """

    number: int
    ply: int
    seat: int
    stage: str
    action: int
    best_action: int
    best: float
    chosen: float
    legal: int
    known: float
    hidden: float
    position: str

    @property
    def loss(self) -> float:
        """Value that was lost, never negative."""
        return self.best - self.chosen if self.best - self.chosen > EQUAL else 0.0

    @property
    def throws_win(self) -> bool:
        """Whether a won position, or one in which the seat was the favourite, was thrown away."""
        return self.best > EQUAL and self.chosen <= EQUAL

    @property
    def loses_draw(self) -> bool:
        """Whether a drawn position was lost."""
        return abs(self.best) <= EQUAL and self.chosen < -EQUAL


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """One game.

    Attributes:
        number: of the game.
        group: of games that share start and dice.
        start: record of the position it began at.
        forced: decisions of the agent with one legal action, which are not judged.
        uncovered: decisions that the oracle did not know.
        decisions: the others.
    """

    number: int
    group: int
    start: str
    forced: int
    uncovered: int
    decisions: tuple[JudgedMove, ...]


_COLUMNS = [column.name for column in fields(JudgedMove)]
_KINDS = [column.type for column in fields(JudgedMove)]
_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE measurements (id INTEGER PRIMARY KEY, plan TEXT NOT NULL UNIQUE, versions TEXT NOT NULL);
CREATE TABLE games (
    measurement INTEGER NOT NULL REFERENCES measurements, number INTEGER NOT NULL, grp INTEGER NOT NULL,
    start TEXT NOT NULL, forced INTEGER NOT NULL, uncovered INTEGER NOT NULL, PRIMARY KEY (measurement, number)
) WITHOUT ROWID;
CREATE TABLE decisions (
    measurement INTEGER NOT NULL REFERENCES measurements, number INTEGER NOT NULL, ply INTEGER NOT NULL,
    seat INTEGER NOT NULL, stage TEXT NOT NULL, action INTEGER NOT NULL, best_action INTEGER NOT NULL,
    best REAL NOT NULL, chosen REAL NOT NULL, legal INTEGER NOT NULL, known REAL NOT NULL, hidden REAL NOT NULL,
    position TEXT NOT NULL, PRIMARY KEY (measurement, number, ply)
) WITHOUT ROWID;
"""


class RegretStore(Database):
    """A file of judged decisions; games that it holds are not played again."""

    NOUN = "file of judged decisions"
    HOLDS = "judged decisions"
    FORMAT = 1
    TABLES = frozenset({"about", "measurements", "games", "decisions"})
    SCHEMA = _SCHEMA

    def add(self, plan: RegretPlan, games: Sequence[JudgedGame]) -> None:
        """Store finished games of a measurement, all or none."""
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO measurements (plan, versions) VALUES (?, ?)",
                (plan.key(), json.dumps(versions())),
            )
            number = self._db.execute("SELECT id FROM measurements WHERE plan=?", (plan.key(),)).fetchone()[0]
            self._db.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)",
                [(number, game.number, game.group, game.start, game.forced, game.uncovered) for game in games],
            )
            marks = ", ".join("?" * (1 + len(_COLUMNS)))
            self._db.executemany(
                f"INSERT INTO decisions VALUES ({marks})",
                [(number, *astuple(decision)) for game in games for decision in game.decisions],
            )

    def games_of(self, plan: RegretPlan) -> list[JudgedGame]:
        """Return the stored games of a measurement with numbers below the plan's number of games."""
        with self._reading():
            which = "measurement = (SELECT id FROM measurements WHERE plan=?) AND number<? ORDER BY number"
            wanted, info = (plan.key(), plan.games), plan.loaded().info
            by_game: dict[int, list[JudgedMove]] = {}
            for row in self._db.execute(f"SELECT {', '.join(_COLUMNS)} FROM decisions WHERE {which}, ply", wanted):
                decision = JudgedMove(*row)
                if not all(fits(value, kind) for value, kind in zip(row, _KINDS, strict=True)):
                    raise ValueError(f"a decision of game {decision.number!r} is none")
                _check(info, decision)
                by_game.setdefault(decision.number, []).append(decision)
            games = self._db.execute(f"SELECT number, grp, start, forced, uncovered FROM games WHERE {which}", wanted)
            found = []
            for row in games:
                if not all(fits(value, kind) for value, kind in zip(row, (int, int, str, int, int), strict=True)):
                    raise ValueError(f"game {row[0]!r} is none")
                number, group, start, forced, uncovered = row
                decisions = tuple(by_game.pop(number, ()))
                found.append(JudgedGame(number, group, start, forced, uncovered, decisions))
            if by_game:
                raise ValueError(f"there are decisions of game {min(by_game)}, but not the game")
            return found


def _check(info: GameInfo, decision: JudgedMove) -> None:
    """Refuse a decision that cannot be one of the game."""
    actions = decision.action, decision.best_action
    if not 0 <= decision.seat < info.num_players or not all(0 <= each < info.num_actions for each in actions):
        raise ValueError(f"a decision of game {decision.number} is of no seat, or no action, that there is")

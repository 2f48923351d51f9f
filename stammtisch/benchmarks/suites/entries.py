"""What a suite file may hold: one record per kind of entry."""

import itertools
from dataclasses import MISSING, dataclass
from typing import Any

from stammtisch.arena.outcomes import PRINTED
from stammtisch.benchmarks.regret.plan import MOST_MOVES, RegretPlan
from stammtisch.envs.core.options import BaseSettings, option

SEED = "{seed}"
TABLES = "{tables}"
MODELS = "{models}"  # in commands of trainings: where earlier ones have left their results
DATA_COMMAND = "jass-data"  # the one thing beside trainings that makes what players need
_MEASURES = ("score", "return", "first")
_KINDS = ("round-robin", "gauntlet")
_SIZES = ("positions", "weights")


@dataclass(frozen=True, kw_only=True)
class Entry(BaseSettings):
    """What all entries share."""

    NOUN = "key"

    part: str = option("", "name of the part of the suite that it belongs to")
    at: dict[str, dict[str, Any]] = option({}, "other keys by scale, such as { quick = { games = 40 } }")


@dataclass(frozen=True)
class SuitePart(BaseSettings):
    """A part of a suite, which can be run alone."""

    NOUN = "key"

    name: str = option(MISSING, "what it is called")
    about: str = option("", "what it reproduces or asks")
    minutes: dict[str, float] = option({}, "about how long it takes by scale, on two cores with two workers", minimum=0)


@dataclass(frozen=True)
class TournamentEntry(Entry):
    """Several agents rated together on one game."""

    game: str = option(MISSING, "id of the game")
    agents: tuple[str, ...] = option(MISSING, "two agents or more, as name:key=value,…")
    games: int = option(MISSING, "games per pair", minimum=1)
    opening: int = option(0, "first moves of each pair of games drawn at random", minimum=0)
    kind: str = option("round-robin", "who meets whom; in a gauntlet the first agent each other one", _KINDS)
    anchor: str | None = option(None, "the agent whose rating is 0")
    options: dict[str, Any] = option({}, "options of the game")

    def pairs(self) -> list[tuple[str, str]]:
        """Return who meets whom."""
        if self.kind == "gauntlet":
            return [(self.agents[0], other) for other in self.agents[1:]]
        return list(itertools.combinations(self.agents, 2))


@dataclass(frozen=True)
class Comparison(Entry):
    """One match, or one per seed of the training before it, beside a printed figure."""

    game: str = option(MISSING, "id of the game")
    agents: tuple[str, ...] = option(MISSING, "two agents, or one per seat, as name:key=value,…")
    games: int = option(MISSING, "games of each match", minimum=1)
    name: str = option("", "title of the row; by default who plays")
    seeds: int = option(1, "matches with games of their own, {seed} in agents from 0 on", minimum=1)
    paper: float | None = option(None, "the printed figure")
    printed: str = option("score", "what it is: a score, or the difference of wins and losses per game", PRINTED)
    paper_games: int = option(0, "games behind the printed figure; 0 where that is not known", minimum=0)
    note: str = option("", "a sentence on how ours differs")
    measure: str = option(
        "score",
        "what is compared: the score or mean utility (return) of the first agent, or the score of who begins (first)",
        _MEASURES,
    )
    opening: int = option(0, "first moves of each pair of games drawn at random", minimum=0)
    build: int = option(0, "build endgame tables of this size first, into the folder {tables} of agents", minimum=0)
    options: dict[str, Any] = option({}, "options of the game")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            object.__setattr__(self, "name", " against ".join(self.agents[:2]))


@dataclass(frozen=True)
class TrainingEntry(Entry):
    """A command that makes what agents need, once per seed."""

    out: str = option(MISSING, "file or folder among the results, to be named by agents; {seed} stands for the seed")
    command: str = option(
        MISSING, 'the command, "train …" or "jass-data …", without --out and --seed; {models} stands for the folder'
    )
    seeds: int = option(1, "trainings, with seeds from 0 on", minimum=1)

    def outs(self) -> list[str]:
        """Return the name of the result for each seed."""
        return [self.out.replace(SEED, str(seed)) for seed in range(self.seeds)]


@dataclass(frozen=True)
class StudyEntry(Entry):
    """Settings of n-tuple training compared on one game: a ready-made study, or settings and their values."""

    game: str = option(MISSING, "id of the game")
    episodes: int = option(MISSING, "games of self-play per training", minimum=1)
    name: str = option("", "title of the table")
    study: str | None = option(None, "a ready-made study, such as replay or tuples")
    vary: dict[str, list[Any]] = option({}, "settings and the values to try")
    grid: bool = option(False, "all combinations instead of one setting after another")
    paper: dict[str, float] = option({}, "printed figures by setting")
    printed: str = option("score", "what they are: scores, or differences of wins and losses per game", PRINTED)
    note: str = option("", "a sentence on how ours differ")
    seeds: int = option(5, "trainings per setting", minimum=1)
    opponent: str = option("random", "whom the players are measured against")
    also: tuple[str, ...] = option((), "further opponents, whose curves are drawn too")
    points: int = option(5, "measurements per training", minimum=1)
    games: int = option(1000, "games per measurement", minimum=1)
    plies: int = option(0, "plies of search in these games", minimum=0, maximum=3)
    parameters: dict[str, Any] = option({}, "settings that all trainings have in common")
    options: dict[str, Any] = option({}, "options of the game")


@dataclass(frozen=True)
class GridEntry(Entry):
    """Options of an agent compared on one game, as `stammtisch tune AGENT GAME` does."""

    game: str = option(MISSING, "id of the game")
    agent: str = option(MISSING, "the agent, with the options that all settings have in common")
    vary: dict[str, list[Any]] = option(MISSING, "options and the values to try")
    name: str = option("", "title of the table")
    grid: bool = option(True, "all combinations instead of one option after another")
    opponent: str = option("random", "whom the settings are measured against")
    games: int = option(100, "games per measurement", minimum=1)
    seeds: int = option(10, "measurements per setting", minimum=1)
    opening: int = option(0, "first moves of each pair of games drawn at random", minimum=0)
    race: bool = option(False, "give up settings early that the best one beats")
    paper: dict[str, float] = option({}, "printed figures by setting")
    printed: str = option("score", "what they are: scores, or differences of wins and losses per game", PRINTED)
    note: str = option("", "a sentence on how ours differ")
    options: dict[str, Any] = option({}, "options of the game")


@dataclass(frozen=True)
class SizeEntry(Entry):
    """A number that is computed: an upper bound of positions, or the weights of a network."""

    game: str = option(MISSING, "id of the game")
    kind: str = option(MISSING, "what is counted", _SIZES)
    name: str = option("", "title of the row; by default game and kind")
    parameters: dict[str, Any] = option({}, "of a network: what it looks at")
    paper: float | None = option(None, "the printed number")
    note: str = option("", "a sentence on how ours differs")
    options: dict[str, Any] = option({}, "options of the game")


@dataclass(frozen=True)
class RegretEntry(Entry):
    """What several agents lose against perfect play, from the same starts."""

    game: str = option(MISSING, "id of the game, which must have an oracle")
    agents: tuple[str, ...] = option(MISSING, "one agent or more, as name:key=value,…")
    games: int = option(MISSING, "games per agent", minimum=1)
    name: str = option("", "title of the table; by default the game")
    opponent: str = option("", "who sits opposite; by default the reference bot, else random")
    reach: int = option(0, "how far from the end the oracle looks: empty cells, tricks; 0 for what is quick", minimum=0)
    worlds: int = option(-1, "deals per decision with hidden cards; -1 for the default", minimum=-1)
    moves: int = option(MOST_MOVES, "most moves of a game from its start on", minimum=1)
    tables: str = option("", "folder of endgame tables; by default the user's", names="folder")
    build: int = option(
        0, "begin in tables of up to this size (men of both sides), built where they are missing", minimum=0
    )
    options: dict[str, Any] = option({}, "options of the game")

    def plan(self, agent: str, seed: int) -> RegretPlan:
        """Return the measurement of one agent."""
        kept = {name: getattr(self, name) for name in ("opponent", "games", "reach", "worlds", "moves", "tables")}
        return RegretPlan(self.game, agent, seed=seed, options=self.options, size=self.build, **kept)

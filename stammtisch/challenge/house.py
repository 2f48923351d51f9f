"""``House``: what all sessions of one server share: the rules, the limits, where results go, who makes bots."""

import itertools
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from stammtisch.arena.plan import MatchPlan
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.dealing import dealer
from stammtisch.challenge.guest import Clock, Guest
from stammtisch.challenge.journal import Journal
from stammtisch.challenge.results import Results
from stammtisch.challenge.table import Table
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.text import printable

_ADJECTIVES = ("brave", "cheerful", "clever", "gentle", "happy", "hungry", "merry", "quiet", "sleepy", "sunny")
_NOUNS = ("Banner", "Bock", "Buur", "Eichel", "Nell", "Ober", "Rose", "Schelle", "Schilte", "Under")


@dataclass(frozen=True)
class Settings:
    """How a server plays.

    Attributes:
        games: games per pair in a tournament.
        target: points that end a game.
        multipliers: whether clubs and spades count double and modes without trumps threefold.
        limit_s: seconds for each decision in tournaments.
        patience_s: seconds for each decision in single games, and to give name and session; 0 waits for ever.
        seed: decides the cards; None takes them from the operating system.
        most_guests: connections at a time.
        log: folder for a file per game.
    """

    games: int = 1
    target: int = 2500
    multipliers: bool = False
    limit_s: float = 0.5
    patience_s: float = 120.0
    seed: int | None = None
    most_guests: int = 1000
    log: pathlib.Path | None = None

    def new_game(self) -> Game:
        """Return the game with these rules."""
        return load_game("jass-schieber-2500", match_by="points", target=self.target, multipliers=self.multipliers)


@dataclass
class House:
    """Makes tables, deals cards and files results.

    Attributes:
        settings: how the server plays.
        clock: the event loop, or a stand-in.
        results: where finished games go.
        make_bot: makes a guest that plays by itself, given the registry's name of a bot.
        bots: what the registry offers, the first one for JOIN_BOT.
        tell: called with a line about what happens.
        clerk: writes what is kept.
    """

    settings: Settings
    clock: Clock
    results: Results
    make_bot: Callable[[str], Guest]
    bots: tuple[str, ...] = ("heuristic",)
    tell: Callable[[str], None] = print
    clerk: Clerk = field(default_factory=Clerk)
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        self.game = self.settings.new_game()
        seed = self.settings.seed
        # The same seed in the same file goes on with other cards.
        self._seeds = np.random.SeedSequence(None if seed is None else [seed, self.results.matches_before])
        self._names = itertools.count()
        self._order = np.random.default_rng(self._seeds.spawn(1)[0])

    def new_name(self) -> str:
        """Return a name for a session or a bot that has none, different every time."""
        adjective, noun = self._order.choice(_ADJECTIVES), self._order.choice(_NOUNS)
        return f"{adjective}_{noun}_{next(self._names)}".lower()

    def say(self, line: str) -> None:
        """Tell whoever runs the server what happens; names of guests may stand in it."""
        with self.clerk.faults.harmless("telling what happens"):
            self.tell(printable(line))

    def new_seeds(self) -> np.random.SeedSequence:
        """Return seeds that nobody else gets."""
        return self._seeds.spawn(1)[0]

    def plan(self, first: str, second: str, seeds: np.random.SeedSequence) -> MatchPlan:
        """Return a match between two names with the cards of these seeds: nobody can know them from another match."""
        seed = int(seeds.generate_state(1, np.uint64)[0] >> np.uint64(1))
        return MatchPlan(self.game.id, (first, second), 1, seed, 0, self.game.changed_options())

    def new_table(
        self, name: str, limit_s: float, ended: Callable[[Table], None], plan: MatchPlan, number: int
    ) -> Table:
        """Return an empty table for a game of a match."""
        journal = Journal(self.settings.log, self.clerk)
        return Table(name, self.game, dealer(self.game, plan, number), self.clock, limit_s, ended, journal)

"""Deals of self-play for the strong learner, and its matches against reference bots: lanes, and networks between them.

Values are differences of points in hundreds; those of lanes are of team 0 until a sample turns them to who decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.jass.family.cards import N_CARDS
from stammtisch.envs.jass.family.sight import CARD_LEN, OPEN_LEN, TRUMP_LEN, TRUMP_OUT

Score = Callable[[NDArray[np.int8]], NDArray[np.float32]]  # what a network says to many sights
# Told rows, frames and legal cards of decisions, says the values of cards, and legal cards where it was asked.
Expert = Callable[
    [NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], np.random.Generator],
    tuple[NDArray[np.float32], NDArray[np.bool_]],
]
N_MODES = TRUMP_OUT - 1
_CARDS = np.arange(N_CARDS)
_NEVER = np.float32(-1e9)


@dataclass(frozen=True)
class Players:
    """What chooses cards and modes, and the critic."""

    card: Score
    trump: Score
    critic: Score


@dataclass(frozen=True)
class Softness:
    """How choices are drawn: temperatures in the unit of the networks, and shares drawn at random."""

    card: float
    mode: float
    epsilon: float
    mode_epsilon: float


@dataclass(frozen=True)
class Decisions:
    """What a round of deals teaches.

    Attributes:
        sights: int8[n, CARD_LEN], what the player saw.
        legal: bool[n, 36], legal cards, in its frame.
        values: float32[n, 36], what each is worth to its team by the critic, less the mean of the legal ones.
        opens: int8[n, OPEN_LEN], what the critic saw.
        returns: float32[n], what it should have said.
        trumps: int8[m, 2, TRUMP_LEN], what forehand and its partner saw before the choice.
        modes: float32[m, 2, 7], what each choice was worth by the critic; the partner cannot pass.
    """

    sights: NDArray[np.int8]
    legal: NDArray[np.bool_]
    values: NDArray[np.float32]
    opens: NDArray[np.int8]
    returns: NDArray[np.float32]
    trumps: NDArray[np.int8]
    modes: NDArray[np.float32]


class DealTable:
    """Lanes of deals.

    Args:
        game: Schieber, single deals.
        lanes: how many.
        bot: reference bot for seats that are not the learner's.
    """

    def __init__(self, game: Game, lanes: int, bot: str = "heuristic"):
        self.n = n = lanes
        self._kernels = loader.load(
            "stammtisch.training.kernels.jass_lanes", game.id, RULES=game.rules, BOT=game.policy_module(bot)
        )
        self.rows = np.zeros((n, game.rules.STATE_LEN), np.int64)
        self.streams = np.zeros((n, 5), np.uint64)
        self._active = np.zeros(n, np.int64)
        self._sights, self._orders = np.zeros((n, CARD_LEN), np.int8), np.zeros((n, 4), np.int64)
        self._legals, self._leads, self._movers = np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64)
        self._trumps, self._frames = np.zeros((n, 2, TRUMP_LEN), np.int8), np.zeros((n, 2, 4), np.int64)
        self._modes, self._opens = np.zeros((n, N_MODES, OPEN_LEN), np.int8), np.zeros((n, OPEN_LEN), np.int8)
        self._after, self._counts = np.zeros((9 * n, OPEN_LEN), np.int8), np.zeros(n, np.int64)
        self._cards, self._gains, self._signs = np.zeros(9 * n, np.int64), np.zeros(9 * n), np.zeros(9 * n)

    def imitate(self, rng: np.random.Generator) -> Decisions:
        """Play a round of deals, all seats by the bot, and return its choices: one for what it chose, else zero."""
        kernels = self._kernels
        self.streams[:] = rng.integers(2**63, size=self.streams.shape, dtype=np.uint64)
        kernels.deal(self.rows, self.streams)
        kernels.look_at_modes(self.rows, self._trumps, self._frames, self._modes)
        trumps, choices = self._trumps.copy(), np.zeros((self.n, 2), np.int64)
        kernels.bot_opinions(self.rows, self.streams, self._frames, choices)
        self._say(choices[:, 0], choices[:, 1])
        modes = np.eye(TRUMP_OUT, dtype=np.float32)[choices]
        kinds = np.zeros((self.n, 4), np.int64)
        cards, steps = np.zeros(self.n, np.int64), []
        while m := self._look(kinds):
            kernels.bot_cards(self.rows, self.streams, self._active, m, self._orders, cards)
            values = np.eye(N_CARDS, dtype=np.float32)[cards[:m]]
            kernels.look_openly(self.rows, self._active, m, self._opens)
            kept = (self._active, self._sights, self._opens, self._leads)
            signs = np.where(self._movers[:m] & 1, -1, 1).astype(np.float32)
            steps.append((*(each[:m].copy() for each in kept), self._legal(m), values, signs))
            self._play(m, cards[:m])
        returns = self._returns([(step[0], step[3], np.zeros(len(step[0])), step[6]) for step in steps], 1.0)
        _, sights, opens, _, legal, values, _ = (np.concatenate(part) for part in zip(*steps, strict=True))
        return Decisions(sights, legal, values, opens, np.concatenate(returns), trumps, modes)

    def learn_from(
        self,
        players: Players,
        how: Softness,
        trace: float,
        rng: np.random.Generator,
        expert: "Expert | None" = None,
    ) -> Decisions:
        """Play a round of deals, all seats by the same networks, and return what they teach.

        With an expert, cards are worth what it says in place of the critic; decisions that it was not asked about have
        no values and are known by having no legal cards.
        """
        kernels, n = self._kernels, self.n
        self.streams[:] = rng.integers(2**63, size=self.streams.shape, dtype=np.uint64)
        kernels.deal(self.rows, self.streams)
        trumps, modes = self._choose_modes(players, how, rng)
        kinds = np.zeros((n, 4), np.int64)
        steps: list[tuple[NDArray[Any], ...]] = []
        while m := self._look(kinds):
            legal = self._legal(m)
            shares = softened(players.card(self._sights[:m]), legal, how.card)
            values = self._values_of_cards(players.critic, m)
            signs = np.where(self._movers[:m] & 1, -1, 1).astype(np.float32)
            own = values * signs[:, None]
            mean = (own * legal).sum(1, keepdims=True) / legal.sum(1, keepdims=True)
            kernels.look_openly(self.rows, self._active, m, self._opens)
            kept = (self._active, self._sights, self._opens, self._leads)
            centred, told = np.where(legal, own - mean, 0).astype(np.float32), legal
            if expert is not None:
                centred, told = expert(self.rows[self._active[:m]], self._orders[:m], legal, rng)
            steps.append(
                (
                    *(each[:m].copy() for each in kept),
                    told,
                    centred,
                    (shares * values).sum(1),
                    signs,
                )
            )
            explores = rng.random((m, 1)) < how.epsilon
            uniform = legal / legal.sum(1, keepdims=True)
            self._play(m, drawn(np.where(explores, uniform, shares), rng))
        returns = self._returns([(step[0], step[3], step[6], step[7]) for step in steps], trace)
        active, sights, opens, _, legal, values, _, _ = (np.concatenate(part) for part in zip(*steps, strict=True))
        del active
        return Decisions(sights, legal, values, opens, np.concatenate(returns), trumps, modes)

    def _choose_modes(
        self, players: Players, how: Softness, rng: np.random.Generator
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """Choose modes for all lanes; return what was seen, and what each choice was worth."""
        n = self.n
        self._kernels.look_at_modes(self.rows, self._trumps, self._frames, self._modes)
        worth = players.critic(self._modes.reshape(n * N_MODES, -1)).reshape(n, N_MODES)
        said = players.trump(self._trumps.reshape(2 * n, -1)).reshape(n, 2, TRUMP_OUT)
        everything, no_pass = np.ones((n, TRUMP_OUT), bool), np.ones((n, N_MODES), bool)
        first = softened(said[:, 0], everything, how.mode)
        second = softened(said[:, 1, :N_MODES], no_pass, how.mode)
        values = np.zeros((n, 2, TRUMP_OUT), np.float32)
        values[:, 0, :N_MODES] = _modes_in_frame(worth, self._frames[:, 0])
        values[:, 1, :N_MODES] = _modes_in_frame(worth, self._frames[:, 1])
        values[:, 0, N_MODES] = (second * values[:, 1, :N_MODES]).sum(1)
        explores = rng.random((n, 1)) < how.mode_epsilon
        choice = drawn(np.where(explores, 1 / TRUMP_OUT, first), rng)
        explores = rng.random((n, 1)) < how.mode_epsilon
        self._say(choice, drawn(np.where(explores, 1 / N_MODES, second), rng))
        return self._trumps.copy(), values

    def _say(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
        """Put what forehand and, where it passes on, its partner choose, named in their frames."""
        passes = first == N_MODES
        own = _mode_named(np.minimum(first, N_MODES - 1), self._frames[:, 0])
        self._kernels.put_modes(self.rows, np.where(passes, _mode_named(second, self._frames[:, 1]), own), passes)

    def _look(self, kinds: NDArray[np.int64]) -> int:
        found: int = self._kernels.look(
            self.rows,
            self.streams,
            kinds,
            self._active,
            self._sights,
            self._orders,
            self._legals,
            self._leads,
            self._movers,
        )
        return found

    def _legal(self, m: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self._legals[:m, None] >> _CARDS & 1).astype(bool)
        return found

    def _play(self, m: int, cards: NDArray[np.int64]) -> None:
        self._kernels.put_cards(self.rows, self._active, m, self._orders, cards)

    def _values_of_cards(self, critic: Score, m: int) -> NDArray[np.float32]:
        """Return what team 0 gets from now on after each legal card, in the frame of who plays it."""
        k = self._kernels.look_ahead(
            self.rows,
            self._active,
            m,
            self._orders,
            self._after,
            self._counts,
            self._cards,
            self._gains,
            self._signs,
        )
        found = np.zeros((m, N_CARDS), np.float32)
        places = np.repeat(np.arange(m), self._counts[:m])
        found[places, self._cards[:k]] = self._gains[:k] + self._signs[:k] * critic(self._after[:k])[:, 0]
        return found

    def _returns(self, steps: list[tuple[NDArray[Any], ...]], trace: float) -> list[NDArray[np.float32]]:
        """Return the lambda-returns of the decisions of all lanes, for who decided."""
        lead = self.results()
        value, future = np.zeros(self.n), np.zeros(self.n)
        found = []
        for active, leads, values, signs in reversed(steps):
            now = lead[active] - leads + (1 - trace) * value[active] + trace * future[active]
            found.append((now * signs).astype(np.float32))
            lead[active], value[active], future[active] = leads, values, now
        return found[::-1]

    def results(self) -> NDArray[np.float64]:
        """Return what team 0 has more than team 1 in every lane, in hundreds of points."""
        leads = np.zeros(self.n)
        self._kernels.results(self.rows, leads)
        return leads

    def match(self, card: Score, trump: Score, seed: int) -> NDArray[np.float64]:
        """Play every deal from both sides against the bot, without chance; return the leads, ``[2, deals]`` points."""
        rng = np.random.default_rng(seed)
        streams = rng.integers(2**63, size=self.streams.shape, dtype=np.uint64)
        found = np.empty((2, self.n))
        for team in range(2):
            self.streams[:] = streams
            self._kernels.deal(self.rows, self.streams)
            kinds = np.ones((self.n, 4), np.int64)
            kinds[:, team::2] = 0
            self._kernels.bot_modes(self.rows, self.streams, kinds)
            self._kernels.look_at_modes(self.rows, self._trumps, self._frames, self._modes)
            said = trump(self._trumps.reshape(2 * self.n, -1)).reshape(self.n, 2, TRUMP_OUT)
            self._say(said[:, 0].argmax(1), said[:, 1, :N_MODES].argmax(1))
            while m := self._look(kinds):
                self._play(m, np.where(self._legal(m), card(self._sights[:m]), _NEVER).argmax(1))
            found[team] = self.results() * (100 - 200 * team)
        return found


def softened(said: NDArray[np.float32], allowed: NDArray[np.bool_], temperature: float) -> NDArray[np.float32]:
    """Return the shares of choices by what a network says of them."""
    scores = np.where(allowed, said / np.float32(temperature), _NEVER)
    shares = np.exp(scores - scores.max(1, keepdims=True))
    found: NDArray[np.float32] = shares / shares.sum(1, keepdims=True)
    return found


def drawn(shares: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one choice per row."""
    sums = shares.cumsum(1)
    found: NDArray[np.int64] = (sums > rng.random((len(shares), 1)) * sums[:, -1:]).argmax(1)
    return found


def _modes_in_frame(worth: NDArray[np.float32], frames: NDArray[np.int64]) -> NDArray[np.float32]:
    return np.concatenate([np.take_along_axis(worth[:, :4], frames, 1), worth[:, 4:]], 1)


def _mode_named(chosen: NDArray[np.int64], frames: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the modes that frames call ``chosen``."""
    colours = np.take_along_axis(frames, np.minimum(chosen, 3)[:, None], 1)[:, 0]
    found: NDArray[np.int64] = np.where(chosen < 4, colours, chosen)
    return found

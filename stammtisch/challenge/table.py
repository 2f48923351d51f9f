"""``Table``: one game of four guests, from sitting down to the winner; free of input and output."""

import uuid
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stammtisch.challenge.dealing import Deal
from stammtisch.challenge.guest import Clock, Debt, Frame, Guest, Timer
from stammtisch.challenge.journal import Journal
from stammtisch.challenge.messages import BadMessage, Message
from stammtisch.challenge.wire import card_from_wire, cards_to_wire, mode_from_wire, mode_to_wire
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.jass.family.cards import COLOUR_OF, N_CARDS, POWER
from stammtisch.envs.jass.family.view import cards_in

_TRUMPF, _CARD = "CHOOSE_TRUMPF", "CHOOSE_CARD"
_LOOKS, _LOOK_S = 3, 0.01  # how often, at least this far apart, the event loop turns before an answer counts as missing


class Question(NamedTuple):
    """A decision that a seat owes: type of the answer, legal actions, since when, and the timer that ends it."""

    seat: int
    kind: str
    legal: frozenset[int]
    asked: float
    timer: Timer | None


class Table:
    """One game to the target.

    Args:
        name: name of the session that the players are told.
        game: ``jass-schieber-2500`` with the server's rules.
        deal: hands out the cards.
        clock: for time limits.
        limit_s: seconds for each decision, 0 for no limit.
        ended: called once when the game is over.
        journal: keeps what is said.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        deal: Deal,
        clock: Clock,
        limit_s: float,
        ended: Callable[["Table"], None],
        journal: Journal,
    ):
        self.name = name
        self.seats: dict[int, Guest] = {}
        self.watchers: list[Guest] = []
        self.started = False
        self.winner: int | None = None
        self.forfeited: int | None = None  # team that lost by its own fault
        self.events: list[int] = []
        self.moves = 0
        self.seconds = [0.0, 0.0]
        self.slowest_s = 0.0
        self._ids: dict[int, str] = {}
        self._last_joined = 0
        self._deal = deal
        self._clock = clock
        self._limit_s = limit_s
        self._ended = ended
        self._journal = journal
        self._state = game.new_state(0)
        self._base = (0, 0)  # totals before this deal
        self._trick: list[int] = []
        self._question: Question | None = None

    # Sitting down

    def free_seat(self, team: int | None = None) -> int:
        """Return the seat of the next player: in the wanted team if there is room, else in playing order."""
        wanted = [seat for seat in range(4) if team is None or seat % 2 == team]
        free: int = next(seat for seat in [*wanted, *range(4)] if seat not in self.seats)
        return free

    def join(self, guest: Guest, team: int | None = None) -> int:
        """Let a guest sit down and tell everybody; return the seat."""
        seat = self.free_seat(team)
        self.seats[seat] = guest
        self._ids[seat] = str(uuid.uuid4())
        self._last_joined = seat
        self.broadcast(Message("BROADCAST_SESSION_JOINED", self.joined()))
        return seat

    def joined(self) -> dict[str, Any]:
        """Return who joined last and who is there."""
        data: dict[str, Any] = {"sessionName": self.name}
        if self._last_joined in self.seats:
            data["player"] = self._player(self._last_joined)
        return {**data, "playersInSession": [self._player(seat) for seat in sorted(self.seats)]}

    def _player(self, seat: int) -> dict[str, Any]:
        return {"id": self._ids[seat], "seatId": seat, "name": self.seats[seat].name}

    def seat_of(self, guest: Guest) -> int | None:
        """Return the seat of a guest."""
        return next((seat for seat, other in self.seats.items() if other is guest), None)

    def start(self) -> None:
        """Begin the game; all four have sat down."""
        self.started = True
        self._journal.begin([self.seats[seat].name for seat in range(4)])
        teams = [
            {"name": _team_name(team), "players": [self._player(team), self._player(team + 2)]} for team in range(2)
        ]
        self.broadcast(Message("BROADCAST_TEAMS", teams))
        self._begin_deal()

    # Speaking

    def broadcast(self, message: Message) -> None:
        """Send a message to the players, seat 0 first, and to the watchers."""
        self._journal.note("broadcast", True, message)
        for guest in [*(self.seats[seat] for seat in sorted(self.seats)), *self.watchers]:
            guest.send(message)

    def _tell(self, seat: int, message: Message) -> None:
        self._journal.note("sentTo", self._label(seat), message)
        self.seats[seat].send(message)

    def _label(self, seat: int) -> str:
        return f"{self.seats[seat].name}#{seat}"

    # The game

    def _begin_deal(self) -> None:
        self._state, outcome = self._deal(self._state)
        self.events.append(outcome)
        self._base = self._totals()
        self._trick = []
        row, rules = self._state.row, own(self._state.game.rules)
        for seat in range(4):
            self._tell(seat, Message("DEAL_CARDS", cards_to_wire(cards_in(row[rules.HAND + seat]))))
        self._ask()

    def _ask(self) -> None:
        """Ask whoever is to move."""
        state = self._state
        seat = state.player
        view: Any = state.view(seat)
        timer = self._clock.call_later(self._limit_s, lambda: self._time_is_up(_LOOKS)) if self._limit_s else None
        choosing = view.mode is None
        kind = _TRUMPF if choosing else _CARD
        legal = frozenset(state.legal_actions())
        self._question = Question(seat, kind, legal, self._clock.time(), timer)
        if choosing:
            self._tell(seat, Message("REQUEST_TRUMPF", view.pushed))
        else:
            self._tell(seat, Message("REQUEST_CARD", cards_to_wire(self._trick)))

    def _time_is_up(self, looks: int) -> None:
        """Let the game be lost, but not before what has arrived meanwhile on a busy server is read."""
        question = self._question
        if question is None:
            return
        if looks:
            timer = self._clock.call_later(_LOOK_S, lambda: self._time_is_up(looks - 1))
            self._question = question._replace(timer=timer)
        else:
            self.lose(question.seat)

    def receive(self, guest: Guest, frame: Frame) -> bool:
        """Take in what a player sent; tell whether it was an answer that moves the game on."""
        seat = self.seat_of(guest)
        if seat is None or not self.started or self.winner is not None:
            return False
        question = self._question if self._question is not None and self._question.seat == seat else None
        content = frame.content
        if isinstance(content, BadMessage):
            self._journal.note_nonsense(self._label(seat), frame.raw)
            self._tell(seat, Message("BAD_MESSAGE", content.reply))
            if question is not None:
                self._settle(question, None)
                self.lose(seat)
            return False
        self._journal.note("receivedFrom", self._label(seat), content)
        action = _action_of(content)
        if self._is_late(guest, seat, question, content.type, action, frame.raw):
            return False
        if question is None:
            return False
        if content.type != question.kind:
            self._tell(seat, Message("BAD_MESSAGE", frame.raw))
            self._settle(question, None)
            self.lose(seat)
            return False
        if action not in question.legal:
            self._settle(question, None)
            self._tell(seat, Message("REJECT_CARD" if question.kind == _CARD else "REJECT_TRUMPF", content.data))
            self._ask()
            return False
        self._settle(question, None)
        self._play(seat, action)
        return True

    def _is_late(self, guest: Guest, seat: int, question: Question | None, kind: str, action: int, raw: str) -> bool:
        """Take an answer that belongs to a question that is over for what it is: say so and go on.

        When it would also do for the question that is open now, nobody can know which one was meant. It is then
        refused, and the question is asked once more, so that whoever meant the new one can say so again.
        """
        debt = next((debt for debt in guest.debts if debt.kind == kind and action in debt.legal), None)
        if debt is None:
            return False
        fits_now = question is not None and question.kind == kind and action in question.legal
        if fits_now and not debt.certain:
            return False
        guest.debts.remove(debt)
        self._tell(seat, Message("BAD_MESSAGE", raw))
        if fits_now:
            assert question is not None
            self._settle(question, False)
            self._ask()
        return True

    def _settle(self, question: Question, owed: bool | None) -> None:
        """Close a question; ``owed`` says that an answer may still come, and whether that is certain."""
        if question.timer is not None:
            question.timer.cancel()
        self._question = None
        spent = self._clock.time() - question.asked
        self.seconds[question.seat % 2] += spent
        self.slowest_s = max(self.slowest_s, spent)
        if owed is not None:
            self.seats[question.seat].debts.append(Debt(question.kind, question.legal, owed))

    def _play(self, seat: int, action: int) -> None:
        self.events.append(action)
        self.moves += 1
        if action >= N_CARDS:
            self._state.apply(action)
            self.broadcast(Message("BROADCAST_TRUMPF", mode_to_wire(action - N_CARDS)))
            self._ask()
            return
        mode = int(self._state.row[own(self._state.game.rules).MODE])
        self._state.apply(action)
        self._trick.append(action)
        self.broadcast(Message("PLAYED_CARDS", cards_to_wire(self._trick)))
        if len(self._trick) < 4:
            self._ask()
            return
        winner = (seat + 1 + _best(self._trick, mode)) % 4
        scores = [self._score(winner % 2), self._score(1 - winner % 2)]
        stich = {**self._player(winner), "playedCards": cards_to_wire(self._trick), "teams": scores}
        self.broadcast(Message("BROADCAST_STICH", stich))
        self._trick = []
        if self._state.player >= 0:
            self._ask()
            return
        self.broadcast(Message("BROADCAST_GAME_FINISHED", scores))
        if self._state.player == CHANCE:
            self._begin_deal()
            return
        totals = self._totals()
        self._end(int(totals[1] > totals[0]), regular=True)

    def _totals(self) -> tuple[int, int]:
        view: Any = self._state.view(0)
        totals: tuple[int, int] = view.totals
        return totals

    def _score(self, team: int, regular_end: bool = False) -> dict[str, Any]:
        points = self._totals()[team]
        current = 0 if regular_end else points - self._base[team]
        return {"name": _team_name(team), "points": points, "currentRoundPoints": current}

    # The end

    def lose(self, seat: int) -> None:
        """End the game: the team of a seat loses it, whatever the points."""
        if self.winner is None:
            self.forfeited = seat % 2
            self._end(1 - seat % 2, regular=False)

    def leave(self, guest: Guest) -> None:
        """Take a player away from a running game, which its team loses, or from a table that waits."""
        seat = self.seat_of(guest)
        if seat is None:
            return
        if not self.started:
            del self.seats[seat]
        elif self.winner is None:
            self.broadcast(Message("ERROR", f"Player {guest.name} left the game!"))
            self.lose(seat)

    def _end(self, winner: int, regular: bool) -> None:
        self.winner = winner
        if self._question is not None:
            self._settle(self._question, True)
        self.broadcast(Message("BROADCAST_WINNER_TEAM", self._score(winner, regular)))
        self._journal.end()
        self._ended(self)

    def returns(self) -> tuple[float, ...]:
        """Return what each seat got: +1 or -1, or what the rules say after a regular end."""
        if self._state.player == TERMINAL:
            return tuple(self._state.returns().tolist())
        return tuple(1.0 if seat % 2 == self.winner else -1.0 for seat in range(4))


def _team_name(team: int) -> str:
    return f"Team {team + 1}"


def _action_of(message: Message) -> int:
    """Return the action that an answer means, -1 for what is no answer."""
    if message.type == _CARD:
        return card_from_wire(message.data)
    if message.type == _TRUMPF:
        return N_CARDS + mode_from_wire(message.data)
    return -1


def _best(trick: Iterable[int], mode: int) -> int:
    """Return which card of a trick, 0..3 in playing order, takes it."""
    cards = list(trick)
    able = [i for i in range(4) if COLOUR_OF[cards[i]] in (COLOUR_OF[cards[0]], mode)]
    return max(able, key=lambda i: POWER[mode, cards[i]])

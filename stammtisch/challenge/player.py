"""What a client knows of a game: it listens to the server's messages and says when, and from what, it must choose."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from stammtisch.challenge.messages import Message
from stammtisch.challenge.wire import card_from_wire, card_to_wire, cards_from_wire, mode_from_wire, mode_to_wire
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own, uncompiled
from stammtisch.envs.core.state import State, View
from stammtisch.envs.jass import legal_cards
from stammtisch.envs.jass.family.cards import N_CARDS, OBEABE, SCHIEBEN, SLALOM_OBE


class Choice(NamedTuple):
    """A decision that the server waits for.

    Attributes:
        actions: the actions that may be chosen, the safest first.
        view: what an agent may know, None when the server's messages did not fit together.
    """

    actions: tuple[int, ...]
    view: View | None

    def answer(self, action: int) -> Message:
        """Return the message that says an action."""
        if action < N_CARDS:
            return Message("CHOOSE_CARD", card_to_wire(action))
        return Message("CHOOSE_TRUMPF", mode_to_wire(action - N_CARDS))


class Player:
    """One seat as its client sees it.

    The cards of the others are not known: they are put into their hands as they are played, so that the position is
    one of our own game and any of its agents can think about it. Points are taken from the server, whatever it counts.

    Args:
        game: ``jass-schieber-2500`` with the options by which the agents think.
    """

    def __init__(self, game: Game):
        self.game = game
        self.seat: int | None = None
        self.games = 0  # games begun on this connection
        self.won: list[bool] = []
        self._forget_game()

    def _forget_game(self) -> None:
        self._deals = 0
        self._points = [0, 0]  # of both teams in this game
        self._forget_deal()

    def _forget_deal(self) -> None:
        self._hand: list[int] = []
        self._mode: int | None = None
        self._trick: list[int] = []  # cards on the table
        self._seen: set[int] = set()  # own cards, and all that were played
        self._state: State | None = None
        self._refused: set[int] = set()

    def receive(self, message: Message) -> Choice | None:
        """Take in a message that has passed its schema; return the decision that it asks for, if it does."""
        match message.type:
            case "BROADCAST_SESSION_JOINED":
                self._join(message.data)
            case "BROADCAST_TEAMS":
                self.games += 1
                self._forget_game()
            case "DEAL_CARDS":
                self._take_hand(cards_from_wire(message.data))
            case "REQUEST_TRUMPF":
                return self._choose_mode(message.data)
            case "BROADCAST_TRUMPF":
                self._hear_mode(mode_from_wire(message.data))
            case "REJECT_TRUMPF":
                self._refused.add(N_CARDS + mode_from_wire(message.data))
            case "REQUEST_CARD":
                return self._choose_card(cards_from_wire(message.data))
            case "REJECT_CARD":
                self._refused.add(card_from_wire(message.data))
            case "PLAYED_CARDS":
                self._see_cards(cards_from_wire(message.data))
            case "BROADCAST_STICH":
                self._see_trick(message.data["seatId"], message.data["teams"])
            case "BROADCAST_GAME_FINISHED":
                self._see_points(message.data)
                self._deals += 1
                self._forget_deal()
            case "BROADCAST_WINNER_TEAM":
                if self.seat is not None:
                    self.won.append(message.data["name"] == _team_name(self.seat % 2))
                self.seat = None
                self._forget_game()
        return None

    def _join(self, data: dict[str, Any]) -> None:
        """Find the own seat: the first such message of a game is about oneself."""
        if self.seat is None and "player" in data:
            self.seat = data["player"]["seatId"]

    # The deal

    def _take_hand(self, cards: list[int]) -> None:
        self._forget_deal()
        if len(set(cards)) == len(cards):
            self._hand = cards
            self._seen = set(cards)
        if self.seat is not None and self._hand:
            self._begin(self._deals % 4)

    def _begin(self, forehand: int) -> None:
        """Set up a position before the choice of the mode, the other hands blank."""
        rules = own(self.game.rules)
        row = self.game.new_state(0).row
        row[rules.FOREHAND] = forehand
        row[rules.DEALS] = min(self._deals, rules.MOST_DEALS - 1)
        row[rules.TOTAL : rules.TOTAL + 2] = [_clamped(points, rules.TOTAL_BITS) for points in self._points]
        row[rules.HAND + self.seat] = sum(1 << card for card in self._hand)
        uncompiled(rules.begin)(row)
        self._state = self.game.from_row(row)

    def _apply(self, action: int) -> None:
        """Let whoever is to move act; what cannot be is not followed any further."""
        state = self._state
        if state is None:
            return
        rules = own(self.game.rules)
        if action < N_CARDS and state.player >= 0 and state.player != self.seat and action not in self._seen:
            row = state.row
            row[rules.HAND + state.player] = 1 << action
            state = self.game.from_row(row)
        try:
            state.apply(action)
        except ValueError:
            self._state = None
        else:
            self._state = state

    # The mode

    def _choose_mode(self, pushed: bool) -> Choice | None:
        if not self._hand:
            return None
        forehand = self.seat if not pushed or self.seat is None else (self.seat + 2) % 4
        if forehand is not None and (self._state is None or self._state.player != self.seat):
            self._begin(forehand)
            if pushed:
                self._apply(N_CARDS + SCHIEBEN)
        longest = max(range(4), key=lambda colour: sum(card // 9 == colour for card in self._hand))
        modes = [
            longest,
            *(mode for mode in range(SLALOM_OBE) if mode != longest and not (pushed and mode == SCHIEBEN)),
        ]
        return self._choice([N_CARDS + mode for mode in modes])

    def _hear_mode(self, mode: int) -> None:
        self._refused.clear()
        if mode != SCHIEBEN:
            self._mode = mode
        self._apply(N_CARDS + mode)

    # The play

    def _choose_card(self, table: list[int]) -> Choice | None:
        if not self._hand:
            return None
        if self._state is not None and (self._state.player != self.seat or self._trick != table):
            self._state = None
        if self._state is not None:
            return self._choice(self._state.legal_actions())
        mode = OBEABE if self._mode is None else self._mode
        others = dict.fromkeys(card for card in table if card not in self._hand)
        return self._choice(legal_cards(self._hand, list(others), mode))

    def _choice(self, actions: list[int]) -> Choice:
        """Offer the actions; once one was refused the others, any card after all that seem legal, and no view."""
        if not self._refused:
            return Choice(tuple(actions), self._view())
        if actions[0] < N_CARDS:
            actions = actions + [card for card in self._hand if card not in actions]
        return Choice(tuple(a for a in actions if a not in self._refused) or tuple(actions), None)

    def _view(self) -> View | None:
        if self._state is None or self.seat is None or self._state.player != self.seat:
            return None
        return self._state.view(self.seat)

    def _see_cards(self, table: list[int]) -> None:
        self._refused.clear()
        if self._trick == table[:-1]:
            self._apply(table[-1])
        else:
            self._state = None
        self._trick = table if len(table) < 4 else []
        self._seen.update(table)
        self._hand = [card for card in self._hand if card not in table]

    def _see_trick(self, winner: int, teams: Sequence[dict[str, Any]]) -> None:
        self._see_points(teams)
        if self._state is None or not self._hand:
            return
        rules = own(self.game.rules)
        row = self._state.row
        if row[rules.TURN] != winner or row[rules.PLAYED_COUNT] % 4:
            self._state = None
            return
        for score in teams:
            team = int(score["name"] == _team_name(1))
            now = _clamped(score["currentRoundPoints"], rules.SCORE_BITS)
            row[rules.SCORE + team] = now
            row[rules.TOTAL + team] = max(0, _clamped(score["points"], rules.TOTAL_BITS) - now)
        self._state = self.game.from_row(row)

    def _see_points(self, teams: Sequence[dict[str, Any]]) -> None:
        for score in teams:
            self._points[int(score["name"] == _team_name(1))] = score["points"]


def _team_name(team: int) -> str:
    return f"Team {team + 1}"


def _clamped(points: float, bits: int) -> int:
    """Return points as a number that fits the places which the game has for them."""
    return int(min(max(points, 0), (1 << bits) - 1))

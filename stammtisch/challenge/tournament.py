"""``Tournament``: bots of two connections each, everyone against everyone, ranked by Glicko-2 at the end."""

from typing import Any, NamedTuple

from stammtisch.arena.plan import MatchPlan
from stammtisch.challenge.glicko import glicko
from stammtisch.challenge.guest import Frame, Guest
from stammtisch.challenge.house import House
from stammtisch.challenge.messages import TOURNAMENT, BadMessage, Message
from stammtisch.challenge.results import number_of
from stammtisch.challenge.sessions import GAME_OVER, Session
from stammtisch.challenge.table import Table

_CONNECTIONS = 2


class Entrant:
    """A bot: a name and the connections that play for it."""

    def __init__(self, name: str):
        self.name = name
        self.guests: list[Guest] = []
        self.crashed = False
        self.table: Table | None = None


class Pairing(NamedTuple):
    """A game to be played: the bot that joined first has seats 0 and 2."""

    first: int
    second: int
    plan: MatchPlan
    number: int


class Tournament(Session):
    """All pairs in joining order, as many games each as the server's settings say; bots that are free play at once."""

    kind = TOURNAMENT

    def __init__(self, name: str, house: House):
        super().__init__(name, house)
        self._entrants: list[Entrant] = []
        self._watchers: list[Guest] = []
        self._waiting: list[Pairing] = []
        self._running = 0
        self._results: list[tuple[int, int, bool]] = []

    # Before the start

    def add_player(self, guest: Guest, team: int | None) -> None:
        entrant = next((e for e in self._entrants if e.name == guest.name), None)
        if entrant is None:
            entrant = Entrant(guest.name)
            self._entrants.append(entrant)
        if len(entrant.guests) == _CONNECTIONS:
            guest.close("This Player already has two registered clients!")
        else:
            guest.session = self
            entrant.guests.append(guest)
        self._broadcast(self._table_message())

    def add_spectator(self, guest: Guest) -> None:
        guest.session = self
        self._watchers.append(guest)
        guest.send(self._table_message())

    def receive(self, guest: Guest, frame: Frame) -> bool:
        content = frame.content
        entrant = self._entrant_of(guest)
        if entrant is not None and entrant.table is not None:
            return entrant.table.receive(guest, frame)
        if isinstance(content, BadMessage):
            guest.send(Message("BAD_MESSAGE", content.reply))
            return False
        if content.type == "START_TOURNAMENT" and entrant is None and self._is_complete():
            self._start()
            return True
        return False

    def _is_complete(self) -> bool:
        """Tell whether the tournament can start: two bots at least, all of them with both connections."""
        full = all(len(entrant.guests) == _CONNECTIONS for entrant in self._entrants)
        return not self.started and full and len(self._entrants) > 1

    def _entrant_of(self, guest: Guest) -> Entrant | None:
        return next((entrant for entrant in self._entrants if guest in entrant.guests), None)

    # The games

    def _start(self) -> None:
        self.started = True
        self.house.tell(f"{self.name}: tournament of {', '.join(e.name for e in self._entrants)} begins")
        self._broadcast(Message("BROADCAST_TOURNAMENT_STARTED"))
        names = [entrant.name for entrant in self._entrants]
        pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
        plans = {(i, j): self.house.new_plan(names[i], names[j]) for i, j in pairs}
        self._waiting = [
            Pairing(i, j, plans[i, j], number_of(game)) for game in range(self.house.settings.games) for i, j in pairs
        ]
        self._go_on()

    def _go_on(self) -> None:
        """Begin every game whose bots are free, settle those that a crashed bot cannot play, end when none is left."""
        pairing = self._next_pairing()
        while pairing is not None:
            self._waiting.remove(pairing)
            first, second = self._entrants[pairing.first], self._entrants[pairing.second]
            if first.crashed or second.crashed:
                if not (first.crashed and second.crashed):
                    self.house.results.add_unplayed(pairing.plan, pairing.number, 0 if first.crashed else 1)
                self._note_result(pairing, not first.crashed)
            else:
                self._play(pairing, first, second)
            pairing = self._next_pairing()
        if not self._running and not self._waiting and not self.over:
            self._finish()

    def _next_pairing(self) -> Pairing | None:
        for pairing in self._waiting:
            pair = [self._entrants[pairing.first], self._entrants[pairing.second]]
            if any(entrant.crashed for entrant in pair) or all(entrant.table is None for entrant in pair):
                return pairing
        return None

    def _play(self, pairing: Pairing, first: Entrant, second: Entrant) -> None:
        def ended(table: Table) -> None:
            first.table = second.table = None
            self._running -= 1
            self.house.results.add(pairing.plan, pairing.number, table)
            self._note_result(pairing, table.winner == 0)
            self._go_on()

        limit_s = self.house.settings.limit_s
        table = self.house.new_table(self.house.new_name(), limit_s, ended, pairing.plan, pairing.number)
        first.table = second.table = table
        self._running += 1
        for guest in (first.guests[0], second.guests[0], first.guests[1], second.guests[1]):
            table.join(guest)
        table.start()

    def _note_result(self, pairing: Pairing, first_won: bool) -> None:
        self._results.append((pairing.first, pairing.second, first_won))
        self._broadcast(self._table_message())

    def leave(self, guest: Guest) -> None:
        entrant = self._entrant_of(guest)
        if entrant is None:
            self._watchers = [watcher for watcher in self._watchers if watcher is not guest]
        elif not self.started:
            entrant.guests.remove(guest)
            if not entrant.guests:
                self._entrants.remove(entrant)
            self._broadcast(self._table_message())
        elif not entrant.crashed and not self.over:
            self._crash(entrant, guest)
        if not self.started and not self._entrants and not self._watchers:
            self.over = True

    def _crash(self, entrant: Entrant, gone: Guest) -> None:
        """Count a bot out that lost a connection: this game and all later ones are lost."""
        entrant.crashed = True
        for guest in entrant.guests:
            guest.close(f"One of the clients of player {entrant.name} disconnected")
        self._broadcast(self._table_message())
        if entrant.table is not None:
            entrant.table.leave(gone)
        else:
            self._go_on()

    # The table

    def _finish(self) -> None:
        self.over = True
        ratings = glicko(len(self._entrants), self._results)
        order = sorted(range(len(ratings)), key=lambda i: -ratings[i])
        ranking = [
            {"rating": ratings[i], "rank": rank, **self._row(self._entrants[i])} for rank, i in enumerate(order, 1)
        ]
        self._broadcast(self._table_message(ranking))
        for guest in self._everybody():
            guest.close(GAME_OVER)
        shown = ", ".join(f"{row['rank']}. {row['playerName']} {row['rating']:.0f}" for row in ranking)
        self.house.tell(f"{self.name}: tournament over after {len(self._results)} games: {shown}")

    def _table_message(self, ranking: list[dict[str, Any]] | None = None) -> Message:
        rows = [self._row(entrant) for entrant in self._entrants] if ranking is None else ranking
        names = [entrant.name for entrant in self._entrants]
        pairings = [
            {"player1": names[i], "player2": names[j], "firstPlayerWon": won, "id": number}
            for number, (i, j, won) in enumerate(self._results)
        ]
        data = {"ranking": rows, "pairingResults": pairings[::-1]}
        return Message("BROADCAST_TOURNAMENT_RANKING_TABLE", data)

    def _row(self, entrant: Entrant) -> dict[str, Any]:
        row: dict[str, Any] = {"playerName": entrant.name, "connectedClients": len(entrant.guests)}
        return {**row, "crashed": True} if entrant.crashed else row

    def _everybody(self) -> list[Guest]:
        return [*self._watchers, *(guest for entrant in self._entrants for guest in entrant.guests)]

    def _broadcast(self, message: Message) -> None:
        for guest in self._everybody():
            guest.send(message)

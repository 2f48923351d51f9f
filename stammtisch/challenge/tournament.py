"""``Tournament``: bots of two connections each, everyone against everyone, ranked by Glicko-2 at the end."""

from typing import Any

import numpy as np

from stammtisch.arena.plan import MatchPlan
from stammtisch.challenge.announcer import Announcer
from stammtisch.challenge.glicko import glicko
from stammtisch.challenge.guest import Frame, Guest
from stammtisch.challenge.house import House
from stammtisch.challenge.messages import TOURNAMENT, BadMessage, Message
from stammtisch.challenge.ranking import FINAL_BYTES, RUNNING_BYTES, Result, table_message
from stammtisch.challenge.results import number_of
from stammtisch.challenge.schedule import Schedule
from stammtisch.challenge.sessions import GAME_OVER, Session
from stammtisch.challenge.table import Table

_CONNECTIONS = 2
MOST_BOTS = 128


class Entrant:
    """A bot: a name and the connections that play for it."""

    def __init__(self, name: str):
        self.name = name
        self.guests: list[Guest] = []
        self.crashed = False
        self.table: Table | None = None


class Tournament(Session):
    """All pairs in joining order, as many games each as the server's settings say; bots that are free play at once."""

    kind = TOURNAMENT

    def __init__(self, name: str, house: House):
        super().__init__(name, house)
        self._entrants: list[Entrant] = []
        self._watchers: list[Guest] = []
        self._seeds = house.new_seeds()
        self._schedule = Schedule(0, 0)
        self._running = 0
        self._results: list[Result] = []
        self._ranking = Announcer(house.clock, self._announce)

    # Before the start

    def add_player(self, guest: Guest, team: int | None) -> None:
        entrant = next((e for e in self._entrants if e.name == guest.name), None)
        if entrant is None:
            if len(self._entrants) == MOST_BOTS:
                guest.close(f"a tournament has at most {MOST_BOTS} players")
                return
            entrant = Entrant(guest.name)
            self._entrants.append(entrant)
        if len(entrant.guests) == _CONNECTIONS:
            guest.close("This Player already has two registered clients!")
        else:
            guest.session = self
            entrant.guests.append(guest)
        self._ranking.changed()

    def add_spectator(self, guest: Guest) -> None:
        guest.session = self
        self._watchers.append(guest)
        guest.send(self._table())

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
        self.house.say(f"{self.name}: tournament of {', '.join(e.name for e in self._entrants)} begins")
        self._broadcast(Message("BROADCAST_TOURNAMENT_STARTED"))
        self._schedule = Schedule(len(self._entrants), self.house.settings.games)
        self._go_on()

    def _go_on(self) -> None:
        """Begin every game whose bots are free, and end when no game is left."""
        free = [i for i, entrant in enumerate(self._entrants) if entrant.table is None and not entrant.crashed]
        for game, i, j in self._schedule.candidates(free):
            if self._entrants[i].table is None and self._entrants[j].table is None:
                self._schedule.take(game, i, j)
                self._play(game, i, j)
        if not self._running and self._schedule.is_over() and not self.over:
            self._finish()

    def _plan(self, first: int, second: int) -> MatchPlan:
        """Return the match of two bots; its cards are its own, whenever it is played."""
        seeds = np.random.SeedSequence(self._seeds.entropy, spawn_key=(*self._seeds.spawn_key, first, second))
        return self.house.plan(self._entrants[first].name, self._entrants[second].name, seeds)

    def _play(self, game: int, i: int, j: int) -> None:
        first, second, plan = self._entrants[i], self._entrants[j], self._plan(i, j)

        def ended(table: Table) -> None:
            first.table = second.table = None
            self._running -= 1
            self.house.results.add(plan, number_of(game), table)
            self._results.append((i, j, table.winner == 0))
            self._ranking.changed()
            self._go_on()

        limit_s = self.house.settings.limit_s
        table = self.house.new_table(self.house.new_name(), limit_s, ended, plan, number_of(game))
        first.table = second.table = table
        self._running += 1
        for guest in (first.guests[0], second.guests[0], first.guests[1], second.guests[1]):
            table.join(guest)
        table.start()

    def _give_up(self, entrant: Entrant) -> bool:
        """Count all games that a bot has not begun as lost; tell whether there were any."""
        loser = self._entrants.index(entrant)
        lost = self._schedule.give_up(loser)
        for i, j, games in lost:
            self.house.results.add_unplayed(self._plan(i, j), [number_of(game) for game in games], int(loser == j))
            self._results += len(games) * [(i, j, loser == j)]
        return bool(lost)

    def leave(self, guest: Guest) -> None:
        entrant = self._entrant_of(guest)
        if entrant is None:
            self._watchers = [watcher for watcher in self._watchers if watcher is not guest]
        elif not self.started:
            entrant.guests.remove(guest)
            if not entrant.guests:
                self._entrants.remove(entrant)
            self._ranking.changed()
        elif not entrant.crashed and not self.over:
            self._crash(entrant, guest)
        if not self.started and not self._entrants and not self._watchers:
            self.over = True
            self._ranking.stop()

    def _crash(self, entrant: Entrant, gone: Guest) -> None:
        """Count a bot out that lost a connection: this game and all later ones are lost."""
        entrant.crashed = True
        for guest in entrant.guests:
            guest.close(f"One of the clients of player {entrant.name} disconnected")
        self._ranking.changed()
        if entrant.table is not None:
            entrant.table.leave(gone)
        if self._give_up(entrant):
            self._ranking.changed()
        self._go_on()

    # The table

    def _finish(self) -> None:
        self.over = True
        self._ranking.stop()
        ratings = glicko(len(self._entrants), self._results)
        order = sorted(range(len(ratings)), key=lambda i: -ratings[i])
        ranking = [
            {"rating": ratings[i], "rank": rank, **self._row(self._entrants[i])} for rank, i in enumerate(order, 1)
        ]
        self._broadcast(self._table(ranking))
        for guest in self._everybody():
            guest.close(GAME_OVER)
        shown = ", ".join(f"{row['rank']}. {row['playerName']} {row['rating']:.0f}" for row in ranking)
        self.house.say(f"{self.name}: tournament over after {len(self._results)} games: {shown}")

    def _announce(self) -> int:
        message = self._table()
        return len(message.text) * self._broadcast(message)

    def _table(self, final: list[dict[str, Any]] | None = None) -> Message:
        names = [entrant.name for entrant in self._entrants]
        if final is not None:
            return table_message(final, names, self._results, FINAL_BYTES)
        return table_message([self._row(entrant) for entrant in self._entrants], names, self._results, RUNNING_BYTES)

    def _row(self, entrant: Entrant) -> dict[str, Any]:
        row: dict[str, Any] = {"playerName": entrant.name, "connectedClients": len(entrant.guests)}
        return {**row, "crashed": True} if entrant.crashed else row

    def _everybody(self) -> list[Guest]:
        return [*self._watchers, *(guest for entrant in self._entrants for guest in entrant.guests)]

    def _broadcast(self, message: Message) -> int:
        """Send a message to everybody who is still there; return to how many."""
        present = [guest for guest in self._everybody() if not guest.closed]
        for guest in present:
            guest.send(message)
        return len(present)

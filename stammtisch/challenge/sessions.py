"""``Session``: where guests gather, and ``SingleGame``: one game of four, with watchers and bots."""

from dataclasses import replace

from stammtisch.challenge.guest import Frame, Guest
from stammtisch.challenge.house import House
from stammtisch.challenge.messages import SINGLE_GAME, BadMessage, Message
from stammtisch.challenge.results import number_of, team_label
from stammtisch.challenge.table import Table

GAME_OVER = "Game Finished"


class Session:
    """A gathering of guests under a name.

    Attributes:
        kind: ``SINGLE_GAME`` or ``TOURNAMENT``.
        started: whether nobody can join any more.
        over: whether it can be forgotten.

    Args:
        name: what the guests call it; need not be unique.
        house: what all sessions share.
    """

    kind: str

    def __init__(self, name: str, house: House):
        self.name = name
        self.house = house
        self.started = False
        self.over = False

    def add_player(self, guest: Guest, team: int | None) -> None:
        """Let a guest join as a player."""
        raise NotImplementedError

    def add_spectator(self, guest: Guest) -> None:
        """Let a guest watch."""
        raise NotImplementedError

    def receive(self, guest: Guest, frame: Frame) -> bool:
        """Take in what a guest sent; tell whether it was of use."""
        raise NotImplementedError

    def leave(self, guest: Guest) -> None:
        """Take away a guest whose connection is gone."""
        raise NotImplementedError


class SingleGame(Session):
    """One game: the fourth player starts it, and everybody is sent home after it."""

    kind = SINGLE_GAME

    def __init__(self, name: str, house: House):
        super().__init__(name, house)
        self._plan = house.plan("", "", house.new_seeds())
        self._table = house.new_table(name, house.settings.patience_s, self._end, self._plan, number_of(0))

    def add_player(self, guest: Guest, team: int | None) -> None:
        guest.session = self
        self._table.join(guest, team)
        if len(self._table.seats) == 4:
            self.started = True
            self.house.say(f"{self.name}: {', '.join(self._table.seats[seat].name for seat in range(4))} begin")
            self._table.start()

    def add_spectator(self, guest: Guest) -> None:
        guest.session = self
        self._table.watchers.append(guest)
        guest.send(Message("SESSION_JOINED", self._table.joined()))

    def receive(self, guest: Guest, frame: Frame) -> bool:
        content = frame.content
        if guest in self._table.watchers or not self.started:
            if isinstance(content, BadMessage):
                guest.send(Message("BAD_MESSAGE", content.reply))
                return False
            return guest not in self._table.watchers and self._wants_bot(content)
        return self._table.receive(guest, frame)

    def _wants_bot(self, message: Message) -> bool:
        """Let a bot sit down when a waiting player asks for one."""
        if message.type not in ("JOIN_BOT", "ADD_BOT_FROM_REGISTRY") or message.data["sessionName"] != self.name:
            return False
        wanted = self.house.bots[0]
        if message.type == "ADD_BOT_FROM_REGISTRY":
            wanted = message.data["bot"]["name"]
        if wanted not in self.house.bots:
            return False
        try:
            bot = self.house.make_bot(wanted)
        except Exception as error:  # a model that is gone, no thread left: the others wait on
            self.house.clerk.faults.note("making a bot", error)
            return False
        bot.name = self.house.new_name()
        self.add_player(bot, message.data.get("chosenTeamIndex"))
        return True

    def leave(self, guest: Guest) -> None:
        table = self._table
        if guest in table.watchers:
            table.watchers.remove(guest)
        else:
            table.leave(guest)
        self._forget_if_deserted()

    def _forget_if_deserted(self) -> None:
        """Send the bots home when no person is left to wait with them."""
        if not self.started and all(guest.is_bot for guest in self._table.seats.values()):
            if self._table.watchers and not self._table.seats:
                return
            self.over = True
            self._dismiss()

    def _end(self, table: Table) -> None:
        names = {seat: guest.name for seat, guest in table.seats.items()}
        plan = replace(self._plan, agents=(team_label(names, 0), team_label(names, 1)))
        self.house.results.add(plan, number_of(0), table)
        self.over = True
        self.house.say(f"{self.name}: {team_label(names, table.winner or 0)} win")
        self._dismiss()

    def _dismiss(self) -> None:
        for guest in [*self._table.seats.values(), *self._table.watchers]:
            guest.close(GAME_OVER)

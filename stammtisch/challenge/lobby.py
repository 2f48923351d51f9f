"""``Lobby``: the door of the server. Asks newcomers for name and session, and hands on what they send."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from stammtisch.challenge.guest import POLICY, TRY_LATER, Frame, Guest, Timer
from stammtisch.challenge.house import House
from stammtisch.challenge.messages import SINGLE_GAME, TOURNAMENT, BadMessage, Message, read_message
from stammtisch.challenge.sessions import Session, SingleGame
from stammtisch.challenge.tournament import Tournament

_FLOOD = "too many messages that nobody asked for"
_GRACE_S = 5.0  # seconds to choose a session before a newcomer may take the place in a full server
_MOST_LISTED = 200  # sessions that a newcomer is told


class Lobby:
    """All guests and sessions of one server; free of input and output.

    Args:
        house: what the sessions share.
    """

    def __init__(self, house: House):
        self.house = house
        self.sessions: list[Session] = []
        self.finished = 0  # sessions that came to their end
        self._guests: dict[Guest, Timer | None] = {}
        self._arrived: dict[Guest, float] = {}  # those without a session, the longest waiting first

    def connect(self, guest: Guest) -> None:
        """Welcome a connection."""
        settings = self.house.settings
        if len(self._guests) >= settings.most_guests:
            self._make_room()
        if len(self._guests) >= settings.most_guests:
            guest.close("the server is full", TRY_LATER)
            return
        self._arrived[guest] = self.house.clock.time()
        timer = None
        if settings.patience_s:
            timer = self.house.clock.call_later(settings.patience_s, lambda: self._give_up(guest))
        self._guests[guest] = timer
        guest.send(Message("REQUEST_PLAYER_NAME"))

    def _make_room(self) -> None:
        """Send away who has waited longest without a session, unless it has only just come."""
        guest = next(iter(self._arrived), None)
        if guest is not None and self.house.clock.time() - self._arrived[guest] > _GRACE_S:
            self.disconnect(guest, "the server is full, and you have no session", TRY_LATER)

    def receive(self, guest: Guest, raw: str | bytes) -> None:
        """Take in a frame of a guest; nothing that it may contain disturbs anybody else."""
        if guest.closed:
            return
        content: Message | BadMessage
        try:
            content = read_message(raw, "C")
        except BadMessage as error:
            content = error
        frame = Frame(raw if isinstance(raw, str) else raw.decode("utf-8", "replace"), content)
        useful = self._hand_on(guest, frame)
        self._forget_sessions()
        if guest.charge(useful):
            self.disconnect(guest, _FLOOD, POLICY)

    def disconnect(self, guest: Guest, reason: str = "", code: int = POLICY) -> None:
        """Take away a guest whose connection is gone, or who has to go."""
        session = guest.session
        guest.close(reason, code)
        self._stop_waiting(guest)
        self._guests.pop(guest, None)
        self._arrived.pop(guest, None)
        if session is not None:
            session.leave(guest)
        self._forget_sessions()

    def _hand_on(self, guest: Guest, frame: Frame) -> bool:
        content = frame.content
        if isinstance(content, Message) and content.type == "REQUEST_REGISTRY_BOTS" and guest.name:
            guest.send(Message("SEND_REGISTRY_BOTS", [{"name": name} for name in self.house.bots]))
            return False
        if guest.session is not None:
            return guest.session.receive(guest, frame)
        wanted = "CHOOSE_SESSION" if guest.name else "CHOOSE_PLAYER_NAME"
        if isinstance(content, BadMessage) or content.type != wanted:
            reply = content.reply if isinstance(content, BadMessage) else frame.raw
            guest.send(Message("BAD_MESSAGE", reply))
            return False
        if not guest.name:
            guest.name = content.data
            names = [session.name for session in islice(self._open_sessions(), _MOST_LISTED)]
            guest.send(Message("REQUEST_SESSION_CHOICE", names))
            return True
        self._stop_waiting(guest)
        self._arrived.pop(guest, None)
        self._choose(guest, content.data)
        return True

    def _choose(self, guest: Guest, data: dict[str, Any]) -> None:
        choice, name = data["sessionChoice"], data.get("sessionName")
        watches = choice == "SPECTATOR" or data.get("asSpectator", False)
        session = None
        if choice == "AUTOJOIN":
            session = next(self._open_sessions(), None)
        elif choice != "CREATE_NEW":
            known = self.sessions if watches else self._open_sessions()
            session = next((session for session in known if session.name == name), None)
        if session is None:
            session = self._new_session(name, data.get("sessionType", SINGLE_GAME))
        if watches:
            session.add_spectator(guest)
        else:
            session.add_player(guest, data.get("chosenTeamIndex"))

    def _new_session(self, name: str | None, kind: str) -> Session:
        make = Tournament if kind == TOURNAMENT else SingleGame
        session = make(name or self.house.new_name(), self.house)
        self.sessions.append(session)
        return session

    def _open_sessions(self) -> Iterator[Session]:
        return (session for session in self.sessions if not session.started)

    def _forget_sessions(self) -> None:
        if any(session.over for session in self.sessions):
            self.finished += sum(session.over and session.started for session in self.sessions)
            self.sessions = [session for session in self.sessions if not session.over]

    def _give_up(self, guest: Guest) -> None:
        if guest.session is None:
            self.disconnect(guest, "no name and session in time")

    def _stop_waiting(self, guest: Guest) -> None:
        timer = self._guests.get(guest)
        if timer is not None:
            timer.cancel()
            self._guests[guest] = None

"""The tables of the studio: they play on by themselves, tell the tabs that follow them, and outlive the server."""

import asyncio
import logging
import time
from dataclasses import asdict
from typing import Any

from stammtisch.errors import BadFile
from stammtisch.studio import showing
from stammtisch.studio.desk import Studio, Tab
from stammtisch.studio.requests import checked_spec
from stammtisch.studio.table import AGENT, NAME, PERSON, GameTable
from stammtisch.studio.worker import packed
from stammtisch.studio.workers import AgentFailed, Workers

_MOST_TABLES = 2000
_SOFT_LIMIT_S = 10.0  # searches stop by themselves then
_HARD_LIMIT_S = 40.0
_FIRST_LIMIT_S = 400.0  # the first move of an agent may have to compile
_DICE_S = 0.55
_LAST_DAY_S = 86400.0
_MOST_RESUMED = 20
_log = logging.getLogger(__name__)


class Tables:
    """All games of the studio.

    Args:
        studio: whose.
        workers: where agents think.
    """

    def __init__(self, studio: Studio, workers: Workers):
        self._studio, self.workers = studio, workers
        self._folder = studio.subfolder("games")
        self._tables: dict[str, GameTable] = {}
        self._lists: dict[str, showing.MoveList] = {}
        self._runners: dict[str, asyncio.Task[Any]] = {}
        self._steps: dict[str, int] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._thinking: dict[str, float] = {}
        self._known_agents: set[tuple[str, str]] = set()

    def read_all(self) -> None:
        """Read the tables of earlier days; damaged files are left alone."""
        paths = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in paths[:_MOST_TABLES]:
            if NAME.fullmatch(path.stem):
                try:
                    self._tables[path.stem] = GameTable.read(path)
                except BadFile as error:
                    _log.warning("%s", error)

    async def resume(self) -> None:
        """Let games go on that waited for a machine when the studio ended."""
        recent = [t for t in self.listed() if time.time() - t.changed < _LAST_DAY_S and not t.paused]
        for table in recent[:_MOST_RESUMED]:
            if any(seat.kind == AGENT for seat in table.seats) and table.resigned is None:
                try:
                    await self.ready(table)
                except ValueError as error:
                    _log.warning("game %s does not go on: %s", table.name, error)

    def listed(self) -> list[GameTable]:
        """Return all tables, the last one changed first."""
        return sorted(self._tables.values(), key=lambda table: -table.changed)

    def named(self, name: Any) -> GameTable:
        """Return a table.

        Raises:
            ValueError: there is none.
        """
        if not isinstance(name, str) or name not in self._tables:
            raise ValueError(f'no game "{str(name)[:20]}" in this studio')
        return self._tables[name]

    async def add(self, table: GameTable) -> None:
        """Begin a game.

        Raises:
            ValueError: the position or the seats do not fit the game; nothing is kept then.
        """
        if len(self._tables) >= _MOST_TABLES:
            raise ValueError(f"there are {_MOST_TABLES} games already; delete some")
        await self._load(table)
        await asyncio.to_thread(table.save, self._folder)
        self._tables[table.name] = table
        self.wake(table)

    def remove(self, table: GameTable) -> None:
        """Delete a game."""
        self._stop(table)
        del self._tables[table.name]
        self._lists.pop(table.name, None)
        table.delete(self._folder)

    async def ready(self, table: GameTable) -> None:
        """Load a table that was only read, and let it go on."""
        if not table.is_loaded:
            if table.name not in self._loading:
                self._loading[table.name] = asyncio.ensure_future(self._load(table))
            try:
                await asyncio.shield(self._loading[table.name])
            finally:
                if self._loading.get(table.name) is not None and self._loading[table.name].done():
                    del self._loading[table.name]
            self.wake(table)

    async def _load(self, table: GameTable) -> None:
        """Compile in a worker what is not compiled, then load it here without holding up anybody."""
        try:
            await self.workers.answer({"do": "warm", "game": table.game_id, "options": table.options})
        except AgentFailed as error:
            raise ValueError(f"cannot load {table.game_id}: {error}") from error
        await asyncio.to_thread(table.load)
        await asyncio.to_thread(showing.picture, table.state, showing.NOBODY, {})

    # What tabs see

    def viewer(self, table: GameTable, tab: Tab | None) -> int:
        """Return as whom a tab looks at a table."""
        if not table.game.info.hidden or not table.people or table.is_over:
            return showing.EVERYBODY
        if len(table.people) == 1:
            return table.people[0]
        looking = tab.notes.get("look") if tab is not None else None
        return table.player if looking == (table.name, table.player) else showing.NOBODY

    def view(self, table: GameTable, viewer: int) -> dict[str, Any]:
        """Return what a page shows of a table."""
        state, player = table.state, table.player
        is_persons = player >= 0 and table.seats[player].kind == PERSON
        shown = showing.shown(state, viewer, is_persons and not table.is_over)
        entries = self._lists.setdefault(table.name, showing.MoveList()).entries(table.states, table.events, viewer)
        chance = showing.chance_of(table.states[-2], table.events[-1]) if table.events else None
        curtain = player if viewer == showing.NOBODY and is_persons else None
        return {
            "page": "play",
            "what": "table",
            "name": table.name,
            "game": table.game_id,
            "options": table.options,
            "hidden": table.game.info.hidden,
            "teams": list(table.game.info.teams),
            "seats": [asdict(seat) for seat in table.seats],
            **shown,
            "player": player,
            "viewer": viewer,
            "curtain": curtain,
            "events": len(table.events),
            "moves": entries,
            "chance": chance,
            "over": table.is_over,
            "returns": table.returns() if table.is_over else None,
            "points": table.game.info.points_per_unit,
            "resigned": table.resigned,
            "takeBack": table.can_take_back(),
            "paused": table.paused,
            "delay": table.delay_s,
            "thinking": table.name in self._thinking,
            "fault": table.fault,
        }

    def tell(self, table: GameTable, only: Tab | None = None) -> None:
        """Send the present view to the tabs that follow a table, or to one of them."""
        topic = f"play/{table.name}"
        tabs = [only] if only is not None else [tab for tab in self._studio.tabs if topic in tab.topics]
        views: dict[int, dict[str, Any]] = {}
        for tab in tabs:
            viewer = self.viewer(table, tab)
            if viewer not in views:
                views[viewer] = self.view(table, viewer)
            tab.send(views[viewer])

    # What happens

    async def changed(self, table: GameTable) -> None:
        """Keep a change, then tell it."""
        await asyncio.to_thread(table.save, self._folder)
        self.tell(table)

    async def play(self, table: GameTable, tab: Tab, action: int, events: int) -> None:
        """Take the action of a person."""
        player = table.player
        if events != len(table.events):
            raise ValueError("the position has changed meanwhile")
        if player < 0 or table.seats[player].kind != PERSON:
            raise ValueError("it is not your turn")
        if table.game.info.hidden and self.viewer(table, tab) != player:
            raise ValueError("look at your cards first")
        table.play(action)
        tab.notes.pop("look", None)
        await self.changed(table)
        self.wake(table)

    async def take_back(self, table: GameTable) -> None:
        """Take the last move back."""
        self._stop(table)
        table.take_back()
        await self.changed(table)
        self.wake(table)

    async def resign(self, table: GameTable) -> None:
        """Give the game up for the person to move, or the only one."""
        if table.is_over or not table.people:
            raise ValueError("there is no game to resign")
        self._stop(table)
        table.resigned = table.player if table.player in table.people else table.people[0]
        await self.changed(table)

    async def set_pace(self, table: GameTable, delay_s: float | None, paused: bool | None) -> None:
        """Set the time between two moves of machines, or let them wait."""
        table.delay_s = table.delay_s if delay_s is None else delay_s
        table.paused = table.paused if paused is None else paused
        await self.changed(table)
        self.wake(table)

    def step(self, table: GameTable) -> None:
        """Let a paused table make one move."""
        self._steps[table.name] = 1
        self.wake(table)

    def wake(self, table: GameTable) -> None:
        """Let a table go on, if something other than a person is to move."""
        runner = self._runners.get(table.name)
        if (runner is None or runner.done()) and self._goes_on(table):
            self._runners[table.name] = self._studio.spawn(self._run(table))

    def _goes_on(self, table: GameTable) -> bool:
        if table.is_over:
            return False
        if table.is_at_chance:
            return True
        waits = table.paused and not self._steps.get(table.name)
        return table.seats[table.player].kind == AGENT and not waits and not table.fault

    def _stop(self, table: GameTable) -> None:
        runner = self._runners.pop(table.name, None)
        if runner is not None:
            runner.cancel()
        self._thinking.pop(table.name, None)
        self._steps.pop(table.name, None)

    async def _run(self, table: GameTable) -> None:
        while self._goes_on(table):
            if table.is_at_chance:
                if table.game.info.chance == "explicit" and table.events:
                    await asyncio.sleep(min(_DICE_S, table.delay_s))
                table.draw_chance()
            else:
                await self._let_think(table)
                self._steps.pop(table.name, None)
            await self.changed(table)

    async def _let_think(self, table: GameTable) -> None:
        begun = time.monotonic()
        self._thinking[table.name] = begun
        self.tell(table)
        try:
            action = await self.best_action(table, table.player, table.seats[table.player].spec)
            left = table.delay_s - (time.monotonic() - begun)
            if left > 0:
                await asyncio.sleep(left)
            table.play(action)
        except ValueError as error:
            table.fault = str(error)
        finally:
            self._thinking.pop(table.name, None)

    async def best_action(self, table: GameTable, seat: int, spec: str) -> int:
        """Ask an agent what it would do in a seat whose turn it is.

        Raises:
            ValueError: it cannot say; the message tells why.
        """
        full = checked_spec(self._studio, spec)
        key = (table.game_id, full)
        question = {
            "do": "act",
            "game": table.game_id,
            "options": table.options,
            "spec": full,
            "row": packed(table.state.view(seat).row),
            "seat": seat,
            "seed": (table.seed + len(table.events)) % (1 << 62),
            "soft_limit_s": _SOFT_LIMIT_S,
        }
        answer = await self.workers.answer(question, _HARD_LIMIT_S if key in self._known_agents else _FIRST_LIMIT_S)
        self._known_agents.add(key)
        return int(answer["action"])

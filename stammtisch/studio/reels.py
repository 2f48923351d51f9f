"""Finished and running games as reels: every position, every event in words; from tables, results files and texts."""

import pathlib
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.play import states_of
from stammtisch.arena.store import Store
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.files.locks import holder_of
from stammtisch.studio import showing
from stammtisch.studio.bench import bench_of
from stammtisch.studio.desk import Studio
from stammtisch.studio.standing import Count, last_change

ELSEWHERE = "stammtisch-results"  # where the command line leaves results, in the folder that it is called in
_MOST_KEPT = 40
_MOST_COUNTS = 20
_MOST_FILES = 200
_SUFFIXES = (".sqlite", ".db")
_MOST_MOVES = 5000


@dataclass(frozen=True)
class Reel:
    """A game that can be wound back and forth.

    Attributes:
        game: the game.
        states: all positions, the start first.
        events: what happened between them.
        names: who sits in each seat.
        returns: what each seat got; empty while the game goes on.
        viewer: as whom it is watched, see ``showing``.
    """

    game: Game
    states: Sequence[State]
    events: Sequence[int]
    names: Sequence[str]
    returns: Sequence[float]
    viewer: int = showing.EVERYBODY

    def to_json(self) -> dict[str, Any]:
        """Return everything but the pictures."""
        entries = showing.MoveList().entries(self.states, self.events, self.viewer)
        return {
            "game": self.game.id,
            "options": self.game.changed_options(),
            "teams": list(self.game.info.teams),
            "names": list(self.names),
            "returns": list(self.returns),
            "points": self.game.info.points_per_unit,
            "hidden": self.game.info.hidden,
            "moves": entries,
        }

    def frame(self, at: int) -> dict[str, Any]:
        """Return the picture of a position, its text where nothing is hidden, and the dice before it."""
        if not 0 <= at < len(self.states):
            raise ValueError(f"this game has positions 0..{len(self.states) - 1}, not {at}")
        state = self.states[at]
        is_open = self.viewer == showing.EVERYBODY
        return {
            "at": at,
            "svg": showing.picture(state, self.viewer, {}),
            "player": state.player,
            "text": state.to_text() if is_open else "",
            "chance": showing.chance_of(self.states[at - 1], self.events[at - 1]) if at else None,
            "way": list(self.game.way(self.states[at - 1], self.events[at - 1]))
            if at and self.states[at - 1].player >= 0 and is_open
            else [],
        }


class Library:
    """The results files of the studio and the reels that were asked for last."""

    def __init__(self, studio: Studio):
        self._studio = studio
        self._kept: OrderedDict[tuple[Any, ...], Reel] = OrderedDict()
        self._counts: OrderedDict[pathlib.Path, Count] = OrderedDict()
        studio.subfolder("results")

    def _places(self) -> list[tuple[pathlib.Path, pathlib.Path]]:
        """Return the folders that results are looked for in, each with the one that names are relative to."""
        own, here = self._studio.folder, pathlib.Path.cwd()
        return [(own, own), (here, here / ELSEWHERE)]

    def files(self) -> list[dict[str, Any]]:
        """Return the results files of the studio and of the command line: name, and whether somebody writes it now.

        Those that are written come first, then the latest.
        """
        found = [
            (path, str(path.relative_to(base)))
            for base, place in self._places()
            for suffix in _SUFFIXES
            for path in place.rglob(f"*{suffix}")
            if path.is_file()
        ]
        listed = [(holder_of(path) is not None, last_change(path), name) for path, name in found]
        listed.sort(reverse=True)
        return [
            {"file": name, "title": self._title(name), "running": running, "changed": at}
            for running, at, name in listed[:_MOST_FILES]
        ]

    def _title(self, file: str) -> str:
        """Return what the job is called that wrote a file of the studio; "" for other files."""
        parts = file.split("/")
        if len(parts) < 3 or parts[-3] != "jobs":
            return ""
        try:
            return bench_of(self._studio).jobs.job(parts[-2]).title
        except ValueError:
            return ""

    def standing(self, file: str) -> dict[str, Any]:
        """Return what a results file holds so far: every match as it stands, the latest game, who leads."""
        path = self._path(file)
        if path not in self._counts:
            self._counts[path] = Count(path, bench_of(self._studio).models.called)
            while len(self._counts) > _MOST_COUNTS:
                self._counts.popitem(last=False)
        return {"title": self._title(file), **self._counts[path].look()}

    def stored(self, file: str, match: int, number: int) -> Reel:
        """Return a game of a match in a results file.

        Raises:
            ValueError: there is no such file, match or game.
        """
        key = (file, match, number)
        if key not in self._kept:
            self._keep(key, self._read(file, match, number))
        return self._kept[key]

    def _read(self, file: str, match: int, number: int) -> Reel:
        store = Store(self._path(file), read_only=True)
        try:
            plans = store.plans()
            if not 0 <= match < len(plans):
                raise ValueError(f'"{file}" has {len(plans)} matches; there is no match {match}')
            plan = plans[match]
            records = {record.number: record for record in store.games_of(plan)}
        finally:
            store.close()
        if number not in records:
            raise ValueError(f"this match has games {min(records)}..{max(records)}, not {number}")
        record = records[number]
        game = load_game(plan.game, **plan.options)
        states = [state for state, _ in states_of(game, record, plan.seed, len(plan.agents))]
        events = [event for event in record.events if event >= 0]
        names = [bench_of(self._studio).models.called(plan.agents[who]) for who in record.seating]
        return Reel(game, states[: len(events) + 1], events, names, record.returns)

    def written(self, game: Game, start: str, moves: str) -> Reel:
        """Return a game from a text: perhaps a start, then moves as people say them, between commas or line breaks.

        Where no move has a space in it, spaces separate them too. Rolls are written as they are shown ("roll 3").
        """
        state = game.from_text(start) if start.strip() else game.new_state(0)
        words = [word.strip() for word in re.split(r"[,;\n]+", moves) if word.strip()]
        if len(words) < 2 and moves.strip():
            words = moves.split()
        if len(words) > _MOST_MOVES:
            raise ValueError(f"a game here has at most {_MOST_MOVES} moves, not {len(words)}")
        states, events = [state], []
        for word in words:
            word = re.sub(r"^\d+\.+\s*", "", word)
            if not word:
                continue
            if state.player == CHANCE and game.info.chance == "sampled":
                raise ValueError("give the start with the cards dealt; a deal cannot be said in words")
            action = state.parse_action(word)
            events.append(action)
            state = state.child(action)
            states.append(state)
        names = [f"player {seat + 1}" for seat in range(game.info.num_players)]
        return Reel(game, states, events, names, state.returns().tolist() if state.player == -2 else [])

    def keep(self, reel: Reel) -> str:
        """Keep a reel for a while and return the name by which it is asked for."""
        name = f"text{len(self._kept)}-{id(reel):x}"
        self._keep((name,), reel)
        return name

    def kept(self, name: str) -> Reel:
        """Return a reel that was kept.

        Raises:
            ValueError: it is gone.
        """
        if (name,) not in self._kept:
            raise ValueError("this game is no longer at hand; give its text again")
        return self._kept[(name,)]

    def _keep(self, key: tuple[Any, ...], reel: Reel) -> None:
        self._kept[key] = reel
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _path(self, file: str) -> pathlib.Path:
        for base, place in self._places():
            try:
                path = (base / file).resolve()
                if path.is_relative_to(place.resolve()) and path.suffix in _SUFFIXES and path.is_file():
                    return path
            except (OSError, ValueError):
                continue
        raise ValueError(f'no results file "{file[:80]}" in {self._studio.folder.resolve()}')

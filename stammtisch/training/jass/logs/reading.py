"""Importing logs: file after file, piece by piece, so that memory stays bounded and a killed import goes on."""

import json
import os
import pathlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.store import Store
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE
from stammtisch.errors import BadFile
from stammtisch.files import check_writable, make_folder, write_text
from stammtisch.files.documents import fits, parse_json, read_json
from stammtisch.files.reading import reading
from stammtisch.training.jass.counting import Counts
from stammtisch.training.jass.deals import DealWriter, deal_chunks
from stammtisch.training.jass.logs import lines
from stammtisch.training.jass.logs.drafts import DealBuilder, Draft, Dropped, ToldTrick
from stammtisch.training.jass.logs.talks import Capture, challenge

FORMATS = ("auto", "swisslos", "jass-kit", "jass-kit-observations", "trump-csv", "challenge", "capture", "results")
_BY_LINE: dict[str, Callable[[str, int], Iterator[Draft | Dropped]]] = {
    "swisslos": lines.swisslos,
    "jass-kit": lines.jass_kit,
    "jass-kit-observations": lines.jass_kit_observations,
    "trump-csv": lines.trump_csv,
}
_LONGEST_LINE = 1 << 22
_PIECE = 20_000  # deals between two savings
_SQLITE = b"SQLite format 3\x00"
_HEAD = 1 << 16


@dataclass
class Progress:
    """How far an import is: the file, the byte in it, and what was written."""

    file: int = 0
    offset: int = 0
    parts: int = 0


def import_logs(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    form: str = "auto",
    resume: bool = False,
    show: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Read logs into a file of deals; return the counts.

    Args:
        paths: the logs.
        out: the file of deals.
        form: one of ``FORMATS``.
        resume: go on with an import that was interrupted.
        show: told how many bytes were read.

    Raises:
        ValueError: a file cannot be read at all, or the import cannot be resumed.
    """
    return LogImport(paths, out, form, resume).run(show)


class LogImport:
    """An import that can be interrupted: finished pieces lie in a folder beside the result until all are there."""

    def __init__(self, paths: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], form: str, resume: bool):
        if form not in FORMATS:
            raise ValueError(f"no format {form!r}; choose one of {', '.join(FORMATS)}")
        self.paths = [pathlib.Path(path) for path in paths]
        if not self.paths:
            raise ValueError("there is nothing to import: give files")
        for path in self.paths:
            if not path.is_file():
                raise BadFile(f'cannot read log "{path}": there is no such file')
        self.out = pathlib.Path(out)
        self.folder = self.out.with_name(f"{self.out.name}.parts")
        self.forms = [detect(path) if form == "auto" else form for path in self.paths]
        self.at, self.counts, self.notes = Progress(), Counts(), dict[str, int]()
        self._builder = DealBuilder()
        make_folder(self.out.parent)
        check_writable(self.out)
        if self.folder.exists():
            if not resume:
                raise ValueError(
                    f"{self.folder} holds an import that was not finished; add --resume to go on with it, "
                    "or remove the folder"
                )
            self._restore()
        elif resume:
            raise ValueError(f"there is no import {self.folder} to go on with; leave out --resume to begin one")

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.paths)

    def run(self, show: Callable[[int], object] | None = None) -> dict[str, Any]:
        """Read to the end and write the result."""
        make_folder(self.folder)
        done = sum(path.stat().st_size for path in self.paths[: self.at.file]) + self.at.offset
        if show is not None and done:
            show(done)
        while self.at.file < len(self.paths):
            path = self.paths[self.at.file]
            for deal, offset in self._deals(path, self.forms[self.at.file]):
                self._take(deal)
                if show is not None and offset > self.at.offset:
                    show(offset - self.at.offset)
                self.at.offset = max(offset, self.at.offset)
                if len(self._builder) >= _PIECE and self.forms[self.at.file] in _BY_LINE and offset:
                    self._save()
            if show is not None:
                show(path.stat().st_size - self.at.offset)
            self.at.file, self.at.offset = self.at.file + 1, 0
            self._save()
        return self._finish()

    def _take(self, deal: Draft | Dropped | None) -> None:
        if deal is None:
            return
        try:
            if isinstance(deal, Dropped):
                raise deal
            self._builder.add(deal, self.at.file % 256)
        except Dropped as reason:
            self.counts.drop(str(reason))

    def _deals(self, path: pathlib.Path, form: str) -> Iterator[tuple[Draft | Dropped | None, int]]:
        """Yield deals, and after the last one of a line where the next line begins; 0 says that more will come."""
        if form in _BY_LINE:
            yield from self._by_line(path, _BY_LINE[form])
            return
        whole = {"challenge": _challenge, "capture": _capture, "results": _results}[form]
        for deal in whole(path):
            yield deal, 0

    def _by_line(
        self, path: pathlib.Path, read: Callable[[str, int], Iterator[Draft | Dropped]]
    ) -> Iterator[tuple[Draft | Dropped | None, int]]:
        with reading(path, "log"), path.open("rb") as file:
            file.seek(self.at.offset)
            while True:
                place = file.tell()
                raw = file.readline(_LONGEST_LINE)
                if not raw:
                    return
                if not raw.endswith(b"\n") and len(raw) == _LONGEST_LINE:
                    while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
                        pass
                    yield Dropped("a line is too long"), file.tell()
                    continue
                text = raw.decode("utf-8", "replace").strip("\ufeff \t\r\n")
                if text:
                    try:
                        for deal in read(text, (self.at.file << 44) + place):
                            yield deal, 0
                    except Dropped as reason:
                        yield reason, 0
                yield None, file.tell()

    def _save(self) -> None:
        """Write what was gathered, then how far it goes: a kill between the two costs only the piece."""
        deals = self._builder.take()
        for name, times in self._builder.notes.items():
            self.notes[name] = self.notes.get(name, 0) + times
        self._builder.notes = {}
        self.counts.add(deals)
        if len(deals):
            with DealWriter(self._part(self.at.parts)) as writer:
                writer.add(deals)
            self.at.parts += 1
        state = {
            "files": [
                [str(path.resolve()), path.stat().st_size, form]
                for path, form in zip(self.paths, self.forms, strict=True)
            ],
            "at": [self.at.file, self.at.offset, self.at.parts],
            "counts": self.counts.saved(),
            "notes": self.notes,
        }
        write_text(self.folder / "state.json", json.dumps(state))

    def _part(self, number: int) -> pathlib.Path:
        return self.folder / f"{number:06d}.npz"

    def _restore(self) -> None:
        if not (self.folder / "state.json").exists():
            return  # killed before the first piece
        kind = "unfinished import"
        state = read_json(self.folder / "state.json", kind)
        with reading(self.folder / "state.json", kind):
            files = [
                [str(path.resolve()), path.stat().st_size, form]
                for path, form in zip(self.paths, self.forms, strict=True)
            ]
            if state["files"] != files:
                raise ValueError("it is one of other files, formats or sizes")
            if not fits(state["at"], list[int]) or not fits(state["notes"], dict[str, int]):
                raise ValueError("it is damaged")
            self.at = Progress(*state["at"])
            size = self.paths[self.at.file].stat().st_size if 0 <= self.at.file < len(self.paths) else 0
            if not 0 <= self.at.file <= len(self.paths) or not 0 <= self.at.offset <= size or self.at.parts < 0:
                raise ValueError("it was at a place that there is not")
            self.counts = Counts.restored(state["counts"])
            self.notes = dict(state["notes"])
        for number in range(self.at.parts):
            for deals in deal_chunks(self._part(number)):
                self.counts.see_games(deals)

    def _finish(self) -> dict[str, Any]:
        """Join the pieces."""
        facts: dict[str, Any] = {
            "synthetic": False,
            "sources": [path.name for path in self.paths],
            "formats": self.forms,
            "counts": self.counts.told(),
            "notes": self.notes,
        }
        with DealWriter(self.out, facts) as writer:
            for number in range(self.at.parts):
                for deals in deal_chunks(self._part(number)):
                    writer.add(deals)
        shutil.rmtree(self.folder)
        return {"file": str(self.out), **facts["counts"], "notes": self.notes, "formats": self.forms}


def detect(path: pathlib.Path) -> str:
    """Tell the format of a log by its beginning.

    Raises:
        BadFile: it is none that we know.
    """
    with reading(path, "log"):
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(_SQLITE):
            return "results"
        text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        if text.startswith("["):
            return "challenge"
        for line in text.splitlines()[:50]:
            if (form := _form_of(line.strip())) is not None:
                return form
        raise ValueError(f"its format is not known; name it, one of {', '.join(FORMATS[1:])}")


def _form_of(line: str) -> str | None:
    if line.count(",") == 38 and "{" not in line:
        return "trump-csv"
    if '"rounds"' in line:
        return "swisslos"
    if line.startswith("{"):
        for word, form in (('"obs"', "jass-kit-observations"), ('"game"', "jass-kit"), ('"client"', "capture")):
            if word in line:
                return form
    return None


def _challenge(path: pathlib.Path) -> Iterator[Draft | Dropped]:
    try:
        items = read_json(path, "log")
    except BadFile:
        yield Dropped("not a record")
        return
    try:
        yield from challenge(items, path.name)
    except Dropped as reason:
        yield reason


def _capture(path: pathlib.Path) -> Iterator[Draft | Dropped]:
    capture = Capture(path.name)
    with reading(path, "log"), path.open("rb") as file:
        while raw := file.readline(_LONGEST_LINE):
            if not raw.strip():
                continue
            try:
                try:
                    record = parse_json(raw)
                except ValueError:
                    raise Dropped("not a record") from None
                capture.hear(record)
            except Dropped as reason:
                yield reason
    yield from capture.end()


def _results(path: pathlib.Path) -> Iterator[Draft | Dropped]:
    """Yield the deals of Schieber in a file of results."""
    store = Store(path)
    try:
        for plan in store.plans():
            if not plan.game.startswith("jass-schieber"):
                yield Dropped("another game")
                continue
            if any(plan.options.get(name) for name in ("slalom", "weis", "stoeck", "multipliers")):
                yield Dropped("another variant of Schieber")
                continue
            game = load_game(plan.game, **plan.options)
            for record in store.games_of(plan):
                number = lines.game_number(plan.game, plan.agents, plan.seed, record.number)
                yield from _record_deals(game, record.events, number)
    finally:
        store.close()


def _record_deals(game: Any, events: Sequence[int], number: int) -> Iterator[Draft | Dropped]:
    """Yield the deals of one game, played again by our own rules."""
    rules = game.rules
    state = game.new_state(0)
    draft: Draft | None = None
    count = 0
    for event in events:
        if state.player == CHANCE:
            if draft is not None:
                yield draft
            try:
                state.apply(event)
            except (ValueError, OverflowError):
                yield Dropped("events are no game")
                return
            hands = [
                [card for card in range(36) if int(state._row[rules.HAND + seat]) >> card & 1] for seat in range(4)
            ]
            draft = Draft(forehand=int(state._row[rules.FOREHAND]), game=number, number=count, dealt=list(hands))
            count += 1
            continue
        if draft is None or event < 0 or not state.is_legal(event):
            if event >= 0:
                draft = None
                yield Dropped("events are no game")
            break
        if event == rules.PASS:
            draft.passed = True
        elif event >= rules.FIRST_MODE:
            draft.mode = event - rules.FIRST_MODE
        else:
            if not draft.tricks or len(draft.tricks[-1].cards) == 4:
                draft.tricks.append(ToldTrick([]))
            draft.tricks[-1].cards.append(event)
        state.apply(event)
    if draft is not None:
        yield draft

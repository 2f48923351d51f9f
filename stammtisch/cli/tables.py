"""``tables``: solved positions on disk: build, list, verify, remove."""

import pathlib
import time
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import GameOption, JsonFlag, app, err, game_options, out, print_json
from stammtisch.envs import load_game
from stammtisch.envs.core.tables import SUFFIX, Part, TableFile, TableSet, open_table, tables_folder
from stammtisch.errors import BadFile

tables_app = typer.Typer(help="Tables of solved positions: build, list, verify, remove.", no_args_is_help=True)
app.add_typer(tables_app, name="tables")

GameArgument = Annotated[str, typer.Argument(help="Id of the game.")]
FolderOption = Annotated[
    pathlib.Path | None,
    typer.Option("--dir", help="Folder of the tables; by default $STAMMTISCH_TABLES or the user's own."),
]
MenOption = Annotated[
    int, typer.Option("--men", min=0, help="Men of both sides together up to which Mühle is solved; 0 for the default.")
]
PartOption = Annotated[
    list[str] | None,
    typer.Option("--part", help="Only this part, such as 5-4; may be repeated. Building adds what it needs."),
]
ThreadsOption = Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on it.")]
_MEGABYTE = 1e6


@tables_app.command()
def build(
    game: GameArgument,
    men: MenOption = 0,
    part: PartOption = None,
    threads: ThreadsOption = 2,
    folder: FolderOption = None,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Build the tables of a game, part by part; what is there stays, so that a run can be broken off and resumed.

    The checksums of what is there are compared first: nothing is built on a damaged table.

    For Reversi on 4x4 and 6x6 this proves the score of the start.

    Example: `stammtisch tables build muehle --men 8`
    """
    found = _set_of(game, folder, option)
    rows = []
    chosen = _chosen(found, men, part)
    if part:
        wanted = {needed.name for each in chosen for needed in found.needed_for(each)}
        chosen = [each for each in found.all_parts() if each.name in wanted]
    for each in chosen:
        began = time.perf_counter()
        with err.status(f"building {each.name}") as status:
            is_new = found.build(each, threads, status.update)
            if not is_new:
                found.check_sums(each)
        rows.append({**_facts(found, each), "built": is_new, "seconds": round(time.perf_counter() - began, 2)})
        if not json_:
            err.print(_line(rows[-1]), markup=False, highlight=False)
    if json_:
        print_json({"folder": str(found.folder), "name": found.name, "parts": rows})
    else:
        size = sum(row["bytes"] for row in rows)
        out.print(f"{len(rows)} parts, {size / _MEGABYTE:.1f} MB in {found.folder}", markup=False, highlight=False)


@tables_app.command("list")
def list_(folder: FolderOption = None, json_: JsonFlag = False) -> None:
    """List the tables that are there: positions, how many are won, drawn and lost, the longest win, size.

    Example: `stammtisch tables list`
    """
    place = tables_folder(folder)
    rows = []
    for path in sorted(place.glob(f"*/*{SUFFIX}")):
        try:
            rows.append(_row(open_table(path)))
        except BadFile as error:
            rows.append({"name": path.parent.name, "file": path.name, "damage": str(error)})
    if json_:
        print_json({"folder": str(place), "tables": rows})
        return
    if not rows:
        out.print(f"no tables in {place}; stammtisch tables build GAME makes them", markup=False, highlight=False)
        return
    shown = Table("game and rules", "file", "positions", "won", "drawn", "lost", "longest", "MB")
    for row in rows:
        if "damage" in row:
            shown.add_row(row["name"], row["file"], "damaged", "", "", "", "", "")
            continue
        counts = (row.get(key) for key in ("positions", "won", "drawn", "lost", "longest"))
        texts = ("" if count is None else f"{count:,}" for count in counts)
        shown.add_row(row["name"], row["file"], *texts, f"{row['bytes'] / _MEGABYTE:.2f}")
    out.print(shown)


@tables_app.command()
def verify(
    game: GameArgument,
    men: MenOption = 0,
    part: PartOption = None,
    deep: Annotated[bool, typer.Option("--deep", help="Also compare every position with its successors.")] = False,
    threads: ThreadsOption = 2,
    folder: FolderOption = None,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Compare the tables of a game with their checksums, and every position with those that it leads to.

    Example: `stammtisch tables verify muehle --deep`
    """
    found = _set_of(game, folder, option)
    rows = []
    present = [each for each in _chosen(found, men or _EVERYTHING, part) if found.has(each)]
    if not present:
        raise ValueError(f"no tables of {found.name} in {found.folder.parent}; stammtisch tables build {game}")
    for each in present:
        with err.status(f"verifying {each.name}") as status:
            found.check_sums(each)
            if deep and (fault := found.find_fault(each, threads, status.update)):
                raise BadFile(f"{found.name}: {fault}; remove the part {each.name} and build it anew")
        rows.append({"part": each.name, "entries": each.entries})
        if not json_:
            err.print(f"{each.name}: {each.entries:,} entries are right", markup=False, highlight=False)
    if json_:
        print_json({"folder": str(found.folder), "name": found.name, "deep": deep, "parts": rows})
    else:
        how = "checksums and every position against its successors" if deep else "checksums"
        out.print(f"{len(rows)} parts verified: {how}", markup=False, highlight=False)


@tables_app.command()
def remove(
    game: GameArgument,
    part: PartOption = None,
    folder: FolderOption = None,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Delete the tables of a game.

    Example: `stammtisch tables remove muehle --part 5-5`
    """
    found = _set_of(game, folder, option)
    freed = sum(found.remove(each) for each in _chosen(found, _EVERYTHING, part))
    if json_:
        print_json({"folder": str(found.folder), "name": found.name, "bytes": freed})
    else:
        out.print(f"{freed / _MEGABYTE:.1f} MB freed in {found.folder}", markup=False, highlight=False)


_EVERYTHING = 1 << 10  # men


def _set_of(game: str, folder: pathlib.Path | None, option: list[str] | None) -> TableSet:
    return load_game(game, **game_options(game, option)).tables(folder)


def _chosen(found: TableSet, men: int, names: list[str] | None) -> list[Part]:
    """Return the parts with these names, or all up to a number of men."""
    if 0 < men < _EVERYTHING and not found.SIZE_MEANS:
        raise ValueError(f"tables of {found.game.id} do not go by men; leave --men out")
    if not names:
        return found.parts(men)
    return [found.part(name) for name in names]


def _facts(found: TableSet, part: Part) -> dict[str, Any]:
    opened = [found.open(file) for file in part.files]
    return {
        "part": part.name,
        "entries": part.entries,
        "bytes": sum(table.path.stat().st_size for table in opened),
        "files": [_row(table) for table in opened],
    }


def _row(table: TableFile) -> dict[str, Any]:
    left_out = ("dtype", "entries", "part")
    facts = {key: value for key, value in table.header.items() if key not in left_out}
    return {**facts, "file": table.path.name, "bytes": table.path.stat().st_size}


def _line(row: dict[str, Any]) -> str:
    done = f"built in {row['seconds']:.1f} s" if row["built"] else "was there"
    counts = "; ".join(
        f"{file['file'].removesuffix(SUFFIX)} {file['won']:,} won, {file['drawn']:,} drawn, {file['lost']:,} lost, "
        f"longest win {file['longest']} turns"
        for file in row["files"]
        if "won" in file
    )
    return f"{row['part']}: {row['entries']:,} entries, {done}{'; ' if counts else ''}{counts}"

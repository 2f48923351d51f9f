"""Commands about frozen players: ``rate`` places any agent on a game's ladder, ``ladder`` shows or measures one."""

import pathlib
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import JsonFlag, SeedOption, WorkersOption, app, err, out, print_json, progress_bar
from stammtisch.files import check_writable, write_text
from stammtisch.json_text import json_text

if TYPE_CHECKING:
    from stammtisch.arena.placing import Place
    from stammtisch.arena.store import Store

_MATCHES = 4  # that a rating takes about


@app.command()
def rate(
    agent: Annotated[str, typer.Argument(help="The agent, as name:key=value,…")],
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    games: Annotated[int, typer.Option(min=2, help="Games against each rung that it meets.")] = 100,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    out_file: Annotated[
        pathlib.Path | None, typer.Option("--out", help="Write the row to this JSON file, the games beside it.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games beside --out.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Place an agent on the frozen ladder of a game: Elo with an interval, the lowest rung has 0.

    It meets the rungs near its strength. With `--out rating.json` its games are kept in `rating.sqlite`; after a stop
    the same command with `--resume` goes on.

    Example: `stammtisch rate mcts:iterations=500 reversi-8x8 --games 40`
    """
    from stammtisch.arena.placing import rate as place_agent
    from stammtisch.baselines import load_agent
    from stammtisch.envs import load_game
    from stammtisch.models.ladders import ladder_of

    ladder = ladder_of(load_game(game).id)
    load_agent(agent, load_game(game, **ladder.options))
    if out_file is not None:
        check_writable(out_file)
    with (
        _kept(out_file.with_suffix(".sqlite") if out_file is not None else None, resume) as store,
        progress_bar("games", games * _MATCHES) as advance,
    ):
        found = place_agent(
            agent, ladder, games, seed, workers, store, advance, lambda rung: advance(0, f"against {rung}")
        )
    if out_file is not None:
        write_text(out_file, json_text(found.to_json()) + "\n")
    if json_:
        print_json(found.to_json())
        return
    _show(found)


def _kept(path: pathlib.Path | None, resume: bool) -> "closing[Store] | nullcontext[None]":
    """Return the store of a rating's games, if they are kept."""
    from stammtisch.arena.store import Store

    if path is None:
        return nullcontext()
    if path.exists() and not resume:
        raise ValueError(f"{path} exists; add --resume to go on with it, or choose another file")
    return closing(Store(path))


def _show(found: "Place") -> None:
    from stammtisch.arena.ratings import Rating

    rows = Table("rung", "agent", "Elo", "games", "score", "95 % interval")
    for meeting in found.meetings:
        low, high = meeting.ci95
        interval = f"{low:.1%} to {high:.1%}"
        rows.add_row(
            meeting.rung, meeting.agent, f"{meeting.elo:.0f}", str(meeting.games), f"{meeting.score:.1%}", interval
        )
    out.print(rows)
    interval = Rating(found.agent, found.elo, found.ci95, found.games, 0.0).interval_text()
    out.print(
        f"{found.agent} on the ladder of {found.game}: {found.elo:.0f} Elo ({interval}), {found.games} games",
        markup=False,
        highlight=False,
    )
    if found.seconds_per_move is not None:
        out.print(f"thinking time per move: {1000 * found.seconds_per_move:.2g} ms")


@app.command()
def ladder(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    measure: Annotated[
        bool, typer.Option("--measure", help="Play the rungs against each other and rate them.")
    ] = False,
    games: Annotated[int, typer.Option(min=2, help="Games of each pair of rungs.")] = 100,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    out_file: Annotated[
        pathlib.Path | None, typer.Option("--out", help="Keep the games of --measure in this SQLite file.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games in --out.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Show the frozen ladder of a game: fixed players by rating, `ladder-1` the weakest.

    `--measure` plays every rung against the next two and rates them anew; what ships stays as it is.

    Example: `stammtisch ladder reversi-8x8`
    """
    from stammtisch.arena.placing import measure_ladder, meetings_of
    from stammtisch.models.ladders import ladder_of

    shown = ladder_of(game)
    rows = [(rung.elo, tuple(rung.ci95), rung.games) for rung in shown.rungs]
    if measure:
        total = games * len(meetings_of(len(shown.rungs)))
        with _kept(out_file, resume) as store, progress_bar("games", total) as advance:
            ratings = measure_ladder(shown, games, seed, workers, store, advance)
        rows = [(rating.elo, rating.ci95, rating.games) for rating in ratings]
    elif out_file is not None:
        raise ValueError("--out keeps the games of --measure; add --measure")
    if json_:
        print_json(
            {
                "game": game,
                "opening": shown.opening,
                "rungs": [
                    {"name": name, "agent": rung.agent, "elo": elo, "ci95": list(ci95), "games": played}
                    for name, rung, (elo, ci95, played) in zip(shown.names(), shown.rungs, rows, strict=True)
                ],
            }
        )
        return
    table = Table("rung", "agent", "Elo", "95 % interval", "games")
    for name, rung, (elo, (low, high), played) in zip(shown.names(), shown.rungs, rows, strict=True):
        table.add_row(name, rung.agent, f"{elo:.0f}", f"{low:.0f} to {high:.0f}" if played else "", str(played or ""))
    out.print(table)
    if shown.command and not measure:
        err.print(f"measured by {shown.command}", markup=False, highlight=False)

"""Commands of the Jass challenge protocol: ``jass-client``, ``jass-server``."""

import pathlib
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.arena import free_folder
from stammtisch.cli.console import GameOption, JsonFlag, app, err, game_options, out, print_json
from stammtisch.envs import load_game

_GAME = "jass-schieber-2500"
SeedOption = Annotated[int | None, typer.Option(min=0, help="Decides what is drawn; by default something new.")]


@app.command("jass-client")
def jass_client(
    url: Annotated[str, typer.Argument(help="Address of the server, ws://HOST:PORT.")],
    agent: Annotated[str, typer.Option(help="The agent that plays, as name:key=value,…")] = "heuristic",
    name: Annotated[str | None, typer.Option(help="Name of the player; by default the agent.")] = None,
    session: Annotated[str | None, typer.Option(help="Name of the session; by default the first that waits.")] = None,
    tournament: Annotated[bool, typer.Option("--tournament", help="Play a tournament: two connections.")] = False,
    instances: Annotated[int | None, typer.Option(min=1, max=2, help="Connections, one agent each.")] = None,
    team: Annotated[int | None, typer.Option(min=0, max=1, help="Wanted team of a single game.")] = None,
    start: Annotated[int, typer.Option(min=0, help="Start the tournament when so many bots are there.")] = 0,
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds per decision; then a fast move is sent.")] = 0.4,
    retry: Annotated[float, typer.Option(min=0, help="Seconds to go on trying to reach the server.")] = 30.0,
    log: Annotated[pathlib.Path | None, typer.Option(help="Keep the whole exchange in this file (JSON lines).")] = None,
    seed: SeedOption = None,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Seat an agent at a Jass challenge server, in a single game or in a tournament.

    Example: `stammtisch jass-client ws://localhost:3000 --agent ismcts --session cup --tournament --start 2`
    """
    import asyncio

    from stammtisch.challenge.client import Seat, run_client
    from stammtisch.challenge.connection import websockets_client
    from stammtisch.challenge.messages import LONGEST_NAME
    from stammtisch.challenge.practice import settle_down
    from stammtisch.challenge.thinker import Thinker

    websockets_client()
    if start and not (tournament and session):
        raise ValueError("--start needs --tournament and the name of its --session")
    shown = name if name is not None else agent
    if not 0 < len(shown) <= LONGEST_NAME:
        raise ValueError(f"a player's name has 1 to {LONGEST_NAME} characters, not {len(shown)}; give --name")
    game = load_game(_GAME, match_by="points", **game_options(_GAME, option))
    count = instances or (2 if tournament else 1)
    thinkers = [Thinker(agent, game, None if seed is None else seed + i, limit) for i in range(count)]
    with err.status(f"{agent} plays one deal in private, to be ready"):
        thinkers[0].warm()
        settle_down()
    seat = Seat(url, shown, session, tournament, team, retry)
    try:
        outcomes = asyncio.run(run_client(seat, game, thinkers, start, log, _tell))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if json_:
        print_json({"connections": [asdict(outcome) for outcome in outcomes]})
        return
    table = Table("connection", "games", "won", "late", "failed", "ended")
    for outcome in outcomes:
        figures = (outcome.games, outcome.won, outcome.late, outcome.failed)
        table.add_row(outcome.name, *map(str, figures), outcome.ended)
    out.print(table)
    _show_ranking(outcomes[-1].ranking)


def _show_ranking(ranking: list[dict[str, Any]]) -> None:
    """Show the final table; what a server leaves out is left out here."""
    if not any("rank" in row for row in ranking):
        return
    table = Table("rank", "player", "rating", "")
    for row in ranking:
        rank = f"{row['rank']:g}" if "rank" in row else ""
        rating = f"{row['rating']:.0f}" if "rating" in row else ""
        table.add_row(rank, row["playerName"], rating, "crashed" if row.get("crashed") else "")
    out.print(table)


@app.command("jass-server")
def jass_server(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on; anybody can connect there.")] = "127.0.0.1",
    games: Annotated[int, typer.Option(min=1, help="Games per pair in a tournament.")] = 1,
    target: Annotated[int, typer.Option(min=1, help="Points that end a game.")] = 2500,
    multipliers: Annotated[bool, typer.Option("--multipliers", help="Count modes double and threefold.")] = False,
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds per decision in tournaments.")] = 0.5,
    patience: Annotated[float, typer.Option(min=0, help="Seconds per decision elsewhere; 0: no limit.")] = 120.0,
    bot: Annotated[list[str] | None, typer.Option(help="Agent for JOIN_BOT; more are offered by name.")] = None,
    log: Annotated[pathlib.Path | None, typer.Option(help="Folder for a file per game.")] = None,
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of the results.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Add to the results in the folder.")] = False,
    stop_after: Annotated[int, typer.Option(min=0, help="Stop after so many sessions; 0: go on.")] = 0,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="Web pages that may connect, as http://HOST:PORT; * for all. By default none."),
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Run a Jass challenge server for single games and tournaments, for our agents and anybody's.

    Results go into a folder; `stammtisch report FOLDER` rates the players.

    Example: `stammtisch jass-server --games 5 --out cup --log cup-log`
    """
    import asyncio

    from stammtisch.challenge.connection import websockets_server
    from stammtisch.challenge.house import Settings
    from stammtisch.challenge.practice import settle_down
    from stammtisch.challenge.server import Server
    from stammtisch.cli.serving import serve

    websockets_server()
    settings = Settings(games, target, multipliers, limit, patience, seed, log=log)
    folder = free_folder("jass-server", out_folder, resume)
    server = Server(settings, tuple(bot or ["heuristic"]), folder / "results.sqlite", _tell, allow_origin or ())

    def ready() -> None:
        settle_down()
        _tell(f"listening on ws://{host}:{server.port}; results go to {folder}; stop with Ctrl-C")

    def is_done() -> bool:
        return bool(stop_after) and server.lobby.finished >= stop_after

    asyncio.run(serve(server, host, port, ready, is_done))
    results = server.results
    slowest = f"slowest answer {1000 * results.slowest_s:.0f} ms"
    out.print(f"{results.games} games, {results.forfeits} of them given up; {slowest}; results: {folder}")


def _tell(line: str) -> None:
    err.print(line, markup=False, highlight=False, soft_wrap=True)

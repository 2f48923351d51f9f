"""Commands of ReversiXT: ``reversixt-map``, ``reversixt-server``, ``reversixt-client``."""

import pathlib
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stammtisch.cli.arena import free_folder
from stammtisch.cli.console import JsonFlag, SeedOption, app, err, out, print_json
from stammtisch.envs import load_game

if TYPE_CHECKING:
    from stammtisch.envs.reversixt.map import Map

_PORT = 7777  # of the course's server


@app.command("reversixt-map")
def reversixt_map(
    players: Annotated[int, typer.Option(min=2, max=8, help="Number of players.")] = 2,
    size: Annotated[str, typer.Option(help="Columns and rows, as 20x20.")] = "15x15",
    seed: SeedOption = 0,
    overrides: Annotated[int, typer.Option(min=0, max=1000, help="Override stones of each player.")] = 2,
    bombs: Annotated[int, typer.Option(min=0, max=1000, help="Bombs of each player.")] = 1,
    strength: Annotated[int, typer.Option(min=0, max=60, help="Radius of the bombs.")] = 1,
    holes: Annotated[float, typer.Option(min=0, max=0.9, help="Share of holes.")] = 0.08,
    specials: Annotated[float, typer.Option(min=0, max=0.9, help="Share of special fields.")] = 0.08,
    tunnels: Annotated[int, typer.Option(min=0, max=100, help="Tunnels for each player.")] = 2,
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="Write the map to this file.")] = None,
    check: Annotated[pathlib.Path | None, typer.Option(help="Check the map in this file instead.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the maps that come with the package instead.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Make a fair map for ReversiXT, check one, or list those that come with the package.

    A turn of a generated board gives every player's place to the next one; every player can begin, no field is dead.

    Example: `stammtisch reversixt-map --players 4 --size 20x20 --seed 7 --out own.map`
    """
    from stammtisch.envs.reversixt.generator import Wishes, generate_map
    from stammtisch.envs.reversixt.map import format_map, parse_map, read_map, shipped_maps
    from stammtisch.files import write_text

    if list_ or check is not None:
        maps = {name: parse_map(text) for name, text in shipped_maps().items()} if check is None else {}
        if check is not None:
            maps[str(check)] = read_map(check)
        rows = [_facts(name, board) for name, board in maps.items()]
        if json_:
            print_json({"maps": rows})
            return
        table = Table("map", "players", "size", "overrides", "bombs", "tunnels", "first moves", "dead fields")
        for row in rows:
            table.add_row(*map(str, row.values()))
        out.print(table)
        return
    sides = re.fullmatch(r"(\d{1,3})x(\d{1,3})", size)
    if sides is None:
        raise ValueError(f'--size "{size}" is not allowed; write columns and rows as 20x20')
    wishes = Wishes(players, int(sides[1]), int(sides[2]), overrides, bombs, strength, holes, specials, tunnels)
    text = format_map(generate_map(wishes, seed))
    if out_file is not None:
        write_text(out_file, text)
    if json_:
        print_json({"map": text})
    elif out_file is None:
        print(text, end="")
    else:
        out.print(f"{out_file}: {players} players, {size}", markup=False, highlight=False)


def _facts(name: str, board: "Map") -> dict[str, object]:
    from stammtisch.envs.reversixt.map import dead_fields, placements

    first = [len(placements(board, player)) for player in range(1, board.players + 1)]
    return {
        "map": name,
        "players": board.players,
        "size": f"{board.width}x{board.height}",
        "overrides": board.overrides,
        "bombs": f"{board.bombs} of strength {board.strength}",
        "tunnels": len(board.tunnels),
        "first_moves": " ".join(map(str, first)),
        "dead_fields": len(dead_fields(board)),
    }


@app.command("reversixt-server")
def reversixt_server(
    map_: Annotated[str | None, typer.Option("--map", help="Name of a shipped map, or a file.")] = None,
    players: Annotated[int | None, typer.Option(min=2, max=8, help="Number of players; the map has it too.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = _PORT,
    host: Annotated[str, typer.Option(help="Address to listen on; anybody can connect there.")] = "127.0.0.1",
    games: Annotated[int, typer.Option(min=0, help="Games to play; 0: go on.")] = 1,
    time_s: Annotated[
        float, typer.Option("--time", min=0, help="Seconds that each request adds to an account; 0: no limit.")
    ] = 0.0,
    depth: Annotated[int, typer.Option(min=0, max=255, help="Depth limit named in requests; 0: none.")] = 0,
    prepare: Annotated[float, typer.Option(min=0, help="Seconds on each account at the start.")] = 30.0,
    patience: Annotated[float, typer.Option(min=0.1, help="Seconds for an answer without a time limit.")] = 120.0,
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of the results.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Add to the results in the folder.")] = False,
    seed: SeedOption = 0,
) -> None:
    """Referee ReversiXT over the course protocol, for our agents and anybody's clients.

    Clients are seated in the order in which they connect. Whoever answers late, wrongly or not at all is disqualified.
    Results go into a folder; `stammtisch report FOLDER` rates the groups, `stammtisch replay FOLDER` checks the games.

    Example: `stammtisch reversixt-server --map crossing --players 4 --time 2`
    """
    import asyncio

    from stammtisch.challenge.reversixt.referee import TimeLimits
    from stammtisch.challenge.reversixt.server import CourseServer, CourseSettings
    from stammtisch.cli.serving import serve
    from stammtisch.envs.reversixt.game import OWN_MAPS, ReversiXT
    from stammtisch.files import make_folder

    if map_ is None and players not in OWN_MAPS:
        raise ValueError(f"--map is missing; without it --players is one of {', '.join(map(str, OWN_MAPS))}")
    game = load_game("reversixt", map=map_ if map_ is not None else OWN_MAPS[players or 2], give_up=True)
    assert isinstance(game, ReversiXT)
    if players is not None and players != game.info.num_players:
        raise ValueError(f"--players {players} does not fit the map, which is for {game.info.num_players}")
    settings = CourseSettings(TimeLimits(time_s, depth, prepare, patience), games, seed=seed)
    folder = make_folder(free_folder("reversixt-server", out_folder, resume))
    server = CourseServer(game, settings, folder / "results.sqlite", _tell)

    def ready() -> None:
        _tell(f"listening on {host}:{server.port} for {game.info.num_players} players; results go to {folder}")

    asyncio.run(serve(server, host, port, ready, server.finished.is_set))
    out.print(f"{server.played} games, {server.disqualified} players disqualified; results: {folder}")


@app.command("reversixt-client")
def reversixt_client(
    address: Annotated[str, typer.Argument(help="Address of the server, HOST:PORT.")],
    agent: Annotated[str, typer.Option(help="The agent that plays, as name:key=value,…")] = "heuristic",
    group: Annotated[int, typer.Option(min=0, max=255, help="The own group number.")] = 1,
    map_: Annotated[str | None, typer.Option("--map", help="Get ready for this map before connecting.")] = None,
    retry: Annotated[float, typer.Option(min=0, help="Seconds to go on trying to reach the server.")] = 10.0,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides what the agent draws.")] = None,
    json_: JsonFlag = False,
) -> None:
    """Seat an agent at a ReversiXT server for one game; limits of time and depth are those of the server.

    Code is compiled for each map: name it by `--map` if it is known, or let the server grant time to prepare.

    Example: `stammtisch reversixt-client localhost:7777 --agent mcts:time_s=1 --group 3`
    """
    import asyncio

    from stammtisch.challenge.reversixt.client import TimelyAgent, run_client
    from stammtisch.envs.core.agents import load_agent

    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ValueError(f'"{address}" is not an address; write HOST:PORT, such as localhost:{_PORT}')
    load_agent(agent, "reversixt")  # a wrong name is told before anybody waits
    if map_ is not None:
        with err.status("compiling"):
            state = load_game("reversixt", map=map_).new_state()
            if state.player >= 0:
                TimelyAgent(agent, state.game, seed).warm(state.view(state.player))
    try:
        outcome = asyncio.run(run_client(host.strip("[]"), int(port), agent, group, seed, retry, _tell))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if json_:
        print_json(asdict(outcome))
        return
    stones = ", ".join(f"{number}: {n}" for number, n in enumerate(outcome.stones, 1))
    late = f", {outcome.late} of them in haste" if outcome.late else ""
    said = f"player {outcome.player}, rank {outcome.rank or '-'}; stones {stones or '-'}; {outcome.moves} moves{late}"
    out.print(f"{outcome.ended}: {said}", markup=False, highlight=False)


def _tell(line: str) -> None:
    err.print(line, markup=False, highlight=False, soft_wrap=True)

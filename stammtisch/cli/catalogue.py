"""Commands about what there is and how fast it is: ``games``, ``agents``, ``speed``, ``warmup``."""

import itertools
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.baselines import AGENTS, agent_class
from stammtisch.cli.console import JsonFlag, SeedOption, app, options_table, out, print_json, progress_bar
from stammtisch.envs import GAMES, game_class, load_game
from stammtisch.envs.core.options import option_text


@app.command()
def games(
    game: Annotated[str | None, typer.Argument(help="Show the options of this game.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List the games, or the options of one.

    Example: `stammtisch games muehle`
    """
    rows: list[dict[str, Any]] = []
    for game_id in [load_game(game).id] if game else GAMES:
        loaded = load_game(game_id)
        info = loaded.info
        rows.append(
            {
                "id": game_id,
                "env": GAMES[game_id].env_id,
                "players": info.num_players,
                "teams": list(info.teams),
                "chance": info.chance,
                "hidden": info.hidden,
                "actions": info.num_actions,
                "observation": list(info.observation_shape),
                "options": {name: option.to_json() for name, option in loaded.OPTIONS.items()},
            }
        )
    if json_:
        print_json({"games": rows})
        return
    table = Table("id", "Gymnasium id", "players", "chance", "hidden", "actions", "observation")
    for row in rows:
        shape = "x".join(map(str, row["observation"]))
        hidden = "yes" if row["hidden"] else "no"
        table.add_row(row["id"], row["env"], str(row["players"]), row["chance"], hidden, str(row["actions"]), shape)
    out.print(table)
    if game:
        out.print(options_table(game_class(game).OPTIONS))


@app.command()
def agents(
    agent: Annotated[str | None, typer.Argument(help="Show the options of this agent.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List the agents, or the options of one.

    Example: `stammtisch agents mcts`
    """
    names = list(AGENTS) if agent is None else [agent]
    tables = {name: agent_class(name).OPTIONS for name in names}
    if json_:
        rows = [
            {
                "name": name,
                "help": AGENTS[name].help,
                "options": {key: option.to_json() for key, option in table.items()},
            }
            for name, table in tables.items()
        ]
        print_json({"agents": rows})
        return
    if agent is not None:
        out.print(f"{agent}: {AGENTS[agent].help}", markup=False, highlight=False)
        out.print(options_table(tables[agent]))
        return
    listed = Table("agent", "what it does", "options (defaults)")
    for name, table in tables.items():
        shown = ", ".join(f"{key}={option_text(option.default)}" for key, option in table.items())
        listed.add_row(name, AGENTS[name].help, shown)
    out.print(listed)


@app.command()
def speed(
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only these games.")] = None,
    face: Annotated[list[str] | None, typer.Option("--face", "-f", help="Only these faces.")] = None,
    search: Annotated[bool, typer.Option("--search", help="Measure the searches instead of the faces.")] = False,
    sb3: Annotated[bool, typer.Option("--sb3", help="Measure collecting for Stable-Baselines3 instead.")] = False,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each side of each comparison.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, help="Threads of ours, in the faces vector and playouts.")] = 1,
    seed: SeedOption = 0,
    json_: JsonFlag = False,
) -> None:
    """Measure steps per second of every game and face, beside OpenSpiel, Shimmy and Pgx where they are installed.

    `--search` measures simulations per second of `mcts` and nodes per second of `alphabeta` instead; `--sb3` the
    steps per second that Stable-Baselines3 collects from 256 games, through our adapter and through its DummyVecEnv.

    Pgx always computes on all cores; `--threads` gives as many to our side.

    Example: `stammtisch speed --game einstein-5x5 --seconds 3`
    """
    from stammtisch.benchmarks.speed.alphabeta import alphabeta_speed
    from stammtisch.benchmarks.speed.faces import FACES, measure
    from stammtisch.benchmarks.speed.search import search_speed
    from stammtisch.errors import unknown

    for name in face or ():
        if name not in FACES:
            raise unknown("face", name, FACES)
    chosen = [load_game(name).id for name in game or GAMES]
    faces = face or list(FACES)
    rows = measure(chosen, faces, seconds, seed, threads)
    total = len(chosen) * len(faces)
    if search:
        chosen = [name for name in chosen if not load_game(name).info.hidden]
        rows = itertools.chain(search_speed(chosen, seconds, seed), alphabeta_speed(chosen, seconds, seed))
        total = 2 * len(chosen)
    if sb3:
        from stammtisch.benchmarks.speed.sb3 import sb3_speed

        rows, total = sb3_speed(chosen, seconds, seed), len(chosen)
    results = []
    with progress_bar("measurements", total) as advance:
        for result in rows:
            results.append(result)
            advance(1)
    if json_:
        print_json({"speed": [result.to_json() for result in results]})
        return
    table = Table("game", "face", "threads", "steps/s", "peer", "its steps/s", "ratio")
    for result in results:
        first = True
        for peer, theirs in (result.peers or {"": 0.0}).items():
            ours = f"{result.steps_per_s:,.0f}" if first else ""
            name = result.game if first else ""
            figures = (peer, f"{theirs:,.0f}", f"{result.steps_per_s / theirs:.1f}x") if peer else ("", "", "")
            used = str(result.threads) if first else ""
            table.add_row(name, result.face if first else "", used, ours, *figures)
            first = False
    out.print(table)


@app.command()
def warmup(
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only these games.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete the compiled kernels instead.")] = False,
) -> None:
    """Compile the kernels of the games into the disk cache, so that later starts are quick.

    Example: `stammtisch warmup --game einstein-5x5`
    """
    from stammtisch.envs.core.cache import clear_cache
    from stammtisch.envs.warmup import compile_game

    if clear:
        out.print(f"deleted {clear_cache()} cache files")
        return
    chosen = [load_game(name) for name in game or GAMES]
    with progress_bar("games", len(chosen)) as advance:
        for loaded in chosen:
            compile_game(loaded)
            advance(1)

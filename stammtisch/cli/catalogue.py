"""Commands about what there is and how fast it is: ``games``, ``agents``, ``speed``, ``warmup``."""

import itertools
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.baselines import AGENTS, agent_class
from stammtisch.cli.console import JsonFlag, SeedOption, app, err, options_table, out, print_json, progress_bar
from stammtisch.envs import GAMES, game_class, load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import option_text
from stammtisch.envs.core.plugins import one_line


@app.command()
def games(
    game: Annotated[str | None, typer.Argument(help="Show the options of this game.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List the games, or the options of one.

    Example: `stammtisch games muehle`
    """
    rows: list[dict[str, Any]] = []
    for loaded in [load_game(game)] if game else _loadable_games():
        game_id, info = loaded.id, loaded.info
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
                "agents": {name: dict(suited) for name, suited in loaded.AGENTS.items()},
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
        for name, suited in game_class(game).AGENTS.items():
            said = ",".join(f"{key}={option_text(value)}" for key, value in suited.items())
            out.print(f"{name} plays here as {name}:{said}", highlight=False)


@app.command()
def agents(
    agent: Annotated[str | None, typer.Argument(help="Show the options of this agent.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List the agents, or the options of one.

    Example: `stammtisch agents mcts`
    """
    classes = _loadable_agents() if agent is None else {agent: agent_class(agent)}
    tables = {name: cls.OPTIONS for name, cls in classes.items()}
    abouts = {name: _about_agent(name, cls) for name, cls in classes.items()}
    if json_:
        rows = [
            {
                "name": name,
                "help": abouts[name],
                "options": {key: option.to_json() for key, option in table.items()},
            }
            for name, table in tables.items()
        ]
        print_json({"agents": rows})
        return
    if agent is not None:
        out.print(f"{agent}: {abouts[agent]}", markup=False, highlight=False)
        out.print(options_table(tables[agent]))
        return
    listed = Table("agent", "what it does", "options (defaults)")
    for name, table in tables.items():
        shown = ", ".join(f"{key}={option_text(option.default)}" for key, option in table.items())
        listed.add_row(name, abouts[name], shown)
    out.print(listed)


def _loadable_games() -> Iterator[Game]:
    """Yield all games; a plug-in that fails is left out with a line on stderr."""
    for game_id in GAMES:
        try:
            yield load_game(game_id)
        except Exception as error:
            _leave_out("game", game_id, GAMES[game_id].game, error)


def _loadable_agents() -> dict[str, type[Agent]]:
    """Return the classes of all agents; a plug-in that fails is left out with a line on stderr."""
    found = {}
    for name, entry in AGENTS.items():
        try:
            found[name] = agent_class(name)
        except Exception as error:
            _leave_out("agent", name, entry.agent, error)
    return found


def _leave_out(kind: str, name: str, place: str, error: Exception) -> None:
    if place.partition(".")[0] == "stammtisch":
        raise error
    err.print(f"{kind} {name} is left out: {one_line(error)}", markup=False, highlight=False, soft_wrap=True)


def _about_agent(name: str, cls: type[Agent]) -> str:
    """Say what an agent does: its row's sentence, or the first one of the class with the package it is of."""
    entry = AGENTS.get(name)
    if entry is not None and entry.agent.startswith("stammtisch."):
        return entry.help
    first = (cls.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return f"{first} ({entry.help})" if entry is not None else first


@app.command()
def speed(
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only these games.")] = None,
    face: Annotated[list[str] | None, typer.Option("--face", "-f", help="Only these faces.")] = None,
    search: Annotated[bool, typer.Option("--search", help="Measure the searches instead of the faces.")] = False,
    learned: Annotated[bool, typer.Option("--learned", help="Measure searches on n-tuple networks instead.")] = False,
    sb3: Annotated[bool, typer.Option("--sb3", help="Measure collecting for Stable-Baselines3 instead.")] = False,
    maps: Annotated[bool, typer.Option("--maps", help="Measure ReversiXT on maps of every size instead.")] = False,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each side of each comparison.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, help="Threads of ours, in vector, steps and playouts.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Games of a batch, in the faces vector and steps.")] = 4096,
    cpu: Annotated[bool, typer.Option("--cpu", help="Count processor time in the faces, for busy machines.")] = False,
    seed: SeedOption = 0,
    json_: JsonFlag = False,
) -> None:
    """Measure steps per second of every game and face, beside OpenSpiel, Shimmy and Pgx where they are installed.

    `--search` measures simulations per second of `mcts` and nodes per second of `alphabeta` instead; `--sb3` the
    steps per second that Stable-Baselines3 collects from 256 games, through our adapter and through its DummyVecEnv.
    `--learned` measures nodes per second of `alphabeta` on n-tuples, and values per second by following their taps.
    `--maps` measures moves per second of random games of ReversiXT on every map that comes with the package.

    Pgx always computes on all cores; `--threads` gives as many to our side, which then also races itself on one thread.

    Example: `stammtisch speed --game einstein-5x5 --seconds 3`
    """
    from stammtisch.benchmarks.speed.alphabeta import alphabeta_speed
    from stammtisch.benchmarks.speed.faces import FACES, Setting, measure
    from stammtisch.benchmarks.speed.search import search_speed
    from stammtisch.errors import unknown

    for name in face or ():
        if name not in FACES:
            raise unknown("face", name, FACES)
    if cpu and threads > 1:
        raise ValueError("--cpu adds up what threads take and cannot race them; leave out --threads or --cpu")
    chosen = [loaded.id for loaded in (map(load_game, game) if game else _loadable_games())]
    faces = face or list(FACES)
    clock = time.process_time if cpu else time.perf_counter
    rows = measure(chosen, faces, seconds, Setting(seed, threads, batch, clock))
    total = len(chosen) * len(faces)
    if search:
        chosen = [name for name in chosen if not load_game(name).info.hidden]
        rows = itertools.chain(search_speed(chosen, seconds, seed), alphabeta_speed(chosen, seconds, seed))
        total = 2 * len(chosen)
    if learned:
        from stammtisch.benchmarks.speed.learned import learned_speed

        chosen = [name for name in chosen if load_game(name).FEATURES is not None]
        rows, total = learned_speed(chosen, seconds, seed), 2 * len(chosen)
    if sb3:
        from stammtisch.benchmarks.speed.sb3 import sb3_speed

        rows, total = sb3_speed(chosen, seconds, seed), len(chosen)
    if maps:
        from stammtisch.benchmarks.speed.maps import map_speed
        from stammtisch.envs.reversixt.map import shipped_maps

        rows, total = map_speed(seconds, seed), len(shipped_maps())
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
    chosen = [load_game(name) for name in game] if game else list(_loadable_games())
    with progress_bar("games", len(chosen)) as advance:
        for loaded in chosen:
            compile_game(loaded)
            advance(1)

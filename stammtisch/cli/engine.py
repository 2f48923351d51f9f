"""``engine``: lets other people's arenas play against our agents."""

import sys
from typing import Annotated

import typer

from stammtisch.cli.console import GameOption, app, game_options
from stammtisch.envs import load_game


@app.command()
def engine(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    agent: Annotated[str, typer.Option(help="The agent, as name:key=value,…")] = "champion",
    protocol: Annotated[str, typer.Option(help="gtp or nboard (Reversi), mill (Mühle), text (ours).")] = "text",
    seed: Annotated[int | None, typer.Option(min=0, help="Decides everything that is drawn.")] = None,
    option: GameOption = None,
) -> None:
    """Play as an engine: read commands from stdin, answer on stdout, until `quit` or the end of the input.

    Example: `stammtisch engine reversi-8x8 --agent champion --protocol gtp`
    """
    from stammtisch.baselines import load_agent
    from stammtisch.baselines.engines.serving import SERVERS, lines_of
    from stammtisch.errors import unknown

    loaded = load_game(game, **game_options(game, option))
    if protocol not in SERVERS:
        raise unknown("protocol", protocol, SERVERS)
    SERVERS[protocol].check(loaded)
    server = SERVERS[protocol](load_agent(agent, loaded, seed), lambda line: print(line, flush=True))
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    server.run(lines_of(sys.stdin))

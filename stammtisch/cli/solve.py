"""``solve``: the exact value of a position."""

import pathlib
from typing import Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import GameOption, JsonFlag, app, err, game_options, out, print_json
from stammtisch.envs import load_game
from stammtisch.envs.core.solution import Solution
from stammtisch.envs.core.state import State
from stammtisch.files.documents import read_text

_MOST_BYTES = 1 << 16


@app.command()
def solve(
    game: Annotated[str, typer.Argument(help="Id of the game.")],
    position: Annotated[
        str | None, typer.Option(help="A position as text, or a file that holds one; by default the start.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="The exact score of every move, not only of the best.")] = False,
    nodes: Annotated[int, typer.Option(min=0, help="Give up after so many positions; 0 never does.")] = 0,
    tables: Annotated[
        pathlib.Path | None, typer.Option(help="Folder of tables, for games solved by them; by default the user's.")
    ] = None,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Solve a position exactly: its score with perfect play, the best moves, and how long the win takes.

    Reversi is searched to its end; EinStein on 3x3 and 4x4, three and six men's morris and endgames of Mühle are looked
    up in tables (see `stammtisch tables`), which the small games build by themselves.

    Example: `stammtisch solve reversi-4x4 --position "xxx--oox-oxx---- x" --all`
    """
    loaded = load_game(game, **game_options(game, option))
    state = loaded.new_state(seed=0) if position is None else loaded.from_text(_text(position))
    with err.status(f"solving {game}"):
        solution = loaded.solve(state, every, nodes, tables)
    words = {action: state.action_text(action) for action in state.legal_actions()}
    if json_:
        data = {
            "game": game,
            "player": state.player,
            "returns": solution.returns.tolist(),
            "score": solution.score,
            "unit": solution.unit,
            "best": [words[action] for action in solution.best],
            "scores": {words[action]: score for action, score in solution.scores.items()},
            "distance": solution.distance,
            "distances": {words[action]: turns for action, turns in solution.distances.items()},
            "nodes": solution.nodes,
            "seconds": solution.seconds,
            "building": solution.building,
        }
        print_json(data)
        return
    out.print(str(state), markup=False, highlight=False)
    seat = max(0, state.player)
    out.print(f"with perfect play {solution.score:+g} {solution.unit} for player {seat}{_odds(state, solution)}")
    if solution.distance is not None:
        out.print(f"the game ends after {solution.distance} more turns")
    if solution.best:
        out.print(f"best: {', '.join(words[action] for action in solution.best)}")
    if solution.scores:
        table = Table("move", solution.unit, *(["turns"] if solution.distances else []))
        for action, score in sorted(solution.scores.items(), key=lambda item: -item[1]):
            turns = solution.distances.get(action)
            after = [] if not solution.distances else [""] if turns is None else [str(turns)]
            table.add_row(words[action], f"{score:+g}", *after)
        out.print(table)
    if solution.building:
        out.print(f"tables built in {solution.building:.2f} s")
    how = f"{solution.nodes} positions searched" if solution.nodes else "looked up"
    out.print(f"{how} in {solution.seconds:.2f} s")


def _odds(state: State, solution: Solution) -> str:
    """Return the probability to win, in games of chance that are won or lost."""
    info = state.game.info
    if info.chance == "none" or info.utility_range != (-1.0, 1.0):
        return ""
    return f", which wins with probability {(1 + solution.score) / 2:.4f}"


def _text(position: str) -> str:
    """Return the text itself, or that of the file which it names."""
    try:
        is_file = pathlib.Path(position).is_file()
    except (OSError, ValueError):  # too long for a file's name, or no name at all
        is_file = False
    return read_text(position, "position", _MOST_BYTES) if is_file else position

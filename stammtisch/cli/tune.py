"""Commands that compare parameters: ``tune ntuple``."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import GameOption, JsonFlag, app, game_options, out, print_json, progress_bar
from stammtisch.cli.learning import SetOption
from stammtisch.envs import load_game
from stammtisch.files import make_folder

if TYPE_CHECKING:
    from stammtisch.training.ntuple.study import StudyOutcome

tune_app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(tune_app, name="tune")


@tune_app.callback()
def _tune() -> None:
    """Train with several settings and seeds, and compare what they learn.

    Example: `stammtisch tune ntuple einstein-5x5 --vary lam=0,0.5,0.9 --seeds 5 --out tuning`
    """


@tune_app.command()
def ntuple(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    out_folder: Annotated[pathlib.Path, typer.Option("--out", help="Folder of results and pictures.")],
    vary: Annotated[list[str] | None, typer.Option(help="A parameter and its values, as name=value,value,…")] = None,
    grid: Annotated[bool, typer.Option("--grid", help="All combinations instead of one after another.")] = False,
    study: Annotated[str | None, typer.Option(help="A ready-made study instead: replay or tuples.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Games of self-play per training.")] = 50_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings per setting.")] = 5,
    change: SetOption = None,
    opponent: Annotated[str, typer.Option(help="Whom the players are measured against.")] = "random",
    points: Annotated[int, typer.Option(min=1, help="Measurements per training.")] = 5,
    games: Annotated[int, typer.Option(min=2, help="Games per measurement.")] = 1000,
    plies: Annotated[int, typer.Option(min=0, max=3, help="Plies of search in these games.")] = 0,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Compare parameters of n-tuple training: one after another, in a grid, or a ready-made study.

    `--study replay` asks whether experience replay helps, `--study tuples` what random tuples are worth. A study goes
    on where it was stopped. Pictures: learning curves over the seeds, and box plots of the final scores.

    Example: `stammtisch tune ntuple einstein-5x5 --vary alpha=0.1,0.3 --vary lam=0,0.5 --grid --out tuning`
    """
    from stammtisch.training.ntuple.settings import read_network_pairs, read_vary
    from stammtisch.training.ntuple.study import run_study, study_watch, variants

    loaded = load_game(game, **game_options(game, option))
    settings = variants(study, [read_vary(text) for text in vary or ()], grid)
    base = {**read_network_pairs(change or ()), "episodes": episodes}
    watch = study_watch(loaded, opponent, episodes, points, games, plies)
    make_folder(out_folder)
    with progress_bar("trainings", len(settings) * seeds) as advance:
        outcomes = run_study(loaded, settings, base, seeds, watch, out_folder, advance)
    if json_:
        print_json({"folder": str(out_folder), "settings": [outcome.__dict__ for outcome in outcomes]})
        return
    out.print(study_table(outcomes, opponent))
    out.print(f"curves and box plots: {out_folder}", markup=False, highlight=False)


def study_table(
    outcomes: "Sequence[StudyOutcome]",
    opponent: str,
    title: str | None = None,
    paper: Mapping[str, float] | None = None,
) -> Table:
    """Return what a study showed, a row per setting, with printed figures if there are any."""
    table = Table(
        "setting", f"score against {opponent}", "95 % interval", "seeds", "seconds", title=title, title_justify="left"
    )
    if paper:
        table.add_column("paper")
    for outcome in outcomes:
        low, high = outcome.ci95
        figures = (
            f"{outcome.mean:.1%}",
            f"{low:.1%} to {high:.1%}",
            str(len(outcome.scores)),
            f"{outcome.seconds:.0f}",
            *([f"{paper[outcome.label]:.1%}" if outcome.label in paper else ""] if paper else []),
        )
        table.add_row(outcome.label, *figures)
    return table

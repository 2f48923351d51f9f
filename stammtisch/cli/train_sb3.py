"""``train sb3``: self-play with Stable-Baselines3."""

import json
import pathlib
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, game_options, out, progress_bar
from stammtisch.cli.train import train_app

if TYPE_CHECKING:
    from stammtisch.training.sb3.learner import TrainProgress


@train_app.command("sb3")
def sb3(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of the model and all else.")] = None,
    algo: Annotated[str | None, typer.Option(help="maskable-ppo, ppo, a2c, dqn or qr-dqn.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Actions of the learner in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides everything that is drawn.")] = None,
    config: Annotated[pathlib.Path | None, typer.Option(help="YAML, TOML or JSON file of settings.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="A setting, as key=value; repeatable.")] = None,
    option: GameOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint in --out.")] = False,
    plot: PlotOption = None,
    show: Annotated[bool, typer.Option("--settings", help="List all settings for this game and stop.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Train a network by self-play; the result plays as `sb3:FOLDER/model.safetensors`.

    What `--set` and the other options leave out comes from `--config`, then from the defaults for the game.

    Example: `stammtisch train sb3 einstein-5x5 --algo maskable-ppo --minutes 15 --out runs/einstein`
    """
    from stammtisch.training.sb3.settings import settings_for

    given: dict[str, Any] = {"algo": algo, "steps": steps, "minutes": minutes, "seed": seed}
    settings = settings_for(game, *gather(config, given, change, option))
    if show:
        show_settings(settings, json_)
        return
    if out_folder is None:
        raise ValueError("a training needs a folder for its model: --out FOLDER")
    need_torch()
    from stammtisch.training.evaluator import plot_points
    from stammtisch.training.sb3.learner import MODEL, SB3Training

    with progress_bar(f"{settings.algo} on {game}", settings.steps) as advance:
        training = SB3Training(settings, out_folder, resume, _shown(advance)).run()
    if plot is not None:
        plot_points(training.evaluator.points, "steps", plot)
    model = out_folder / MODEL
    last = training.evaluator.points[-len(settings.ladder) :]
    if json_:
        scores = {point.opponent: point.score for point in last}
        steps_done = training.model.num_timesteps
        told = {
            "model": str(model),
            "steps": steps_done,
            "seconds": training.seconds,
            "cpu_seconds": training.cpu_seconds,
            "elo": training.elo,
            "unit": "steps",
            "curve": [asdict(point) for point in training.evaluator.points],
        }
        print(json.dumps({**told, "scores": scores}))
        return
    table = Table("opponent", "score", "95 % interval", "games")
    for point in last:
        table.add_row(
            point.opponent, f"{point.score:.1%}", f"{point.ci95[0]:.1%} to {point.ci95[1]:.1%}", str(point.games)
        )
    out.print(table)
    out.print(
        f"{training.model.num_timesteps:,} steps in {training.seconds:.0f} s ({training.cpu_seconds:.0f} s of one "
        f"processor); play with sb3:{model}"
    )


def need_torch() -> None:
    """Say what to install if the libraries of training are missing."""
    try:
        import safetensors  # noqa: F401
        import sb3_contrib  # noqa: F401
    except ImportError as error:
        raise ValueError(f"training needs more packages: pip install stammtisch[train] ({error})") from None


def gather(
    config: pathlib.Path | None, given: dict[str, Any], changes: list[str] | None, options: list[str] | None
) -> list[dict[str, Any]]:
    """Return changes of settings in the order in which they count: file, options, ``--set``, options of the game."""
    from stammtisch.training.settings import parse_setting, read_settings

    found = [read_settings(config)] if config is not None else []
    found.append({key: value for key, value in given.items() if value is not None})
    found += [parse_setting(text) for text in changes or ()]
    if options:
        found.append({"options": game_options(options)})
    return found


def show_settings(settings: Any, json_: bool) -> None:
    """List settings with their meaning."""
    from stammtisch.training.settings import explained

    rows = explained(settings)
    if json_:
        print(json.dumps({name: value for name, value, _ in rows}))
        return
    table = Table("setting", "value", "meaning")
    for name, value, meaning in rows:
        table.add_row(name, json.dumps(value), meaning)
    out.print(table)


def _shown(advance: Any) -> "Callable[[TrainProgress], None]":
    """Return what shows the progress of a training in a bar."""
    done = 0

    def show(now: "TrainProgress") -> None:
        nonlocal done
        line = None
        if now.points and now.elo is not None:
            scores = ", ".join(f"{point.opponent} {point.score:.0%}" for point in now.points)
            line = f"{scores}, Elo {now.elo:+.0f}, {now.steps / max(now.seconds, 1e-9):,.0f} steps/s"
        advance(now.steps - done, line)
        done = now.steps

    return show

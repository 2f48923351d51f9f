"""What the commands that learn share: settings from files and options, their table, and the run itself."""

import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stammtisch.cli.console import game_options, options_table, out, print_json, progress_bar

if TYPE_CHECKING:
    from stammtisch.training.evaluator import CurvePoint
    from stammtisch.training.settings import LearnerSettings

GameArgument = Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", "--parameter", "-p", help="A setting, as key=value; repeatable. --settings shows them."),
]
ConfigOption = Annotated[pathlib.Path | None, typer.Option("--config", help="YAML, TOML or JSON file of settings.")]
ShowFlag = Annotated[bool, typer.Option("--settings", "--list", help="List all settings for this game and stop.")]
ResumeFlag = Annotated[bool, typer.Option("--resume", help="Go on with the training in --out.")]
TrainSeedOption = Annotated[int | None, typer.Option("--seed", min=0, help="Decides everything that is drawn.")]


def settings_from(
    learner: str,
    game: str,
    config: pathlib.Path | None,
    given: Mapping[str, Any],
    changes: list[str] | None,
    options: list[str] | None,
) -> "LearnerSettings":
    """Return settings; what counts more comes later: the file, options of the command, ``--set``, ``--option``."""
    from stammtisch.training.learners import learner_named
    from stammtisch.training.settings import read_settings

    cls = learner_named(learner).settings_class
    found = [read_settings(config)] if config is not None else []
    found.append({name: value for name, value in given.items() if value is not None})
    found.append(cls.changes(changes or ()))
    found.append({"options": game_options(game, options)})
    return cls.for_game(game, *found)


def show_settings(settings: "LearnerSettings", json_: bool) -> None:
    """List settings with their defaults and meaning."""
    if json_:
        print_json(settings.to_dict())
    else:
        out.print(options_table(settings.table(), settings.to_dict()))


def needed_target(learner: str, target: pathlib.Path | None) -> pathlib.Path:
    """Return the file or folder that ``--out`` names, or say that it is missing."""
    from stammtisch.training.learners import learner_named

    if target is None:
        kind = "folder" if learner_named(learner).has_folder else "file"
        raise ValueError(f"a training needs a {kind} for its result: give --out {kind.upper()}")
    return target


def learn(
    learner: str,
    settings: "LearnerSettings",
    target: pathlib.Path,
    resume: bool,
    plot: pathlib.Path | None = None,
) -> dict[str, Any]:
    """Train with a progress bar and draw the learning curve; return what there is to say about the training."""
    from stammtisch.plots import check_picture
    from stammtisch.training.evaluator import plot_points
    from stammtisch.training.learners import learner_named

    chosen = learner_named(learner)
    chosen.check_target(target, resume)
    if plot is not None:
        check_picture(plot)
    with progress_bar(f"{learner} on {settings.game}", getattr(settings, chosen.work)) as advance:

        def show(done: int, line: str | None = None, *_: object) -> None:
            advance(done, line)

        facts = chosen.train(settings, target, resume, show)
    if plot is not None:
        plot_points(curve_of(facts), facts["unit"], plot)
    return facts


def curve_of(facts: Mapping[str, Any]) -> "list[CurvePoint]":
    """Return the learning curve of a training."""
    from stammtisch.training.evaluator import CurvePoint

    return [CurvePoint.from_json(point) for point in facts["curve"]]

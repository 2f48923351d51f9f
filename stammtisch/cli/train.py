"""``train``: the commands that learn, each made from the settings that its own options give."""

import inspect
import pathlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, app, print_json
from stammtisch.cli.learning import (
    ConfigOption,
    GameArgument,
    ResumeFlag,
    SetOption,
    ShowFlag,
    TrainSeedOption,
    learn,
    needed_target,
    settings_from,
    show_settings,
)

Flags = Callable[..., Mapping[str, Any] | None]
Tell = Callable[[dict[str, Any], pathlib.Path], None]

train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(train_app, name="train")


@train_app.callback()
def _train() -> None:
    """Train a player and save it.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """


def train_command(
    learner: str, tell: Tell, out: str, game: str | None = None, has_plot: bool = True
) -> Callable[[Flags], Flags]:
    """Make ``train LEARNER`` of a function whose arguments are the command's own options.

    It returns the settings that they give; None, if each option is the setting of its name. Its docstring is the
    manual. All other options are the same for every learner and come from here.

    Args:
        learner: its name in the table of learners.
        tell: prints what there is to say about a training, given its facts and its result's file or folder.
        out: help of ``--out``.
        game: id of the game where none is given; None: one must be.
        has_plot: whether there is a learning curve to draw.
    """
    game_parameter, *shared = list(inspect.signature(_run).parameters.values())[_OF_THE_LEARNER:]
    out_kind = Annotated[pathlib.Path | None, typer.Option("--out", help=out)]
    first = [
        game_parameter if game is None else game_parameter.replace(default=game),
        inspect.Parameter("target", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=out_kind),
    ]
    last = [each for each in shared if has_plot or each.name != "plot"]

    def register(flags: Flags) -> Flags:
        own = inspect.signature(flags).parameters

        def command(target: pathlib.Path | None, **given: Any) -> None:
            options = {name: _plain(given.pop(name)) for name in own}
            settings = flags(**options)
            _run(learner, tell, target, options if settings is None else settings, **given)

        signature = inspect.Signature([*first, *own.values(), *last])
        command.__doc__ = flags.__doc__
        command.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
        vars(command)["__signature__"] = signature
        train_app.command(learner)(command)
        return flags

    return register


def _run(
    learner: str,
    tell: Tell,
    target: pathlib.Path | None,
    given: Mapping[str, Any],
    game: GameArgument,
    seed: TrainSeedOption = None,
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    plot: PlotOption = None,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Train, or show the settings; from the game on, the arguments are options of every command."""
    settings = settings_from(learner, game, config, {**given, "seed": seed}, change, option)
    if show:
        show_settings(settings, json_)
        return
    target = needed_target(learner, target)
    facts = learn(learner, settings, target, resume, plot)
    if json_:
        print_json(facts)
    else:
        tell(facts, target)


_OF_THE_LEARNER = 4  # arguments of ``_run`` that are no options


def _plain(value: Any) -> Any:
    """Return what an option gave as settings hold it: paths as text, switches as on or off, no list as None."""
    if isinstance(value, list):
        return [_plain(each) for each in value] or None
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if isinstance(value, pathlib.Path) else value

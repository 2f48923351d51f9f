"""``train dqn``: the deep-Q learner of Mühle."""

import json
import pathlib
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, out, progress_bar
from stammtisch.cli.train import train_app
from stammtisch.cli.train_sb3 import gather, need_torch, show_settings

if TYPE_CHECKING:
    from stammtisch.training.dqn.learner import DQNProgress


@train_app.command("dqn")
def dqn(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")] = "muehle",
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the model.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides everything that is drawn.")] = None,
    config: Annotated[pathlib.Path | None, typer.Option(help="YAML, TOML or JSON file of settings.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="A setting, as key=value; repeatable.")] = None,
    option: GameOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint beside --out.")] = False,
    plot: PlotOption = None,
    show: Annotated[bool, typer.Option("--settings", help="List all settings for this game and stop.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Learn Q-values by self-play; the best model in validation plays as `dqn:FILE`.

    Mühle has a network each for placing, moving and flying; other games have one. A checkpoint lies beside the model:
    with `--resume`, a training that was interrupted goes on as if it had not been.

    Example: `stammtisch train dqn muehle --minutes 30 --out muehle-dqn.safetensors`
    """
    need_torch()
    from stammtisch.training.dqn.learner import DQNTraining
    from stammtisch.training.dqn.settings import dqn_settings_for
    from stammtisch.training.evaluator import plot_points

    given: dict[str, Any] = {"games": games, "minutes": minutes, "seed": seed}
    settings = dqn_settings_for(game, *gather(config, given, change, option))
    if show:
        show_settings(settings, json_)
        return
    if out_file is None:
        raise ValueError("a training needs a file for its model: --out FILE")
    if out_file.exists() and not resume:
        raise ValueError(
            f"{out_file} exists; add --resume to go on with its training, or choose another file, and "
            f"--set start={out_file} to begin with this model"
        )
    with progress_bar(f"dqn on {game}", settings.games) as advance:
        training = DQNTraining(settings, out_file, resume, _shown(advance)).run()
    if plot is not None:
        plot_points(training.curve, "games", plot)
    last = training.validation
    assert last is not None
    told = {
        "model": str(out_file),
        "games": training.games,
        "updates": training.updates,
        "seconds": training.seconds,
        "cpu_seconds": training.cpu_seconds,
        "best_validation": training.best_score,
        "last_validation": last.score,
        "unit": "games",
        "curve": [asdict(point) for point in training.curve],
    }
    if json_:
        print(json.dumps(told))
        return
    out.print(
        f"{training.games:,} games and {training.updates:,} gradient steps in {training.seconds:.0f} s; best score "
        f"against {settings.validate_against} in {settings.validate_games} games {training.best_score:.1%}"
    )
    out.print(f"play with dqn:{out_file}")


def _shown(advance: Any) -> "Callable[[DQNProgress], None]":
    """Return what shows the progress of a training in a bar."""
    done = 0

    def show(now: "DQNProgress") -> None:
        nonlocal done
        line = f"epsilon {now.epsilon:.2f}, {now.updates:,} updates"
        if now.validation is not None:
            line += f", {now.validation.score:.0%} ({now.validation.wins} won) against {now.validation.agents[1]}"
        advance(now.games - done, line)
        done = now.games

    return show

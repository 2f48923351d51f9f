"""The command that compares parameters: ``tune``."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import (
    EngineOption,
    GameOption,
    JsonFlag,
    RayOption,
    SeedOption,
    WorkersOption,
    app,
    game_options,
    out,
    print_json,
    progress_bar,
    use_ray,
)
from stammtisch.cli.learning import SetOption
from stammtisch.envs import load_game
from stammtisch.files import make_folder

if TYPE_CHECKING:
    from stammtisch.arena.outcomes import SettingOutcome
    from stammtisch.envs.core.game import Game
    from stammtisch.training.ntuple.run import Watch

_LEARNER = "ntuple"  # what trains instead of playing; a spec with a file plays
_GAMES = {True: 1000, False: 100}  # per measurement, of trainings and of agents
_SEEDS = {True: 5, False: 10}


@app.command()
def tune(
    agent: Annotated[str, typer.Argument(help="`ntuple`, which trains, or any agent, as name:key=value,…")],
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    out_folder: Annotated[pathlib.Path, typer.Option("--out", help="Folder of results and pictures.")],
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A parameter and its values, as name=value,value,… or, for a sampler, name=low..high."),
    ] = None,
    grid: Annotated[bool, typer.Option("--grid/--one-by-one", help="All combinations, or one after another.")] = True,
    opponent: Annotated[str, typer.Option(help="Whom the players are measured against.")] = "random",
    games: Annotated[int | None, typer.Option(min=2, help="Games per measurement; 100, of trainings 1000.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Measurements per setting; 10, of trainings 5.")] = None,
    seed: SeedOption = 0,
    opening: Annotated[int, typer.Option(min=0, help="First moves of each pair drawn at random (agents).")] = 0,
    race: Annotated[bool, typer.Option("--race", help="Give up settings early that the best one beats.")] = False,
    sampler: Annotated[
        str | None, typer.Option(help="Let Optuna (tpe, random, cmaes, gp) or Ray Tune (ray) choose the settings.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Settings that the sampler tries.")] = 20,
    workers: WorkersOption = 1,
    engine: EngineOption = None,
    ray_address: RayOption = None,
    study: Annotated[str | None, typer.Option(help="A ready-made study of trainings, such as replay or why.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Games of self-play per training.")] = 50_000,
    change: SetOption = None,
    points: Annotated[int, typer.Option(min=1, help="Measurements on the way of a training.")] = 5,
    plies: Annotated[int, typer.Option(min=0, max=3, help="Plies of search of the trained player.")] = 0,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Compare parameters: options of any agent, or settings of n-tuple training.

    Every setting plays the same games against the opponent, several times over. The folder gets a table, box plots,
    curves (one parameter) and heat maps (two and more), and whatever is in there already is not played or trained
    again; other settings in the same folder are kept apart.

    `tune ntuple` trains networks, each with several seeds. `--study replay` asks whether experience replay helps,
    `replay-only` the same when nothing else is learned from, `tuples` what random tuples are worth, `why` what makes a
    difference to the thesis on EinStein.

    Example: `stammtisch tune mc einstein-5x5 --vary iterations=50,200 --vary depth=4,20 --race --out tuning`,
    `stammtisch tune ntuple einstein-5x5 --vary lam=0,0.5,0.9 --seeds 5 --out tuning`,
    `stammtisch tune mctse einstein-5x5 --vary k=0.5..3 --vary iterations=100..1000 --sampler tpe --out tuning`
    """
    loaded = load_game(game, **game_options(game, option))
    use_ray(ray_address)
    trains = agent == _LEARNER
    games, seeds = games or _GAMES[trains], seeds or _SEEDS[trains]
    if race and trains:
        raise ValueError("--race is for agents; trainings with several seeds are compared as they are")
    if sampler is not None and (race or study):
        raise ValueError("--sampler chooses settings one after the other; it goes without --race and --study")
    if sampler is not None:
        from stammtisch.training.samplers import check_sampler

        check_sampler(sampler)
    how = (workers, engine)
    if trains:
        from stammtisch.training.ntuple.settings import read_network_pairs
        from stammtisch.training.ntuple.study import study_watch

        base = {**read_network_pairs(change or ()), "episodes": episodes}
        watch = study_watch(loaded, [opponent], episodes, points, games, plies)
        training = _Trainings(loaded, base, watch, seeds, out_folder, how)
        outcomes = training.sampled(sampler, vary, trials, seed) if sampler else training.run(study, vary, grid)
    else:
        if study is not None or change:
            raise ValueError('--study and --set are for "tune ntuple"; options of an agent go behind its name')
        from stammtisch.arena.grid import RACE, Grid

        plan = Grid(loaded, agent, opponent, games, seeds, seed, opening, RACE if race else None)
        outcomes = (
            _sampled(plan, sampler, vary, trials, out_folder, how)
            if sampler
            else _grid(plan, vary, grid, out_folder, how)
        )
    if json_:
        print_json({"folder": str(out_folder), "settings": [outcome.__dict__ for outcome in outcomes]})
        return
    out.print(study_table(outcomes, opponent))
    if sampler is not None:
        best = max(outcomes, key=lambda outcome: outcome.mean)
        out.print(f"best: {best.label}; measure it again with another --seed before you believe it", markup=False)
    out.print(f"table and pictures: {out_folder}", markup=False, highlight=False)


class _Trainings:
    """Trainings of n-tuple networks with settings that all share, measured on the way, with several seeds each."""

    def __init__(
        self,
        game: "Game",
        base: dict[str, Any],
        watch: "Watch",
        seeds: int,
        folder: pathlib.Path,
        how: tuple[int, str | None],
    ):
        self.game, self.base, self.watch, self.seeds, self.folder, self.how = game, base, watch, seeds, folder, how

    def run(self, study: str | None, vary: list[str] | None, grid: bool) -> "list[SettingOutcome]":
        from stammtisch.training.ntuple.settings import read_vary
        from stammtisch.training.ntuple.study import variants

        return self._measure(variants(study, [read_vary(text) for text in vary or ()], grid))

    def _measure(self, settings: Mapping[str, dict[str, Any]]) -> "list[SettingOutcome]":
        from stammtisch.training.ntuple.settings import defaults
        from stammtisch.training.ntuple.study import run_study

        for changes in settings.values():
            defaults(self.game, {**self.base, **changes})
        make_folder(self.folder)
        common = (self.game, settings, self.base, self.seeds, self.watch, self.folder)
        with progress_bar("trainings", len(settings) * self.seeds) as advance:
            return run_study(*common, advance, *self.how)

    def sampled(self, sampler: str, vary: list[str] | None, trials: int, seed: int) -> "list[SettingOutcome]":
        from stammtisch.training.ntuple.settings import NETWORK_TABLE
        from stammtisch.training.ntuple.study import label_of
        from stammtisch.training.samplers import read_dimension, sample

        dimensions = [read_dimension(NETWORK_TABLE, text, "train ntuple", "setting") for text in _some(vary)]
        tried: dict[str, dict[str, Any]] = {}

        def measure(settings: dict[str, Any]) -> float:
            tried[label_of(settings)] = settings
            return self._measure({label_of(settings): settings})[0].mean

        sample(sampler, dimensions, trials, seed, measure)
        return self._measure(tried)


def _some(vary: list[str] | None) -> list[str]:
    if not vary:
        raise ValueError("nothing to try: give --vary name=value,value")
    return vary


def _grid(
    plan: Any, vary: list[str] | None, grid: bool, folder: pathlib.Path, how: tuple[int, str | None]
) -> "list[SettingOutcome]":
    from stammtisch.arena.grid import GridRun, read_vary
    from stammtisch.training.ntuple.study import combinations

    settings = combinations([read_vary(plan.agent, text) for text in _some(vary)], grid)
    plan.checked(settings)
    with progress_bar("measurements", len(settings) * plan.seeds) as advance:
        return GridRun(plan, folder, *how, advance).run(settings)


def _sampled(
    plan: Any, sampler: str, vary: list[str] | None, trials: int, folder: pathlib.Path, how: tuple[int, str | None]
) -> "list[SettingOutcome]":
    from stammtisch.arena.grid import GridRun, write_grid
    from stammtisch.baselines import agent_class
    from stammtisch.envs.core.specs import split_spec
    from stammtisch.training.ntuple.study import label_of
    from stammtisch.training.samplers import read_dimension, sample

    name = split_spec(plan.agent)[0]
    dimensions = [read_dimension(agent_class(name).OPTIONS, text, f"agent {name}") for text in _some(vary)]
    tried: dict[str, dict[str, Any]] = {}
    outcomes: dict[str, SettingOutcome] = {}
    with progress_bar("measurements", trials * plan.seeds) as advance:
        run = GridRun(plan, folder, *how, advance)

        def measure(settings: dict[str, Any]) -> float:
            label = label_of(settings)
            tried[label] = settings
            outcomes[label] = run.run({label: settings}, draws=False)[0]
            return outcomes[label].mean

        sample(sampler, dimensions, trials, plan.seed, measure)
    write_grid(folder, plan, tried, list(outcomes.values()))
    return list(outcomes.values())


def study_table(
    outcomes: "Sequence[SettingOutcome]",
    opponent: str,
    title: str | None = None,
    paper: Mapping[str, float] | None = None,
    printed: str = "score",
) -> Table:
    """Return what a study or grid showed, a row per setting, with printed figures if there are any."""
    from stammtisch.arena.outcomes import as_score

    table = Table("setting", title=title, title_justify="left")
    for column in (
        f"score against {opponent}",
        "95 % interval",
        "min – median – max",
        "sd",
        "seeds",
        "games",
        "seconds",
    ):
        table.add_column(column, justify="right")
    if paper:
        table.add_column("paper", justify="right")
    others = list(dict.fromkeys(name for outcome in outcomes for name in outcome.others))
    for name in others:
        table.add_column(f"against {name}", justify="right")
    has_dropped = any(outcome.dropped for outcome in outcomes)
    if has_dropped:
        table.add_column("race")
    for outcome in outcomes:
        low, high = outcome.ci95
        figures = [
            f"{outcome.mean:.1%}",
            f"{low:.1%} to {high:.1%}",
            f"{100 * outcome.least:.1f} – {100 * outcome.median:.1f} – {100 * outcome.greatest:.1f}",
            f"{100 * outcome.sd:.1f}",
            str(len(outcome.scores)),
            str(outcome.games),
            f"{outcome.seconds:.1f}",
        ]
        if paper:
            figure = paper.get(outcome.label)
            figures.append("" if figure is None else f"{as_score(figure, printed):.1%}")
        figures += [f"{outcome.others[name]:.1%}" if name in outcome.others else "" for name in others]
        figures += [outcome.dropped] if has_dropped else []
        table.add_row(outcome.label, *figures)
    return table

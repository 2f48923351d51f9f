"""Searches for good settings that others have written: Optuna's samplers and Ray Tune choose, we measure.

A search is decided by its seed: asked again, it makes the same proposals, and what was measured before is read from the
folder of the study, so that it goes on where it was stopped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.engines import join_ray
from stammtisch.envs.core.options import Option, OptionTable, split_pairs
from stammtisch.errors import unknown

Measure = Callable[[dict[str, Any]], float]  # settings to score

SAMPLERS = ("tpe", "random", "cmaes", "gp", "ray")
_RANGE = ".."


@dataclass(frozen=True)
class Dimension:
    """What a parameter may be: one of some values, or anything between two numbers.

    Attributes:
        name: the parameter.
        values: what may be chosen; empty for a range.
        low: least number of a range.
        high: greatest.
        is_integer: whether the range holds whole numbers only.
    """

    name: str
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    is_integer: bool = False


def read_dimension(table: OptionTable, text: str, owner: str, noun: str = "option") -> Dimension:
    """Read ``name=value,value,…`` or ``name=low..high``."""
    name, equals, rest = text.partition("=")
    if name not in table:
        raise unknown(f"{noun} for {owner}", name, table)
    if not equals or not rest:
        raise ValueError(f'cannot read "{text}"; write name=value,value or name=low..high')
    entry: Option = table[name]
    if _RANGE not in rest:
        return Dimension(name, tuple(entry.parse(name, value, noun, owner) for value in split_pairs(rest)))
    low, high = (entry.parse(name, end, noun, owner) for end in rest.split(_RANGE, 1))
    if isinstance(low, bool | str) or not low < high:
        raise ValueError(f'cannot read "{text}"; a range is name=low..high with two numbers')
    return Dimension(name, (), low, high, isinstance(low, int) and isinstance(high, int))


def check_sampler(name: str) -> None:
    """Refuse a sampler that there is not, or whose package is missing.

    Raises:
        ValueError: says what to install.
    """
    if name not in SAMPLERS:
        raise unknown("sampler", name, SAMPLERS)
    try:
        if name == "ray":
            import ray.tune  # noqa: F401
        else:
            import optuna  # noqa: F401
    except ImportError as error:
        extra = "ray[tune]" if name == "ray" else "stammtisch[optuna]"
        said = str(error).partition("\n")[0]
        raise ValueError(f'--sampler {name} needs more packages: pip install "{extra}" ({said})') from None


def sample(
    sampler: str, dimensions: list[Dimension], trials: int, seed: int, measure: Measure
) -> list[tuple[dict[str, Any], float]]:
    """Let a sampler propose settings, one after the other, and measure them; return both in their order.

    Args:
        sampler: one of ``SAMPLERS``.
        dimensions: what may vary.
        trials: how many settings to try.
        seed: decides what is proposed.
        measure: returns the score of settings; the greater, the better.
    """
    check_sampler(sampler)
    if sampler == "ray":
        return _ray(dimensions, trials, seed, measure)
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    kinds: Mapping[str, Any] = {
        "tpe": optuna.samplers.TPESampler,
        "random": optuna.samplers.RandomSampler,
        "cmaes": optuna.samplers.CmaEsSampler,
        "gp": optuna.samplers.GPSampler,
    }
    try:
        study = optuna.create_study(direction="maximize", sampler=kinds[sampler](seed=seed))
    except ImportError as error:
        said = str(error).partition("\n")[0]
        raise ValueError(f"--sampler {sampler} needs more packages: {said}") from None
    found = []
    for _ in range(trials):
        trial = study.ask()
        settings = {each.name: _suggested(trial, each) for each in dimensions}
        score = measure(settings)
        study.tell(trial, score)
        found.append((settings, score))
    return found


def _suggested(trial: Any, dimension: Dimension) -> Any:
    if dimension.values:
        return trial.suggest_categorical(dimension.name, list(dimension.values))
    if dimension.is_integer:
        return trial.suggest_int(dimension.name, int(dimension.low), int(dimension.high))
    return trial.suggest_float(dimension.name, dimension.low, dimension.high)


def _ray(dimensions: list[Dimension], trials: int, seed: int, measure: Measure) -> list[tuple[dict[str, Any], float]]:
    """Let Ray Tune propose; it is asked for one setting after the other, whose games may use its cluster."""
    join_ray(1)
    from ray import tune
    from ray.tune.search.basic_variant import BasicVariantGenerator

    space: dict[str, Any] = {}
    for each in dimensions:
        if each.values:
            space[each.name] = tune.choice(list(each.values))
        elif each.is_integer:
            space[each.name] = tune.randint(int(each.low), int(each.high) + 1)
        else:
            space[each.name] = tune.uniform(each.low, each.high)
    search = BasicVariantGenerator(random_state=seed)
    search.add_configurations({"proposals": {"run": _measured_here, "config": space, "num_samples": trials}})
    found = []
    for _ in range(trials):
        proposed = search.next_trial()
        if proposed is None:
            break
        settings = {name: proposed.config[name] for name in space}
        found.append((settings, measure(settings)))
    return found


def _measured_here(config: dict[str, Any]) -> None:
    """Stand for what Ray Tune would run; it only proposes."""

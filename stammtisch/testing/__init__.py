"""Our conformance suite, for games of this package and of others.

```python
from stammtisch.testing import check_game

def test_my_game():
    check_game("my-game")
```
"""

from collections.abc import Callable, Sequence

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import load_game
from stammtisch.errors import unknown
from stammtisch.testing import faces, processes, promises
from stammtisch.testing.playing import BrokenPromise, random_move, random_state, random_states

__all__ = ["CHECKS", "BrokenPromise", "check_game", "random_move", "random_state", "random_states"]

Check = Callable[[Game], None]

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        promises.legal_actions,
        promises.seats,
        promises.utilities,
        promises.chance,
        promises.observations,
        promises.records,
        promises.damaged_records,
        promises.said_moves,
        promises.length,
        promises.copies,
        promises.seeds,
        promises.illegal_actions,
        promises.wrong_arguments,
        promises.views,
        promises.leaks,
        promises.identity,
        promises.symmetries,
        promises.pictures,
        faces.registries,
        faces.gymnasium_checker,
        faces.pettingzoo_api,
        faces.pettingzoo_seeds,
        faces.pettingzoo_rendering,
        faces.rendering,
        faces.single_copies,
        faces.aec_copies,
        faces.vector_copies,
        faces.illegal_actions_of_seats,
        faces.illegal_actions_of_the_learner,
        faces.batched_twin,
        faces.seats_twin,
        processes.cache,
    )
}


def check_game(
    game: str | Game,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    tell: Callable[[str], None] | None = None,
) -> None:
    """Ask a registered game to keep all promises, pass the official checkers, leak nothing and be cached rightly.

    Args:
        game: its id, or a game with the options to check.
        only: names of checks, see ``CHECKS``; by default all of them.
        skip: names of checks to leave out.
        tell: called with a line as each check begins.

    Environments and cache are checked only if the promises of the game itself are kept.

    Raises:
        BrokenPromise: an ``AssertionError`` with a paragraph for each check that failed.
        ValueError: there is no such game or check.

    Example:
        >>> check_game("einstein-3x3", only=["legal_actions", "records"])
    """
    for name in (*only, *skip):
        if name not in CHECKS:
            raise unknown("check", name, CHECKS)
    loaded = load_game(game) if isinstance(game, str) else game
    failures: list[tuple[str, Exception]] = []
    for name, check in CHECKS.items():
        if name in skip or (only and name not in only) or (failures and check.__module__ != promises.__name__):
            continue
        if tell is not None:
            tell(f"{loaded.id}: {name}")
        try:
            check(loaded)
        except Exception as error:  # a game may fail in any way
            failures.append((name, error))
    if failures:
        raise BrokenPromise(_failures_text(loaded, failures)) from failures[0][1]


def _failures_text(game: Game, failures: Sequence[tuple[str, Exception]]) -> str:
    """Return a paragraph for each check that failed."""
    count = f"{len(failures)} promises" if len(failures) > 1 else "a promise"
    paragraphs = [f"{game.id} breaks {count} of a game:"]
    for name, error in failures:
        promise = (CHECKS[name].__doc__ or "").strip().rstrip(".")
        text = str(error) if isinstance(error, BrokenPromise) else f"{type(error).__name__}: {error}"
        paragraphs.append(f"{name} ({promise})\n{text}")
    if CHECKS[failures[-1][0]].__module__ == promises.__name__:
        paragraphs.append("Environments and cache are checked when these promises are kept.")
    return "\n\n".join(paragraphs)

"""Which game a learned file belongs to."""

from collections.abc import Collection, Mapping
from typing import Any

from stammtisch.envs.core.game import Game


def identity_of(game: Game) -> dict[str, Any]:
    """Return what the header of a file tells of its game."""
    return {"game": game.id, "options": game.changed_options()}


def options_that_matter(game: Game) -> dict[str, Any]:
    """Return the changed options of a game that touch what a network of its positions has learned."""
    return _without(game.changed_options(), game.NEUTRAL_OPTIONS)


def check_identity(header: Mapping[str, Any], game: Game, neutral: Collection[str] = ()) -> None:
    """Refuse the header of a file that was learned for another game, or for other options of it.

    Args:
        header: what the file says.
        game: the game to be played.
        neutral: options that may differ, because they do not touch what was learned.
    """
    options = header.get("options")
    learned = _without(options, neutral) if isinstance(options, dict) else options
    if (header.get("game"), learned) != (game.id, _without(game.changed_options(), neutral)):
        raise ValueError(f"it was learned for {_identity_text(header)}, not for {_identity_text(identity_of(game))}")


def _without(options: Mapping[str, Any], neutral: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in neutral}


def _identity_text(identity: Mapping[str, Any]) -> str:
    options = identity.get("options")
    changes = options if isinstance(options, dict) else {}
    return f"{identity.get('game')}" + "".join(f", {key}={value!r}" for key, value in changes.items())

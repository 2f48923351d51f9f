"""Which game a learned file belongs to."""

from collections.abc import Mapping
from typing import Any

from stammtisch.envs.core.game import Game


def identity_of(game: Game) -> dict[str, Any]:
    """Return what the header of a file tells of its game."""
    return {"game": game.id, "options": game.changed_options()}


def check_identity(header: Mapping[str, Any], game: Game) -> None:
    """Refuse the header of a file that was learned for another game, or for other options of it."""
    if any(header.get(key) != value for key, value in identity_of(game).items()):
        raise ValueError(f"it was learned for {_identity_text(header)}, not for {_identity_text(identity_of(game))}")


def _identity_text(identity: Mapping[str, Any]) -> str:
    options = identity.get("options")
    changes = options if isinstance(options, dict) else {}
    return f"{identity.get('game')}" + "".join(f", {key}={value!r}" for key, value in changes.items())

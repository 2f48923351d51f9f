"""Registers games in the table, with Gymnasium and, where it has a registry (1.27 on), with PettingZoo."""

import re
from collections.abc import Mapping

import gymnasium as gym
import pettingzoo

from stammtisch.envs import GAMES, GameEntry
from stammtisch.envs.core.plugins import GAMES_GROUP, Offer, offers, resolve, warn_of
from stammtisch.envs.core.specs import add_offered_agents

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_ENV_NAME = re.compile(r"(?:(?P<namespace>[\w-]+)/)?(?P<name>[A-Za-z0-9_.-]+?)(?P<version>-v\d+)?")
_TARGET = re.compile(r"[A-Za-z_]\w*(\.\w+)*:\w+(\.\w+)*")


def register_game(id: str, env_name: str, game: str, variant: Mapping[str, int] | None = None) -> None:
    """Add a game of another package; from then on everything in this one can play it.

    Nothing is imported before the game is used. Registering the same again changes nothing.

    Args:
        id: what ``load_game`` and the command line call it; letters, digits, ``-`` and ``_``.
        env_name: what Gymnasium and PettingZoo call it: ``"my_pkg/MyGame-v0"``, or only ``"MyGame"`` for the same, with
            the name of the package that ``game`` is in.
        game: where its class is, ``"my_pkg.my_game:MyGame"``, a class derived from ``stammtisch.Game``.
        variant: integers that the rules read in ``CONFIG``, for several games of one class.

    Raises:
        ValueError: one of them cannot be read, or the id or the name is taken.

    Example:
        >>> register_game("my-game", "my_pkg/MyGame-v0", "my_pkg.my_game:MyGame", {"size": 5})
    """
    entry = GameEntry(_full_name(env_name, game), game, dict(variant or {}))
    if not _ID.fullmatch(id):
        raise ValueError(f'"{id}" cannot be the id of a game; take letters, digits, "-" and "_"')
    if GAMES.get(id) == entry:
        return
    if id in GAMES:
        raise ValueError(f'the game id "{id}" is taken by {GAMES[id].game}; choose another one')
    for other, row in GAMES.items():
        if row.env_id == entry.env_id:
            raise ValueError(f'the environment name "{entry.env_id}" is taken by the game {other}; choose another one')
    GAMES[id] = entry
    _register_envs(id, entry)


def _full_name(env_name: str, game: str) -> str:
    """Return the name of an environment with namespace and version."""
    if not _TARGET.fullmatch(game):
        raise ValueError(f'cannot read "{game}" as the class of a game; write package.module:Class')
    parts = _ENV_NAME.fullmatch(env_name)
    if parts is None:
        raise ValueError(f'cannot read "{env_name}" as the name of an environment; write my_pkg/MyGame-v0')
    namespace = parts["namespace"] or re.split(r"[.:]", game)[0]
    if namespace == "stammtisch":
        raise ValueError(f'"{env_name}" is in our namespace; write my_pkg/{parts["name"]}-v0 with that of your package')
    return f"{namespace}/{parts['name']}{parts['version'] or '-v0'}"


def register_all() -> None:
    """Register the ids of all games in the table; nothing is imported or compiled until an environment is made."""
    for game_id, entry in GAMES.items():
        _register_envs(game_id, entry)


def register_plugins() -> None:
    """Register what other installed packages offer; one that fails is left out with a warning."""
    for offer in offers(GAMES_GROUP):
        try:
            _register_offer(offer)
        except Exception as error:  # whatever an outside package may raise
            warn_of(offer, error)
    add_offered_agents()


def _register_offer(offer: Offer) -> None:
    """Register one entry point: a class, by its name alone, or a function that calls ``register_game``."""
    attribute = offer.target.rpartition(":")[2]
    if attribute[:1].isupper():
        register_game(offer.name, attribute, offer.target)
        return
    function = resolve(offer.target, "cannot register its games")
    if not callable(function):
        raise ValueError("it is neither a class of a game nor a function that calls stammtisch.register_game")
    function()


def _register_envs(game_id: str, entry: GameEntry) -> None:
    if entry.env_id not in gym.registry:
        gym.register(
            entry.env_id,
            entry_point="stammtisch.envs.single:SingleAgentEnv",
            vector_entry_point="stammtisch.envs.vector:BatchedEnv",
            kwargs={"game": game_id},
        )
    if hasattr(pettingzoo, "register") and entry.env_id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", entry.env_id, "stammtisch.envs.aec:aec_env", kwargs={"game": game_id})

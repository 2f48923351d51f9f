"""Render modes, the same for every face."""

from typing import Any

from stammtisch.envs.core.state import State

RENDER_MODES = ["ansi", "rgb_array", "human"]


def checked_render_mode(mode: str | None) -> str | None:
    """Return ``mode`` if it exists."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"no render mode {mode!r}; choose one of {', '.join(RENDER_MODES)} or None")
    return mode


def render_state(state: State, mode: str | None) -> Any:
    """Return text (``ansi``) or a picture (``rgb_array``); ``human`` prints the text; no mode draws nothing."""
    if mode == "ansi":
        return str(state)
    if mode == "rgb_array":
        return state.game.draw(state)
    if mode == "human":
        print(state)
    return None

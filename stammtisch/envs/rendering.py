"""Render modes, the same for every face."""

from typing import Any

from stammtisch.envs.core.state import State

RENDER_MODES = ["ansi", "rgb_array", "human"]


def checked_render_mode(mode: str | None) -> str | None:
    """Return ``mode`` if it exists."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"no render mode {mode!r}; choose one of {', '.join(RENDER_MODES)} or None")
    return mode


def render_state(state: State, mode: str | None, seat: int | None = None) -> Any:
    """Return text (``ansi``) or a picture (``rgb_array``); ``human`` prints the text; no mode draws nothing.

    Args:
        state: the position.
        mode: the render mode.
        seat: whose eyes it is seen with, where cards are hidden; None shows everything.
    """
    if mode is None:
        return None
    shown = state if seat is None or not state.game.info.hidden else state.seen_by(seat)
    if mode == "ansi":
        return str(shown)
    if mode == "rgb_array":
        return shown.game.draw(shown)
    print(shown)
    return None

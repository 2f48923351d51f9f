"""Positions of the games as pictures for pages: moments of one game between reference players."""

import html
from dataclasses import dataclass

import numpy as np

from stammtisch.baselines import load_agent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

# What a dark page changes, for pictures that stand alone.
_DARK = (
    "<style>@media (prefers-color-scheme: dark) { .board-paper { fill: #27282c } .board-ink { fill: #e6e3dc } }</style>"
)


@dataclass(frozen=True)
class Moment:
    """A position with what was just done there."""

    state: State
    text: str


def played_game(game: Game, name: str = "heuristic", most: int = 2000, seed: int = 3) -> list[Moment]:
    """Play one game, or the first ``most`` moves of it, and return every position, the start first.

    Args:
        game: the game.
        name: an agent that plays for everybody; moves at random if it is empty, which compiles less.
        most: where to stop.
        seed: decides everything.
    """
    seats = range(game.info.num_players)
    agents = [load_agent(name, game, seed=seed + seat) for seat in seats] if name else []
    rng = np.random.default_rng(seed)
    state = game.new_state(seed)
    moments = [Moment(state.clone(), "the start")]
    while state.player != TERMINAL and len(moments) <= most:
        if state.player == CHANCE:
            outcome = state.clone().sample_chance(rng)
            text = "the deal" if game.info.chance == "sampled" else state.action_text(outcome)
        else:
            seat = state.player
            outcome = agents[seat].act(state.view(seat)) if agents else int(rng.choice(state.legal_actions()))
            text = f"player {seat}: {state.action_text(outcome)}"
        state.apply(outcome)
        moments.append(Moment(state.clone(), text))
    return moments


def middle_of(moments: list[Moment]) -> int:
    """Return the index of a position of the first half in which somebody is to move."""
    wanted = 2 * len(moments) // 5
    return next(i for i in range(wanted, len(moments)) if moments[i].state.player >= 0)


def figure(state: State, caption: str) -> str:
    """Return a position as an HTML figure on one line, so that Markdown leaves it alone."""
    svg = state.game.picture(state).to_svg()
    label = html.escape(f"{state.game.id}, {caption}")
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" data-search-exclude ', 1)
    return f'<figure class="board">{svg}<figcaption>{html.escape(caption)}</figcaption></figure>'


def boards(figures: list[str]) -> str:
    """Return figures side by side."""
    return f'<div class="boards">{"".join(figures)}</div>'


def lone_picture(state: State) -> str:
    """Return a position as the text of an SVG file that suits light and dark pages."""
    return state.game.picture(state).to_svg().replace(">", f">{_DARK}", 1) + "\n"

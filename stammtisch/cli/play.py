"""The command ``play``: a game in the terminal, the board as text, moves as people say them."""

import contextlib
from typing import Annotated

import numpy as np
import typer

from stammtisch.baselines import load_agent
from stammtisch.cli.console import GameOption, app, err, game_options, out
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

_PERSON = "person"
_MOST_SHOWN = 40  # legal moves in one line
_HELP = "a move, or: hint, back, moves, text, resign, quit"


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    players: Annotated[
        list[str] | None,
        typer.Argument(help='Who sits in each seat: "person", a level (beginner, easy … champion) or an agent spec.'),
    ] = None,
    hint: Annotated[str, typer.Option(help="The level or agent that hints come from.")] = "expert",
    position: Annotated[str | None, typer.Option(help="Begin with this position, as text.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides dice and deals; by default something new.")] = None,
    option: GameOption = None,
) -> None:
    """Play in the terminal: the board as text, moves as people say them.

    Without players, a person has the first seat and machines of the middle level the others.

    Example: `stammtisch play muehle person heuristic`
    """
    loaded = load_game(game, **game_options(game, option))
    seats = _seats(loaded, players, seed)
    adviser = load_agent(_spec(loaded, hint), loaded, seed=seed)
    state = loaded.from_text(position.replace("\\n", "\n")) if position else loaded.new_state(seed)
    try:
        _Session(loaded, seats, adviser, np.random.default_rng(seed)).run(state)
    except (KeyboardInterrupt, EOFError):
        out.print()


def _seats(game: Game, players: list[str] | None, seed: int | None) -> list[Agent | None]:
    """Return the agent in each seat, None for a person."""
    count = game.info.num_players
    from stammtisch.studio.levels import middle_level

    wanted = players or [_PERSON, *[middle_level(game)] * (count - 1)]
    if len(wanted) != count:
        raise ValueError(f"{game.id} has {count} seats; name {count} players, not {len(wanted)}")
    return [None if who == _PERSON else load_agent(_spec(game, who), game, seed=seed) for who in wanted]


def _spec(game: Game, who: str) -> str:
    """Return the agent spec of a level, or what was given."""
    from stammtisch.studio.levels import levels

    rows = {row["level"]: row["spec"] for row in levels(game)}
    return str(rows.get(who, who))


class _Session:
    """One game: who plays, and the positions so far, to go back to."""

    def __init__(self, game: Game, seats: list[Agent | None], adviser: Agent, rng: np.random.Generator):
        self._game, self._seats, self._adviser, self._rng = game, seats, adviser, rng
        self._past: list[State] = []
        self._shown_for: int | None = None

    def run(self, state: State) -> None:
        """Play to the end, or until the person has enough."""
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = self._let_chance(state)
                continue
            agent = self._seats[state.player]
            if agent is not None:
                with err.status(f"player {state.player} ({agent.spec}) thinks"):
                    action = int(agent.act(state.view(state.player)))
                out.print(f"player {state.player} ({agent.spec}): {self._said(state, action)}", highlight=False)
                state = state.child(action)
                continue
            after = self._ask(state)
            if after is None:
                return
            state = after
        out.print(str(state), highlight=False, markup=False)
        paid = state.returns()
        best = [seat for seat, value in enumerate(paid) if value >= paid.max() - 1e-9]
        everybody = len(best) == len(paid)
        said = "a draw" if everybody else f"player {' and '.join(map(str, best))} {'wins' if len(best) == 1 else 'win'}"
        out.print(f"{said}; returns {' '.join(f'{value:+g}' for value in paid)}", highlight=False)

    def _said(self, state: State, action: int) -> str:
        """Return what the people at the screen hear of an action of a machine, which may be secret."""
        from stammtisch.studio.showing import EVERYBODY, NOBODY, is_secret

        people = [seat for seat, agent in enumerate(self._seats) if agent is None]
        viewer = people[0] if len(people) == 1 else NOBODY if people else EVERYBODY
        return "…" if is_secret(state, action, viewer) else state.action_text(action)

    def _let_chance(self, state: State) -> State:
        after = state.clone()
        outcome = after.sample_chance(self._rng)
        if self._game.info.chance == "explicit":
            out.print(state.action_text(outcome), highlight=False)
        else:
            out.print("the cards are dealt", highlight=False)
        return after

    def _ask(self, state: State) -> State | None:
        """Let a person move; None ends the game."""
        seat = state.player
        self._show(state)
        while True:
            word = _read(f"player {seat}> ")
            if word in ("quit", "q", "exit"):
                return None
            if word == "resign":
                out.print(f"player {seat} resigns")
                return None
            if word in ("help", "?", ""):
                out.print(_HELP)
            elif word == "moves":
                out.print(", ".join(map(state.action_text, state.legal_actions())), highlight=False, markup=False)
            elif word == "text":
                out.print(self._text(state), highlight=False, markup=False)
            elif word == "hint":
                with err.status("looking for a good move"):
                    action = int(self._adviser.act(state.view(seat)))
                out.print(f"hint: {state.action_text(action)}", highlight=False)
            elif word == "back":
                if self._past:
                    return self._past.pop()
                out.print("there is no move to take back")
            else:
                with contextlib.suppress(_NoMove):
                    action = self._parsed(state, word)
                    self._past.append(state)
                    return state.child(action)

    def _parsed(self, state: State, word: str) -> int:
        try:
            return state.parse_action(word)
        except ValueError as error:
            out.print(f"{error}", highlight=False, markup=False, soft_wrap=True)
            raise _NoMove from None

    def _show(self, state: State) -> None:
        """Show what the person to move may see; where people share a screen, the hand before is wiped off it."""
        seat = state.player
        people = [each for each, agent in enumerate(self._seats) if agent is None]
        if self._game.info.hidden and len(people) > 1 and self._shown_for != seat:
            out.clear()
            _read(f"player {seat}, press Enter when nobody else looks ")
        self._shown_for = seat
        out.print(str(state.seen_by(seat) if self._game.info.hidden else state), highlight=False, markup=False)
        texts = [state.action_text(action) for action in state.legal_actions()]
        more = f" … {len(texts)} in all" if len(texts) > _MOST_SHOWN else ""
        out.print(f"legal: {', '.join(texts[:_MOST_SHOWN])}{more}", highlight=False, markup=False)

    def _text(self, state: State) -> str:
        if self._game.info.hidden:
            return "the record shows all cards; it is there when the game is over"
        return state.to_text()


class _NoMove(Exception):
    """What was typed is no move."""


def _read(prompt: str) -> str:
    return input(prompt).strip()

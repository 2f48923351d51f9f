"""ReversiXT: names, options, text form and set-up."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, option_text
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.state import State
from stammtisch.envs.reversixt.defaults import AGENTS, TRAINING
from stammtisch.envs.reversixt.map import SYMBOLS, Map, format_map, parse_map, resolve_map, shipped_maps
from stammtisch.errors import BadText

OWN_MAP = ""  # the option's default: each id has a map of its own
OWN_MAPS = {2: "duel", 3: "trefoil", 4: "crossing", 8: "octet"}
_BOMB, _OVERRIDE = "bomb", "override"
_SHOWN = 40  # characters of a map in a message


@dataclass(frozen=True)
class MapOption(Option):
    """The option that takes a map: the name of a shipped one, a text or a file. Files become texts at once."""

    def read(self, name: str, value: Any, noun: str = "option", owner: str = "") -> str:
        if value == OWN_MAP:
            return OWN_MAP
        try:
            return resolve_map(value)
        except BadText as error:
            said, whose = option_text(value).strip().partition("\n")[0], f" for {owner}" if owner else ""
            shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
            raise BadText(f'{noun} {name}="{shown}"{whose} is not allowed: {error}') from None


class ReversiXT(Game):
    """Reversi for two to eight players on maps with holes, tunnels, special fields and bombs; most stones win.

    ## Description
    A stone may be put on an unoccupied field from which, in at least one of the eight directions, a line of stones of
    others leads to an own stone; all such lines change to the mover's colour. Lines go through tunnels, which join open
    ends of the board. With an override stone one may also put on a stone, if that captures something, and on an
    expansion stone `x` always; expansion stones belong to nobody and can be captured. Special fields work when they are
    taken: choice `c` exchanges all stones with a player, inversion `i` gives every player's stones to the next one,
    bonus `b` is worth a bomb or an override stone. Who cannot move is skipped. When nobody can, bombs are thrown in
    turn: everything within so many steps of the target becomes a hole. Rules: the course game ReversiXT.

    ## Players
    | Index | Name | Moves first |
    |---|---|---|
    | p | player p + 1, its stones are that number on the map | player 1, unless it is skipped |

    ## Action Space
    `Discrete(fields * 11)` with fields = width * height and `cell = y * width + x`; with `actions="two-step"`
    `Discrete(fields + 10)`. With `give_up=True` there is one more, the last.

    | Action | Two steps | Meaning |
    |---|---|---|
    | cell * 11 | cell | place a plain stone or override stone there, or throw a bomb there |
    | cell * 11 + k | cell, then fields + k - 1 | place on choice and exchange stones with player k, 1..8 |
    | cell * 11 + 9 | cell, then fields + 8 | place on bonus and take a bomb |
    | cell * 11 + 10 | cell, then fields + 9 | place on bonus and take an override stone |
    | fields * 11 | fields + 10 | give up (with `give_up=True`): be disqualified |

    ## Observation Space
    `(4 * n + 7, height, width) int8` in 0..127 for n players, who are counted from the observer on. The board is not
    turned. With `observation="tunnels"` there are eight more planes. The table of neighbours is `game.neighbours`.

    | Plane | Meaning |
    |---|---|
    | j | stones of the j-th player from the observer on |
    | n .. n + 5 | empty, expansion stone, choice, inversion, bonus, hole |
    | n + 6 + j | override stones of the j-th player, on every cell (127 at most) |
    | 2 * n + 6 + j | its bombs, likewise |
    | 3 * n + 6 + j | 1 if it is to move, 2 if it is disqualified |
    | 4 * n + 6 | 1 in the phase of bombs; with two steps, 2 on the field whose special is to be chosen |
    | 4 * n + 7 + d ("tunnels" only) | number of the tunnel that leaves in direction d, from 1 |

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it is
    not your turn.

    ## Rewards
    | Outcome | "rank" | "win" | "stones" |
    |---|---|---|---|
    | most stones | +1 | +1, shared by several | own stones less the mean of the others, per field |
    | rank k of n | 1 - 2 (k - 1) / (n - 1), the mean of it for equal stones | -1 / (n - 1) | likewise |
    | disqualified | behind all others | as a loser | as if without stones |

    ## Starting State
    The map. The seed decides nothing.

    ## Episode End
    1. Nobody can place a stone, and nobody has a bomb or nothing is left to throw it at.
    2. Only one player is not disqualified.
    There is no truncation.

    ## Information
    Nothing besides the keys of the faces.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `map` | str | "" | name of a shipped map, the text of a map, or a file; "" is the own map of the id |
    | `reward` | str | "rank" | "win" or "stones", see above |
    | `actions` | str | "flat" | "two-step": first the field, then its special |
    | `observation` | str | "planes" | "tunnels": planes of the tunnels too |
    | `give_up` | bool | False | an action by which the player to move drops out, as a disqualified one |

    Example: `stammtisch.load_game("reversixt", map="torus")`.

    ## Version History
    * v0: first release
    """

    rules: OwnRules
    FAMILY = "reversixt"
    RULES = "stammtisch.envs.reversixt.rules"
    HEURISTIC = "stammtisch.envs.reversixt.heuristic"
    RENDER = "stammtisch.envs.reversixt.render"
    TRAINING = TRAINING
    AGENTS = AGENTS
    CELL_IN_TEXT = r"(?<!\S)[0-8cibx-](?!\S)"
    POLICIES = ("heuristic",)
    OPTIONS = {
        "map": MapOption(OWN_MAP, "name of a shipped map, text of a map, or file"),
        "reward": Option("rank", "what the end of the game pays", ("rank", "win", "stones")),
        "actions": Option("flat", "field and special in one action or in two", ("flat", "two-step")),
        "observation": Option("planes", "encoding", ("planes", "tunnels")),
        "give_up": Option(False, "an action by which the player to move drops out"),
    }

    def __init__(self, game_id: str, variant: Mapping[str, int], options: Mapping[str, Any]):
        super().__init__(game_id, variant, options)
        wanted = self.variant.get("players", self.info.num_players)
        if wanted != self.info.num_players:
            raise ValueError(
                f'option map is not allowed: a map of {self.info.num_players} players in {game_id}; use "reversixt"'
            )

    def _config(self) -> dict[str, Any]:
        name = self.options["map"] or OWN_MAPS[self.variant.get("players", 2)]
        text = shipped_maps().get(name, name)
        return {
            "map": format_map(parse_map(text)),
            "reward": self.options["reward"],
            "two_steps": int(self.options["actions"] == "two-step"),
            "shows_tunnels": int(self.options["observation"] == "tunnels"),
            "may_give_up": int(self.options["give_up"]),
        }

    @property
    def map(self) -> Map:
        """The map."""
        return cast(Map, self.rules.MAP)

    @functools.cached_property
    def neighbours(self) -> NDArray[np.int64]:
        """The neighbour of each cell in each direction, ``int64[cells, 8]``, through tunnels too; -1 for none."""
        table = self.rules.NEXT.astype(np.int64).reshape(-1, 8)
        return np.where(table >= 0, table >> 3, -1)

    def stones(self, state: State) -> list[int]:
        """Return the number of stones of each player."""
        counts = np.bincount(self.contents(state), minlength=len(SYMBOLS))
        return [int(count) for count in counts[1 : 1 + self.info.num_players]]

    def contents(self, state: State) -> NDArray[np.int64]:
        """Return the content of each cell as an index of ``map.SYMBOLS``, ``int64[cells]``."""
        return state._row[self.rules.BOARD : self.rules.MOVES].copy()

    def disqualified(self, state: State) -> list[int]:
        """Return the seats that are out of the game."""
        rules = self.rules
        return np.flatnonzero(state._row[rules.OUT : rules.BOARD]).tolist()

    def disqualify(self, state: State, seat: int) -> State:
        """Return the state without a player, whoever is to move; its stones stay on the board."""
        if not 0 <= seat < self.info.num_players:
            raise ValueError(f"no player {seat!r} in {self.id}; seats are 0..{self.info.num_players - 1}")
        row = state.row
        if state.player != TERMINAL:
            self.rules.disqualify_seat(row, seat)
        return self.from_row(row)

    # Text

    def cell_symbols(self) -> tuple[str, ...]:
        return tuple(SYMBOLS[: self.rules.N_PLAYERS + 1])

    def to_text(self, state: State) -> str:
        return "\n".join([*self._lines(state), self._belongings(state), self._whose_turn(state)])

    def board_text(self, state: State) -> str:
        stones = ", ".join(f"{p}: {n}" for p, n in enumerate(self.stones(state), 1))
        lines = [f"{y:2} {line}" for y, line in enumerate(self._lines(state))]
        columns = " ".join(str(x % 10) for x in range(self.rules.WIDTH))
        last = [self._belongings(state), f"{self._whose_turn(state)}; stones {stones}"]
        return "\n".join([f"   {columns}", *lines, *last])

    def _lines(self, state: State) -> list[str]:
        rules = self.rules
        cells = [SYMBOLS[c] for c in self.contents(state)]
        return [" ".join(cells[i : i + rules.WIDTH]) for i in range(0, rules.CELLS, rules.WIDTH)]

    def _belongings(self, state: State) -> str:
        rules, row = self.rules, state._row
        parts = [
            "overrides " + " ".join(map(str, row[rules.OVERRIDES : rules.BOMBS])),
            "bombs " + " ".join(map(str, row[rules.BOMBS : rules.OUT])),
        ]
        if out := self.disqualified(state):
            parts.append("disqualified " + " ".join(str(seat + 1) for seat in out))
        return "; ".join(parts)

    def _whose_turn(self, state: State) -> str:
        rules, row = self.rules, state._row
        said = f"phase {row[rules.PHASE] + 1}, last {row[rules.LAST] + 1}"
        if state.player == TERMINAL:
            return f"{said}, game over"
        y, x = divmod(int(row[rules.PENDING]), rules.WIDTH)
        chosen = f", special of {x},{y}" if row[rules.PENDING] >= 0 else ""
        return f"{said}, {state.player + 1} to move{chosen}"

    def from_text(self, text: str) -> State:
        """Read what ``to_text`` writes: the board in the symbols of maps, what everyone owns, and whose turn it is."""
        lines = [" ".join(line.split()) for line in text.strip().splitlines()]
        rules = self.rules
        if len(lines) != rules.HEIGHT + 2:
            raise BadText(f"a record of {self.id} has {rules.HEIGHT + 2} lines on this map, not {len(lines)}")
        row = np.zeros(rules.STATE_LEN, np.int64)
        row[rules.BOARD : rules.MOVES] = self._read_board(lines[: rules.HEIGHT])
        self._read_belongings(lines[-2], row)
        turn = re.fullmatch(
            r"phase ([12]), last ([1-8]), (?:[1-8] to move|game over)(?:, special of (\d+),(\d+))?", lines[-1], re.ASCII
        )
        if turn is None or int(turn[2]) > rules.N_PLAYERS:
            raise BadText(f'a record of {self.id} ends like "phase 1, last 2, 1 to move", not "{lines[-1][:60]}"')
        row[rules.PHASE], row[rules.LAST], row[rules.PENDING] = int(turn[1]) - 1, int(turn[2]) - 1, -1
        self._check_history(row)
        rules.settle_row(row)
        state = self.from_row(row)
        if turn[3]:
            state = self._with_pending(state, int(turn[3]), int(turn[4]))
        if self._whose_turn(state) != lines[-1]:
            raise BadText(f'not a position: "{lines[-1]}" in {self.id} should be "{self._whose_turn(state)}"')
        return state

    def _read_board(self, lines: list[str]) -> NDArray[np.int64]:
        rules = self.rules
        cells = []
        for y, line in enumerate(lines):
            symbols = line.split()
            if len(symbols) != rules.WIDTH:
                raise BadText(
                    f"row {y} of a board of {self.id} has {rules.WIDTH} cells on this map, not {len(symbols)}"
                )
            for x, symbol in enumerate(symbols):
                if len(symbol) != 1 or symbol not in SYMBOLS or (symbol.isdigit() and int(symbol) > rules.N_PLAYERS):
                    raise BadText(f'cannot read "{symbol[:20]}" at {x},{y} in {self.id}; write a symbol of the map')
                cells.append(SYMBOLS.index(symbol))
        return np.array(cells, np.int64)

    def _read_belongings(self, line: str, row: NDArray[np.int64]) -> None:
        rules, n = self.rules, self.rules.N_PLAYERS
        counts = rf"(\d{{1,6}}(?: \d{{1,6}}){{{n - 1}}})"
        read = re.fullmatch(rf"overrides {counts}; bombs {counts}(?:; disqualified ([1-{n} ]+))?", line, re.ASCII)
        if read is None:
            raise BadText(f'a record of {self.id} says "overrides …; bombs …" with {n} numbers each, not "{line[:60]}"')
        row[rules.OVERRIDES : rules.BOMBS] = [int(word) for word in read[1].split()]
        row[rules.BOMBS : rules.OUT] = [int(word) for word in read[2].split()]
        out = (read[3] or "").split()
        if out != sorted({word for word in out if len(word) == 1}):
            raise BadText(f'cannot read "disqualified {read[3]}" in {self.id}; name players once and in order')
        for word in out:
            row[rules.OUT + int(word) - 1] = 1

    def _check_history(self, row: NDArray[np.int64]) -> None:
        """Refuse what cannot have come from the map, so that all bounds hold."""
        rules, n = self.rules, self.rules.N_PLAYERS
        start, now = rules.START, row[rules.BOARD : rules.MOVES]
        is_stone = (now > 0) & (now <= n)
        may_be = (now == start) | (is_stone & (start != rules.HOLE))
        if row[rules.PHASE] == rules.BOMBING:
            may_be |= now == rules.HOLE
        wrong = np.flatnonzero(~may_be)
        if len(wrong):
            y, x = divmod(int(wrong[0]), rules.WIDTH)
            was, is_ = SYMBOLS[start[wrong[0]]], SYMBOLS[now[wrong[0]]]
            raise BadText(f'not a position: "{is_}" at {x},{y} in {self.id}, where the map has "{was}"')
        owned = int(row[rules.OVERRIDES : rules.OUT].sum())
        most = n * (rules.MAP_OVERRIDES + rules.MAP_BOMBS) + int(((start == rules.BONUS) & (now != start)).sum())
        if owned > most:
            raise BadText(f"not a position: {owned} override stones and bombs in {self.id}, where {most} can be")
        if int(row[rules.OUT : rules.BOARD].sum()) == rules.N_PLAYERS:
            raise BadText(f"not a position: all players of {self.id} are disqualified")

    def _with_pending(self, state: State, x: int, y: int) -> State:
        rules = self.rules
        cell = y * rules.WIDTH + x
        needs_special = rules.TWO_STEPS and x < rules.WIDTH and y < rules.HEIGHT and cell in state.legal_actions()
        if needs_special and state._row[rules.PHASE] == rules.PLACING:
            chosen = state.child(cell)
            if chosen._row[rules.PENDING] == cell:
                return chosen
        raise BadText(f"not a position: no special is to be chosen at {x},{y} in {self.id}")

    def action_text(self, state: State, action: int) -> str:
        rules = self.rules
        if rules.MAY_GIVE_UP and action == rules.GIVE_UP:
            return "give up"
        if rules.TWO_STEPS:
            if action >= rules.CELLS:
                return _special_text(action - rules.CELLS + 1)
            cell, special = action, 0
        else:
            cell, special = divmod(action, rules.SPECIALS)
        y, x = divmod(cell, rules.WIDTH)
        if state._row[rules.PHASE] == rules.BOMBING:
            return f"throw {x},{y}"
        return f"{x},{y} {_special_text(special)}".rstrip()


def _special_text(special: int) -> str:
    if special == 0:
        return ""
    return (*(f"player {k}" for k in range(1, 9)), _BOMB, _OVERRIDE)[special - 1]

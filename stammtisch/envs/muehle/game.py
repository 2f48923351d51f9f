"""Mühle and its relatives: names, options, text form and set-up."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.facts import Fact
from stammtisch.envs.core.game import Game, Option, Symmetry
from stammtisch.envs.core.rules import OwnRules, own, uncompiled
from stammtisch.envs.core.spiel import SpielTwin
from stammtisch.envs.core.state import State
from stammtisch.envs.muehle.defaults import TRAINING
from stammtisch.envs.muehle.points import edges, place, point_name, renamings
from stammtisch.errors import BadText

_MEN = "WB"
_COLORS = ("white", "black")
_FLYING = "with three men left, none of them in hand, a man may jump to any empty point"
_TAIL = r"([WB]) to (move|remove), in hand (\d+) (\d+), turn (\d+)"


class Muehle(Game):
    """Close mills, three men in a row, to take the opponent's men; whoever has two left or cannot move loses.

    ## Description
    Both sides place their men on empty points in turn, then move one man per turn along a line to the next
    point. With three men left, a man may jump to any empty point (flying). Whoever gets three men in a row by
    placing, moving or jumping has closed a mill and removes one opposing man that does not stand in a mill,
    or any one if all of them do; two mills closed at once remove one man. A mill may be opened and closed
    again as often as one likes. Rules: Mühle as it is commonly played, the same as in OpenSpiel's
    `nine_mens_morris`.

    | Id | Men | Points | Board | Flying | Rows |
    |---|---|---|---|---|---|
    | `muehle` | 9 | 24 | three squares, joined at the middles of their sides | yes | 16 |
    | `morris-3` | 3 | 9 | one square with centre and both diagonals | no | 8, and a row wins at once |
    | `morris-6` | 6 | 16 | two squares, joined at the middles of their sides | no | 8, on the squares |
    | `morris-12` | 12 | 24 | three squares, joined at the middles and at the corners | yes | 20 |

    Three men's morris is the Philippine tapatan: men step along any line, the diagonals included. With
    `flying=True` they may go to any empty point, the game that H. J. R. Murray ("A History of Chess", 1913)
    calls nine holes. Six men's morris has mills along the squares only, because the lines between them have
    two points. Twelve men's morris has the board of the South African morabaraba and flies like it; if the
    board is full when all men are placed, the game is drawn. Both smaller games are in R. C. Bell,
    "Board and Table Games from Many Civilizations" (1960).

    ## Players
    | Index | Name | Moves first |
    |---|---|---|
    | 0 | white, `W` | yes |
    | 1 | black, `B` | |

    ## Action Space
    `Discrete(n + n * n)` for n points, so 600 on the large boards. A point is 8 * ring + position: ring 0 is
    the outermost, position 0 the top left corner, then clockwise; the centre of the smallest board is point
    8. For people the points have the usual names, columns a to g from the left and rows 1 to 7 from below:
    point 0 is a7, point 9 is d6.

    | Action | Meaning | Said |
    |---|---|---|
    | point | place a man | `a7` |
    | point, if a removal is pending | remove the man there; the same player acts again for this | `xa7` |
    | n + n * from + to | move or jump | `a7-d7` |

    ## Observation Space
    `(2 * n + 13,) float32` in 0..1 for n points, so 61 values on the large boards.

    | Index | Meaning |
    |---|---|
    | point | the observer's man stands there |
    | n + point | the opponent's man stands there |
    | 2 n | the observer's men in hand, as a share of all at the start |
    | 2 n + 1 | the observer's men left on the board and in hand, likewise |
    | 2 n + 2, 3, 4 | the observer is placing, moving, flying |
    | 2 n + 5 ... 9 | the same five values of the opponent |
    | 2 n + 10 | a removal is pending |
    | 2 n + 11 | completed turns, as a share of `max_turns` |
    | 2 n + 12 | the observer is to move |
    | 2 n + 13 (`repetition=True` only) | how often this position has occurred, divided by 3 |

    With `repetition=True` the earlier positions themselves are not shown. With `observation="dqn-flat"`, the
    inputs of the deep-Q report: `(n + 4,) int8`, the same for both observers: seat to move; kind of action (0
    place, 1 move or jump, 2 remove, 3 the game is over); 1 for white and -1 for black on each point; men in
    hand of white and of black. It leaves out the number of turns.

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros
    when it is not your turn.

    ## Rewards
    | Outcome | Reward |
    |---|---|
    | win | +1 |
    | draw | 0 |
    | loss | -1 |

    `stammtisch.wrappers.mill_rewards.MillRewards` pays for moves and mills instead.

    ## Starting State
    The empty board, all men in hand. The seed decides nothing.

    ## Episode End
    1. A side has two men left on the board and in hand: it loses (not with three men's morris).
    2. A side that is to move cannot: it loses, even if it was the last turn allowed.
    3. Three men's morris: three in a row win.
    4. Twelve men's morris: the board is full after placing: draw.
    5. `max_turns` turns have been completed, both sides counted and removals not: draw.
    6. With `repetition=True`, the same board with the same side to move occurs for the third time: draw.
    There is no truncation.

    ## Information
    Nothing besides the keys of the faces.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `max_turns` | int | 200 | completed turns after which the game is drawn |
    | `flying` | bool | True; False for `morris-3` and `morris-6` | a side with three men may jump |
    | `repetition` | bool | False | a position that occurs for the third time is a draw |
    | `observation` | str | "vector" | "dqn-flat" for the inputs of the deep-Q report |

    Example: `stammtisch.load_game("muehle", max_turns=400, repetition=True)`.

    ## Version History
    * v0: first release
    """

    rules: OwnRules
    FAMILY = "muehle"
    RULES = "stammtisch.envs.muehle.rules"
    HEURISTIC = "stammtisch.envs.muehle.heuristic"
    FEATURES = "stammtisch.envs.muehle.features"
    ORACLE = "stammtisch.envs.muehle.oracle"
    TABLES = "stammtisch.envs.muehle.tables"
    RENDER = "stammtisch.envs.muehle.render"
    CELL_IN_TEXT = r"[WB.]"
    CODINGS = 1
    MILESTONE = "mill"
    TRAINING = TRAINING
    POLICIES = ("heuristic", "strong")
    WEIGHTS = {"stones": 3.0, "stash": 3.0, "mills": 2.0, "possible_mills": 1.0}  # of the rote-learning work
    NEUTRAL_OPTIONS = ("max_turns", "repetition", "observation")
    FACTS = {
        "phase": Fact(
            "str",
            "placing, moving, flying or removing, of the side to move; over at the end",
            lambda state: _phase(state),
        ),
        "in_hand": Fact(
            "tuple[int, int]", "men not yet placed, of white and of black", lambda state: _pair(state, "HAND")
        ),
        "men": Fact("tuple[int, int]", "men left on the board and in hand", lambda state: _pair(state, "LEFT")),
        "board": Fact("str", "W, B or . for each point, in the order of the points", lambda state: contents(state)),
        "turn": Fact("int", "completed turns of both sides", lambda state: int(state._row[own(state.game.rules).TURN])),
    }
    COLORS = _COLORS
    PROTOCOLS = ("mill",)
    OPTIONS = {
        "max_turns": Option(200, "completed turns of both sides after which the game is drawn", minimum=1),
        "flying": Option(True, _FLYING),
        "repetition": Option(False, "a position that occurs for the third time is a draw"),
        "observation": Option("vector", "encoding", ("vector", "dqn-flat")),
    }

    def _config(self) -> dict[str, int]:
        return {
            **self.variant,
            "max_turns": self.options["max_turns"],
            "flying": int(self.options["flying"]),
            "repetition": int(self.options["repetition"]),
            "dqn_flat": int(self.options["observation"] == "dqn-flat"),
        }

    def spiel_twin(self) -> SpielTwin | None:
        """OpenSpiel numbers the points as one reads, line by line."""
        if self.id != "muehle" or self.changed_options():
            return None
        names = [self.point_name(point) for point in range(self.rules.POINTS)]
        reading = sorted(range(len(names)), key=lambda point: (-int(names[point][1:]), names[point][0]))
        point = np.argsort(reading)
        moves = self.rules.POINTS * (1 + point[:, None]) + point[None, :]
        numbers = np.concatenate([point, moves.ravel()])
        return SpielTwin("nine_mens_morris", lambda state, action: int(numbers[action]))

    @property
    def symmetries(self) -> list[Symmetry]:
        """Rotations and reflections of the square, also with the rings inside out; the identity first."""
        rules = self.rules
        n = rules.POINTS
        first = [2] if rules.DQN_FLAT else [0, n]
        found = []
        for target in renamings(rules.RINGS, n):
            observation = np.arange(rules.OBS_LEN)
            for start in first:
                observation[start : start + n] = start + np.argsort(target)
            moves = n + n * target[:, None] + target[None, :]
            found.append(Symmetry(observation, np.concatenate([target, moves.ravel()])))
        return found

    @property
    def phases(self) -> tuple[str, ...]:
        """Placing, moving and flying, which the observation ``vector`` tells apart."""
        return super().phases if self.rules.DQN_FLAT else ("placing", "moving", "flying")

    def phases_of(self, observations: NDArray[Any]) -> NDArray[np.int64]:
        if self.rules.DQN_FLAT:
            return super().phases_of(observations)
        first = 2 * self.rules.POINTS + 2
        phases: NDArray[np.int64] = observations[:, first : first + len(self.phases)].argmax(axis=1)
        return phases

    def phase_actions(self) -> list[NDArray[np.int64]]:
        """A man that is placed or removed is a point, one that moves goes along a line, one that flies anywhere."""
        if self.rules.DQN_FLAT:
            return super().phase_actions()
        n = self.rules.POINTS
        points = np.arange(n)
        steps = [n + n * start + end for start, near in enumerate(self.rules.NEIGHBOURS) for end in near]
        return [points, np.concatenate([points, steps]), np.arange(self.rules.N_ACTIONS)]

    def milestones(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the mills that each side has closed: one per man that the other lost or is about to lose."""
        rules = self.rules
        closed = np.zeros((len(rows), rules.N_PLAYERS), np.int64)
        for seat in (0, 1):
            pending = np.where(rows[:, rules.MOVER] == seat, rows[:, rules.PENDING], 0)
            closed[:, seat] = rules.MEN - rows[:, rules.LEFT + 1 - seat] + pending
        return closed

    def phase_name(self, state: State) -> str:
        """Name the state as the state machine of the deep-Q report does, ``SetPlayer1`` to ``GameFinished``.

        ``Set`` is placing, ``Shift`` moving or jumping; ``SetMill`` and ``ShiftMill`` remove a man after
        either.
        """
        rules, row = self.rules, state._row
        if row[rules.OVER]:
            return "GameFinished"
        p = int(row[rules.MOVER])
        last_placing = 2 * rules.MEN - 2 + p  # the turn in which this side puts its last man on the board
        placing = row[rules.HAND + p] > 0 or (row[rules.PENDING] > 0 and row[rules.TURN] == last_placing)
        return f"{'Set' if placing else 'Shift'}{'Mill' if row[rules.PENDING] else ''}Player{p + 1}"

    def from_board(
        self,
        *,
        board: Sequence[str],
        to_move: int = 0,
        in_hand: tuple[int, int] = (0, 0),
        removal_pending: bool = False,
        turn: int = 0,
    ) -> State:
        """Set up a position; it is over if the rules say so, and counts as seen for the first time.

        Args:
            board: ``W``, ``B`` or ``.`` for each point, in the order of the points; white space is ignored.
            to_move: seat whose turn it is.
            in_hand: men not yet placed, of white and of black.
            removal_pending: whether the seat to move has just closed a mill and has to remove a man.
            turn: completed turns.
        """
        return self._set_up("".join("".join(board).split()), to_move, in_hand, removal_pending, turn, None)

    def _set_up(
        self,
        board: str,
        to_move: int,
        in_hand: Sequence[int],
        removal_pending: bool,
        turn: int,
        seen: Sequence[int] | None,
    ) -> State:
        rules = self.rules
        strange = sorted(set(board) - {*_MEN, "."})
        if strange:
            raise ValueError(f'cannot read point "{strange[0]}" in {self.id}; write W (white), B (black) or . (empty)')
        if len(board) != rules.POINTS:
            raise ValueError(f"a board of {self.id} has {rules.POINTS} points, not {len(board)}")
        if to_move not in (0, 1):
            raise ValueError(f"no player {to_move!r} in {self.id}; seats are 0..1")
        if len(in_hand) != 2 or not all(isinstance(hand, int | np.integer) for hand in in_hand):
            raise ValueError(f"men in hand are a pair of integers, white's and black's, not {in_hand!r}")
        if not isinstance(turn, int | np.integer) or not 0 <= turn <= rules.MAX_TURNS:
            raise ValueError(f"turn {turn!r} is not possible in {self.id}; it is 0..{rules.MAX_TURNS}")
        row = np.zeros(rules.STATE_LEN, np.int64)
        row[rules.MOVER], row[rules.TURN] = to_move, turn
        for p, man in enumerate(_MEN):
            on_board, hand = board.count(man), in_hand[p]
            if hand < 0 or on_board + hand > rules.MEN:
                raise ValueError(
                    f"{_COLORS[p]} has {rules.MEN} men in {self.id}, not {on_board} on the board and {hand} in hand"
                )
            row[rules.BOARD + p] = sum(1 << point for point, content in enumerate(board) if content == man)
            row[rules.HAND + p], row[rules.LEFT + p] = hand, on_board + hand
        row[rules.OVER] = self._decided(row)
        if removal_pending:
            self._check_removal(row)
        row[rules.PENDING] = int(removal_pending)
        if rules.REPETITION:
            self._set_seen(row, seen)
        return self.from_row(row)

    def _decided(self, row: NDArray[np.int64]) -> int:
        """Return OVER of a set-up position in which no removal is pending."""
        rules = self.rules
        mover = int(row[rules.MOVER])
        if rules.LINE_WINS:
            if row[rules.LEFT] != rules.MEN or row[rules.LEFT + 1] != rules.MEN:
                raise ValueError(f"no man leaves the game in {self.id}; each side has {rules.MEN} on board and in hand")
            lost = [self._has_mill(row, 1 - p) for p in (0, 1)]
        else:
            lost = [bool(row[rules.LEFT + p] <= rules.MEN_TO_LOSE) for p in (0, 1)]
        if all(lost):
            raise ValueError(f"both sides of {self.id} would have lost in this position")
        if any(lost):
            return 1 + lost.index(False)
        if self.stepping.list_legal(row, np.empty(rules.MAX_BRANCH, np.int64)) == 0:
            is_full = int(row[rules.BOARD] | row[rules.BOARD + 1]) == rules.FULL
            return rules.DRAWN if is_full else 2 - mover
        return rules.DRAWN if row[rules.TURN] == rules.MAX_TURNS else 0

    def _has_mill(self, row: NDArray[np.int64], p: int) -> bool:
        return bool((row[self.rules.BOARD + p] & self.rules.MILLS == self.rules.MILLS).any())

    def _check_removal(self, row: NDArray[np.int64]) -> None:
        rules = self.rules
        p = int(row[rules.MOVER])
        if rules.LINE_WINS:
            raise ValueError(f"no man is ever removed in {self.id}")
        if not self._has_mill(row, p):
            raise ValueError(f"a removal cannot be pending: {_COLORS[p]} has no mill on the board")
        if row[rules.BOARD + 1 - p] == 0:
            raise ValueError(f"a removal cannot be pending: {_COLORS[1 - p]} has no man on the board")
        if row[rules.LEFT : rules.LEFT + 2].min() <= rules.MEN_TO_LOSE or row[rules.TURN] == rules.MAX_TURNS:
            raise ValueError("a removal cannot be pending: the game is over")
        row[rules.OVER] = 0

    def _set_seen(self, row: NDArray[np.int64], seen: Sequence[int] | None) -> None:
        """Fill the positions since the last placing or removal; the present one ends the list."""
        rules = self.rules
        if row[rules.PENDING]:
            if seen:
                raise ValueError("no position can repeat while a removal is pending")
            return
        code = int(row[rules.BOARD] | row[rules.BOARD + 1] << rules.POINTS | row[rules.MOVER] << 2 * rules.POINTS)
        seen = [code] if seen is None else list(seen)
        if seen[-1:] != [code]:
            raise ValueError(f"the last of the positions seen is the present one, {code:x}")
        if any(self._men_of(other) != self._men_of(code) for other in seen):
            raise ValueError("the positions seen since the last placing or removal have the same number of men")
        if len(seen) > row[rules.TURN] + 1:
            raise ValueError(f"{len(seen)} positions cannot have been seen in {row[rules.TURN]} turns")
        row[rules.SEEN] = len(seen)
        row[rules.SEEN + 1 : rules.SEEN + 1 + len(seen)] = seen
        if row[rules.OVER] == 0 and seen.count(code) >= 3:
            row[rules.OVER] = rules.DRAWN

    def _men_of(self, code: int) -> tuple[int, int, int]:
        """Count white men, black men and points taken in a position seen; -1 points if it makes no sense."""
        n = self.rules.POINTS
        white, black = code & self.rules.FULL, code >> n & self.rules.FULL
        taken = (white | black).bit_count() if code >> (2 * n + 1) == 0 else -1
        return white.bit_count(), black.bit_count(), taken

    def cell_symbols(self) -> tuple[str, ...]:
        return (".", *_MEN)

    def to_text(self, state: State) -> str:
        rules, row = self.rules, state._row
        size = 2 * rules.RINGS + 1
        canvas = [[" "] * (2 * size - 1) for _ in range(size)]
        for a, b in edges(rules.NEIGHBOURS):
            (x, y), (u, v) = sorted([place(rules.RINGS, a), place(rules.RINGS, b)])
            for col in range(2 * x + 1, 2 * u if y == v else 0):
                canvas[y][col] = "-"
            for line in range(y + 1, v if x == u else 0):
                canvas[line][2 * x] = "|"
        for point, content in enumerate(contents(state)):
            col, line = place(rules.RINGS, point)
            canvas[line][2 * col] = content
        lines = [f"{size - i} {''.join(chars).rstrip()}" for i, chars in enumerate(canvas)]
        lines.append("  " + " ".join("abcdefg"[:size]))
        lines.append(
            f"{_MEN[row[rules.MOVER]]} to {'remove' if row[rules.PENDING] else 'move'}, "
            f"in hand {row[rules.HAND]} {row[rules.HAND + 1]}, turn {row[rules.TURN]}"
        )
        if rules.REPETITION:
            seen = row[rules.SEEN + 1 : rules.SEEN + 1 + row[rules.SEEN]]
            lines.append(" ".join(["seen", *(f"{code:x}" for code in seen.tolist())]))
        return "\n".join(lines)

    def from_text(self, text: str) -> State:
        """Read what ``to_text`` writes: ``W``, ``B`` or ``.`` on each point, then who moves, hands and turn.

        With ``repetition`` a last line lists the positions since the last placing or removal; without that
        line the position counts as seen for the first time.
        """
        rules = self.rules
        lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
        seen = None
        if rules.REPETITION and lines and lines[-1].startswith("seen"):
            words = lines.pop().split()[1:]
            if not all(re.fullmatch(r"[0-9a-f]+", word) for word in words):
                raise BadText(f'positions seen are hexadecimal numbers in {self.id}, not "{" ".join(words)}"')
            seen = [int(word, 16) for word in words]
        tail = re.fullmatch(_TAIL, lines[-1]) if lines else None
        if tail is None:
            raise BadText(f'a record of {self.id} ends like "W to move, in hand 9 9, turn 0", not with {lines[-1:]}')
        found = "".join(re.findall(r"[WB.]", "".join(lines[:-1])))
        order = sorted(range(rules.POINTS), key=lambda point: place(rules.RINGS, point)[::-1])
        board = dict(zip(order, found, strict=False))
        if len(found) != rules.POINTS:
            raise BadText(f"a board of {self.id} has {rules.POINTS} points W, B or ., not {len(found)}")
        mover, verb, white, black, turn = tail.groups()
        try:
            return self._set_up(
                "".join(board[point] for point in range(rules.POINTS)),
                _MEN.index(mover),
                (int(white), int(black)),
                verb == "remove",
                int(turn),
                seen,
            )
        except ValueError as error:
            raise BadText(f"not a position: {error}") from error

    def point_name(self, point: int) -> str:
        """Return a point's name for people, such as ``a7``."""
        return point_name(self.rules.RINGS, point)

    def action_text(self, state: State, action: int) -> str:
        rules = self.rules
        if action < rules.POINTS:
            return f"{'x' if state._row[rules.PENDING] else ''}{self.point_name(action)}"
        start, target = divmod(action - rules.POINTS, rules.POINTS)
        return f"{self.point_name(start)}-{self.point_name(target)}"


class SmallMorris(Muehle):  # noqa: D101
    __doc__ = Muehle.__doc__
    OPTIONS = {**Muehle.OPTIONS, "flying": Option(False, _FLYING)}


def _pair(state: State, name: str) -> tuple[int, int]:
    at = getattr(state.game.rules, name)
    return int(state._row[at]), int(state._row[at + 1])


def _phase(state: State) -> str:
    rules, row = own(state.game.rules), state._row
    mover = int(row[rules.MOVER])
    if row[rules.OVER]:
        return "over"
    if row[rules.PENDING]:
        return "removing"
    if row[rules.HAND + mover] > 0:
        return "placing"
    return "flying" if uncompiled(rules.can_fly)(row, mover) else "moving"


def contents(state: State) -> str:
    """Return what stands on each point: ``W``, ``B`` or ``.``."""
    rules: Any = state.game.rules
    white, black = (int(men) for men in state._row[rules.BOARD : rules.BOARD + 2])
    return "".join("W" if white >> i & 1 else "B" if black >> i & 1 else "." for i in range(rules.POINTS))

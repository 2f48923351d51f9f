"""EinStein würfelt nicht! as numba functions on one int64 row; executed once per variant.

Cells are numbered row by row from the top left, ``cell = row * SIZE + col``. A player's *own frame* is the board turned
so that its home is the top left corner; there every player heads right, down and diagonally to the last cell.

Row: turn, die (0 = to be rolled), over (0, or 1 + winning team), pieces left per player, cell of each piece
(-1 = captured), content of each cell (0, or 1 + PIECES * player + piece).
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below

CONFIG: Mapping[str, int]

SIZE = CONFIG["size"]
N_PLAYERS = CONFIG["players"]
PIECES = 3 if SIZE <= 4 else 6
CELLS = SIZE * SIZE
RANDOM_START = CONFIG["random_start"]
CHOICE_GBG = CONFIG["choice_gbg"]
ENDING_GBG = CONFIG["ending_gbg"]
CODING = CONFIG["coding"]  # -1: planes; 0, 1, 2: the thesis' position values

TEAMS = {2: (0, 1), 3: (0, 0, 1), 4: (0, 1, 0, 1)}[N_PLAYERS]
PASS = 3 * PIECES
N_ACTIONS = PASS + (N_PLAYERS == 3)
MAX_BRANCH = max(PIECES, 6)
UTILITY = (-1.0, 1.0)

TURN, DIE, OVER = 0, 1, 2
LEFT = 3
POS = LEFT + N_PLAYERS
BOARD = POS + N_PLAYERS * PIECES
STATE_LEN = BOARD + CELLS


def _to_absolute(player: int, row: int, col: int) -> tuple[int, int]:
    """Turn a cell of a player's own frame onto the board."""
    last = SIZE - 1
    return ((row, col), (last - row, last - col), (last - col, row), (col, last - row))[player]


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ABSOLUTE[player, own cell], FRAME[player, cell] and STEP[player, k] (the cell offset of a move)."""
    absolute = np.zeros((N_PLAYERS, CELLS), np.int64)
    frame = np.zeros((N_PLAYERS, CELLS), np.int64)
    step = np.zeros((N_PLAYERS, 3), np.int64)
    for p in range(N_PLAYERS):
        for own in range(CELLS):
            row, col = _to_absolute(p, *divmod(own, SIZE))
            absolute[p, own] = row * SIZE + col
            frame[p, row * SIZE + col] = own
        step[p] = absolute[p, [1, SIZE, SIZE + 1]] - absolute[p, 0]
    return absolute, frame, step


ABSOLUTE, FRAME, STEP = _tables()
_CAN_GO_RIGHT, _CAN_GO_DOWN = FRAME % SIZE < SIZE - 1, FRAME < CELLS - SIZE
STEPS = np.where(_CAN_GO_RIGHT & _CAN_GO_DOWN, 3, _CAN_GO_RIGHT | _CAN_GO_DOWN).astype(np.int64)  # [player, cell]
FIRST_STEP = np.where(_CAN_GO_RIGHT, 0, 1).astype(np.int64)  # right, down, both
GOAL = tuple(int(ABSOLUTE[p, CELLS - 1]) if N_PLAYERS != 3 or p == 2 else -1 for p in range(N_PLAYERS))
# Own cells of pieces 1..PIECES in the fixed start; the four-player 4x4 board numbers row before column.
_SMALL_HOME = (0, 1, SIZE) if N_PLAYERS == 4 else (0, SIZE, 1)
HOME = np.array(_SMALL_HOME if PIECES == 3 else (0, SIZE, 1, 2 * SIZE, SIZE + 1, 2), np.int64)
_TEAM = np.array(TEAMS, np.int64)
_GOAL = np.array(GOAL, np.int64)

# Start distances to the goal corner bound every player's own moves.
_OWN_MOVES = sum(2 * (SIZE - 1) - int(c) // SIZE - int(c) % SIZE for c in HOME)
MAX_MOVES = N_PLAYERS * _OWN_MOVES

PLANES = N_PLAYERS * PIECES + PIECES + N_PLAYERS + (N_PLAYERS if N_PLAYERS == 3 else 0)
GROUPS = (1, 3, 6)[CODING]
OBS_SHAPE = (PLANES, SIZE, SIZE) if CODING < 0 else (CELLS + 2,)
OBS_LEN = PLANES * CELLS if CODING < 0 else CELLS + 2
OBS_DTYPE = np.int8
OBS_RANGE = (0, 1) if CODING < 0 else (0, max(GROUPS * N_PLAYERS, PIECES))


@njit
def init(s, r):
    """Set up the start position; a random start gives every player the same layout, turned."""
    s[:] = 0
    home = HOME.copy()
    if RANDOM_START:
        for i in range(PIECES - 1, 0, -1):
            j = below(r, CHANCE_STREAM, i + 1)
            home[i], home[j] = home[j], home[i]
    for p in range(N_PLAYERS):
        s[LEFT + p] = PIECES
        for piece in range(PIECES):
            cell = ABSOLUTE[p, home[piece]]
            s[POS + p * PIECES + piece] = cell
            s[BOARD + cell] = 1 + p * PIECES + piece


@njit
def player(s):
    """Seat to move, CHANCE when the die is due, TERMINAL after the end."""
    if s[OVER]:
        return TERMINAL
    if s[DIE] == 0:
        return CHANCE
    return s[TURN]


@njit(forceinline=True)
def _movable(s):
    """Return the pieces that the die lets move, lower before higher, -1 for none: the rolled one, or its neighbours."""
    first = POS + s[TURN] * PIECES
    rolled = s[DIE] - 1
    if s[first + rolled] >= 0:
        return rolled, np.int64(-1)
    lower = rolled - 1
    while lower >= 0 and s[first + lower] < 0:
        lower -= 1
    higher = rolled + 1
    while higher < PIECES and s[first + higher] < 0:
        higher += 1
    if higher == PIECES:
        higher = -1
    if CHOICE_GBG and lower >= 0 and higher >= 0:
        down, up = rolled - lower, higher - rolled
        lower, higher = lower if down <= up else -1, higher if up <= down else -1
    return lower, higher


@njit(forceinline=True)
def _steps(s, p, piece):
    """Return how many steps of a piece (-1 for none) stay on the board, and the first of them."""
    if piece < 0:
        return np.int64(0), np.int64(0)
    cell = s[POS + p * PIECES + piece]
    return STEPS[p, cell], FIRST_STEP[p, cell]


@njit
def legal(s, acts):
    """List the legal actions, or the outcomes at a chance node, in ascending order."""
    if s[DIE] == 0:
        for i in range(PIECES):
            acts[i] = i
        return PIECES
    p = s[TURN]
    n = 0
    for piece in _movable(s):
        steps, step = _steps(s, p, piece)
        for k in range(steps):
            acts[n] = 3 * piece + step + k
            n += 1
    if N_PLAYERS == 3 and n == 0:
        acts[0] = PASS
        n = 1
    return n


@njit(forceinline=True)
def draw(s, r, i, acts):
    """Draw a legal action, or an outcome at a chance node, without listing them."""
    if s[DIE] == 0:
        return below(r, i, PIECES)
    p = s[TURN]
    lower, higher = _movable(s)
    below_roll, lower_step = _steps(s, p, lower)
    above_roll, higher_step = _steps(s, p, higher)
    n = below_roll + above_roll
    if N_PLAYERS == 3 and n == 0:
        below(r, i, 1)
        return np.int64(PASS)
    k = below(r, i, n)
    if k < below_roll:
        return 3 * lower + lower_step + k
    return 3 * higher + higher_step + k - below_roll


@njit(forceinline=True)
def apply(s, a):
    """Take a die roll or a move."""
    if s[DIE] == 0:
        s[DIE] = a + 1
        return
    p = s[TURN]
    if N_PLAYERS != 3 or a != PASS:
        piece = p * PIECES + a // 3
        start = s[POS + piece]
        target = start + STEP[p, a % 3]
        hit = s[BOARD + target] - 1
        victim = -1
        if hit >= 0:
            victim = hit // PIECES
            s[POS + hit] = -1
            s[LEFT + victim] -= 1
        s[BOARD + start] = 0
        s[BOARD + target] = 1 + piece
        s[POS + piece] = target
        wiped_out = victim >= 0 and s[LEFT + victim] == 0
        if target == _GOAL[p] and not (ENDING_GBG and wiped_out and victim < p and _TEAM[victim] == _TEAM[p]):
            s[OVER] = 1 + _TEAM[p]
        elif wiped_out:
            s[OVER] = 2 - _TEAM[victim]
    s[DIE] = 0
    s[TURN] = p + 1 if p + 1 < N_PLAYERS else 0


@njit
def sample(s, r):
    """Roll the die."""
    return below(r, CHANCE_STREAM, PIECES)


@njit
def chance(s, probabilities):
    """Fill the probability of each outcome and return how many there are."""
    probabilities[:PIECES] = 1.0 / PIECES
    return PIECES


@njit
def returns(s, out):
    """Fill +1 for the winning team and -1 for the others."""
    for p in range(N_PLAYERS):
        out[p] = 1.0 if _TEAM[p] == s[OVER] - 1 else -1.0


@njit
def observe(s, p, obs):
    """Fill the observation of seat ``p``, seen from its corner; seats are counted from ``p`` on."""
    if CODING < 0:
        _observe_planes(s, p, obs)
    else:
        _observe_coding(s, p, obs)


@njit
def _observe_planes(s, p, obs):
    obs[:] = 0
    plane = 0
    q = p
    for _ in range(N_PLAYERS):
        for piece in range(q * PIECES, (q + 1) * PIECES):
            cell = s[POS + piece]
            on_board = cell >= 0  # no branch: a captured stone writes its zero on cell 0 of its own plane
            obs[plane * CELLS + FRAME[p, cell if on_board else 0]] = on_board
            plane += 1
        q = q + 1 if q + 1 < N_PLAYERS else 0
    if s[DIE]:
        _fill_plane(obs, plane + s[DIE] - 1)
    plane += PIECES
    mover = s[TURN] - p if s[TURN] >= p else s[TURN] - p + N_PLAYERS
    _fill_plane(obs, plane + mover)
    if N_PLAYERS == 3:
        _fill_plane(obs, plane + N_PLAYERS + p)


@njit
def _fill_plane(obs, plane):
    obs[plane * CELLS : (plane + 1) * CELLS] = 1


@njit
def _observe_coding(s, p, obs):
    for cell in range(CELLS):
        content = s[BOARD + cell] - 1
        value = GROUPS * N_PLAYERS
        if content >= 0:
            owner = content // PIECES - p
            if owner < 0:
                owner += N_PLAYERS
            piece = content % PIECES
            if CODING == 0:
                value = owner
            elif CODING == 1:
                value = 3 * owner + (piece * 3) // PIECES
            else:
                value = 6 * owner + piece
        obs[FRAME[p, cell]] = value
    obs[CELLS] = s[DIE]
    obs[CELLS + 1] = s[TURN] - p if s[TURN] >= p else s[TURN] - p + N_PLAYERS

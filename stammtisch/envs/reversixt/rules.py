"""ReversiXT as numba functions on one int64 row; executed once per map and options.

A *place* is a cell and a direction, ``cell * 8 + direction``; ``NEXT[place]`` is the place one step further, through
tunnels too, or -1. Since walks can be reversed, the moves of a player are found by walking from its stones outwards:
the other stones on the way are what a stone put at the end would capture.

Row: seat to move (or TERMINAL), phase, the last seat that moved, the field whose special is still to be chosen
(-1: none), then per player override stones, bombs and whether it is disqualified, the content of each cell, and the
cells where the seat to move may place, 63 in a word.

Whose turn it is follows from the last mover alone, so that everything but the board's content is found by ``settle``.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.reversixt.map import HOLE as HOLE_SYMBOL
from stammtisch.envs.reversixt.map import STEPS, next_places, parse_map
from stammtisch.envs.reversixt.map import SYMBOLS as MAP_SYMBOLS

CONFIG: Mapping[str, Any]
short_kernel: Callable[[Callable[..., Any]], Any]

MAP = parse_map(CONFIG["map"])
REWARD = CONFIG["reward"]
TWO_STEPS = CONFIG["two_steps"]  # a special is an action of its own
MAY_GIVE_UP = CONFIG["may_give_up"]
SHOWS_TUNNELS = CONFIG["shows_tunnels"]

WIDTH, HEIGHT, CELLS = MAP.width, MAP.height, MAP.width * MAP.height
N_PLAYERS = MAP.players
TEAMS = tuple(range(N_PLAYERS))
NEXT = next_places(MAP)

# Contents: 0, then stones 1..8 of the players, then in the order of the symbols.
EMPTY, EXPANSION, CHOICE, INVERSION, BONUS, HOLE = 0, 9, 10, 11, 12, 13
START = np.array([MAP_SYMBOLS.index(symbol) for symbol in MAP.cells], np.int8)
FIELDS = CELLS - MAP.cells.count(HOLE_SYMBOL)
STRENGTH = min(MAP.strength, CELLS)
MAP_OVERRIDES, MAP_BOMBS = MAP.overrides, MAP.bombs

SPECIALS = 11  # plain, players 1..8, bomb, override stone
TAKE_BOMB, TAKE_OVERRIDE = 9, 10
GIVE_UP = CELLS + SPECIALS - 1 if TWO_STEPS else CELLS * SPECIALS
N_ACTIONS = GIVE_UP + MAY_GIVE_UP
MAX_BRANCH = CELLS + MAP.cells.count("c") * (N_PLAYERS - 1) + MAP.cells.count("b") + MAY_GIVE_UP
_FREE = sum(MAP.cells.count(symbol) for symbol in "0cib")
_BOMBS = min(N_PLAYERS * MAP.bombs + MAP.cells.count("b"), FIELDS)
MAX_MOVES = _FREE + N_PLAYERS * MAP.overrides + MAP.cells.count("b") + _BOMBS
MAX_MOVES += MAY_GIVE_UP * N_PLAYERS + TWO_STEPS * (MAP.cells.count("c") + MAP.cells.count("b"))
UTILITY = (-1.0 / (N_PLAYERS - 1) if REWARD == "win" else -1.0, 1.0)

WORD_BITS = 63  # the sign is left alone
WORDS = (CELLS + WORD_BITS - 1) // WORD_BITS
PLACING, BOMBING = 0, 1
TURN, PHASE, LAST, PENDING, OVERRIDES = 0, 1, 2, 3, 4
BOMBS = OVERRIDES + N_PLAYERS
OUT = BOMBS + N_PLAYERS
BOARD = OUT + N_PLAYERS
MOVES = BOARD + CELLS
STATE_LEN = MOVES + WORDS

KINDS = 6  # empty, expansion stone, choice, inversion, bonus, hole
PLANES = 4 * N_PLAYERS + KINDS + 1 + 8 * SHOWS_TUNNELS
OBS_SHAPE = (PLANES, HEIGHT, WIDTH)
OBS_LEN = PLANES * CELLS
OBS_DTYPE = np.int8
MOST_SHOWN = 127
OBS_RANGE = (0, MOST_SHOWN)


def _tunnel_numbers() -> np.ndarray:
    """Return the number of the tunnel that leaves each cell in each direction, from 1; 0 where there is none."""
    numbers = np.zeros((8, CELLS), np.int8)
    for number, pair in enumerate(MAP.tunnels):
        for x, y, d in pair:
            numbers[d, y * WIDTH + x] = number % MOST_SHOWN + 1
    return numbers.ravel()


TUNNEL_NUMBERS = _tunnel_numbers() if SHOWS_TUNNELS else np.zeros(1, np.int8)
# By how much a place grows in one step on the board; a walk that jumps may cross itself.
STRIDES = np.array([(dx + dy * WIDTH) * 8 for dx, dy in STEPS], np.int64)
HAS_TUNNELS = bool(MAP.tunnels)


@njit
def _is_free(content):
    """Whether a field is not occupied: empty or special."""
    return content == EMPTY or content > EXPANSION


@njit
def _mark(s, cell):
    word = cell // WORD_BITS
    s[MOVES + word] |= np.int64(1) << (cell - word * WORD_BITS)


@njit
def _was_crossed(start, steps, cell):
    """Whether the first ``steps`` steps from a place cross a cell."""
    place = np.int64(start)
    for _ in range(steps):
        place = np.int64(NEXT[place])
        if place >> 3 == cell:
            return True
    return False


@njit
def _find_moves(s, p):
    """Mark the cells where seat ``p`` may place; return whether there is one."""
    for w in range(WORDS):
        s[MOVES + w] = 0
    own = p + 1
    overrides = s[OVERRIDES + p] > 0
    found = False
    for cell in range(CELLS):
        content = s[BOARD + cell]
        if content == EXPANSION and overrides:
            _mark(s, cell)
            found = True
        if content != own:
            continue
        for start in range(cell * 8, cell * 8 + 8):
            place = np.int64(NEXT[start])
            if place < 0:
                continue
            content = s[BOARD + (place >> 3)]
            steps = 1
            jumped = HAS_TUNNELS and place - start != STRIDES[start & 7]
            while content != own and not _is_free(content):
                onward = np.int64(NEXT[place])
                if onward < 0:
                    break
                if HAS_TUNNELS:
                    jumped |= onward - place != STRIDES[place & 7]
                place = onward
                content = s[BOARD + (place >> 3)]
                may_place = _is_free(content)
                if overrides and not may_place and place >> 3 != cell:
                    may_place = not (jumped and _was_crossed(start, steps, place >> 3))
                if may_place:
                    _mark(s, place >> 3)
                    found = True
                steps += 1
    return found


@njit
def _run_length(s, start, own):
    """Return how many stones a stone put at the place's cell captures in its direction."""
    place = np.int64(NEXT[start])
    steps = np.int64(0)
    while place >= 0 and place >> 3 != start >> 3:
        content = s[BOARD + (place >> 3)]
        if content == own:
            return steps
        if _is_free(content):
            break
        steps += 1
        place = np.int64(NEXT[place])
    return np.int64(0)


@njit
def _capture(s, cell, own):
    """Recolour what a stone on ``cell`` captures, and the cell itself; all runs are seen on the board before it."""
    lengths = np.int64(0)  # of up to four runs in a word
    more_lengths = np.int64(0)
    for d in range(4):
        lengths |= _run_length(s, cell * 8 + d, own) << (15 * d)
        more_lengths |= _run_length(s, cell * 8 + d + 4, own) << (15 * d)
    for d in range(8):
        length = (lengths if d < 4 else more_lengths) >> (15 * (d & 3)) & 0x7FFF
        place = np.int64(cell * 8 + d)
        for _ in range(length):
            place = np.int64(NEXT[place])
            s[BOARD + (place >> 3)] = own
    s[BOARD + cell] = own


@njit
def _exchange(s, a, b):
    """Exchange the stones of two players, given by their contents."""
    for i in range(BOARD, MOVES):
        if s[i] == a:
            s[i] = b
        elif s[i] == b:
            s[i] = a


@njit
def _invert(s):
    """Give the stones of every player to the next one."""
    for i in range(BOARD, MOVES):
        if 0 < s[i] <= N_PLAYERS:
            s[i] = s[i] % N_PLAYERS + 1


@njit
def _explode(s, cell):
    """Turn everything within reach of a bomb into holes; what is a hole already lets nothing through."""
    s[BOARD + cell] = HOLE
    if STRENGTH == 0:
        return
    wave = np.empty(CELLS, np.int64)
    wave[0] = cell
    begin, end = 0, 1
    for _ in range(STRENGTH):
        last = end
        for i in range(begin, last):
            for start in range(wave[i] * 8, wave[i] * 8 + 8):
                place = np.int64(NEXT[start])
                if place >= 0 and s[BOARD + (place >> 3)] != HOLE:
                    s[BOARD + (place >> 3)] = HOLE
                    wave[end] = place >> 3
                    end += 1
        begin = last


@njit
def _end(s):
    s[TURN] = TERMINAL
    for w in range(WORDS):
        s[MOVES + w] = 0


@njit
def settle(s):
    """Work out whose turn it is after the last mover, in which phase, and what it may do."""
    left = 0
    for p in range(N_PLAYERS):
        left += s[OUT + p] == 0
    if left < 2:
        _end(s)
        return
    if s[PHASE] == PLACING:
        p = s[LAST]
        for _ in range(N_PLAYERS):
            p = p + 1 if p + 1 < N_PLAYERS else 0
            if s[OUT + p] == 0 and _find_moves(s, p):
                s[TURN] = p
                return
        s[PHASE] = BOMBING
    targets = False
    for w in range(WORDS):
        s[MOVES + w] = 0
    for cell in range(CELLS):
        if s[BOARD + cell] != HOLE:
            _mark(s, cell)
            targets = True
    p = s[LAST]
    for _ in range(N_PLAYERS):
        p = p + 1 if p + 1 < N_PLAYERS else 0
        if targets and s[OUT + p] == 0 and s[BOMBS + p] > 0:
            s[TURN] = p
            return
    _end(s)


@njit
def init(s, r):
    """Set up the map; the first player with a move begins."""
    for i in range(STATE_LEN):
        s[i] = 0
    for cell in range(CELLS):
        s[BOARD + cell] = START[cell]
    for p in range(N_PLAYERS):
        s[OVERRIDES + p] = MAP_OVERRIDES
        s[BOMBS + p] = MAP_BOMBS
    s[LAST] = N_PLAYERS - 1
    s[PENDING] = -1
    settle(s)


@njit
def player(s):
    """Seat to move, TERMINAL after the end."""
    return s[TURN]


@njit
def _list_specials(content, first, acts, n):
    """Append ``first + s`` for each special that a field allows."""
    if content == CHOICE:
        for k in range(1, N_PLAYERS + 1):
            acts[n] = first + k
            n += 1
    elif content == BONUS:
        acts[n] = first + TAKE_BOMB
        acts[n + 1] = first + TAKE_OVERRIDE
        n += 2
    else:
        acts[n] = first
        n += 1
    return n


@njit
def legal(s, acts):
    """List the legal actions in ascending order."""
    n = 0
    if TWO_STEPS and s[PENDING] >= 0:
        n = _list_specials(s[BOARD + s[PENDING]], CELLS - 1, acts, n)
    else:
        placing = s[PHASE] == PLACING
        for w in range(WORDS):
            cells = s[MOVES + w]
            cell = w * WORD_BITS
            while cells:
                if cells & 1:
                    if TWO_STEPS:
                        acts[n] = cell
                        n += 1
                    elif placing:
                        n = _list_specials(s[BOARD + cell], cell * SPECIALS, acts, n)
                    else:
                        acts[n] = cell * SPECIALS
                        n += 1
                cells >>= 1
                cell += 1
    if MAY_GIVE_UP:
        acts[n] = GIVE_UP
        n += 1
    return n


@njit
def target(s, a):
    """Return the cell that a legal action is about, -1 for giving up."""
    if MAY_GIVE_UP and a == GIVE_UP:
        return np.int64(-1)
    if not TWO_STEPS:
        return a // SPECIALS
    return a if a < CELLS else s[PENDING]


@njit
def disqualify(s, p):
    """Take a player out of the game; its stones stay."""
    s[OUT + p] = 1
    s[PENDING] = -1
    settle(s)


@njit
def apply(s, a):
    """Place a stone, choose a special or throw a bomb."""
    p = s[TURN]
    if MAY_GIVE_UP and a == GIVE_UP:
        disqualify(s, p)
        return
    if TWO_STEPS:
        special = 0
        if s[PENDING] >= 0:
            special = a - CELLS + 1
            cell = s[PENDING]
            s[PENDING] = -1
        else:
            cell = a
            content = s[BOARD + cell]
            if s[PHASE] == PLACING and content in (CHOICE, BONUS):
                s[PENDING] = cell
                return
    else:
        cell = a // SPECIALS
        special = a - cell * SPECIALS
    if s[PHASE] == BOMBING:
        s[BOMBS + p] -= 1
        _explode(s, cell)
    else:
        content = s[BOARD + cell]
        if not _is_free(content):
            s[OVERRIDES + p] -= 1
        _capture(s, cell, p + 1)
        if content == CHOICE:
            _exchange(s, p + 1, special)
        elif content == INVERSION:
            _invert(s)
        elif content == BONUS:
            s[BOMBS + p] += special == TAKE_BOMB
            s[OVERRIDES + p] += special == TAKE_OVERRIDE
    s[LAST] = p
    settle(s)


@njit
def score(s, p):
    """Return the stones of a player, -1 if it is disqualified."""
    if s[OUT + p]:
        return np.int64(-1)
    n = np.int64(0)
    for i in range(BOARD, MOVES):
        n += s[i] == p + 1
    return n


@njit
def returns(s, out):
    """Fill the result by rank, by the difference of stones, or for the winner alone."""
    for p in range(N_PLAYERS):
        out[p] = score(s, p)
    if REWARD == "rank":
        _fill_ranks(out)
    elif REWARD == "stones":
        _fill_leads(out)
    else:
        _fill_wins(out)


@njit
def _fill_ranks(out):
    """Replace scores by +1 for the first to -1 for the last, in equal steps; equal scores share what they take."""
    ranks = np.empty(N_PLAYERS, np.float64)
    for p in range(N_PLAYERS):
        ranks[p] = 1.0
        for q in range(N_PLAYERS):
            if out[q] > out[p]:
                ranks[p] -= 2.0 / (N_PLAYERS - 1)
            elif out[q] == out[p] and q != p:
                ranks[p] -= 1.0 / (N_PLAYERS - 1)
    for p in range(N_PLAYERS):
        out[p] = ranks[p]


@njit
def _fill_leads(out):
    """Replace scores by how far each is above the mean of the others, per field."""
    total = 0.0
    for p in range(N_PLAYERS):
        out[p] = max(out[p], 0.0)
        total += out[p]
    for p in range(N_PLAYERS):
        out[p] = (out[p] - (total - out[p]) / (N_PLAYERS - 1)) / FIELDS


@njit
def _fill_wins(out):
    """Replace scores by +1 for a single winner, shared by several; the others pay for it in equal parts."""
    best = out[0]
    for p in range(1, N_PLAYERS):
        best = max(best, out[p])
    winners = 0
    for p in range(N_PLAYERS):
        winners += out[p] == best
    for p in range(N_PLAYERS):
        share = 1.0 / winners if out[p] == best else 0.0
        out[p] = (share * N_PLAYERS - 1.0) / (N_PLAYERS - 1)


@njit
def observe(s, p, obs):
    """Fill the planes as seat ``p`` sees them; players are counted from ``p`` on."""
    obs[:] = 0
    for cell in range(CELLS):
        content = s[BOARD + cell]
        if content == EMPTY:
            plane = N_PLAYERS
        elif content >= EXPANSION:
            plane = N_PLAYERS + 1 + content - EXPANSION
        else:
            plane = content - 1 - p if content > p else content - 1 - p + N_PLAYERS
        obs[plane * CELLS + cell] = 1
    first = N_PLAYERS + KINDS
    q = p
    for j in range(N_PLAYERS):
        _fill_plane(obs, first + j, min(s[OVERRIDES + q], MOST_SHOWN))
        _fill_plane(obs, first + N_PLAYERS + j, min(s[BOMBS + q], MOST_SHOWN))
        _fill_plane(obs, first + 2 * N_PLAYERS + j, 2 if s[OUT + q] else np.int64(s[TURN] == q))
        q = q + 1 if q + 1 < N_PLAYERS else 0
    _fill_plane(obs, first + 3 * N_PLAYERS, s[PHASE])
    if TWO_STEPS and s[PENDING] >= 0:
        obs[(first + 3 * N_PLAYERS) * CELLS + s[PENDING]] = 2
    if SHOWS_TUNNELS:
        at = (first + 3 * N_PLAYERS + 1) * CELLS
        for i in range(8 * CELLS):
            obs[at + i] = TUNNEL_NUMBERS[i]


@njit
def _fill_plane(obs, plane, value):
    if value:
        for i in range(plane * CELLS, (plane + 1) * CELLS):
            obs[i] = value


@short_kernel
def settle_row(s):
    """Complete a row that was set up by hand."""
    settle(s)


@short_kernel
def disqualify_seat(s, p):
    """Take a player out of a row's game."""
    disqualify(s, p)

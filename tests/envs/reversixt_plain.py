"""The rules of ReversiXT run without a compiler, so that a map of its own costs a test nothing."""

import numba
import numpy as np

from stammtisch import TERMINAL
from stammtisch.envs.core import loader
from stammtisch.envs.reversixt.map import SYMBOLS, format_map, parse_map


class Position:
    """A position on rules that are plain Python functions; moves are ``(x, y, special)`` as the course writes them."""

    def __init__(self, text, overrides=0, bombs=0, strength=1, players=2, tunnels=(), reward="rank"):
        rows = text.strip().split("\n")
        head = f"{players}\n{overrides}\n{bombs} {strength}\n{len(rows)} {len(rows[0].split())}\n"
        config = {
            "map": format_map(parse_map("\n".join([head + text.strip(), *tunnels, ""]))),
            "reward": reward,
            "two_steps": 0,
            "shows_tunnels": 0,
            "may_give_up": 0,
        }
        jit = numba.config.DISABLE_JIT
        numba.config.DISABLE_JIT = 1
        try:
            self.rules = loader.load("stammtisch.envs.reversixt.rules", "plain", CONFIG=config)
        finally:
            numba.config.DISABLE_JIT = jit
        self.row = np.zeros(self.rules.STATE_LEN, np.int64)
        self.rules.init(self.row, None)

    @property
    def turn(self):
        """The player to move, counted from 1; None after the end."""
        seat = int(self.rules.player(self.row))
        return None if seat == TERMINAL else seat + 1

    @property
    def moves(self):
        if self.turn is None:
            return []
        actions = np.zeros(self.rules.MAX_BRANCH, np.int64)
        n = self.rules.legal(self.row, actions)
        assert actions[:n].tolist() == sorted(set(actions[:n].tolist()))
        return [self._move(int(action)) for action in actions[:n]]

    def _move(self, action):
        cell, special = divmod(action, 11)
        return cell % self.rules.WIDTH, cell // self.rules.WIDTH, special + 11 * (special > 8)

    def after(self, x, y, special=0):
        assert (x, y, special) in self.moves
        child = object.__new__(Position)
        child.rules, child.row = self.rules, self.row.copy()
        self.rules.apply(child.row, (y * self.rules.WIDTH + x) * 11 + special - 11 * (special > 8))
        return child

    @property
    def board(self):
        rules = self.rules
        cells = [SYMBOLS[c] for c in self.row[rules.BOARD : rules.MOVES]]
        return "\n".join(" ".join(cells[i : i + rules.WIDTH]) for i in range(0, rules.CELLS, rules.WIDTH))

    @property
    def overrides(self):
        return self.row[self.rules.OVERRIDES : self.rules.BOMBS].tolist()

    @property
    def bombs(self):
        return self.row[self.rules.BOMBS : self.rules.OUT].tolist()

    @property
    def phase(self):
        return int(self.row[self.rules.PHASE]) + 1

    @property
    def stones(self):
        symbols = self.board.split()
        return [symbols.count(str(p)) for p in range(1, self.rules.N_PLAYERS + 1)]

    @property
    def returns(self):
        out = np.zeros(self.rules.N_PLAYERS)
        self.rules.returns(self.row, out)
        return out.tolist()

    def observation(self, seat):
        obs = np.zeros(self.rules.OBS_LEN, np.int8)
        self.rules.observe(self.row, seat, obs)
        return obs.reshape(self.rules.OBS_SHAPE)

"""Reversi written plainly, cell by cell on a list of lists, to compare the real rules with."""

DIRECTIONS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]


class Twin:
    """A position: ``board[row][col]`` is 0, 1 or None; ``turn`` is None after the end."""

    def __init__(self, size, voluntary_pass=False):
        self.size = size
        self.voluntary_pass = voluntary_pass
        self.board = [[None] * size for _ in range(size)]
        h = size // 2
        self.board[h - 1][h - 1] = self.board[h][h] = 1
        self.board[h - 1][h] = self.board[h][h - 1] = 0
        self.turn = 0
        self.passes = 0

    def copy(self):
        other = Twin(self.size, self.voluntary_pass)
        other.board = [list(line) for line in self.board]
        other.turn, other.passes = self.turn, self.passes
        return other

    def key(self):
        """Return what makes two positions the same; without voluntary passing it does not matter who passed."""
        return tuple(map(tuple, self.board)), self.turn, self.passes if self.voluntary_pass else 0

    def turned(self, player, row, col):
        """Return the cells that turn when ``player`` places here; none if it may not."""
        if self.board[row][col] is not None:
            return []
        cells = []
        for dr, dc in DIRECTIONS:
            line = []
            r, c = row + dr, col + dc
            while 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == 1 - player:
                line.append((r, c))
                r, c = r + dr, c + dc
            if 0 <= r < self.size and 0 <= c < self.size and self.board[r][c] == player:
                cells += line
        return cells

    def placements(self, player):
        cells = range(self.size * self.size)
        return [cell for cell in cells if self.turned(player, *divmod(cell, self.size))]

    def legal(self):
        if self.turn is None:
            return []
        cells = self.placements(self.turn)
        return [*cells, self.size**2] if self.voluntary_pass or not cells else cells

    def apply(self, action):
        player = self.turn
        if action == self.size**2:
            self.passes += 1
        else:
            row, col = divmod(action, self.size)
            for r, c in [(row, col), *self.turned(player, row, col)]:
                self.board[r][c] = player
            self.passes = 0
        self.turn = 1 - player
        nobody_can_place = not self.placements(0) and not self.placements(1)
        if nobody_can_place or (self.voluntary_pass and self.passes == 2):
            self.turn = None

    def discs(self):
        cells = [owner for line in self.board for owner in line]
        return cells.count(0), cells.count(1)

    def text(self):
        return "".join("-" if owner is None else "xo"[owner] for line in self.board for owner in line)

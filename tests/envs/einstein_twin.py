"""EinStein in plain Python: slow, obvious, and written without looking at the kernels."""

HOMES = ((0, 0), (1, 1), (1, 0), (0, 1))  # corner of each player as (bottom, right)
VARIANTS = {
    "einstein-3x3": (3, 2, 3),
    "einstein-4x4": (4, 2, 3),
    "einstein-5x5": (5, 2, 6),
    "einstein-6x6-3p": (6, 3, 6),
    "einstein-4x4-4p": (4, 4, 3),
    "einstein-6x6-4p": (6, 4, 6),
}
DIRECTIONS = (
    ((0, 1), (1, 0), (1, 1)),
    ((0, -1), (-1, 0), (-1, -1)),
    ((-1, 0), (0, 1), (-1, 1)),
    ((1, 0), (0, -1), (1, -1)),
)


class Twin:
    """A position: ``stones[(player, piece)] = (row, col)``, whose turn it is, the die, and the winning team."""

    def __init__(self, game_id, stones, turn, die, choice="standard", ending="goal"):
        self.n, self.players, self.pieces = VARIANTS[game_id]
        self.stones, self.turn, self.die = dict(stones), turn, die
        self.choice, self.ending = choice, ending
        self.winner = None

    def team(self, player):
        return {2: player, 3: int(player == 2), 4: player % 2}[self.players]

    def goal(self, player):
        if self.players == 3 and player != 2:
            return None
        bottom, right = HOMES[player]
        return ((1 - bottom) * (self.n - 1), (1 - right) * (self.n - 1))

    def movable(self):
        mine = [piece for player, piece in self.stones if player == self.turn]
        if self.die in mine:
            return [self.die]
        lower = max((p for p in mine if p < self.die), default=None)
        higher = min((p for p in mine if p > self.die), default=None)
        found = [p for p in (lower, higher) if p is not None]
        if self.choice == "gbg":
            nearest = min(abs(p - self.die) for p in found)
            found = [p for p in found if abs(p - self.die) == nearest]
        return found

    def legal(self):
        moves = []
        for piece in self.movable():
            row, col = self.stones[self.turn, piece]
            for k, (drow, dcol) in enumerate(DIRECTIONS[self.turn]):
                if 0 <= row + drow < self.n and 0 <= col + dcol < self.n:
                    moves.append(3 * (piece - 1) + k)
        return sorted(moves) or [3 * self.pieces]

    def apply(self, action):
        mover = self.turn
        if action != 3 * self.pieces:
            piece, k = action // 3 + 1, action % 3
            row, col = self.stones[mover, piece]
            drow, dcol = DIRECTIONS[mover][k]
            target = (row + drow, col + dcol)
            self.stones = {who: where for who, where in self.stones.items() if where != target}
            self.stones[mover, piece] = target
            self.winner = self._judge(mover)
        self.turn = (mover + 1) % self.players
        self.die = None

    def _judge(self, mover):
        order = range(self.players)
        if self.ending == "goal":
            order = [mover, *(p for p in order if p != mover)]
        for player in order:
            if self.goal(player) in [where for (who, _), where in self.stones.items() if who == player]:
                return self.team(player)
            if player not in {who for who, _ in self.stones}:
                return 1 - self.team(player)
        return None

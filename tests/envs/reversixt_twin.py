"""ReversiXT written plainly, field by field from the rule sheet, to compare the real rules with."""

STEPS = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]


class Twin:
    """A position: ``board[x, y]`` is a symbol of the map; ``turn`` counts players from 1 and is None after the end."""

    def __init__(self, text):
        lines = [line.split() for line in text.strip().splitlines()]
        self.players = int(lines[0][0])
        self.overrides = dict.fromkeys(range(1, self.players + 1), int(lines[1][0]))
        self.bombs = dict.fromkeys(range(1, self.players + 1), int(lines[2][0]))
        self.strength = int(lines[2][1])
        self.height, self.width = int(lines[3][0]), int(lines[3][1])
        self.board = {(x, y): lines[4 + y][x] for y in range(self.height) for x in range(self.width)}
        self.tunnels = {}
        for words in filter(None, lines[4 + self.height :]):
            x1, y1, d1, _, x2, y2, d2 = (int(word) if word != "<->" else None for word in words)
            self.tunnels[x1, y1, d1] = (x2, y2, (d2 + 4) % 8)
            self.tunnels[x2, y2, d2] = (x1, y1, (d1 + 4) % 8)
        self.out = set()
        self.phase = 1
        self.last = self.players
        self.turn = None
        self.next_turn()

    def neighbour(self, x, y, d):
        dx, dy = STEPS[d]
        if self.board.get((x + dx, y + dy), "-") != "-":
            return x + dx, y + dy, d
        to = self.tunnels.get((x, y, d))
        return to if to is not None and self.board[to[:2]] != "-" else None

    def captured(self, player, x, y):
        """Return the fields that change colour besides the start field."""
        found = set()
        for direction in range(8):
            run = []
            at = self.neighbour(x, y, direction)
            while at is not None and at[:2] != (x, y):
                symbol = self.board[at[:2]]
                if symbol == str(player):
                    found.update(run)
                    break
                if symbol in "0cib":
                    break
                run.append(at[:2])
                at = self.neighbour(*at)
        return found

    def fields(self):
        return [(x, y) for y in range(self.height) for x in range(self.width) if self.board[x, y] != "-"]

    def placements(self, player):
        """Return the legal moves of the first phase as ``(x, y, special)``, in the order of fields and specials."""
        moves = []
        for x, y in self.fields():
            symbol = self.board[x, y]
            has_override = self.overrides[player] > 0
            if symbol not in "0cib" and not has_override:
                continue
            if not self.captured(player, x, y) and not (symbol == "x" and has_override):
                continue
            if symbol == "c":
                moves += [(x, y, k) for k in range(1, self.players + 1)]
            elif symbol == "b":
                moves += [(x, y, 20), (x, y, 21)]
            else:
                moves.append((x, y, 0))
        return moves

    def legal(self):
        if self.turn is None:
            return []
        return self.placements(self.turn) if self.phase == 1 else [(x, y, 0) for x, y in self.fields()]

    def order(self):
        seats = [(self.last + i) % self.players + 1 for i in range(self.players)]
        return [p for p in seats if p not in self.out]

    def next_turn(self):
        self.turn = None
        if len(self.out) >= self.players - 1:
            return
        if self.phase == 1:
            self.turn = next((p for p in self.order() if self.placements(p)), None)
            if self.turn is not None:
                return
            self.phase = 2
        if self.fields():
            self.turn = next((p for p in self.order() if self.bombs[p]), None)

    def disqualify(self, player):
        self.out.add(player)
        self.next_turn()

    def apply(self, move):
        x, y, special = move
        me = self.turn
        if self.phase == 2:
            self.bombs[me] -= 1
            hit = {(x, y)}
            for _ in range(self.strength):
                steps = [self.neighbour(*field, d) for field in hit for d in range(8)]
                wider = hit | {to[:2] for to in steps if to is not None}
                if wider == hit:
                    break
                hit = wider
            for field in hit:
                self.board[field] = "-"
        else:
            symbol = self.board[x, y]
            self.overrides[me] -= symbol in "x12345678"
            for field in self.captured(me, x, y) | {(x, y)}:
                self.board[field] = str(me)
            if symbol == "c":
                self.recolour({me: special, special: me})
            elif symbol == "i":
                self.recolour({p: p % self.players + 1 for p in range(1, self.players + 1)})
            elif symbol == "b":
                self.bombs[me] += special == 20
                self.overrides[me] += special == 21
        self.last = me
        self.next_turn()

    def recolour(self, change):
        names = {str(a): str(b) for a, b in change.items()}
        self.board = {field: names.get(symbol, symbol) for field, symbol in self.board.items()}

    def scores(self):
        symbols = list(self.board.values())
        return [None if p in self.out else symbols.count(str(p)) for p in range(1, self.players + 1)]

    def text(self):
        return "\n".join(" ".join(self.board[x, y] for x in range(self.width)) for y in range(self.height))

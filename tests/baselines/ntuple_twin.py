"""N-tuple learning in plain Python: one dictionary per table, boards read off the text forms, one loop per idea."""

import math

import numpy as np

from stammtisch import CHANCE, TERMINAL
from stammtisch.envs.einstein.game import stones

_MASK = (1 << 64) - 1


class Stream:
    """splitmix64 with Python integers."""

    def __init__(self, word):
        self.word = int(word)

    def bits(self):
        self.word = (self.word + 0x9E3779B97F4A7C15) & _MASK
        z = self.word
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        return z ^ (z >> 31)

    def below(self, n):
        return (self.bits() >> 32) * n >> 32

    def unit(self):
        return (self.bits() >> 11) * 2.0**-53


def einstein_board(state, seat):
    """Coding 2: 0 for an empty cell, else 1 + pieces * owner counted from the seat + number - 1."""
    rules = state.game.rules
    size, players, pieces = rules.SIZE, rules.N_PLAYERS, rules.PIECES
    board = [0] * size**2
    last = size - 1
    for cell, owner, piece in stones(state):
        r, c = divmod(cell, size)
        # Turn the seat's home corner to the top left; seats 2 and 3 of four are mirrored, so that partners agree.
        r, c = {0: (r, c), 1: (last - r, last - c), 2: (last - r, c), 3: (r, last - c)}[seat]
        board[r * size + c] = 1 + (owner - seat) % players * pieces + piece - 1
    return board


def reversi_board(state, seat):
    own = "xo"[seat]
    cells = "".join(state.to_text().split("\n")[:-1]).replace(" ", "")
    return [0 if cell == "-" else 1 if cell == own else 2 for cell in cells]


class Twin:
    """Learns like ``NTupleTraining``; weights are float32 as there."""

    def __init__(self, training, board, stage, block):
        self.game, self.settings = training.game, training.settings
        self.board, self.stage, self.block = board, stage, block
        self.stream = Stream(training._streams[0])
        self.values_per_cell = training.network.features.VALUES
        self.taps, self.tables = self.lay(training)
        self.weights, self.sums, self.norms = {}, {}, {}
        self.memory, self.pushed, self.priority, self.greatest = [], 0, {}, 0.0
        self.frozen = None
        self.done = self.moves = 0
        if training._frozen.size:
            self.frozen = {}

    def lay(self, training):
        """Every different image of a tuple under the symmetries, in their order."""
        taps, tables, covered = [], [], set()
        number = 0
        for cells in training.network.tuples:
            if frozenset(cells) in covered:
                continue
            images = dict.fromkeys(tuple(s[c] for c in cells) for s in training.network.features.SYMMETRIES)
            for image in images:
                covered.add(frozenset(image))
                taps.append(image)
                tables.append(number)
            number += 1
        return taps, tables

    def keys(self, state, seat):
        board = self.board(state, seat)
        block = (self.block(seat), self.stage(state, seat))
        return [(block, table, tuple(board[c] for c in tap)) for tap, table in zip(self.taps, self.tables, strict=True)]

    def value(self, keys, weights=None):
        weights = self.weights if weights is None else weights
        total = 0.0
        for key in keys:
            total += float(weights.get(key, np.float32(0)))
        return math.tanh(total)

    def options(self, state, weights=None):
        """For every move: the action, its value, whether the game ends, the keys, the state after it."""
        found = []
        for action in state.legal_actions():
            after = state.child(action)
            if after.player == TERMINAL:
                found.append((action, float(after.returns()[state.player]), True, None, after))
            else:
                keys = self.keys(after, state.player)
                found.append((action, self.value(keys, weights), False, keys, after))
        return found

    def adapt(self, keys, rate, step):
        for key in keys:
            share = 1.0
            if self.settings.coherence:
                norm = float(self.norms.get(key, np.float32(0)))
                share = abs(float(self.sums.get(key, np.float32(0)))) / norm if norm > 0 else 1.0
                self.sums[key] = np.float32(float(self.sums.get(key, np.float32(0))) + step)
                self.norms[key] = np.float32(norm + abs(step))
            self.weights[key] = np.float32(float(self.weights.get(key, np.float32(0))) + rate * share * step)

    def learn(self, trace, target, rate):
        """``trace`` holds (keys, slope, seat), the newest last."""
        keys, _, seat = trace[-1]
        error = target - self.value(keys)
        share = 1.0
        for earlier, slope, mover in reversed(trace):
            sign = 1.0 if self.same_team(mover, seat) else -1.0
            self.adapt(earlier, rate, sign * share * error * slope)
            share *= self.settings.gamma * self.settings.lam

    def worth(self, moves, best):
        gamma, noise = self.settings.gamma, self.settings.noise
        after = [move[1] * (1.0 if move[2] else gamma) for move in moves]
        return (1 - noise) * best[1] * (1.0 if best[2] else gamma) + noise * sum(after) / len(after)

    def same_team(self, p, q):
        return self.game.info.teams[p] == self.game.info.teams[q]

    def between(self, first, last):
        share = self.done / max(1.0, self.settings.episodes - 1.0)
        return first * (last / first) ** share if first > 0 and last > 0 else first + (last - first) * share

    def episode(self):
        settings, stream = self.settings, self.stream
        rate = self.between(settings.alpha, settings.alpha_final) / len(self.taps)
        epsilon = self.between(settings.epsilon, settings.epsilon_final)
        random_moves = stream.below(settings.opening + 1)
        depth = settings.depth(self.game.info.max_moves)
        traces = {}
        before = {}
        state = self.game.new_state()
        plies = 0
        mover = None
        while True:
            while state.player == CHANCE:
                state.apply(stream.below(len(state.legal_actions())))
            if state.player == TERMINAL:
                break
            p = state.player
            moves = self.options(state)
            best = 0
            ties = 1
            for i in range(1, len(moves)):
                if moves[i][1] > moves[best][1] + 1e-12:
                    best, ties = i, 1
                elif moves[i][1] > moves[best][1] - 1e-12:
                    ties += 1
                    if stream.below(ties) == 0:
                        best = i
            target = self.worth(moves, moves[best])
            chain = p if settings.target == "own" else "all"
            if traces.get(chain):
                last = traces[chain][-1][2]
                if settings.online:
                    self.learn(traces[chain], target if self.same_team(last, p) else -target, rate)
                self.push(before.get(chain), last, state.clone())
            chosen = best
            explores = plies < random_moves or (epsilon > 0 and stream.unit() < epsilon)
            if explores:
                chosen = stream.below(len(moves))
            _, value, ends, keys, after = moves[chosen]
            plies += 1
            mover = p
            if not ends:
                if explores and chosen != best:
                    traces[chain] = []
                entry = (keys, 1.0 - value**2, p)
                traces[chain] = [*traces.get(chain, []), entry][-depth:]
                before[chain] = after
            state = after.clone()
            self.moves += 1
            if settings.every and self.moves % settings.every == 0:
                self.replay(rate)
        if settings.target == "own":
            for q in range(self.game.info.num_players):
                if q != mover and traces.get(q):
                    if settings.online:
                        self.learn(traces[q], float(state.returns()[q]), rate)
                    self.push(before[q], q, state.clone())
        if not settings.every:
            self.replay(rate)
        self.done += 1
        if self.frozen is not None and self.done % settings.freeze == 0:
            self.frozen = dict(self.weights)

    def push(self, before, seat, after):
        capacity = self.settings.capacity
        if not capacity:
            return
        at = self.pushed % capacity
        if self.pushed >= capacity and self.settings.insertion == "random":
            at = self.stream.below(capacity)
        elif self.pushed >= capacity and self.settings.insertion == "least":
            at = min(range(capacity), key=lambda place: self.priority[place])
        self.pushed += 1
        self.memory[at : at + 1] = [(before, seat, after)]
        self.priority[at] = self.greatest if self.greatest > 0 else 1.0
        self.greatest = max(self.greatest, self.priority[at])

    def replay(self, rate):
        settings = self.settings
        if not settings.capacity or self.pushed < settings.batch:
            return
        size = len(self.memory)
        if settings.replay == "uniform":
            chosen = [self.stream.below(size) for _ in range(settings.batch)]
            importance = [1.0] * settings.batch
        elif settings.replay == "newest":
            chosen = [(self.pushed - 1 - i) % settings.capacity for i in range(settings.batch)]
            importance = [1.0] * settings.batch
        else:
            beta = self.between(settings.importance, 1.0)
            total = sum(self.priority.values())
            chosen = []
            for _ in range(settings.batch):
                rest = self.stream.unit() * total
                at = 0
                while at + 1 < size and rest >= self.priority[at]:
                    rest -= self.priority[at]
                    at += 1
                chosen.append(at)
            importance = [(size * self.priority[at] / total) ** -beta for at in chosen]
            importance = [weight / max(importance) for weight in importance]
        for at, weight in zip(chosen, importance, strict=True):
            before, seat, after = self.memory[at]
            if after.player == TERMINAL:
                target = float(after.returns()[seat])
            else:
                moves = self.options(after, self.frozen)
                best = max(moves, key=lambda move: move[1])
                target = self.worth(moves, best)
                target = target if self.same_team(after.player, seat) else -target
            keys = self.keys(before, seat)
            value = self.value(keys)
            self.adapt(keys, rate, weight * (target - value) * (1.0 - value**2))
            if settings.replay == "prioritized" or settings.insertion == "least":
                self.priority[at] = (abs(target - value) + 1e-3) ** settings.priority
                self.greatest = max(self.greatest, self.priority[at])


class StrengthTwin(Twin):
    """Learns like the training for strength: a whole game first, then its afterstates from the last to the first."""

    def exact(self, state):
        """What perfect play is worth to the seat to move, or None where that is not asked for."""
        if not self.settings.endgame or self.game.rules.empties(state._row) > self.settings.endgame:
            return None
        return math.tanh(self.game.solve(state).score / (self.game.rules.CELLS / 6.4))

    def answered(self, after, seat):
        """What the best answer to an afterstate is worth to the seat that made it, with one throw of the die."""
        state = after.clone()
        while state.player == CHANCE:
            state.apply(self.stream.below(len(state.legal_actions())))
        worth = self.exact(state)
        if worth is None:
            moves = self.options(state)
            worth = self.worth(moves, max(moves, key=lambda move: move[1]))
        return worth if self.same_team(seat, state.player) else -worth

    def episode(self):
        settings, stream = self.settings, self.stream
        rate = self.between(settings.alpha, settings.alpha_final) / len(self.taps)
        epsilon = self.between(settings.epsilon, settings.epsilon_final)
        random_moves = stream.below(settings.opening + 1)
        state = self.game.new_state()
        played = []  # keys of the afterstate, what the decision is worth, seat, whether what follows tells more
        while True:
            while state.player == CHANCE:
                state.apply(stream.below(len(state.legal_actions())))
            if state.player == TERMINAL:
                break
            moves = self.options(state)
            targets = None
            if settings.search and stream.unit() < settings.search:
                targets = [move[1] if move[2] else self.answered(move[4], state.player) for move in moves]
            judged = moves
            if targets and self.game.info.chance == "none":
                judged = [(*move[:1], target, *move[2:]) for move, target in zip(moves, targets, strict=True)]
            best = 0
            ties = 1
            for i in range(1, len(judged)):
                if judged[i][1] > judged[best][1] + 1e-12:
                    best, ties = i, 1
                elif judged[i][1] > judged[best][1] - 1e-12:
                    ties += 1
                    if stream.below(ties) == 0:
                        best = i
            solved = self.exact(state)
            worth = self.worth(judged, judged[best]) if solved is None else solved
            chosen = best
            if len(played) < random_moves or (epsilon > 0 and stream.unit() < epsilon):
                chosen = stream.below(len(moves))
            _, _, ends, keys, after = moves[chosen]
            played.append((keys, worth, state.player, chosen == best and solved is None and not ends))
            for i, move in enumerate(moves):
                if targets and i != chosen and not move[2]:
                    value = self.value(move[3])
                    self.adapt(move[3], rate, (targets[i] - value) * (1.0 - value**2))
            state = after
        found, seat = played[-1][1:3]
        for keys, worth, p, follows in reversed(played[:-1]):
            target = found if self.same_team(p, seat) else -found
            value = self.value(keys)
            self.adapt(keys, rate, (target - value) * (1.0 - value**2))
            found = (1 - settings.lam) * worth + settings.lam * settings.gamma * target if follows else worth
            seat = p
        self.done += 1

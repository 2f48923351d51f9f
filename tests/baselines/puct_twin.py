"""Tree search by a network written plainly, node by node, to compare the kernel with."""

import math

import numpy as np

from stammtisch.baselines.kernels.puct_arrays import GUMBEL, halving_table
from stammtisch.envs.core.constants import CHANCE, TERMINAL

FLOAT = np.float32


class Node:
    def __init__(self, state):
        self.state = state
        self.mover = state.player
        self.visits = 0
        self.worth = None  # of every team, once known
        self.sums = None
        self.actions, self.priors, self.children, self.tried, self.totals = [], [], [], [], []
        self.is_open = False

    def expand(self, actions, priors):
        self.actions, self.priors = list(actions), list(priors)
        self.children = [None] * len(self.actions)
        self.tried = [0] * len(self.actions)
        self.totals = [FLOAT(0)] * len(self.actions)
        self.is_open = True


class Twin:
    """One search from one position; ``ask(state) -> (logits, values)`` is the network."""

    def __init__(self, game, state, ask, search, simulations, noise, shift):
        self.game, self.ask, self.search = game, ask, search
        self.teams = game.info.teams
        self.team_count = max(self.teams) + 1
        self.scale = max(abs(bound) for bound in game.info.utility_range)
        self.noise, self.shift = noise, shift
        self.root = Node(state)
        self._open(self.root)
        self._tell([], self.root)
        self.table = halving_table(search.considered, simulations)
        for done in range(simulations):
            path, leaf = self._walk(done)
            self._tell(path, leaf)

    def _open(self, node):
        node.sums = [FLOAT(0)] * self.team_count
        if node.mover == TERMINAL:
            returns = node.state.returns()
            node.worth = [
                FLOAT(np.mean([returns[p] for p, team in enumerate(self.teams) if team == t]) / self.scale)
                for t in range(self.team_count)
            ]
        elif node.mover == CHANCE:
            outcomes, shares = zip(*node.state.chance_outcomes(), strict=True)
            node.expand(outcomes, [FLOAT(share) for share in shares])
        else:
            logits, values = self.ask(node.state)
            legal = node.state.legal_actions()
            highest = max(float(logits[a]) for a in legal)
            shift = highest + math.log(sum(math.exp(float(logits[a]) - highest) for a in legal))
            node.expand(legal, [FLOAT(float(logits[a]) - shift) for a in legal])
            mine = self.teams[node.mover]
            if len(values) == 1:
                node.worth = [values[0] if t == mine else -values[0] for t in range(self.team_count)]
            else:
                node.worth = [values[(t - mine) % self.team_count] for t in range(self.team_count)]

    def _walk(self, done):
        node, path = self.root, []
        while node.is_open:
            if node.mover == CHANCE:
                edge = self._outcome(node)
            elif self.search.mode != GUMBEL:
                edge = self._bound(node)
            elif node is self.root:
                edge = self._halve(node, done)
            else:
                edge = self._improved(node)
            path.append((node, edge))
            if node.children[edge] is None:
                child = node.children[edge] = Node(node.state.child(node.actions[edge]))
                self._open(child)
                if child.mover != CHANCE:
                    return path, child
            node = node.children[edge]
        return path, node

    def _tell(self, path, leaf):
        leaf.visits += 1
        for t in range(self.team_count):
            leaf.sums[t] += leaf.worth[t]
        for node, edge in path:
            node.visits += 1
            node.tried[edge] += 1
            for t in range(self.team_count):
                node.sums[t] += leaf.worth[t]
            if node.mover >= 0:
                node.totals[edge] += leaf.worth[self.teams[node.mover]]

    def completed(self, node):
        total = sum(node.tried)
        visited = [i for i, n in enumerate(node.tried) if n]
        mixed = float(node.worth[self.teams[node.mover]])
        known = sum(math.exp(node.priors[i]) for i in visited)
        if visited and known > 0:
            weighted = sum(math.exp(node.priors[i]) * float(node.totals[i]) / node.tried[i] for i in visited)
            mixed = (mixed + total * weighted / known) / (1 + total)
        weight = (self.search.c_visit + max(node.tried)) * self.search.c_scale * 0.5
        values = [float(node.totals[i]) / n if n else mixed for i, n in enumerate(node.tried)]
        return [float(prior) + weight * (value + 1) for prior, value in zip(node.priors, values, strict=True)]

    def policy(self, node=None):
        node = node or self.root
        if self.search.mode != GUMBEL:
            return np.array(node.tried) / max(1, sum(node.tried))
        scores = np.array(self.completed(node))
        shares = np.exp(scores - scores.max())
        return shares / shares.sum()

    def value(self):
        """Return what the search says of its root for every team."""
        tried = [i for i, n in enumerate(self.root.tried) if n]
        if self.search.mode != GUMBEL or not tried:
            return np.array(self.root.sums) / self.root.visits
        shares = self.policy()[tried]
        children = [self.root.children[i] for i in tried]
        means = np.array([np.array(child.sums, float) / child.visits for child in children])
        return shares @ means / shares.sum()

    def _halve(self, node, done):
        scores = self.completed(node)
        wanted = self.table[min(self.search.considered, len(node.actions)), done]
        fitting = [i for i, n in enumerate(node.tried) if n == wanted]
        return max(fitting, key=lambda i: scores[i] + float(self.noise[i]))

    def _improved(self, node):
        lag = self.policy(node) - np.array(node.tried) / (1 + sum(node.tried))
        return int(lag.argmax())

    def _bound(self, node):
        mine = self.teams[node.mover]
        untried = float(node.sums[mine]) / max(1, node.visits) - self.search.first_play
        bounds = []
        for i, n in enumerate(node.tried):
            prior = math.exp(node.priors[i])
            if node is self.root and self.search.noise > 0:
                prior = (1 - self.search.noise) * prior + self.search.noise * float(self.noise[i])
            value = float(node.totals[i]) / n if n else untried
            bounds.append(value + self.search.c * math.sqrt(node.visits) * prior / (1 + n))
        return int(np.argmax(bounds))

    def _outcome(self, node):
        n = len(node.actions)
        best, chosen = -math.inf, 0
        for k in range(n):
            edge = (k + self.shift) % n
            lag = float(node.priors[edge]) * (node.visits + 1) - node.tried[edge]
            if lag > best + 1e-6:
                best, chosen = lag, edge
        return chosen

"""AlphaZero with answers that are known to be right: it plays solved boards perfectly, and sees what is forced."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers
from stammtisch.baselines.learned.alphazero.agent import AlphaZero
from stammtisch.envs.core.constants import TERMINAL
from tests.baselines.test_puct import Indifferent


class Perfect:
    """A network that knows who wins every position that can come from a start, and prefers no action."""

    def __init__(self, start):
        self.actions = start.game.info.num_actions
        self.values = {}
        self._solve(start, {})

    def _solve(self, state, known):
        """Return the value for seat 0."""
        if state.player == TERMINAL:
            return float(np.sign(state.returns()[0]))
        key = state._row.tobytes()
        if key not in known:
            values = [self._solve(state.child(action), known) for action in state.legal_actions()]
            known[key] = max(values) if state.player == 0 else min(values)
            seen = np.ascontiguousarray(state.view(state.player).observation(), np.float32).tobytes()
            self.values[seen] = known[key] if state.player == 0 else -known[key]
        return known[key]

    def __call__(self, questions):
        values = np.array([[self.values[row.tobytes()]] for row in questions], np.float32)
        return NetworkAnswers(np.zeros((len(questions), self.actions), np.float32), values)


def late(game, moves, rng):
    """A position of a game at random, after so many moves."""
    while True:
        state = game.new_state(0)
        for _ in range(moves):
            if state.player == TERMINAL:
                break
            state.apply(int(rng.choice(state.legal_actions())))
        if state.player != TERMINAL:
            return state


@pytest.mark.parametrize("options", [{"search": "gumbel"}, {"search": "puct"}, {"search": "alphago-zero"}])
def test_with_a_perfect_value_it_plays_a_solved_board_perfectly(options):
    """Against a player that is perfect itself, every game on Reversi 4x4 ends as the position is worth."""
    game = stammtisch.load_game("reversi-4x4")
    rng = np.random.default_rng(3)
    worths = []
    for _ in range(12):
        start = late(game, 4, rng)
        perfect = Perfect(start)
        oracle = stammtisch.load_agent("perfect", game, seed=1)
        player = AlphaZero.of(game, perfect, seed=0, simulations=128, **options)
        for mine in (0, 1):
            state = start.clone()
            worth = perfect._solve(state, {})
            while state.player != TERMINAL:
                who = player if state.player == mine else oracle
                state.apply(who.act(state.view(state.player)))
            gained = float(np.sign(state.returns()[mine]))
            assert gained >= (worth if mine == 0 else -worth)
            worths.append(worth)
    assert len(set(worths)) > 1


def mates(game, depth, rng):
    """Positions in which the side to move wins by force within ``depth`` moves of its own, and by one move only."""
    while True:
        state = late(game, int(rng.integers(4, 14)), rng)
        if len(state.legal_actions()) < 3:
            continue
        winning = [action for action in state.legal_actions() if _wins(state.child(action), state.player, depth - 1)]
        at_once = [action for action in state.legal_actions() if _wins(state.child(action), state.player, 0)]
        if len(winning) == 1 and not at_once:
            yield state, winning[0]


def _wins(state, seat, moves):
    """Whether ``seat`` has won, or wins by force with so many moves of its own."""
    if state.player == TERMINAL:
        return state.returns()[seat] > 0
    if state.player == seat:
        return moves > 0 and any(_wins(state.child(action), seat, moves - 1) for action in state.legal_actions())
    return all(_wins(state.child(action), seat, moves) for action in state.legal_actions())


def test_without_any_knowledge_puct_finds_a_win_in_two():
    """Equal priors and even values: what it knows of three men's morris is what its tree has seen."""
    game = stammtisch.load_game("morris-3")
    found = mates(game, 2, np.random.default_rng(5))
    for _ in range(12):
        state, winning = next(found)
        player = AlphaZero.of(game, Indifferent(game), seed=0, search="puct", simulations=1500)
        assert player.act(state.view(state.player)) == winning, state

"""The compiled rules of ReversiXT against the plain ones, move by move in random games on all maps."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.envs.reversixt.map import parse_map, shipped_maps
from stammtisch.envs.reversixt.moves import from_triple, to_triple
from tests.envs.reversixt_twin import Twin

FAST = ["ring", "bombs", "trefoil"]
QUICK_POSITIONS, POSITIONS = 200, 1240  # 20,000 on all maps together
LARGE = 1000  # cells from which on the twin takes its time
LARGE_POSITIONS = 200


def compare(name, positions, seed):
    """Play random games on both sides until so many positions are compared; return how many were."""
    game = stammtisch.load_game("reversixt", map=name, give_up=True)
    rng = np.random.default_rng(seed)
    compared = 0
    while compared < positions:
        state, twin = game.new_state(), Twin(shipped_maps()[name])
        leaver = rng.integers(3 * game.info.num_players) + 1  # in one game of three somebody leaves
        while compared < positions:
            compared += 1
            assert state.player == (TERMINAL if twin.turn is None else twin.turn - 1)
            *board, belongings, _ = state.to_text().splitlines()
            assert "\n".join(board) == twin.text()
            counts = " ".join(map(str, twin.overrides.values())), " ".join(map(str, twin.bombs.values()))
            assert belongings.startswith("overrides {}; bombs {}".format(*counts))
            if twin.turn is None:
                break
            legal = [a for a in state.legal_actions() if a != game.rules.GIVE_UP]
            assert [to_triple(game, a) for a in legal] == twin.legal()
            if twin.turn == leaver and rng.random() < 0.1:
                state.apply(game.rules.GIVE_UP)
                twin.disqualify(twin.turn)
            else:
                move = to_triple(game, int(rng.choice(legal)))
                state.apply(from_triple(game, move))
                twin.apply(move)
        if twin.turn is not None:
            break
        scores = [-1 if score is None else score for score in twin.scores()]
        better = [sum(b > a for b in scores) - sum(b < a for b in scores) for a in scores]
        assert state.returns().tolist() == pytest.approx([-r / (len(scores) - 1) for r in better])
    return compared


@pytest.mark.parametrize("name", FAST)
def test_small_maps_agree_with_the_twin(name):
    assert compare(name, QUICK_POSITIONS, seed=1) >= QUICK_POSITIONS


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(shipped_maps()))
def test_all_maps_agree_with_the_twin(name):
    board = parse_map(shipped_maps()[name])
    wanted = LARGE_POSITIONS if len(board.cells) > LARGE else POSITIONS
    assert compare(name, wanted, seed=2) >= wanted

"""Search by a network where cards are hidden: no hidden card matters, and values are those of the sampled deals."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_records import COUNT, MOVER
from stammtisch.baselines.learned.alphazero.agent import AlphaZero
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.training.alphazero.selfplay import SelfPlay
from stammtisch.training.alphazero.settings import AlphaZeroSettings
from tests.baselines.test_puct import Indifferent, Oracle

GAME = "jass-schieber"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game(GAME)


def decisions(game, count, least_choice=2, most_moves=10**9, fewest_moves=0, seed=0):
    """Decisions of random games with a choice, after so many moves."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        state, moves = game.new_state(int(rng.integers(1 << 30))), 0
        while state.player != stammtisch.TERMINAL:
            if state.player == stammtisch.CHANCE:
                state.sample_chance(rng)
                continue
            choice = len(state.legal_actions())
            if choice >= least_choice and fewest_moves <= moves <= most_moves:
                found.append(state.clone())
            state.apply(int(rng.choice(state.legal_actions())))
            moves += 1
    return found[:count]


def test_what_is_hidden_does_not_matter(jass):
    """The same view, whatever the others hold, gives the same search: action, values and visits."""
    rng = np.random.default_rng(1)
    oracle = Oracle(jass)
    for state in decisions(jass, 12, seed=2):
        seat = state.player
        view = state.view(seat)
        other = view.sample_state(rng)
        agents = [AlphaZero.of(jass, oracle, seed=4, simulations=24) for _ in range(2)]
        first, second = (
            agent.act(each.view(seat), explain=True) for agent, each in zip(agents, (state, other), strict=True)
        )
        assert first.action == second.action
        assert first.visits.tolist() == second.visits.tolist()
        assert np.array_equal(first.values, second.values, equal_nan=True)


def test_values_at_the_end_are_the_means_over_deals_and_play(jass):
    """With two cards left a simulation reaches the end of the game: compare with plain sampling of deals and cards."""
    rng = np.random.default_rng(3)
    for state in decisions(jass, 3, fewest_moves=2 + 7 * 4, seed=5):
        seat = state.player
        agent = AlphaZero.of(jass, Indifferent(jass), seed=0, simulations=1200, considered=2)
        found = agent.act(state.view(seat), explain=True)
        for action, value, visits in zip(found.actions, found.values, found.visits, strict=True):
            if visits < 300:
                continue
            results = []
            for _ in range(400):
                world = state.view(seat).sample_state(rng).child(int(action))
                while world.player != stammtisch.TERMINAL:
                    world.apply(int(rng.choice(world.legal_actions())))
                results.append(world.returns()[seat])
            # The search meets 32 deals only.
            assert value == pytest.approx(np.mean(results), abs=0.02 + 4 * np.std(results) / np.sqrt(32))


def test_records_hold_no_hidden_card(jass):
    settings = AlphaZeroSettings.for_game(GAME, {"network": "mlp-8", "lanes": 4, "simulations": 8, "backend": "numpy"})
    worker = SelfPlay(settings)
    shape = NetworkShape.for_game(worker.game, "mlp-8")
    worker.use(shape.fresh_weights(0), 0)
    records = worker.play(60, -2.0).records
    redact = jass.rules.redact
    for row, facts, actions, policy in zip(records.rows, records.facts, records.actions, records.policy, strict=True):
        again = row.copy()
        redact(again, int(facts[MOVER]))
        assert np.array_equal(again, row)
        n = facts[COUNT]
        assert n > 1
        assert policy[:n].sum() == pytest.approx(1, abs=1e-5)
        assert jass.from_row(row).view(int(facts[MOVER])).legal_actions() == actions[:n].tolist()


def test_puct_is_refused_where_cards_are_hidden(jass):
    with pytest.raises(ValueError, match="cards are hidden in jass-schieber: give search=gumbel"):
        AlphaZero.of(jass, Indifferent(jass), search="puct")
    with pytest.raises(ValueError, match="searches by gumbel there"):
        SelfPlay(AlphaZeroSettings.for_game(GAME, {"search": "puct", "network": "mlp-8"}))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jass-differenzler", "jass-coiffeur", "jass-molotow", "jass-schieber-2500"])
def test_every_card_game_is_searched_and_played(name):
    game = stammtisch.load_game(name)
    agent = AlphaZero.of(game, Oracle(game), seed=0, simulations=16)
    for state in decisions(game, 10, seed=7):
        assert agent.act(state.view(state.player)) in state.legal_actions()
    settings = AlphaZeroSettings.for_game(name, {"network": "mlp-8", "lanes": 2, "simulations": 4, "backend": "numpy"})
    worker = SelfPlay(settings)
    worker.use(NetworkShape.for_game(game, "mlp-8").fresh_weights(0), 0)
    assert worker.play(40, -2.0).games >= 1

"""Players who know: ``perfect`` where nothing is hidden, ``cheater`` only where somebody opens the door for it."""

import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.challenge.thinker import Thinker
from stammtisch.envs.core.agent import answer
from stammtisch.envs.lanes import Lanes
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv
from tests.envs.test_double_dummy import minimax, position

CHEATER = "cheater:reach=4,simulations=2"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


def test_the_cheater_plays_a_best_card_of_the_true_deal(jass, rng):
    agent = stammtisch.load_agent("cheater:reach=3", jass, seed=0)
    for played in range(4):
        state = position(jass, 38, 3, rng, played)
        sign = -1 if state.player % 2 else 1
        values = {card: sign * minimax(state.child(card)) for card in state.legal_actions()}
        assert values[agent.cheat(state)] == pytest.approx(max(values.values()))


def test_a_view_is_not_enough_for_the_cheater(jass, rng):
    state = position(jass, 36, 3, rng)
    agent = stammtisch.load_agent(CHEATER, jass, seed=0)
    with pytest.raises(ValueError, match="sees all cards"):
        agent.act(state.view(state.player))
    assert answer(agent, state) in state.legal_actions()


def test_agents_that_do_not_cheat_are_asked_with_their_view(jass, rng):
    class Curious(stammtisch.Agent):
        def act(self, view):
            assert not isinstance(view, type(state))
            return view.legal_actions()[0]

    state = position(jass, 36, 3, rng)
    assert answer(Curious(jass), state) == state.legal_actions()[0]


@pytest.mark.parametrize("make", [SingleAgentEnv, lambda game, **more: BatchedEnv(game, 2, **more)])
@pytest.mark.parametrize("where", ["opponent", "partner"])
def test_environments_refuse_cheaters_unless_told(make, where):
    with pytest.raises(ValueError, match="unless allow_cheaters=True"):
        make("jass-schieber", **{where: CHEATER})
    with pytest.raises(ValueError, match="unless allow_cheaters=True"):
        make("jass-schieber", opponent={"random": 1.0, CHEATER: 0.1})


def test_environments_seat_cheaters_when_told():
    env = SingleAgentEnv("jass-schieber", opponent=CHEATER, partner="random", allow_cheaters=True)
    _, info = env.reset(seed=3)
    for _ in range(12):
        if info["player"] < 0:
            break
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    assert info["player"] == -2


def test_agent_objects_that_cheat_are_refused_like_specs(jass):
    with pytest.raises(ValueError, match="unless allow_cheaters=True"):
        Lanes(jass, 1, stammtisch.load_agent(CHEATER, jass))


def test_servers_refuse_cheaters(jass):
    with pytest.raises(ValueError, match="cannot play on a server"):
        Thinker(CHEATER, jass)


def test_knowing_all_cards_wins(jass):
    result = play_match(jass, ["cheater:reach=5,simulations=4", "heuristic"], games=40, seed=1)
    assert result.return_ci95[0] > 0
    assert result.to_json()["cheaters"] == ["cheater:reach=5,simulations=4"]


def test_perfect_and_cheater_refuse_each_others_games(jass):
    with pytest.raises(ValueError, match="cards are hidden"):
        stammtisch.load_agent("perfect", jass)
    with pytest.raises(ValueError, match="nothing is hidden"):
        stammtisch.load_agent("cheater:reach=4", "reversi-4x4")
    with pytest.raises(ValueError, match="has no oracle"):
        stammtisch.load_agent("cheater", "jass-schieber-2500")


def test_perfect_play_keeps_what_it_has():
    """Whoever wins Reversi 4x4 with perfect play wins against anybody."""
    game = stammtisch.load_game("reversi-4x4")
    start = game.oracle().value(game.new_state(seed=0))
    result = play_match(game, ["perfect", "random"], games=20, seed=0)
    winner = int(start.argmax())
    for record in result.records:
        if record.seating[winner] == 0:
            assert record.returns[winner] == 1.0

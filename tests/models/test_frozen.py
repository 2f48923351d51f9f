"""``champion`` and ``ladder-1`` … as agents."""

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.models import FrozenModel, ladder_of
from stammtisch.models.ladders import read_ladders

GAME = stammtisch.load_game("einstein-3x3")


def load(spec):
    return stammtisch.load_agent(spec, GAME, seed=0)


def test_the_champion_plays_and_explains():
    state = GAME.new_state()
    state.apply(0)
    agent = stammtisch.load_agent("champion", GAME, seed=0)
    found = agent.act(state.view(0), explain=True)
    assert found.action in state.legal_actions()
    assert found.values.shape == found.actions.shape
    assert agent.act(state.view(0)) in state.legal_actions()


@pytest.mark.parametrize("game_id", ["einstein-3x3", "jass-schieber", "jass-molotow"])
def test_the_champion_takes_another_budget(game_id):
    game = stammtisch.load_game(game_id)
    state = game.new_state(seed=0)
    rng = np.random.default_rng(0)
    while state.player < 0:
        state.sample_chance(rng)
    for spec in ("champion:nodes=5", "champion:iterations=5", "champion:time_s=0.01"):
        agent = stammtisch.load_agent(spec, game, seed=0)
        assert agent.act(state.view(state.player)) in state.legal_actions()
    counts = {"nodes", "iterations", "worlds"} & set(stammtisch.load_agent("champion:nodes=5", game).player.options)
    assert all(stammtisch.load_agent("champion:nodes=5", game).player.options[count] == 5 for count in counts)


def test_another_search_plays_in_very_little_time(monkeypatch):
    row = FrozenModel(
        name="x", game="einstein-3x3", agent="alphabeta:depth=9", quick="mctse:iterations=9", quick_s=0.01
    )
    monkeypatch.setattr("stammtisch.baselines.frozen.models_of", lambda game_id: [row])
    names = [load(spec).player.spec for spec in ("champion", "champion:time_s=0.009", "champion:time_s=0.01")]
    assert names == ["alphabeta:depth=9", "mctse:iterations=9", "alphabeta:depth=9"]
    assert load("champion:time_s=0.009").player.options["time_s"] == 0.009
    assert load("champion:nodes=9").player.name == "alphabeta"


def test_where_a_game_is_solved_the_champion_looks_it_up(monkeypatch, tmp_path):
    game = stammtisch.load_game("morris-6")
    champion = stammtisch.load_agent("champion:time_s=1", game, seed=0)
    assert champion.player.name == "perfect"
    assert stammtisch.load_agent("champion", stammtisch.load_game("morris-6", flying=True)).player.name == "alphabeta"
    file = tmp_path / "file"
    file.write_text("no folder")
    monkeypatch.setenv("STAMMTISCH_TABLES", str(file / "tables"))
    monkeypatch.setattr("stammtisch.baselines.frozen.oracle_of", lambda game, tables: game.oracle())
    assert stammtisch.load_agent("champion", game).player.name == "alphabeta"


def test_the_champion_draws_some_moves_if_it_is_told_to():
    assert stammtisch.load_agent("champion:epsilon=0.5", GAME).player.options["epsilon"] == 0.5


def test_outside_games_have_a_champion(connect_four):
    agent = stammtisch.load_agent("champion", connect_four, seed=0)
    assert agent.player.name == "alphabeta"
    assert agent.act(connect_four.new_state().view(0)) in range(7)


def test_rungs_are_called_by_number():
    game = stammtisch.load_game("einstein-5x5")
    lowest = stammtisch.load_agent("ladder-1", game)
    assert (lowest.spec, lowest.name, lowest.policy) == ("ladder-1", "ladder", "random")
    assert stammtisch.load_agent("ladder:rung=3", game).player.spec == ladder_of("einstein-5x5").rung(3).agent
    top = len(ladder_of("einstein-5x5").rungs)
    with pytest.raises(ValueError, match=f"the ladder of einstein-5x5 has rungs 1..{top}, not 99"):
        stammtisch.load_agent("ladder-99", game)
    with pytest.raises(ValueError, match=r'no agent "random-3"'):
        stammtisch.load_agent("random-3", game)
    with pytest.raises(ValueError, match="there is no frozen ladder of"):
        ladder_of("nowhere")


def test_rungs_that_are_policies_play_inside_the_kernel():
    first, again = (play_match("einstein-5x5", [agent, "heuristic"], 20, seed=3) for agent in ("ladder-1", "random"))
    assert first.records == again.records
    assert first.seconds_per_move == [None, None]


@pytest.mark.parametrize("ladder", read_ladders().values(), ids=read_ladders())
def test_rungs_are_players_of_their_game_with_budgets_in_numbers(ladder):
    game = stammtisch.load_game(ladder.game, **ladder.options)
    for rung in ladder.rungs:
        assert "time_s" not in rung.agent
        stammtisch.load_agent(rung.agent, game)
    assert len(ladder.rungs) >= 2
    assert ladder.rungs[0].elo == 0
    if ladder.is_measured:
        ratings = [rung.elo for rung in ladder.rungs]
        assert ratings == sorted(ratings)
        assert ladder.command.startswith("stammtisch ladder ")

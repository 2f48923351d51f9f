"""What the rote learner decides, when it plays it again, and that its training prepares it for every answer."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.search.rote_table import Decision, RoteTable
from stammtisch.training.rote import RoteSettings, run_rote, train_rote
from tests.playing import random_states

PLIES, NODES, ANSWERS = 8, 2000, 200


@pytest.fixture(scope="module")
def morris():
    return stammtisch.load_game("morris-3")


@pytest.fixture(scope="module")
def prepared(morris):
    """A table whose games were thought through to the end of their variations."""
    return train_rote(morris, 10, PLIES, seed=1, nodes=NODES, searches=500, answers=ANSWERS, opening=1)


@pytest.fixture(scope="module")
def file(prepared, tmp_path_factory):
    path = tmp_path_factory.mktemp("rote") / "table.npz"
    prepared.save(path)
    return path


def reader(file, game, options=f"nodes={NODES}", seed=0):
    return stammtisch.load_agent(f"rote:table={file},{options}", game, seed=seed)


def rotated(state):
    """Turn the smallest board by a quarter."""

    def turned(men):
        ring = men & 0xFF
        return (ring << 2 | ring >> 6) & 0xFF | men & 0x100

    rules = state.game.rules
    row = state.row.copy()
    for seat in (0, 1):
        row[rules.BOARD + seat] = turned(int(row[rules.BOARD + seat]))
    return state.game.from_row(row)


def test_moves_that_symmetry_makes_equal_lead_to_the_same_key():
    game = stammtisch.load_game("muehle")
    agent = stammtisch.load_agent("rote:nodes=100", game, seed=0)
    start = game.new_state()
    groups = agent.choices(start.view(0), start.legal_actions())
    assert sorted(len(equal) for equal in groups.values()) == [4, 4, 8, 8]  # middle ring; outer and inner together
    assert all(point % 2 == equal[0] % 2 for equal in groups.values() for point in equal)


def test_keys_lead_where_the_position_after_has_its_own(morris):
    agent = stammtisch.load_agent("rote:nodes=100", morris, seed=0)
    for state in random_states(morris, 3):
        if state.player < 0:
            continue
        for key, equal in agent.choices(state.view(state.player), state.legal_actions()).items():
            for action in equal:
                after = state.child(action)
                if after.player >= 0:
                    assert agent.key_of(after.view(after.player)) == key


def test_no_answer_of_the_opponent_surprises_the_learner(morris, prepared, file):
    """Until games are broken off it knows what to play, against an opponent that begins every move with nothing."""
    for number in range(24):
        learner = reader(file, morris)
        opponent = stammtisch.load_agent(f"rote:nodes={ANSWERS},table_mb=1", morris, seed=number)
        rng = np.random.default_rng(number)
        state = morris.new_state()
        state.apply(int(rng.choice(state.legal_actions())))
        for _ in range(PLIES - 1):
            if state.player < 0:
                break
            if state.player == number % 2:
                found = learner.act(state.view(state.player), explain=True)
                assert found.effort["nodes"] == 0
                state.apply(found.action)
            else:
                opponent._work.table[:] = 0
                state.apply(opponent.act(state.view(state.player)))


def test_what_was_decided_is_played_however_the_board_lies(morris, prepared, file):
    agent = reader(file, morris)
    known = 0
    for seed in range(30):
        for state in random_states(morris, seed):
            if state.player < 0 or agent.recall(state.view(state.player)) is None:
                continue
            decision = prepared.decisions[agent.key_of(state.view(state.player))]
            for _ in range(4):
                found = agent.act(state.view(state.player), explain=True)
                assert decision.after in agent.choices(state.view(state.player), [found.action])
                assert found.values.max() == decision.value
                state = rotated(state)
            known += 1
    assert known > 20


def test_it_thinks_again_where_more_thinking_is_allowed(morris, prepared, file):
    state = morris.new_state()
    state.apply(state.parse_action("a1"))
    view = state.view(1)
    decision = prepared.decisions[reader(file, morris).key_of(view)]
    assert decision.nodes == NODES

    def spent(options):
        return reader(file, morris, options).act(view, explain=True).effort["nodes"]

    assert spent(f"nodes={NODES}") == 0
    assert spent(f"nodes={NODES + 1}") > 0
    assert spent(f"depth={decision.depth}") == 0
    assert spent(f"depth={decision.depth + 1}") > 0
    assert spent(f"nodes={NODES},exact=1") > 0
    assert spent("time_s=0.01") > 0


def test_epsilon_plays_anything_in_known_positions_too(morris, prepared, file):
    state = morris.new_state()
    state.apply(state.parse_action("a1"))
    agent = reader(file, morris, f"nodes={NODES},epsilon=1")
    assert len({agent.act(state.view(1)) for _ in range(100)}) == 8
    agent = reader(file, morris, f"nodes={NODES},temperature=1")
    assert len({agent.act(state.view(1)) for _ in range(20)}) == 1


def test_openings_that_are_known_are_drawn_again(morris):
    """A first man may stand on a corner, a side or the centre; three games see all three."""
    table = train_rote(morris, 3, PLIES, seed=5, nodes=100, searches=1, answers=50, opening=1)
    agent = stammtisch.load_agent("rote:nodes=100", morris)
    start = morris.new_state()
    first = {agent.key_of(start.child(action).view(1)) for action in start.legal_actions()}
    assert len(first) == 3
    assert first <= set(table.decisions)


def test_a_game_spends_its_searches_and_no_more(morris):
    table = train_rote(morris, 2, PLIES, seed=1, nodes=500, searches=3, answers=100)
    assert len(table.decisions) == 6


def test_decisions_survive_files_and_merging(morris, prepared, file):
    assert RoteTable.load(file, morris).decisions == prepared.decisions
    key, decision = next(iter(prepared.decisions.items()))
    table = RoteTable(morris)
    table.decide(key, Decision(1, 0.5, 1, NODES - 1))
    table.merge(prepared)
    assert table.decisions == prepared.decisions
    table.decide(key, Decision(1, 0.5, 1, NODES - 1))
    assert table.decisions[key] == decision


def test_dice_games_are_learned_too():
    game = stammtisch.load_game("einstein-3x3")
    table = train_rote(game, 2, 6, seed=1, nodes=200, searches=5, answers=50)
    assert table.decisions
    assert all(-1.0 <= decision.value <= 1.0 for decision in table.decisions.values())


def test_self_play_fills_one_shared_table_with_copies_and_a_curve(morris, tmp_path):
    """The way of the work: nothing but values, a game per seed, numbered copies, and a curve that grows with them."""
    out = tmp_path / "table.npz"
    settings = {"mode": "self-play", "games": 4, "plies": 6, "nodes": 300, "opening": 0, "least_depth": 1}
    settings |= {"snapshots": 2, "eval_games": 4, "eval_nodes": 50, "seed": 3}
    told = run_rote(RoteSettings.for_game("morris-3", settings), out)
    assert (told["games"], told["decisions"], told["mode"]) == (4, 0, "self-play")
    assert {path.name for path in tmp_path.iterdir()} == {"table.npz", "table-0002.npz", "table-0004.npz"}
    assert [point["games"] for point in told["growth"]] == [2, 4]
    assert told["growth"][0]["entries"] < told["growth"][1]["entries"] == told["entries"]
    assert [(point["step"], point["games"]) for point in told["curve"]] == [(2, 4), (4, 4)]
    parts = tmp_path / "parts.npz"
    for _ in range(2):
        again = run_rote(RoteSettings.for_game("morris-3", {**settings, "games": 2}), parts, resume=parts.exists())
    assert [point["entries"] for point in again["growth"]] == [point["entries"] for point in told["growth"]]


@pytest.mark.parametrize("eviction", ["depth", "use"])
def test_a_table_that_is_too_small_forgets_and_says_so(morris, tmp_path, eviction):
    settings = {"mode": "self-play", "games": 4, "plies": 6, "nodes": 300, "opening": 0, "least_depth": 1}
    told = run_rote(
        RoteSettings.for_game("morris-3", {**settings, "max_size": 100, "eviction": eviction}), tmp_path / "t.npz"
    )
    assert told["entries"] <= 100
    assert told["evictions"] > 1
    assert told["forgotten"] > 100


def test_a_curve_needs_copies():
    with pytest.raises(ValueError, match="give snapshots"):
        RoteSettings.for_game("morris-3", {"eval_games": 4})


def test_weights_of_the_evaluation_are_options(morris):
    views = [state.view(state.player) for state in random_states(morris, 5) if state.player >= 0]

    def values(options):
        agent = stammtisch.load_agent(f"rote:depth=1,exact=1{options}", morris, seed=0)
        return np.concatenate([agent.act(view, explain=True).values for view in views])

    same = ",stones=3,stash=3,mills=2,possible_mills=1"
    assert np.array_equal(values(""), values(same))
    assert not np.array_equal(values(""), values(",possible_mills=9"))
    with pytest.raises(ValueError, match='the evaluation of reversi-4x4 has no weight "mills"'):
        stammtisch.load_agent("rote:mills=3", "reversi-4x4")

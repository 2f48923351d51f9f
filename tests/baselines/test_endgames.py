"""Searches with endgame tables: what is won is won, what is drawn is not lost."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_records import COUNT
from stammtisch.baselines.learned.alphazero.files import save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.training.alphazero.selfplay import SelfPlay
from stammtisch.training.alphazero.settings import AlphaZeroSettings
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.settings import defaults


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the tables of morris-3."""
    place = tmp_path_factory.mktemp("tables")
    tables = stammtisch.load_game("morris-3").tables(place)
    for part in tables.parts():
        tables.build(part)
    return place


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """File of a network of morris-3 that has hardly learned anything."""
    game = stammtisch.load_game("morris-3")
    training = NTupleTraining(game, *defaults(game, {"episodes": 20}), seed=0)
    training.run(20)
    path = tmp_path_factory.mktemp("networks") / "morris-3.npz"
    training.network.save(path)
    return path


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """File of a policy and value network of morris-3 that has learned nothing."""
    game = stammtisch.load_game("morris-3")
    shape = NetworkShape.for_game(game, "mlp-8")
    path = tmp_path_factory.mktemp("policies") / "morris-3.safetensors"
    save_network(path, game, shape, shape.fresh_weights(0), {})
    return path


def play(state, first, second) -> float:
    """Play a game to its end and return what it paid seat 0."""
    while state.player >= 0:
        state.apply((first, second)[state.player].act(state.view(state.player)))
    return float(state.returns()[0])


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:depth=2",
        "mcts:iterations=50",
        "champion:nodes=200",
        "alphabeta:depth=2,file={network}",
        "ntuple:file={network}",
        "ntuple:plies=1,file={network}",
        "alphazero:file={policy},simulations=16,backend=numpy",
        "alphazero:file={policy},search=puct,simulations=16,backend=numpy",
    ],
)
def test_a_player_with_tables_keeps_what_it_has(spec, folder, network, policy):
    spec = spec.format(network=network, policy=policy)
    game = stammtisch.load_game("morris-3", max_turns=40)
    oracle, rng = game.oracle(tables=folder), np.random.default_rng(0)
    with_tables = stammtisch.load_agent(f"{spec},tables={folder}", game, seed=0)
    without = stammtisch.load_agent(spec, game, seed=1)
    seen = set()
    for _ in range(12):
        state = game.new_state()
        for _ in range(2 * rng.integers(0, 4)):
            if state.player >= 0:
                state.apply(int(rng.choice(state.legal_actions())))
        if state.player == 0:
            value = oracle.value(state)[0]
            seen.add(value)
            assert play(state, with_tables, without) >= value
    assert {0.0, 1.0} <= seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "positions"), [("alphabeta:depth=2", 1000), ("mcts:iterations=50", 100), ("champion:iterations=50", 40)]
)
def test_endgames_of_muehle_are_kept_against_the_same_player_without_tables(spec, positions, tmp_path):
    """Half of the positions are won, half drawn, taken by lot from all tables of up to seven men."""
    game = stammtisch.load_game("muehle", max_turns=90)
    tables = game.tables(tmp_path)
    for part in tables.parts(7):
        tables.build(part)
    oracle, rng = game.oracle(tables=tmp_path), np.random.default_rng(20)
    with_tables = stammtisch.load_agent(f"{spec},tables={tmp_path}", game, seed=0)
    without = stammtisch.load_agent(spec, game, seed=1)
    outcomes = {1.0: [], 0.0: []}
    while min(map(len, outcomes.values())) < positions // 2:
        state = oracle.start(rng)
        seat = state.player
        value = float(oracle.value(state)[seat])
        if value < 0 or len(outcomes[value]) >= positions // 2:
            continue
        agents = (with_tables, without) if seat == 0 else (without, with_tables)
        outcomes[value].append(play(state, *agents) * (1 - 2 * seat))
    print({value: {paid: found.count(paid) for paid in sorted(set(found))} for value, found in outcomes.items()})
    assert min(outcomes[1.0]) == 1
    assert min(outcomes[0.0]) >= 0


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:depth=1,exact=yes",
        "alphabeta:depth=1,exact=yes,file={network}",
        "ntuple:file={network}",
        "alphazero:file={policy},simulations=9,backend=numpy",  # every action once
    ],
)
def test_tables_are_looked_up_inside_the_search(spec, folder, network, policy):
    game = stammtisch.load_game("morris-3")
    spec = spec.format(network=network, policy=policy)
    agent = stammtisch.load_agent(f"{spec},tables={folder}", game, seed=0)
    oracle, state = game.oracle(tables=folder), game.new_state()
    found = agent._think(state.view(0), agent.endgames.opened)  # the search itself, not the move of the tables
    assert dict(zip(found.actions.tolist(), found.values.tolist(), strict=True)) == oracle.values(state)


def test_an_n_tuple_search_reaches_the_tables_through_moves(folder, network):
    game = stammtisch.load_game("morris-3")
    oracle, rng = game.oracle(tables=folder), np.random.default_rng(3)
    for plies in (1, 2):
        agent = stammtisch.load_agent(f"ntuple:plies={plies},file={network},tables={folder}", game, seed=0)
        state = game.new_state()
        for _ in range(4):
            state.apply(int(rng.choice(state.legal_actions())))
        found = agent._think(state.view(state.player), agent.endgames.opened)
        exact = oracle.values(state)
        # Every position at a turn is in the tables: what is found is their value, not the network's.
        assert dict(zip(found.actions.tolist(), found.values.tolist(), strict=True)) == exact


def test_self_play_of_alphazero_learns_what_the_tables_know(folder):
    chosen = {"network": "mlp-8", "backend": "numpy", "tables": str(folder), "lanes": 8}
    worker = SelfPlay(AlphaZeroSettings.for_game("morris-3", chosen))
    worker.use(NetworkShape.for_game(worker.game, "mlp-8").fresh_weights(0), 0)
    records = worker.play(150, -2.0).records
    oracle = worker.game.oracle(tables=folder)
    for i in range(0, len(records.facts), 3):
        state, n = worker.game.from_row(records.rows[i]), records.facts[i, COUNT]
        values = oracle.values(state)
        best = int(records.actions[i, records.policy[i, :n].argmax()])
        assert values[best] == max(values.values())
    assert not any("endgames" in name for name in worker.saved())


def test_missing_tables_end_in_one_line(tmp_path):
    game = stammtisch.load_game("muehle")
    with pytest.raises(ValueError, match="stammtisch tables build muehle"):
        stammtisch.load_agent(f"alphabeta:tables={tmp_path}", game)
    with pytest.raises(ValueError, match="searches of reversi-6x6 do not use its tables"):
        stammtisch.load_agent(f"alphabeta:tables={tmp_path}", "reversi-6x6")

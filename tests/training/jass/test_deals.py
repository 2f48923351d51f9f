"""Deals: their file, their samples, and the networks that look at them."""

import itertools
import zipfile

import numpy as np
import pytest

from stammtisch.baselines import load_agent
from stammtisch.baselines.learned.jass.agent import SupervisedJass
from stammtisch.baselines.learned.jass.encodings import CARD_INPUTS, MODE_INPUTS, frames
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.envs import load_game
from stammtisch.envs.jass.family.encodings import card_encoding, trump_encoding
from stammtisch.errors import BadFile
from stammtisch.training.jass import deals as deals_room
from stammtisch.training.jass.deals import (
    Deals,
    DealWriter,
    deal_chunks,
    read_deals,
    read_header,
    split_games,
    write_deals,
)
from stammtisch.training.jass.making import MakingSettings, make_deals, write_made
from stammtisch.training.jass.samples import CardSamples, TrumpSamples, returns_of


@pytest.fixture(scope="module")
def made():
    return Deals.joined(make_deals(MakingSettings(deals=60, seed=4, random_modes=0.5, per_game=5)))


def random_network(encoding, outputs=36, hidden=(24, 24), seed=0, **changes):
    rng = np.random.default_rng(seed)
    layers = ((CARD_INPUTS | MODE_INPUTS)[encoding], *hidden, outputs)
    weights = tuple(
        (rng.normal(size=(a, b)).astype(np.float32) / 5, rng.normal(size=b).astype(np.float32))
        for a, b in itertools.pairwise(layers)
    )
    return DenseNetwork(encoding, layers, weights, **changes)


def states_of(deals, number):
    """Yield the positions of a deal at which a card is to be played, with the card, by our own states."""
    game = load_game("jass-schieber")
    hands = [[c for c in range(36) if int(deals.hands[number, p]) >> c & 1] for p in range(4)]
    state = game.new_state(0, deal=hands, forehand=int(deals.forehand[number]))
    if deals.passed[number]:
        state.apply(42)
    state.apply(36 + int(deals.mode[number]))
    for card in deals.cards[number]:
        yield state, int(card)
        state.apply(int(card))


@pytest.mark.parametrize("encoding", ["jass-42", "jass-150", "jass-186", "jass-1302", "full"])
def test_samples_are_what_our_own_views_say(made, encoding):
    samples = CardSamples(made[:3], encoding)
    x, masks, targets = samples.batch(np.arange(len(samples)))
    assert len(samples) == 3 * 36
    at = 0
    for number in range(3):
        for state, card in states_of(made, number):
            view = state.view(state.player)
            wanted = view.observation() if encoding == "full" else card_encoding(view, CARD_INPUTS[encoding])
            assert np.array_equal(x[at], wanted)
            assert np.array_equal(masks[at], view.legal_mask()[:36])
            assert targets[at] == card
            at += 1


def test_choices_are_what_our_own_views_say(made):
    samples = TrumpSamples(made, "trump-37")
    x, masks, targets = samples.batch(np.arange(len(samples)))
    at = 0
    for number in np.flatnonzero(made.choice):
        state, _ = next(states_of(made, number))
        forehand = int(made.forehand[number])
        partner = (forehand + 2) % 4
        if made.passed[number]:
            assert targets[at] == 6
            assert np.array_equal(x[at, :36], trump_encoding(state.view(forehand), 36))
            assert x[at, 36] == 0
            at += 1
        seat = partner if made.passed[number] else forehand
        assert np.array_equal(x[at], trump_encoding(state.view(seat), 37))
        assert targets[at] == made.mode[number]
        assert masks[at, 6] == 1 - made.passed[number]
        at += 1
    assert at == len(samples)


def test_passes_are_thinned_out_without_changing_what_partners_see(made):
    every = Deals.joined(make_deals(MakingSettings(deals=400, seed=4)))
    counts = {}
    for passes in ("all", "half", "two-thirds"):
        samples = TrumpSamples(every, passes=passes)
        x, _, targets = samples.batch(np.arange(len(samples)))
        counts[passes] = int((targets == 6).sum())
        assert int(x[:, 36].sum()) == int(every.passed[every.choice == 1].sum())
    assert counts["half"] == (counts["all"] + 1) // 2
    assert counts["two-thirds"] == counts["all"] - counts["all"] // 3


def test_a_deal_ends_with_the_points_that_our_own_rules_count(made):
    returns = returns_of(made[:5])
    for number in range(5):
        state = list(states_of(made, number))[-1][0]
        assert returns[number] == state.returns()[0]


def test_a_file_gives_back_what_was_written(made, tmp_path, monkeypatch):
    monkeypatch.setattr(deals_room, "CHUNK", 25)
    write_deals(tmp_path / "deals.npz", made, {"sources": ["heuristic"], "seed": 4})
    chunks = list(deal_chunks(tmp_path / "deals.npz"))
    assert [len(chunk) for chunk in chunks] == [25, 25, 10]
    found = Deals.joined(chunks)
    for name, array in made.arrays().items():
        assert np.array_equal(array, getattr(found, name))
    assert read_header(tmp_path / "deals.npz")["seed"] == 4
    with np.load(tmp_path / "deals.npz") as plain:  # numpy reads it too, without pickle
        assert plain["000000/cards"].shape == (25, 36)


def test_a_file_appears_whole_or_not_at_all(made, tmp_path):
    def fail():
        with DealWriter(tmp_path / "deals.npz") as writer:
            writer.add(made)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not list(tmp_path.iterdir())


def spoiled(made, name, place, value):
    arrays = {key: array.copy() for key, array in made.arrays().items()}
    arrays[name][place] = value
    return Deals(**arrays)


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("mode", 3, 6, "mode"),
        ("forehand", 0, 4, "forehand"),
        ("cards", (2, 35), 255, "as many"),
        ("cards", (2, 35), 99, "as many"),
        ("played", 5, 30, "as many"),
        ("hands", (1, 1), 511, "share a card"),
        ("hands", (1, 1), -1, "share a card"),
        ("views", 1, 16, "views"),
    ],
)
def test_a_file_with_impossible_deals_is_refused(made, tmp_path, name, place, value, words):
    write_deals(tmp_path / "deals.npz", spoiled(made, name, place, value))
    with pytest.raises(BadFile, match=words):
        read_deals(tmp_path / "deals.npz")


def test_a_damaged_file_is_told_in_one_line(made, tmp_path):
    path = tmp_path / "deals.npz"
    write_deals(path, made)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged[: int(rng.integers(len(whole)))] if rng.random() < 0.3 else damaged))
        try:
            found = read_deals(path)
        except BadFile:
            continue
        assert np.array_equal(found.cards, made.cards)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", b"nothing")
    with pytest.raises(BadFile):
        read_header(path)


def test_splits_share_no_game(made):
    train, test = split_games(made, 0.4, seed=1)
    assert sorted([*train, *test]) == list(range(len(made)))
    assert len(test)
    assert not set(made.game[train]) & set(made.game[test])
    again = split_games(made[30:], 0.4, seed=1)[1] + 30  # what else is in the file makes no difference
    assert np.array_equal(again, test[test >= 30])
    assert not np.array_equal(split_games(made, 0.4, seed=2)[1], test)


def test_one_seed_gives_the_same_deals_whatever_the_workers(tmp_path):
    settings = MakingSettings(teacher="pimc:worlds=2", deals=20, seed=9, epsilon=0.2)
    for workers in (1, 2):
        write_made(tmp_path / f"{workers}.npz", settings, workers)
    one, two = (read_deals(tmp_path / f"{workers}.npz") for workers in (1, 2))
    assert all(np.array_equal(array, getattr(two, name)) for name, array in one.arrays().items())
    assert one.values is not None
    assert one.drawn.any()
    facts = read_header(tmp_path / "1.npz")
    assert facts["teacher"] == "pimc:worlds=2"
    assert facts["synthetic"]
    assert facts["counts"]["deals"] == 20
    samples = CardSamples(one, "jass-42")
    assert len(samples) == 20 * 36 - sum(int(bits).bit_count() for bits in one.drawn.tolist())
    indices = np.arange(len(samples))
    _, masks, targets = samples.batch(indices)
    values = samples.values(indices, masks)
    told = np.isfinite(values).any(axis=1)
    assert told[masks.sum(axis=1) > 1].all()
    assert (values[told][np.arange(told.sum()), targets[told]] == 0).all()  # the teacher played what it thought best


def test_kernel_and_matrices_say_the_same():
    rng = np.random.default_rng(1)
    for encoding, changes in (("jass-186", {}), ("jass-42", {"activation": "leaky"}), ("full", {"residual": True})):
        network = random_network(encoding, **changes)
        rows = (rng.random((200, network.layers[0])) < 0.2).astype(np.int8)
        few = np.concatenate([network.scores(rows[i : i + 10]) for i in range(0, 200, 10)])
        assert np.allclose(few, network.scores(rows), atol=1e-4)


@pytest.mark.parametrize("encoding", ["jass-42", "jass-186", "full", "trump-37"])
def test_sorted_suits_make_a_network_blind_to_their_names(made, encoding):
    network = random_network(encoding, 7 if encoding == "trump-37" else 36, sorted_suits=True)
    samples = TrumpSamples(made, encoding) if encoding == "trump-37" else CardSamples(made[:10], encoding)
    x, _, _ = samples.batch(np.arange(min(len(samples), 300)))
    turns = frames(encoding)
    scores = network.scores(x)
    distinct = np.ones(len(x), bool)  # suits held alike cannot be told apart by the hand
    hands = (x[:, :36] == 1).reshape(-1, 4, 9) @ (1 << np.arange(9))
    for a in range(4):
        for b in range(a):
            distinct &= hands[:, a] != hands[:, b]
    assert distinct.sum() > 10
    for frame in (1, 9, 23):
        turned = turns.turned(x, np.full(len(x), frame))
        back = turns.original(network.scores(turned), np.full(len(x), frame))
        assert np.allclose(back[distinct], scores[distinct], atol=1e-4)


def test_networks_are_kept_in_a_file(tmp_path):
    networks = JassNetworks(random_network("jass-186", residual=True), random_network("trump-37", 7), facts={"a": 1})
    networks.save(tmp_path / "net.safetensors")
    found = JassNetworks.load(tmp_path / "net.safetensors")
    assert found.facts == {"a": 1}
    assert found.card.residual
    assert np.array_equal(found.card.params, networks.card.params)
    whole = (tmp_path / "net.safetensors").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= 255
        (tmp_path / "net.safetensors").write_bytes(damaged)
        with pytest.raises(BadFile):
            JassNetworks.load(tmp_path / "net.safetensors")


@pytest.mark.parametrize("game", ["jass-schieber", "jass-schieber-2500"])
@pytest.mark.parametrize("options", ["", ",mask=false,epsilon=0.1", ",temperature=0.5"])
def test_the_agent_plays_whole_games(game, options, tmp_path):
    JassNetworks(random_network("full"), random_network("trump-37", 7)).save(tmp_path / "net.safetensors")
    game = load_game(game)
    agent = load_agent(f"supervised:{tmp_path / 'net.safetensors'}{options}", game, seed=3)
    state = game.new_state(1)
    for _ in range(60):
        while state.player == -1:
            state.apply(int(np.random.default_rng(5).integers(1 << 62)))
        if state.player < 0:
            break
        action = agent.act(state.view(state.player))
        assert action in state.legal_actions()
        state.apply(action)
    assert (agent.rejections > 0) == ("mask=false" in options)


def test_the_agent_sees_what_its_network_wants_whatever_the_game_shows(tmp_path):
    networks = JassNetworks(random_network("jass-186"))
    choices = []
    for observation in ("full", "jass-42"):
        game = load_game("jass-schieber", observation=observation)
        agent = SupervisedJass.of(game, networks, seed=1)
        state = game.new_state(0, deal=[list(range(9 * seat, 9 * seat + 9)) for seat in range(4)])
        state.apply(40)
        choices.append(agent.act(state.view(0)))
    assert choices[0] == choices[1]


def test_other_games_and_variants_are_refused(tmp_path):
    networks = JassNetworks(random_network("full"))
    with pytest.raises(ValueError, match="Schieber"):
        SupervisedJass.of(load_game("reversi-8x8"), networks)
    with pytest.raises(ValueError, match="slalom"):
        SupervisedJass.of(load_game("jass-schieber", slalom=True), networks)
    with pytest.raises(ValueError, match="needs the file"):
        load_agent("supervised", "jass-schieber")


def test_hidden_cards_make_no_difference_to_the_agent(made):
    """Whatever the others hold, the same view gets the same answer, for the mode and for every card."""
    game = load_game("jass-schieber")
    networks = JassNetworks(random_network("full", sorted_suits=True), random_network("trump-37", 7))
    agent = SupervisedJass.of(game, networks, seed=1)
    rng = np.random.default_rng(2)
    for number in range(3):
        for state, _ in states_of(made, number):
            view = state.view(state.player)
            wanted = agent.act(view)
            for _ in range(3):
                other = view.sample_state(rng)
                assert agent.act(other.view(state.player)) == wanted

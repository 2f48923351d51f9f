"""Networks in searches: beliefs agree with exact posteriors, and nothing hidden is looked at."""

import itertools

import numpy as np
import pytest

from stammtisch.baselines import load_agent
from stammtisch.baselines.learned.jass.encodings import SIGHTS, inputs_of
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.baselines.learned.jass.sighted import SightedNets
from stammtisch.envs import load_game
from stammtisch.envs.core import loader
from stammtisch.envs.core.rules import own
from stammtisch.envs.jass.family.sight import CARD_LEN, N_CARD_SETS, TRUMP_LEN, TRUMP_OUT, card_sight, trump_sight

GAME = load_game("jass-schieber")
RULES = own(GAME.rules)


def network(part, inputs, outputs, seed, scale=0.3):
    rng = np.random.default_rng(seed)
    layers = (inputs, 6, outputs)
    weights = tuple(
        (rng.normal(0, scale, (a, b)).astype(np.float32), rng.normal(0, scale, b).astype(np.float32))
        for a, b in itertools.pairwise(layers)
    )
    return DenseNetwork(SIGHTS[part], layers, weights, output="values")


@pytest.fixture(scope="module")
def networks():
    return JassNetworks(network("card", CARD_LEN, 36, 1), network("trump", TRUMP_LEN, TRUMP_OUT, 2))


@pytest.fixture(scope="module")
def net_file(networks, tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "net.safetensors"
    networks.save(path)
    return path


def played(seed, plies, first=42):
    """Return a deal after so many cards; ``first`` is what forehand says."""
    rng = np.random.default_rng(seed)
    state = GAME.new_state(seed=seed)
    while state.player < 0:
        state.sample_chance(rng)
    state.apply(first)
    if first == 42:
        state.apply(36 + seed % 6)
    for _ in range(plies):
        state.apply(int(rng.choice(state.legal_actions())))
    return state


def share_of(scores, allowed, chosen, softness, by_chance):
    scores = np.array([scores[a] for a in allowed], np.float64) / softness
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    return (1 - by_chance) * shares[allowed.index(chosen)] + by_chance / len(allowed)


def likelihood(networks, hands, seat, events, softness):
    """Return how likely what the others did is, were these their hands; a deal is replayed by the rules alone."""
    state = GAME.new_state(seed=0)
    while state.player < 0:
        state.sample_chance(np.random.default_rng(0))
    state._row[RULES.HAND : RULES.HAND + 4] = hands
    found = 1.0
    sets, order = np.zeros(N_CARD_SETS, np.int64), np.zeros(4, np.int64)
    for action in events:
        row, p = state._row, state.player
        legal = state.legal_actions()
        if action not in legal:
            return 0.0
        if p != seat and len(legal) > 1:
            if action >= 36:
                obs = np.zeros(TRUMP_LEN, np.int8)
                trump_sight(row[RULES.HAND + p], row[RULES.PUSHED], sets, order, obs)
                said = networks.trump._forward(obs[None])[0]
                scores = {36 + int(order[k]): said[k] for k in range(4)} | {36 + k: said[k] for k in range(4, 7)}
                found *= share_of(scores, legal, action, softness[1], softness[2])
            else:
                obs = np.zeros(CARD_LEN, np.int8)
                cards = np.int64(sum(1 << c for c in legal))
                tricks = row[RULES.WON + (p & 1)], row[RULES.WON + 1 - (p & 1)]
                card_sight(row, p, cards, *tricks, sets, order, obs)
                said = networks.card._forward(obs[None])[0]
                place = {int(colour): new for new, colour in enumerate(order)}
                scores = {c: said[9 * place[c // 9] + c % 9] for c in legal}
                found *= share_of(scores, legal, action, softness[0], softness[2])
        state.apply(action)
    return found


def events_of(row):
    """Return what was said and played, from what is public."""
    said = [42] * int(row[RULES.PUSHED]) + [36 + int(row[RULES.MODE])]
    words = [int(row[RULES.TRICK + ply // 4]) >> 6 * (ply % 4) & 63 for ply in range(int(row[RULES.PLAYED_COUNT]))]
    return said + [word - 1 for word in words]


def deals_of(row, seat):
    """Yield the hands of all deals with the cards that ``seat`` does not see dealt in any way."""
    dealt = [int(row[RULES.PLAYED + p]) for p in range(4)]
    dealt[seat] |= int(row[RULES.HAND + seat])
    unseen = [c for c in range(36) if not any(d >> c & 1 for d in dealt)]
    others = [p for p in range(4) if p != seat]
    sizes = [9 - dealt[p].bit_count() for p in others]
    for first in itertools.combinations(unseen, sizes[0]):
        rest = [c for c in unseen if c not in first]
        for second in itertools.combinations(rest, sizes[1]):
            hands = list(dealt)
            for p, cards in zip(others, (first, second, [c for c in rest if c not in second]), strict=True):
                hands[p] |= sum(1 << c for c in cards)
            yield np.array(hands, np.int64)


@pytest.mark.parametrize(("seed", "plies", "first"), [(1, 30, 42), (2, 29, 38), (5, 27, 42)])
def test_beliefs_are_the_posterior(networks, seed, plies, first):
    softness = (0.7, 0.9, 0.05)
    state = played(seed, plies, first)
    row, seat = state.view(state.player)._state._row, state.player
    exact, cards = 0.0, np.zeros((4, 36))
    for hands in deals_of(row, seat):
        weight = likelihood(networks, hands, seat, events_of(row), softness)
        exact += weight
        cards += weight * (hands[:, None] >> np.arange(36) & 1)
    cards /= exact
    sighted = SightedNets(GAME, networks)
    kernels = loader.load(
        "stammtisch.baselines.kernels.pimc_nets",
        GAME.id,
        RULES=GAME.rules,
        NETS=sighted.kernels,
        SOLVER=GAME.solver(),
    )
    count = 20_000
    worlds, weights = np.empty((count, RULES.STATE_LEN), np.int64), np.empty(count)
    kernels.weigh_worlds(row, np.array([9], np.uint64), sighted.packed(*softness), sighted.room, worlds, weights)
    assert weights.sum() == pytest.approx(1.0)
    dealt = worlds[:, RULES.HAND : RULES.HAND + 4] | worlds[:, RULES.PLAYED : RULES.PLAYED + 4]
    found = (weights[:, None, None] * (dealt[:, :, None] >> np.arange(36) & 1)).sum(0)
    assert np.abs(found - cards).max() < 0.03
    even = (dealt[:, :, None] >> np.arange(36) & 1).mean(0)
    assert np.abs(even - cards).max() > 0.05  # so that weights which say nothing would be noticed


@pytest.mark.parametrize("options", ["", ",beliefs=on"])
def test_hidden_cards_change_nothing(net_file, options):
    spec = f"pimc:worlds=4,file={net_file}{options}"
    tree = f"ismcts:iterations=20,file={net_file}{options}"
    for agent_spec in (spec, tree, f"rl-jass:{net_file}"):
        for plies in (0, 9, 22, 31):
            state = played(3, plies)
            seat = state.player
            other = state.clone()
            other._row[:] = state.view(seat).sample_state(np.random.default_rng(8))._row
            chosen = [load_agent(agent_spec, GAME, 4).act(each.view(seat)) for each in (state, other)]
            assert chosen[0] == chosen[1]
            assert chosen[0] in state.legal_actions()


@pytest.mark.parametrize("encoding", ["jass-42", "jass-186", "jass-1302", "jass-1302-seats", "full", "sight"])
def test_hidden_cards_change_nothing_for_networks_from_deals(tmp_path, encoding):
    rng = np.random.default_rng(2)
    layers = (inputs_of(encoding), 36)
    card = DenseNetwork(encoding, layers, ((rng.normal(size=layers).astype(np.float32), np.zeros(36, np.float32)),))
    path = tmp_path / "net.safetensors"
    JassNetworks(card).save(path)
    for plies in (5, 13, 22, 27):
        state = played(3, plies)
        seat = state.player
        other = state.clone()
        other._row[:] = state.view(seat).sample_state(np.random.default_rng(8))._row
        for options in ("", ",mask=false", ",temperature=1", ",epsilon=0.5"):
            agents = [load_agent(f"supervised:{path}{options}", GAME, 4) for _ in range(2)]
            chosen = [agent.act(each.view(seat)) for agent, each in zip(agents, (state, other), strict=True)]
            assert chosen[0] == chosen[1]
            assert chosen[0] in state.legal_actions()


@pytest.mark.parametrize("options", ["", ",beliefs=on"])
def test_explanations_tell_nothing_hidden(net_file, options):
    for spec in (f"pimc:worlds=4,file={net_file}{options}", f"ismcts:iterations=20,file={net_file}{options}"):
        state = played(3, 13)
        seat = state.player
        other = state.clone()
        other._row[:] = state.view(seat).sample_state(np.random.default_rng(8))._row
        first, second = (load_agent(spec, GAME, 4).act(each.view(seat), explain=True) for each in (state, other))
        assert np.array_equal(first.actions, second.actions)
        assert np.array_equal(first.values, second.values)
        assert np.array_equal(first.visits, second.visits)


def test_a_search_needs_networks_that_it_can_use(tmp_path, networks):
    full = DenseNetwork("full", (378, 36), ((np.zeros((378, 36), np.float32), np.zeros(36, np.float32)),))
    path = tmp_path / "full.safetensors"
    JassNetworks(full).save(path)
    with pytest.raises(ValueError, match="train rl-jass"):
        load_agent(f"pimc:file={path}", GAME, 0)
    with pytest.raises(ValueError, match="beliefs need"):
        load_agent("pimc:beliefs=on", GAME, 0)
    networks.save(tmp_path / "net.safetensors")
    with pytest.raises(ValueError, match="play Schieber"):
        load_agent(f"rl-jass:{tmp_path / 'net.safetensors'}", load_game("jass-differenzler"), 0)


def test_time_instead_of_worlds(net_file):
    state = played(6, 3)
    agent = load_agent(f"pimc:time_s=0.02,file={net_file},beliefs=on", GAME, 0)
    agent.act(state.view(state.player))  # compiles
    assert agent.act(state.view(state.player), explain=True).effort["worlds"] >= 1


def test_a_tree_search_tries_first_what_the_network_likes(net_file):
    state = played(6, 3)
    view = state.view(state.player)
    alone = load_agent(f"rl-jass:{net_file}", GAME, 0).act(view)
    found = load_agent(f"ismcts:iterations=1,file={net_file}", GAME, 0).act(view, explain=True)
    assert found.action == alone
    found = load_agent(f"ismcts:iterations=60,file={net_file}", GAME, 0).act(view, explain=True)
    assert found.visits.sum() == 60
    assert set(found.actions) <= set(state.legal_actions())
    certain = load_agent(f"ismcts:iterations=60,prior=1e6,file={net_file}", GAME, 0).act(view, explain=True)
    assert certain.action == alone


def test_the_opinion_of_the_network_decides_without_worlds_that_tell_more(net_file):
    state = played(6, 3)
    alone = load_agent(f"rl-jass:{net_file}", GAME, 0).act(state.view(state.player))
    found = load_agent(f"pimc:worlds=1,prior=1e9,file={net_file}", GAME, 0).act(state.view(state.player))
    assert alone == found

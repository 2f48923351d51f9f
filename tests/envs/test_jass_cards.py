"""Which cards may be played and who takes the trick: rule-book examples, a plain twin, the server and jass-kit."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.jass import CARDS, card_id, legal_cards
from stammtisch.envs.jass.family.view import tricks
from tests.envs import jass_twin as twin

DATA = pathlib.Path(__file__).parent.parent / "data"
MODES = "HDCSOU"
EXAMPLES = json.loads((DATA / "jass-legal-examples.json").read_text("utf-8"))


def ids(names):
    return [card_id(name) for name in names]


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.mark.parametrize("example", EXAMPLES, ids=[e["id"] for e in EXAMPLES])
def test_legal_cards_of_the_rule_book(example):
    hand, trick, mode = ids(example["hand"]), ids(example["trick"]), MODES.index(example["trump"])
    assert legal_cards(hand, trick, mode) == sorted(ids(example["legal"]))
    kit = example.get("jasskit", example["legal"])
    assert legal_cards(hand, trick, mode, rule="jass-kit") == sorted(ids(kit))


@pytest.mark.parametrize(
    ("trick", "mode", "winner", "points"),
    [
        ("D10 DA H6 D9", "H", 2, 21),
        ("HA H9 HJ H10", "H", 2, 55),
        ("H9 HA HK H8", "H", 0, 29),
        ("D6 SA CA D7", "H", 3, 22),
        ("D8 D9 DJ SA", "O", 2, 21),
        ("D8 D6 DA S6", "U", 1, 30),
        ("D9 D8 D7 D6", "H", 0, 0),
        ("SJ S9 H6 H7", "H", 3, 2),
    ],
)
def test_tricks_of_the_rule_book(jass, trick, mode, winner, points):
    cards = ids(trick.split())
    rest = [c for c in range(36) if c not in cards]
    rows = {seat: [cards[seat], *rest[8 * seat : 8 * seat + 8]] for seat in range(4)}
    state = jass.new_state(deal=[rows[seat] for seat in range(4)])
    state.apply(36 + MODES.index(mode))
    row = state.row
    for seat in range(4):  # only these four cards are left, so that any of them is legal
        row[jass.rules.HAND + seat] = 1 << cards[seat]
    state = jass.from_row(row)
    for card in cards:
        state.apply(card)
    assert state.player == winner
    assert state.view(0).scores[winner % 2] == points
    assert tricks(jass.rules, state.row)[0].winner == winner


def test_the_ninth_trick_counts_five_more(jass):
    state = jass.new_state(deal=[list(range(9 * p, 9 * p + 9)) for p in range(4)])
    state.apply(state.parse_action("spades"))
    while state.player >= 0:
        state.apply(state.legal_actions()[0])
    last = state.view(0).history[-1]
    assert last.winner == 3
    assert last.points == sum(twin.points(CARDS[c], "S") for c in last.cards) + 5


def test_fifty_thousand_situations_agree_with_the_plain_twin():
    rng = np.random.default_rng(1)
    for _ in range(50_000):
        mode = MODES[rng.integers(6)]
        size, lying = rng.integers(1, 10), rng.integers(4)
        drawn = rng.permutation(36)[: size + lying].tolist()
        if rng.random() < 0.5:  # more trumps and short hands make the edge cases frequent
            drawn = sorted(drawn, key=lambda c: rng.random() + 0.4 * (CARDS[c][0] == mode))
        hand, trick = drawn[lying:], drawn[:lying]
        kit = bool(rng.integers(2))
        names, table = [CARDS[c] for c in hand], [CARDS[c] for c in trick]
        expected = sorted(card_id(name) for name in twin.legal(names, table, mode, kit))
        assert legal_cards(hand, trick, MODES.index(mode), "jass-kit" if kit else "server") == expected


@pytest.mark.parametrize(
    ("hand", "trick", "mode", "rule", "message"),
    [
        ([36], [], 0, "server", "no card 36 in the hand"),
        ([1, 1], [], 0, "server", "H7 is twice in the hand"),
        ([1], [1], 0, "server", "in the hand and on the table"),
        ([1], [2, 3, 4, 5], 0, "server", "at most three"),
        ([1], [], 6, "server", "no mode 6"),
        ([1], [], 0, "home", "no rule 'home'"),
    ],
)
def test_legal_cards_explains_wrong_input(hand, trick, mode, rule, message):
    with pytest.raises(ValueError, match=message):
        legal_cards(hand, trick, mode, rule)


def test_card_names():
    assert [card_id(name) for name in CARDS] == list(range(36))
    assert card_id("sa") == 35
    with pytest.raises(ValueError, match='no card "H1"'):
        card_id("H1")


def test_importing_the_package_compiles_nothing():
    code = "import sys, stammtisch.envs.jass; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_random_deals_agree_with_the_plain_twin(jass):
    rng = np.random.default_rng(2)
    for _ in range(300):
        state = jass.new_state()
        state.sample_chance(rng)
        hands = [set(state.view(p).hand) for p in range(4)]
        assert sorted(c for hand in hands for c in hand) == list(range(36))
        mode = int(rng.integers(6))
        state.apply(36 + mode)
        player, table, played = 0, [], []
        while state.player >= 0:
            assert state.player == player
            expected = twin.legal({CARDS[c] for c in hands[player]}, table, MODES[mode])
            assert [CARDS[c] for c in state.legal_actions()] == sorted(expected, key=CARDS.index)
            card = int(rng.choice(state.legal_actions()))
            state.apply(card)
            hands[player].remove(card)
            played.append(CARDS[card])
            table.append(CARDS[card])
            player = (player + 1) % 4
            if len(table) == 4:
                player = (player + twin.winner(table, MODES[mode])) % 4
                table = []
        found = twin.play_deal(0, played, MODES[mode])
        history = state.view(0).history
        assert [(t.winner, t.points) for t in history] == found
        scores = [sum(p for w, p in found if w % 2 == team) for team in (0, 1)]
        if len({w % 2 for w, _ in found}) == 1:
            scores[found[0][0] % 2] += 100
        assert state.view(0).scores == tuple(scores)
        assert state.returns()[0] == pytest.approx((scores[0] - scores[1]) / 100)


def test_a_recorded_game_of_the_challenge_server():
    game = stammtisch.load_game("jass-schieber-2500", match_by="points")
    deals = json.loads((DATA / "jass-server-game.json").read_text("utf-8"))
    state = game.new_state()
    for number, deal in enumerate(deals):
        assert state.view(0).forehand == number % 4
        state = game.from_text(
            f"deal {number + 1}, points {':'.join(map(str, state.view(0).totals))}, forehand {number % 4}\n"
            f"hands {' / '.join(deal['hands'])}\nmode {' '.join(deal['modes'])}\nplay -"
        )
        for k, trick in enumerate(deal["tricks"]):
            for name in trick.split():
                state.apply(state.parse_action(name))
            if k < 8:
                assert state.player == deal["winners"][k]
                assert state.view(0).scores == tuple(deal["points"][k])
        assert state.view(0).totals == tuple(deal["total"])
        over = max(deal["total"]) >= 2500 and deal["total"][0] != deal["total"][1]
        assert (state.player == stammtisch.TERMINAL) == over
    assert state.returns().tolist() == [-1, 1, -1, 1]


def kit_records():
    return json.loads((DATA / "jass-kit-deals.json").read_text("utf-8"))


def record_with_jass_kit(rng):
    """Play one random deal in jass-kit; return it with our card ids and seats in playing order."""
    from jass.game.game_sim import GameSim
    from jass.game.rule_schieber import RuleSchieber

    def ours(card):
        return 9 * (1, 0, 3, 2)[card // 9] + 8 - card % 9

    sim = GameSim(RuleSchieber())
    order = rng.permutation(36)
    hands = np.zeros((4, 36), np.int32)
    for i, card in enumerate(order):
        hands[i // 9, card] = 1
    sim.init_from_cards(hands, dealer=1)  # so that its player 0 is forehand
    seats = [0, 3, 2, 1]
    record = {"hands": [sorted(ours(c) for c in np.flatnonzero(hands[k]).tolist()) for k in seats]}
    mode = int(rng.integers(6))
    if record_pushed := bool(rng.integers(2)):
        sim.action_trump(10)
    sim.action_trump((1, 0, 3, 2, 4, 5)[mode])
    record |= {"mode": mode, "pushed": record_pushed, "plays": [], "legal": []}
    while not sim.is_done():
        valid = np.flatnonzero(sim.rule.get_valid_cards_from_state(sim.state)).tolist()
        card = int(rng.choice(valid))
        record["legal"].append(f"{sum(1 << ours(c) for c in valid):x}")
        record["plays"].append(ours(card))
        sim.action_play_card(card)
    record["winners"] = [seats.index(int(w)) for w in sim.state.trick_winner]
    record["points"] = [int(p) for p in sim.state.points]
    return record


def agree_with_jass_kit(game, record):
    """Replay a record with jass-kit's rule; return in how many situations the server's rule allows less."""
    state = game.new_state(deal=record["hands"], forehand=0)
    if record["pushed"]:
        state.apply(42)
    state.apply(36 + record["mode"])
    assert state.player == 0
    stricter = 0
    for card, legal in zip(record["plays"], record["legal"], strict=True):
        assert sum(1 << c for c in state.legal_actions()) == int(legal, 16)
        view = state.view(state.player)
        server = legal_cards(view.hand, [c for _, c in view.table], record["mode"])
        assert set(server) <= set(state.legal_actions())
        stricter += server != state.legal_actions()
        state.apply(card)
    history = state.view(0).history
    assert [trick.winner for trick in history] == record["winners"]
    points = [sum(t.points for t in history if t.winner % 2 == team) for team in (0, 1)]
    assert points == record["points"]
    return stricter


def test_recorded_deals_of_jass_kit():
    game = stammtisch.load_game("jass-schieber", legal_rule="jass-kit")
    stricter = [agree_with_jass_kit(game, record) for record in kit_records()]
    assert sum(stricter) > 0  # its under-trump rule shows, and nothing else does


def test_new_deals_of_jass_kit():
    game = stammtisch.load_game("jass-schieber", legal_rule="jass-kit")
    rng = np.random.default_rng(3)
    for _ in range(150):
        agree_with_jass_kit(game, record_with_jass_kit(rng))

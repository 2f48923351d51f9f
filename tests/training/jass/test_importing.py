"""Logs: every format gives the deals that were played, and nothing else, whatever is in a file."""

import json
import pathlib
import random

import numpy as np
import pytest

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.store import Store
from stammtisch.envs import load_game
from stammtisch.envs.jass.family.names import CARDS, card_id
from stammtisch.errors import BadFile
from stammtisch.training.jass.deals import Deals, read_deals, read_header, write_deals
from stammtisch.training.jass.logs import reading
from stammtisch.training.jass.logs.lines import kit_card, our_card, our_seat
from stammtisch.training.jass.logs.reading import FORMATS, LogImport, detect, import_logs
from stammtisch.training.jass.logs.writing import export_deals, kit_entry
from stammtisch.training.jass.making import MakingSettings, make_deals
from stammtisch.training.jass.samples import CardSamples, TrumpSamples, replay_kernels, seats_of
from tests.challenge.fakes import captured
from tests.training.jass.logs import PREFIX, same_deals, session, swisslos_deal


@pytest.fixture(scope="module")
def made():
    return Deals.joined(make_deals(MakingSettings(deals=80, seed=11, random_modes=0.3, per_game=8)))


def imported(tmp_path, text, form="auto", name="log.txt"):
    (tmp_path / name).write_text(text)
    facts = import_logs([tmp_path / name], tmp_path / "deals.npz", form)
    return read_deals(tmp_path / "deals.npz"), facts


def test_a_session_of_swisslos_by_hand(made, tmp_path):
    passed = int(np.flatnonzero(made.passed)[0])
    rounds = [swisslos_deal(made, 0), None, swisslos_deal(made, 1, 14), swisslos_deal(made, passed)]
    open_deal = {"dealer": 0, "tricks": [], "player": [{"hand": []}] * 4}
    deals, facts = imported(tmp_path, session(*rounds, open_deal, swisslos_deal(made, 2)) + "\n")
    assert same_deals(deals[[0, 2, 3]], made, [0, passed, 2])
    assert deals.played.tolist() == [36, 14, 36, 36]
    assert np.array_equal(deals.hands[1], made.hands[1])  # the starting hands of a deal that was cut off
    assert deals.number.tolist() == [0, 2, 3, 5]  # a null deal does not end the session
    assert set(deals.players[0]) == {11, 0, 13, 14}
    assert deals.date[0] == 1511813408
    assert facts["dropped"] == {"no mode chosen": 1, "null instead of a deal": 1}
    assert (facts["games"], facts["deals"], facts["cut_off"]) == (1, 4, 1)
    assert facts["tricks"] == 9 * 3 + 3
    assert facts["card_samples"] == 36 * 3 + 14
    assert facts["trump_samples"] == 4 + int(made.passed[[0, 1, passed, 2]].sum())
    assert facts["notes"] == {}


def test_a_session_without_a_date_or_players(made, tmp_path):
    text = '{"rounds":[' + json.dumps(swisslos_deal(made, 5)) + "]}\n"
    deals, facts = imported(tmp_path, text)
    assert deals.date[0] == -1
    assert not deals.players.any()
    assert facts["formats"] == ["swisslos"]


def test_points_that_differ_are_noted(made, tmp_path):
    told = swisslos_deal(made, 5)
    told["tricks"][3]["points"] += 100
    _, facts = imported(tmp_path, session(told))
    assert facts["deals"] == 1
    assert facts["notes"] == {"trick points differ": 1}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda told: told["tricks"][4].update(win=(told["tricks"][4]["win"] + 1) % 4), "wrong winner"),
        (lambda told: told["tricks"][4].update(first=(told["tricks"][4]["first"] + 1) % 4), "wrong leader"),
        (lambda told: told["tricks"][4]["cards"].pop(), "too few cards in a trick"),
        (lambda told: told["tricks"][4]["cards"].reverse(), None),
        (lambda told: told["tricks"][0].update(cards=["H6", "H6", "H7", "H8"]), "a card is played twice"),
        (lambda told: told["tricks"][0].update(cards=["X6", "H6", "H7", "H8"]), "unknown card"),
        (lambda told: told["tricks"].append({"cards": ["H6"]}), None),
        (lambda told: told.update(trump=9), "unknown mode"),
        (lambda told: told.update(dealer=4), "unknown seat"),
        (lambda told: told.update(dealer=(told["dealer"] + 1) % 4), "wrong leader"),
        (lambda told: told.update(player=[{"hand": ["H6"]}] * 4), None),
        (lambda told: told.pop("trump"), "no mode chosen"),
        (lambda told: told.update(jassTyp="COIFFEUR"), "another kind of Jass"),
    ],
)
def test_a_wrong_deal_is_dropped_with_its_reason(made, tmp_path, spoil, reason):
    told = swisslos_deal(made, 7)
    spoil(told)
    deals, facts = imported(tmp_path, session(swisslos_deal(made, 3), told, swisslos_deal(made, 4)))
    assert same_deals(deals, made, [3, 4])
    assert sum(facts["dropped"].values()) == 1
    assert reason is None or list(facts["dropped"]) == [reason]


def samples_of(samples):
    """Return every sample as bytes, to be compared."""
    return [tuple(map(bytes, rows)) for rows in zip(*samples.batch(np.arange(len(samples))), strict=True)]


def test_files_that_jass_kit_wrote_itself(tmp_path):
    pytest.importorskip("jass.game.game_sim")
    from datetime import datetime

    from jass.game.const import next_player
    from jass.game.game_sim import GameSim
    from jass.game.game_util import deal_random_hand
    from jass.game.rule_schieber import RuleSchieber
    from jass.logs.game_log_entry import GameLogEntry
    from jass.logs.game_obs_action_log_entry import GameObsActionLogEntry

    np.random.seed(5)
    rule, entries, decisions = RuleSchieber(), [], []
    for number in range(12):
        game = GameSim(rule)
        game.init_from_cards(hands=deal_random_hand(), dealer=number % 4)
        date = datetime(2017, 10, 8, 12, number)

        def note(action, game=game, date=date, number=number):
            entry = GameObsActionLogEntry(game.get_observation(), int(action), date, 100 + number)
            decisions.append(json.dumps(entry.to_json()))

        if number % 3 == 0:
            note(10)
            game.action_trump(10)
        mode = int(np.random.randint(6))
        note(mode)
        game.action_trump(mode)
        while not game.is_done():
            card = int(np.random.choice(np.flatnonzero(rule.get_valid_cards_from_obs(game.get_observation()))))
            note(card)
            game.action_play_card(card)
        entries.append(GameLogEntry(game.state, date, [1, 2, 3, 4]).to_json())
    assert next_player[0] == 3
    deals, facts = imported(tmp_path, "\n".join(map(json.dumps, entries)))
    assert facts["formats"] == ["jass-kit"]
    assert facts["deals"] == 12
    assert facts["notes"] == {}  # trick points are theirs
    assert facts["passed_deals"] == 4
    again = [kit_entry(deals, number) for number in range(12)]
    assert again == entries
    seen, facts = imported(tmp_path, "\n".join(decisions), name="obs.txt")
    assert facts["formats"] == ["jass-kit-observations"]
    assert facts["dropped"] == {}
    assert facts["card_samples"] == 12 * 36
    assert facts["trump_samples"] == 12 + 4
    for kind in (CardSamples, TrumpSamples):
        whole, single = (samples_of(kind(each)) for each in (deals, seen))
        assert sorted(whole) == sorted(single)  # decision by decision the same samples as from whole deals


def test_numbers_of_cards():
    assert [our_card(kit_card(card)) for card in range(36)] == list(range(36))
    assert our_card(0) == 17  # DA
    assert our_card(35) == 18  # C6


def test_tables_of_trump_choices(tmp_path):
    hand = [0, 1, 2, 9, 10, 11, 18, 27, 35]
    bits = [int(card in hand) for card in range(36)]
    rows = [[*bits, 1, 77, 6], [*bits, 0, 78, 3], [*bits, 1, 79, 4], [*bits, 0, 80, 6], [*bits[:35], 0, 1, 81, 2]]
    text = "\n".join(",".join(map(str, row)) for row in rows) + "\nhand,x\n"
    deals, facts = imported(tmp_path, text, name="trump.csv")
    assert facts["dropped"] == {
        "a hand is not nine different cards": 1,
        "a pass of who must choose": 1,
        "not a record": 1,
    }
    assert facts["trump_samples"] == 3
    assert facts["card_samples"] == 0
    x, _, targets = TrumpSamples(deals).batch(np.arange(3))
    assert targets.tolist() == [6, 2, 4]
    assert x[:, 36].tolist() == [0, 1, 0]
    assert np.flatnonzero(x[0, :36]).tolist() == sorted(our_card(card) for card in hand)


def test_a_captured_session(tmp_path):
    lines = [json.dumps(line) for line in captured("session")]
    deals, facts = imported(tmp_path, "\n".join(lines), name="capture.jsonl")
    assert facts["formats"] == ["capture"]
    assert facts["dropped"] == {}
    assert (facts["deals"], facts["card_samples"], facts["trump_samples"], facts["passes"]) == (30, 1080, 39, 9)
    x, _, _ = TrumpSamples(deals).batch(np.arange(39))
    assert int(x[:, 36].sum()) == 9
    only = [line for line in lines if json.loads(line)["client"] == "a1"]
    mine, facts = imported(tmp_path, "\n".join(only), name="one.jsonl")
    assert facts["card_samples"] == 1080  # when all cards are played, one client knows who held them
    short = [line for line in only if json.loads(line)["t"] < 1.74]  # two tricks and one card of the third
    mine, facts = imported(tmp_path, "\n".join(short), name="one.jsonl")
    assert (facts["deals"], facts["card_samples"], int(mine.played[0])) == (1, 3, 10)
    assert int(mine.views[0]) == 1


def server_log(deals, numbers):
    """What the challenge server logs of a game."""
    colors = ("HEARTS", "DIAMONDS", "CLUBS", "SPADES")

    def wire(card):
        return {"number": 6 + card % 9, "color": colors[card // 9]}

    items = [{"broadcast": True, "messageType": "BROADCAST_TEAMS", "data": []}]
    for number in numbers:
        for seat in range(4):
            hand = [wire(card) for card in range(36) if int(deals.hands[number, seat]) >> card & 1]
            items.append({"sentTo": f"bot#{seat}", "messageType": "DEAL_CARDS", "data": hand})
        if deals.passed[number]:
            items.append({"broadcast": True, "messageType": "BROADCAST_TRUMPF", "data": {"mode": "SCHIEBE"}})
        mode = int(deals.mode[number])
        said = (
            {"mode": "TRUMPF", "trumpfColor": colors[mode]} if mode < 4 else {"mode": ("OBEABE", "UNDEUFE")[mode - 4]}
        )
        items.append({"broadcast": True, "messageType": "BROADCAST_TRUMPF", "data": said})
        for trick in swisslos_deal(deals, number)["tricks"]:
            cards = [wire(card_id(name)) for name in trick["cards"]]
            for at in range(1, 5):
                items.append({"receivedFrom": "bot#0", "messageType": "CHOOSE_CARD", "data": cards[at - 1]})
                items.append({"broadcast": True, "messageType": "PLAYED_CARDS", "data": cards[:at]})
            data = {"name": "bot", "seatId": (4 - trick["win"]) % 4, "playedCards": cards}
            items.append({"broadcast": True, "messageType": "BROADCAST_STICH", "data": data})
    return items


def test_a_log_of_the_challenge_server(made, tmp_path):
    numbers = [0, 1, 2, 20, 21]
    deals, facts = imported(tmp_path, json.dumps(server_log(made, numbers)), name="a vs b.123.json")
    assert facts["formats"] == ["challenge"]
    assert same_deals(deals, made, numbers)
    assert facts["games"] == 1


@pytest.mark.parametrize("game", ["jass-schieber", "jass-schieber-2500"])
def test_results_of_matches(game, tmp_path):
    played = play_match(game, ["heuristic", "greedy"], 4, seed=3)
    store = Store(tmp_path / "results.sqlite")
    store.add(MatchPlan(game, ("heuristic", "greedy"), 4, 3), list(played.records))
    store.close()
    facts = import_logs([tmp_path / "results.sqlite"], tmp_path / "deals.npz")
    assert facts["formats"] == ["results"]
    assert facts["dropped"] == {}
    assert facts["games"] == 4
    assert facts["deals"] == facts["complete"] >= 4
    assert (game == "jass-schieber") == (facts["deals"] == 4)


def test_an_import_that_was_killed_goes_on(made, tmp_path, monkeypatch):
    text = "\n".join(session(*(swisslos_deal(made, n) for n in range(at, at + 4))) for at in range(0, 80, 4)) + "\n"
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(text)
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    whole = import_logs(paths, tmp_path / "whole.npz")
    monkeypatch.setattr(reading, "_PIECE", 7)
    out = tmp_path / "deals.npz"
    rng = random.Random(1)
    rounds = 0
    while True:
        work = LogImport(paths, out, "auto", resume=(tmp_path / "deals.npz.parts").exists())
        before, left = work._save, rng.randrange(1, 6)

        def save(work=work, before=before):
            nonlocal left
            before()
            left -= 1
            if not left:
                raise KeyboardInterrupt

        monkeypatch.setattr(work, "_save", save)
        rounds += 1
        try:
            facts = work.run()
            break
        except KeyboardInterrupt:
            with pytest.raises(ValueError, match="add --resume"):
                LogImport(paths, out, "auto", resume=False)
    assert rounds > 3
    assert facts["deals"] == whole["deals"] == 160
    assert facts == {**whole, "file": str(out)}
    assert not (tmp_path / "deals.npz.parts").exists()
    one, two = read_deals(tmp_path / "whole.npz"), read_deals(out)
    assert all(np.array_equal(array, getattr(two, name)) for name, array in one.arrays().items())


def test_an_import_of_other_files_is_not_gone_on_with(made, tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text(session(swisslos_deal(made, 0)))
    work = LogImport([tmp_path / "a.txt"], tmp_path / "deals.npz", "auto", False)
    monkeypatch.setattr(work, "_finish", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        work.run()
    (tmp_path / "a.txt").write_text(session(swisslos_deal(made, 0), swisslos_deal(made, 1)))
    with pytest.raises(BadFile, match="other files, formats or sizes"):
        LogImport([tmp_path / "a.txt"], tmp_path / "deals.npz", "auto", True)


def test_jass_kit_reads_what_we_export(made, tmp_path):
    pytest.importorskip("jass.logs.game_log_entry")
    from jass.game.rule_schieber import RuleSchieber
    from jass.logs.game_log_entry import GameLogEntry

    write_deals(tmp_path / "deals.npz", made)
    facts = export_deals(tmp_path / "deals.npz", tmp_path / "kit" / "deals")
    assert facts["deals"] == 80
    lines = pathlib.Path(facts["files"][0]).read_text().splitlines()
    rule = RuleSchieber()
    for line in lines:
        entry = GameLogEntry.from_json(json.loads(line))
        state = entry.game
        assert state.nr_played_cards == 36
        assert state.points.sum() == 157
        for k in range(9):
            first = int(state.trick_first_player[k])
            assert rule.calc_winner(state.tricks[k], first, state.trump) == state.trick_winner[k]
            assert rule.calc_points(state.tricks[k], k == 8, state.trump) == state.trick_points[k]
        assert entry.to_json() == json.loads(line)
    (tmp_path / "again.txt").write_text("\n".join(lines))
    import_logs([tmp_path / "again.txt"], tmp_path / "again.npz")
    assert same_deals(read_deals(tmp_path / "again.npz"), made)


def test_only_rules_of_jass_kit_are_marked(tmp_path):
    """Over two ruffs, 7 then ace, jass-kit lets an 8 through: the deal stays, under that rule."""
    game = load_game("jass-schieber", legal_rule="jass-kit")
    rng = np.random.default_rng(0)
    for _ in range(4000):
        hands = rng.permutation(36).reshape(4, 9)
        state = game.new_state(0, deal=hands.tolist())
        state.apply(36)
        cards = []
        while state.player >= 0:
            action = int(rng.choice(state.legal_actions()))
            cards.append(action)
            state.apply(action)
        deals = Deals.empty(1)
        deals.hands[0] = [sum(1 << int(card) for card in hand) for hand in hands]
        deals.mode[0], deals.cards[0], deals.played[0], deals.choice[0] = 0, cards, 36, 1
        check = replay_kernels().check
        if check(deals.hands[0], 15, 0, 0, deals.cards[0], 36, np.full(9, -1, np.int8))[0]:
            break
    else:
        pytest.fail("no such deal was drawn")
    found, facts = imported(tmp_path, session(swisslos_deal(deals, 0)))
    assert facts["jass_kit_rule"] == 1
    assert found.rule[0] == 1
    samples = CardSamples(found, "full")
    _, masks, targets = samples.batch(np.arange(36))
    assert masks[np.arange(36), targets].all()


def mutants(text, rng):
    """Yield damaged forms of a log: truncated, reordered, with foreign lines, with changed letters and values."""
    lines = text.splitlines()
    while True:
        kind = rng.randrange(6)
        changed = list(lines)
        if kind == 0:
            yield text[: rng.randrange(len(text))]
        elif kind == 1:
            rng.shuffle(changed)
            yield "\n".join(changed)
        elif kind == 2:
            foreign = rng.choice(
                ["nonsense", "{}", "[]", "null", '{"game":{}}', '{"rounds":[1,{},[]]}', "\x00\xff", "," * 38]
            )
            changed.insert(rng.randrange(len(changed) + 1), foreign)
            yield "\n".join(changed)
        elif kind == 3:
            place = rng.randrange(len(text))
            yield text[:place] + rng.choice('0123456789HDCSJQKA"{}[],:-') + text[place + 1 :]
        elif kind == 4:
            a, b = sorted(rng.randrange(len(text)) for _ in range(2))
            yield text[:a] + text[b:] if b - a < 2000 else text[:a] + text[a + 50 :]
        else:
            names = ["H6", "HJ", "SA", "D10", "C9"]
            one, two = rng.sample(names, 2)
            yield text.replace(f'"{one}"', '"#"', rng.randrange(1, 3)).replace(f'"{two}"', f'"{one}"', 1)


def right_deals(deals):
    """Play all deals by our own rules, card by card; whatever is in a file must be a deal that can have been played."""
    deals.check()
    for rule in (0, 1):
        check = replay_kernels(rule=rule).check
        for number in np.flatnonzero((deals.rule == rule) & (deals.mode >= 0)):
            what, _ = check(
                deals.hands[number],
                int(deals.views[number]) if deals.first[number] == 0 else 0,
                int(deals.forehand[number]),
                int(deals.mode[number]),
                deals.cards[number],
                int(deals.played[number]),
                np.full(9, -1, np.int8),
            )
            assert what == 0
    samples = CardSamples(deals, "jass-42")
    _, masks, targets = samples.batch(np.arange(len(samples)))
    assert masks[np.arange(len(samples)), targets].all()


def logs_of_all_kinds(made):
    lines = [session(*(swisslos_deal(made, n, 36 if n % 3 else 18) for n in range(at, at + 3))) for at in (0, 3)]
    kit = [json.dumps(kit_entry(made, number), separators=(",", ":")) for number in range(4)]
    found = {"swisslos": "\n".join(lines), "jass-kit": "\n".join(kit)}
    found["challenge"] = json.dumps(server_log(made, [0, 1]))
    hand = ",".join(str(int(card % 4 == 0)) for card in range(36))
    found["trump-csv"] = "\n".join(f"{hand},{n % 2},{n},{n % 6}" for n in range(6))
    found["capture"] = "\n".join(json.dumps(line) for line in captured("session") if line["t"] < 6)
    found["jass-kit-observations"] = "\n".join(json.dumps(observation(made, 1, played)) for played in range(0, 36, 3))
    return found


def observation(deals, number, played):
    """What jass-kit logs of the decision after so many cards."""
    game = kit_entry(deals, number)["game"]
    seats = seats_of(deals)[number]
    cards, seat = deals.cards[number].tolist(), int(seats[played])
    tricks = [dict(trick) for trick in game["tricks"][: played // 4 + 1]]
    tricks[-1] = {"cards": tricks[-1]["cards"][: played % 4], "first": tricks[-1]["first"]}
    hands = [{"hand": []} for _ in range(4)]
    hands[our_seat(seat)]["hand"] = [CARDS[card] for card, who in zip(cards, seats, strict=True) if who == seat]
    gone = {CARDS[card] for card in cards[:played]}
    hands[our_seat(seat)]["hand"] = [name for name in hands[our_seat(seat)]["hand"] if name not in gone]
    told = {**game, "tricks": tricks, "player": hands, "playerView": our_seat(seat)}
    return {"obs": told, "action": kit_card(cards[played]), "date": "08.10.17 12:00:00", "player_id": 7}


@pytest.mark.parametrize("form", ["swisslos", "jass-kit", "challenge", "trump-csv", "capture", "jass-kit-observations"])
def test_mutants_are_counted_never_believed_and_never_crash(made, tmp_path, form):
    """More than 2,000 mutants over all formats."""
    text = logs_of_all_kinds(made)[form]
    rng = random.Random(7)
    source = mutants(text, rng)
    many = {"trump-csv": 200, "capture": 200, "jass-kit-observations": 300}.get(form, 620)
    path, out = tmp_path / "log.txt", tmp_path / "deals.npz"
    dropped = kept = 0
    for number in range(many):
        path.write_text(next(source), "utf-8", errors="replace")
        facts = import_logs([path], out, form)
        dropped += sum(facts["dropped"].values())
        kept += facts["deals"]
        assert facts["deals"] == read_header(out)["deals"]
        if number % 10 == 0:
            right_deals(read_deals(out))
    assert dropped > many // 4
    assert kept > many // 4


def test_foreign_files_are_refused_in_one_line(tmp_path):
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(BadFile, match="its format is not known"):
        detect(tmp_path / "a.txt")
    for form in FORMATS[1:-1]:
        facts = import_logs([tmp_path / "a.txt"], tmp_path / "deals.npz", form)
        assert facts["deals"] == 0
        assert sum(facts["dropped"].values()) >= 1
    with pytest.raises(BadFile):
        import_logs([tmp_path / "a.txt"], tmp_path / "other.npz", "results")
    with pytest.raises(BadFile, match="there is no such file"):
        import_logs([tmp_path / "b.txt"], tmp_path / "deals.npz")
    with pytest.raises(ValueError, match="no format"):
        import_logs([tmp_path / "a.txt"], tmp_path / "third.npz", "swiss")


def test_the_prefix_is_as_long_as_in_the_files_of_the_thesis():
    assert len(PREFIX) == 43

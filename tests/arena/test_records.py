"""Games kept as columns: the same records as one by one, counted the same way."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from stammtisch.arena.match import count, groups_of
from stammtisch.arena.plan import GameRecord, MatchPlan, forfeit, game_streams
from stammtisch.arena.ratings import fit_rankings
from stammtisch.arena.records import Records
from stammtisch.arena.replay import verify
from stammtisch.benchmarks import play_match

_MASK = (1 << 64) - 1


def some_records(n: int = 40, seed: int = 0, timed: bool = True) -> list[GameRecord]:
    rng = np.random.default_rng(seed)
    records = []
    for number in range(n):
        seating = (0, 1, 2) if number % 2 else (2, 0, 1)
        returns = tuple((rng.integers(-3, 4, 3) / 157).tolist())
        events = tuple(rng.integers(-2, 1 << 62, rng.integers(1, 12)).tolist())
        seconds = tuple(rng.random(3).tolist()) if timed else ()
        records.append(GameRecord(number, number // 2, seating, returns, events, len(events), seconds))
    return records


def test_records_come_back_as_they_were():
    records = some_records()
    games = Records.of(records)
    assert list(games) == records
    assert [game.seconds for game in games] == [record.seconds for record in records]
    assert [games[i] for i in range(-40, 40)] == records + records
    assert games[3:31:4] == records[3:31:4]
    assert games[::-1] == records[::-1]
    assert pickle.loads(pickle.dumps(games)) == games
    assert {type(value) for value in (games[5].number, games[5].moves, *games[5].events, *games[5].seating)} == {int}
    with pytest.raises(IndexError):
        games[40]


def test_records_are_equal_by_value():
    records = some_records()
    games = Records.of(records)
    assert records == games
    assert games == Records.of([replace(record, seconds=()) for record in records])
    assert games != Records.of(records[:-1])
    assert games != [replace(records[0], moves=99), *records[1:]]
    assert games != "games"


def test_parts_are_joined_in_the_order_of_their_numbers():
    records = some_records()
    parts = [Records.of(part) for part in (records[30:], [], records[10:30], records[:10])]
    assert Records.joined(parts) == records
    assert Records.joined(parts[::-1]) == records
    assert Records.joined([]) == []


def test_games_that_were_timed_are_told_from_those_that_were_not():
    records = some_records(10) + [replace(r, number=r.number + 10) for r in some_records(10, 1, timed=False)]
    together = Records.of(records)
    apart = Records.joined([Records.of(records[:10]), Records.of(records[10:])])
    for games in (together, apart):
        assert games.timed().tolist() == [True] * 10 + [False] * 10
        assert [game.seconds for game in games] == [record.seconds for record in records]


def test_scores_of_columns_are_those_of_single_games():
    """A draw is a return of exactly the mean, which sums of fractions must not miss."""
    records = some_records(2000)
    games = Records.of(records)
    for agent in range(3):
        expected = []
        for record in records:
            points = [round(157 * value) for value in record.returns]
            ahead = 3 * points[record.seating.index(agent)] - sum(points)
            expected.append(1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0)
        assert games.scores(agent).tolist() == expected
    assert 0.5 in expected


def test_repeated_games_are_counted_exactly():
    records = some_records(30)
    assert Records.of(records).distinct() == 30
    assert Records.of(records + records[:7]).distinct() == 30
    long = (5, 6) * 100
    alike = [replace(records[0], events=events) for events in (long, (*long[:-1], 7), long, long[:-2])]
    assert Records.of(alike).distinct() == 3
    assert Records.of([replace(record, events=(1,)) for record in records]).distinct() == 1
    given_up = [replace(record, events=()) for record in records[:2]]
    assert Records.of([given_up[0], *records, given_up[1]]).distinct() == 31


def test_a_match_counts_single_records_and_columns_alike():
    result = play_match("einstein-3x3", ["heuristic", "random"], games=61, seed=2)
    plan = MatchPlan("einstein-3x3", ("heuristic", "random"), 61, 2)
    again = count(plan, list(result.records), result.seconds)
    assert again.to_json() == result.to_json()
    assert groups_of([again]) == groups_of([result])
    assert [group.games for group in groups_of([result])] == [2] * 30 + [1]
    by_hand = [(record.returns[record.seating.index(0)] + 1) / 2 for record in result.records]
    assert (result.wins, result.score) == (by_hand.count(1.0), pytest.approx(sum(by_hand) / 61))


def test_where_three_meet_each_pair_is_rated_by_who_ranked_higher():
    records = some_records(40)
    groups = groups_of([count(MatchPlan("reversixt-3", ("a", "b", "c"), 40), records, 0.0)])
    assert len(groups) == 3 * 20
    for first, second in ((0, 1), (0, 2), (1, 2)):
        own = [record.returns[record.seating.index(first)] for record in records]
        theirs = [record.returns[record.seating.index(second)] for record in records]
        scores = [(a > b) + (a == b) / 2 for a, b in zip(own, theirs, strict=True)]
        found = [group for group in groups if (group.first, group.second) == ("abc"[first], "abc"[second])]
        assert [group.score for group in found] == [sum(scores[i : i + 2]) for i in range(0, 40, 2)]
        assert {group.games for group in found} == {2}


def test_streams_follow_from_seed_group_game_and_seat():
    """The plain twin: splitmix64's output function, twice, on a numbered place."""

    def mixed(z: int) -> int:
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    first, second = np.random.SeedSequence(9).generate_state(2, np.uint64).tolist()
    streams = game_streams(9, 2, 4, [0, 1, 7, 1 << 40])
    for row, number in zip(streams.tolist(), [0, 1, 7, 1 << 40], strict=True):
        for column, word in enumerate(row):
            place = (number // 2 if column in (0, 5) else number) * 6 + column
            assert word == mixed(first + mixed(second + (place + 1) * 0x9E3779B97F4A7C15 & _MASK) & _MASK)


def test_rankings_may_be_given_with_how_often_they_were_seen():
    rankings = [[["a"], ["b", "c"]], [["b"], ["a"], ["c"]], [["c", "a"], ["b"]]]
    times = [3, 1, 2]
    repeated = [ranking for ranking, n in zip(rankings, times, strict=True) for _ in range(n)]
    assert fit_rankings(rankings, times) == pytest.approx(fit_rankings(repeated))


@pytest.mark.parametrize("kept", [0, 1, 3, 4])
def test_a_game_may_be_given_up_before_and_after_every_roll(kept):
    plan = MatchPlan("einstein-3x3", ("random", "random"), 2, seed=3)
    record = play_match("einstein-3x3", ["random", "random"], games=2, seed=3).records[0]
    returns = (-1.0, 1.0)
    given_up = replace(record, events=(*record.events[:kept], forfeit(0)), moves=kept // 2, returns=returns)
    assert verify(plan, [given_up]) == (1, [])
    assert verify(plan, [replace(given_up, returns=(1.0, -1.0))])[1] == ["game 0: the result is not that of a forfeit"]

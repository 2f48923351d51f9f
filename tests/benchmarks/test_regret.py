"""What players lose against perfect play: never negative, nothing for perfect play, the same computed plainly."""

import json

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks.regret.count import count, difference
from stammtisch.benchmarks.regret.measure import build_tables, measure_regret
from stammtisch.benchmarks.regret.pictures import BEST, PLAYED, moment_picture, moment_text
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.play import Judge, split_regret
from stammtisch.benchmarks.regret.rows import JudgedGame, JudgedMove, RegretStore
from stammtisch.benchmarks.regret.tables import regret_rows, stage_rows
from stammtisch.benchmarks.suites.suite import load_suite
from stammtisch.envs.core.agents import AGENTS, read_spec
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.errors import BadFile
from stammtisch.models import ladder_of
from tests.envs.test_double_dummy import minimax

SMALL = RegretPlan("reversi-4x4", "random", "random", games=12, seed=3)
JASS = RegretPlan("jass-schieber", "heuristic", games=4, seed=1, reach=3, worlds=5)


def plain_value(state, seat):
    if state.player == TERMINAL:
        return state.returns()[seat]
    values = [plain_value(state.child(action), seat) for action in state.legal_actions()]
    return max(values) if state.player == seat else min(values)


def judged(plan):
    return [decision for game in Judge(plan.checked()).play(range(plan.games)) for decision in game.decisions]


def test_values_agree_with_plain_minimax():
    """On the last cells of the smallest board, whole trees are walked through."""
    plan = RegretPlan("reversi-4x4", "random", "random", games=6, seed=5, reach=5)
    game = stammtisch.load_game("reversi-4x4")
    decisions = judged(plan)
    assert decisions
    for decision in decisions:
        state = game.from_text(decision.position)
        assert state.player == decision.seat
        values = {action: plain_value(state.child(action), decision.seat) for action in state.legal_actions()}
        assert decision.best == max(values.values())
        assert decision.chosen == values[decision.action]
        assert values[decision.best_action] == decision.best
        assert decision.legal == len(values) > 1


def test_perfect_play_loses_nothing_and_nobody_less():
    random = measure_regret(SMALL)
    perfect = measure_regret(RegretPlan("reversi-4x4", "perfect", "random", games=12, seed=3))
    assert perfect.per_game.mean == perfect.whole.loss.mean == perfect.whole.blunders.mean == 0
    assert perfect.whole.best == 1
    assert not perfect.worst
    assert random.per_game.mean > 0
    assert difference(random, perfect).mean == pytest.approx(random.per_game.mean)
    assert [row["agent"] for row in regret_rows([random, perfect])] == ["perfect", "random"]
    assert all(decision.loss >= 0 for decision in judged(SMALL))


def test_jass_regret_is_that_of_minimax_in_the_last_tricks():
    """The true deal by brute force; the parts are those of worlds dealt one by one."""
    game = stammtisch.load_game("jass-schieber")
    decisions = judged(JASS)
    assert decisions
    for decision in decisions:
        state = game.from_text(decision.position)
        sign = -1 if decision.seat % 2 else 1
        values = {card: sign * minimax(state.child(card)) for card in state.legal_actions()}
        assert decision.best == pytest.approx(max(values.values()))
        assert decision.chosen == pytest.approx(values[decision.action])
        assert min(decision.known, decision.hidden) >= 0


def test_the_cheater_loses_nothing_where_deals_are_solved():
    result = measure_regret(RegretPlan("jass-schieber", "cheater:reach=3", games=4, reach=3, worlds=2))
    assert result.per_game.mean == 0
    assert result.to_json()["cheaters"] == ["cheater:reach=3"]


def test_regret_splits_into_what_could_be_known_and_what_not(rng):
    values = rng.normal(size=(50, 4))
    for chosen in range(4):
        known, hidden = split_regret(values, chosen)
        assert min(known, hidden) >= 0
        assert known + hidden == pytest.approx((values.max(axis=1) - values[:, chosen]).mean())
    assert split_regret(np.array([[1.0, 0.0], [0.0, 1.0]]), 0) == (0.0, 0.5)
    assert split_regret(np.array([[1.0, 0.0], [1.0, 0.0]]), 1) == (1.0, 0.0)


def decision(best, chosen, number=0, ply=0, stage="all"):
    return JudgedMove(number, ply, 0, stage, 0, 1, best, chosen, 2, best - chosen, 0.0, "")


def test_blunders_are_wins_thrown_away_and_draws_lost():
    kinds = {(1, 1): 0, (1, 0): 1, (1, -1): 1, (0, -1): 2, (-1, -1): 0, (0.2, 0.1): 0, (0.2, -0.1): 1}
    for (best, chosen), kind in kinds.items():
        each = decision(best, chosen)
        assert (each.throws_win, each.loses_draw) == (kind == 1, kind == 2)


def test_figures_are_counted_by_hand():
    games = [
        JudgedGame(0, 0, "", 1, 2, (decision(1, 1), decision(1, -1, 0, 2))),
        JudgedGame(1, 0, "", 0, 0, (decision(0, -1, 1),)),
        JudgedGame(2, 1, "", 0, 1, (decision(0, 0, 2, stage="late"),)),
        JudgedGame(3, 1, "", 0, 0, ()),
    ]
    result = count(SMALL.checked(), games, 1.0)
    assert (result.games, result.forced, result.uncovered) == (4, 1, 3)
    assert result.per_game.mean == 3 / 4
    assert result.whole.loss.mean == 3 / 4
    assert (result.whole.thrown, result.whole.lost, result.whole.best) == (1, 1, 0.5)
    assert result.per_game.low <= result.per_game.mean <= result.per_game.high
    assert [stage.stage for stage in result.stages] == ["late", "all"] or result.stages[0].decisions == 3
    assert [each.loss for each in result.worst] == [2, 1]
    assert stage_rows([result])[0]["cells"][0]["decisions"] > 0


@pytest.mark.slow
def test_workers_make_no_difference():
    one, two = (measure_regret(JASS, workers=workers) for workers in (1, 2))
    assert one.to_json() | {"seconds": 0} == two.to_json() | {"seconds": 0}


def test_rows_are_kept_and_games_not_played_again(tmp_path):
    plan = SMALL.checked()
    path = tmp_path / "regret.sqlite"
    first = RegretStore(path)
    part = measure_regret(RegretPlan(**{**plan.__dict__, "games": 5}), first)
    first.close()
    played = []
    again = RegretStore(path)
    whole = measure_regret(plan, again, progress=played.append)
    again.close()
    assert part.games == 5
    assert played[0] == 5
    assert sum(played) == 12
    assert whole.to_json() | {"seconds": 0} == measure_regret(plan).to_json() | {"seconds": 0}


def test_a_file_of_something_else_is_refused(tmp_path):
    from stammtisch.arena.store import Store

    Store(tmp_path / "results.sqlite").close()
    with pytest.raises(BadFile, match="not one of stammtisch's judged decisions"):
        RegretStore(tmp_path / "results.sqlite")


def test_the_best_move_is_drawn_in():
    result = measure_regret(SMALL)
    worst = result.worst[0]
    drawn = moment_picture(result.plan, worst).to_svg()
    for color in (BEST, PLAYED):
        assert "#{:02x}{:02x}{:02x}".format(*color) in drawn
    assert "best: " in moment_text(result.plan, worst)


def test_all_agents_of_a_seed_begin_at_the_same_positions():
    plans = [RegretPlan("reversi-6x6", agent, games=4, seed=2, reach=6) for agent in ("random", "heuristic")]
    starts = [[game.start for game in Judge(plan.checked()).play(range(4))] for plan in plans]
    assert starts[0] == starts[1]
    assert starts[0][0] == starts[0][1] != starts[0][2]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (RegretPlan("einstein-5x5", "random"), "einstein-5x5 is not solved"),
        (RegretPlan("jass-schieber-2500", "random"), "what later deals bring"),
        (RegretPlan("reversi-4x4", "random", worlds=3), "nothing is hidden"),
        (RegretPlan("reversi-4x4", "nobody"), 'no agent "nobody"'),
        (RegretPlan("reversi-4x4", "random", games=0), "at least 1"),
    ],
)
def test_what_cannot_be_measured_is_said(plan, words):
    with pytest.raises(ValueError, match=words):
        plan.checked()


def test_a_suite_may_ask_for_regret(tmp_path):
    from stammtisch.benchmarks.reports.report import write_report
    from stammtisch.benchmarks.suites.run import run_suite
    from stammtisch.benchmarks.suites.suite import load_suite

    path = tmp_path / "small.toml"
    path.write_text('[[regret]]\ngame = "reversi-4x4"\nagents = ["random", "perfect"]\ngames = 4\n')
    result = run_suite(load_suite(str(path)))
    page = write_report(result, tmp_path).read_text("utf-8")
    assert "Regret: reversi-4x4" in page
    assert "Worst moments" in page
    assert (tmp_path / "regret.csv").read_text().count("\n") == 3
    assert len(json.loads((tmp_path / "results.json").read_text())["regret"]) == 2


def test_muehle_begins_at_positions_of_its_tables(tmp_path):
    game = stammtisch.load_game("muehle")
    plan = RegretPlan("muehle", "random", "random", games=4, moves=6, tables=str(tmp_path))
    with pytest.raises(ValueError, match="no tables of muehle"):
        measure_regret(plan)
    build_tables(game, 6, str(tmp_path))
    result = measure_regret(plan)
    for game_played in Judge(plan.checked()).play(range(4)):
        men = game.from_text(game_played.start)._row[game.rules.LEFT : game.rules.LEFT + 2]
        assert men.tolist() == [3, 3]
    assert result.whole.decisions > 0
    assert result.stages[0].stage == "flying"
    perfect = measure_regret(
        RegretPlan("muehle", f"perfect:tables={tmp_path}", "random", 4, moves=6, tables=str(tmp_path))
    )
    assert perfect.per_game.mean == 0
    # Larger tables change nothing for who asks for these, and make another measurement for who takes what is there.
    small, whatever = plan.checked(), plan
    assert small.size == 6
    build_tables(game, 7, str(tmp_path))
    assert whatever.checked().size == 7
    assert whatever.checked().key() != small.key()
    assert measure_regret(small).to_json() | {"seconds": 0} == result.to_json() | {"seconds": 0}
    starts = [Judge(each.checked()).start(group).to_text() for each in (whatever, small) for group in range(8)]
    assert starts[:8] != starts[8:]


def test_einstein_agrees_with_plain_expectimax():
    """From positions late in games, whole trees are walked through, dice and all."""

    def expected(state, seat):
        if state.player == TERMINAL:
            return state.returns()[seat]
        if state.player == CHANCE:
            return sum(p * expected(state.child(outcome), seat) for outcome, p in state.chance_outcomes())
        values = [expected(state.child(action), seat) for action in state.legal_actions()]
        return max(values) if state.player == seat else min(values)

    game = stammtisch.load_game("einstein-3x3")
    late = [each for each in judged(RegretPlan("einstein-3x3", "random", "random", games=30, seed=2)) if each.ply >= 3]
    assert late
    for each in late[:8]:
        state = game.from_text(each.position)
        values = {action: expected(state.child(action), each.seat) for action in state.legal_actions()}
        assert each.best == pytest.approx(max(values.values()), abs=1e-6)
        assert each.chosen == pytest.approx(values[each.action], abs=1e-6)


def plays(name, game):
    """Tell whether a player can sit down without a file."""
    try:
        stammtisch.load_agent(name, game)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("entry", load_suite("regret").regrets, ids=lambda entry: entry.name)
def test_the_suite_judges_every_player_that_ships(entry):
    """All agents that can play, and all rungs of the ladder; an alpha-beta search without its table is no other one."""
    rungs = ladder_of(entry.game).rungs
    listed = [rungs[int(agent[7:]) - 1].agent if agent.startswith("ladder-") else agent for agent in entry.agents]
    assert {rung.agent for rung in rungs} - {"pimc:worlds=30"} <= set(listed)  # what pimc does anyway
    names = {read_spec(agent)[0] for agent in listed}
    missing = set(AGENTS) - names - {"ladder", "engine", "rote"}
    assert [name for name in sorted(missing) if plays(name, entry.game)] == []

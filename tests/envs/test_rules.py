"""The names that rules define: those that every game has, and the stand-ins for those that it left out."""

import inspect
import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core import loader
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import OptionalRules, Policy, Rules, required_names, uncompiled

FLAGS = ("HAS_CHANCE", "LISTS_CHANCE", "PAYS_ALONG", "HAS_HIDDEN", "HAS_SYMMETRIES", "FILLS_BOARD")


def methods(protocol):
    found = inspect.getmembers(protocol, inspect.isfunction)
    return {name: list(inspect.signature(function).parameters)[1:] for name, function in found if name[0] != "_"}


def test_every_rule_of_the_protocol_is_there_with_its_arguments(game):
    for name, arguments in methods(Rules).items():
        assert list(inspect.signature(uncompiled(getattr(game.rules, name))).parameters) == arguments, name
    for protocol in (Rules, *Rules.__mro__):
        for name in getattr(protocol, "__annotations__", ()):
            assert hasattr(game.rules, name), name
    assert set(required_names()) >= {"STATE_LEN", "init", "player", "legal", "apply", "returns", "observe"}


def test_every_policy_and_evaluation_takes_what_the_protocol_says(game):
    for policy in ("random", *game.POLICIES):
        module = game.policy_module(policy)
        assert (policy == "random") == module.IS_RANDOM
        for name, arguments in methods(Policy).items():
            assert list(inspect.signature(uncompiled(getattr(module, name))).parameters) == arguments, (policy, name)


@pytest.mark.parametrize(
    ("game_id", "flags"),
    [
        ("einstein-3x3", {"HAS_CHANCE", "LISTS_CHANCE"}),
        ("reversi-4x4", {"HAS_SYMMETRIES", "FILLS_BOARD"}),
        ("morris-3", {"HAS_SYMMETRIES"}),
        ("jass-schieber", {"HAS_CHANCE", "HAS_HIDDEN"}),
        ("jass-differenzler", {"HAS_CHANCE", "HAS_HIDDEN"}),
    ],
)
def test_flags_tell_what_is_real(game_id, flags):
    rules = stammtisch.load_game(game_id).rules
    assert {name for name in FLAGS if getattr(rules, name)} == flags


def test_rewards_on_the_way_are_real_where_an_option_asks_for_them():
    assert stammtisch.load_game("jass-schieber", pay="trick").rules.PAYS_ALONG


def test_a_games_own_rules_go_before_stand_ins(game):
    given = game.rules.BINDINGS["GIVEN"].contents()
    for name in methods(OptionalRules):
        assert (getattr(game.rules, name) is given.get(name)) == (name in given), name


def test_complete_rules_pickle_by_name(game):
    assert pickle.loads(pickle.dumps(game.rules)) is game.rules


def test_rules_that_lack_something_say_what(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    names = [name for name in required_names() if name not in ("legal", "TEAMS")]
    (tmp_path / "half_a_game.py").write_text("".join(f"{name} = 0\n" for name in names))
    given = loader.load("half_a_game", "half")
    with pytest.raises(TypeError, match="half_a_game lacks TEAMS, legal"):
        loader.load("stammtisch.envs.kernels.complete", "half", GIVEN=given)


DRAWING = [
    ("einstein-3x3", {}),
    ("einstein-5x5", {"choice": "gbg"}),
    ("einstein-6x6-3p", {}),
    ("reversi-4x4", {"voluntary_pass": True}),
    ("reversi-10x10", {}),
    ("muehle", {}),
    ("morris-3", {}),
    ("morris-12", {"flying": False}),
]


@pytest.mark.parametrize(("game_id", "options"), DRAWING)
def test_drawing_an_action_is_drawing_from_the_list(game_id, options):
    game = stammtisch.load_game(game_id, **options)
    rules = game.rules
    assert "draw" in rules.BINDINGS["GIVEN"].contents()
    acts, rng = np.zeros(rules.MAX_BRANCH, np.int64), np.random.default_rng(5)
    streams, same = rng.integers(1 << 60, size=(2, 3), dtype=np.uint64)
    same[:] = streams
    for seed in range(8):
        state = game.new_state(seed=seed)
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state.sample_chance(rng)
                continue
            listed = acts[below(same, 1, rules.legal(state.row, acts))]
            drawn = rules.draw(state.row, streams, 1, np.zeros_like(acts))
            assert drawn == listed
            assert (streams == same).all()
            state.apply(int(drawn))

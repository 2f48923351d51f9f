"""The table of learners: settings that suit every game, and one way to run them."""

import json

import pytest

import stammtisch
from stammtisch.envs import GAMES, game_class
from stammtisch.envs.core.options import object_schema, option_rows
from stammtisch.training.learners import LEARNERS, learner_named
from stammtisch.training.settings import LearnerSettings, read_settings


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("game_id", GAMES)
def test_what_suits_a_game_is_allowed(name, game_id):
    cls = learner_named(name).settings_class
    settings = cls.for_game(game_id)
    assert settings.game == game_id
    suited = game_class(game_id).training_defaults(name, game_id)
    assert {key: getattr(settings, key) for key in suited} == suited
    assert cls.for_game(game_id, json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_what_can_be_set(name):
    learner = learner_named(name)
    settings = learner.settings_class.for_game("einstein-3x3")
    assert isinstance(settings, LearnerSettings)
    assert learner.work in learner.table
    assert {"game", "options", "seed"} < set(learner.table)
    assert all(row[0] and row[4] for row in option_rows(learner.table, settings.to_dict()))
    json.dumps(object_schema(learner.table), allow_nan=False)
    with pytest.raises(ValueError, match=f'no setting for train {name} "sed"; did you mean "seed"'):
        learner.settings_class.for_game("einstein-3x3", {"sed": 1})
    with pytest.raises(ValueError, match=f"seed=-1 for train {name} is not allowed; give an integer of at least 0"):
        learner.settings_class.for_game("einstein-3x3", {"seed": -1})


def test_defaults_are_looked_up_by_game_then_family_then_in_general():
    cls = learner_named("ntuple").settings_class
    rows = game_class("einstein-5x5").TRAINING["ntuple"]
    assert cls.for_game("einstein-5x5").episodes == rows["einstein-5x5"]["episodes"]
    assert cls.for_game("einstein-5x5").coding == rows["einstein"]["coding"]
    assert cls.for_game("einstein-5x5").gamma == cls.table()["gamma"].default
    assert cls.for_game("einstein-5x5", {"coding": 1}, {"gamma": 1}).coding == 1


def test_options_of_the_game_are_checked_with_the_settings():
    cls = learner_named("sb3").settings_class
    with pytest.raises(ValueError, match='no option for jass-schieber "wies"; did you mean "weis"'):
        cls.for_game("jass-schieber", {"options": {"wies": True}})
    with pytest.raises(ValueError, match="settings of a training of muehle do not fit morris-3"):
        cls.for_game("morris-3", {"game": "muehle"})


@pytest.mark.parametrize("name", LEARNERS)
def test_a_training_goes_on_only_where_one_was_begun(name, tmp_path):
    learner = learner_named(name)
    out = tmp_path / "run" if learner.has_folder else tmp_path / f"player{learner.suffix}"
    if learner.has_folder:
        out.mkdir()  # an empty folder is no training
    with pytest.raises(ValueError, match=r"there is no training .* to go on with"):
        learner.check_target(out, resume=True)
    learner.check_target(out, resume=False)


@pytest.mark.parametrize("name", LEARNERS)
def test_no_training_is_overwritten(name, tmp_path):
    learner = learner_named(name)
    out = tmp_path / "run" if learner.has_folder else tmp_path / f"player{learner.suffix}"
    begun = learner._checkpoint_of(out) if learner.has_folder else out
    begun.parent.mkdir(exist_ok=True)
    begun.touch()
    with pytest.raises(ValueError, match="add --resume to go on with it, or choose another"):
        learner.check_target(out, resume=False)


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("ntuple", {"episodes": 64, "eval_games": 2}),
        ("rote", {"games": 2, "plies": 6, "nodes": 200, "searches": 3, "answers": 50}),
    ],
)
def test_a_learner_runs_from_settings_to_a_player(name, small, tmp_path):
    learner = learner_named(name)
    out, done = tmp_path / "player.npz", []
    settings = learner.settings_class.for_game("morris-3", small)
    facts = learner.train(settings, out, show=lambda work, *_: done.append(work))
    assert sum(done) == getattr(settings, learner.work)
    json.dumps(facts, allow_nan=False)
    assert stammtisch.load_agent(learner.agent.format(out=out), "morris-3").options


def test_unknown_learners_are_named():
    with pytest.raises(ValueError, match='no learner "ntupel"; did you mean "ntuple"'):
        learner_named("ntupel")


def test_files_of_settings_are_read_whatever_their_kind(tmp_path):
    cls = learner_named("rote").settings_class
    for file, text in {
        "a.yaml": "games: 1e3\neviction: use\n",
        "a.toml": 'games = 1e3\neviction = "use"\n',
        "a.json": '{"games": 1000.0, "eviction": "use"}',
    }.items():
        (tmp_path / file).write_text(text)
        settings = cls.for_game("muehle", read_settings(tmp_path / file))
        assert (settings.games, settings.eviction) == (1000, "use")

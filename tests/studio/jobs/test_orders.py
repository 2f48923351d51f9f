"""What a page may ask for, and what it is told when it may not."""

import contextlib
import random
import string

import pytest

from stammtisch.studio.jobs import forms
from stammtisch.studio.jobs.kinds import order
from stammtisch.studio.jobs.orders import FieldError
from stammtisch.studio.models import Models
from stammtisch.studio.trust import Trust
from stammtisch.training.learners import LEARNERS

TRAINING = {"learner": "ntuple", "game": "einstein-3x3", "settings": {"episodes": 10}, "name": "tiny"}
VALIDATION = {"game": "einstein-3x3", "agent": "heuristic", "opponent": "random", "games": 20}


SUPERVISED = {"learner": "supervised", "game": "jass-schieber"}


@pytest.fixture
def trust(tmp_path):
    (tmp_path / "deals").mkdir()
    (tmp_path / "deals" / "here.npz").write_bytes(b"deals")
    return Trust(Models(tmp_path / "models"))


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_has_a_form_made_from_its_table(learner):
    form = forms.training_form(learner, "einstein-3x3")
    names = [field["name"] for field in form["fields"]]
    assert set(names) == set(LEARNERS[learner].table) - {"game", "options"}
    assert hasattr(LEARNERS[learner].settings_class.for_game("einstein-3x3"), form["work"])
    for field in form["fields"]:
        assert field["description"]
        assert "type" in field or "anyOf" in field or field["value"] is None
    with pytest.raises(ValueError, match="no game"):
        forms.training_form(learner, "einstein-9x9")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"learner": "magic"}, "learner", 'no learner "magic"'),
        ({"game": "chess"}, "game", 'no game "chess"'),
        ({"game": 3}, "game", "choose a game"),
        ({"name": "../up"}, "name", "cannot be called"),
        ({"name": "a/b"}, "name", "cannot be called"),
        ({"name": ".hidden"}, "name", "cannot be called"),
        ({"options": {"colour": 1}}, "colour", 'no option for einstein-3x3 "colour"'),
        ({"settings": {"episodes": 0}}, "episodes", "episodes=0"),
        ({"settings": {"episodes": 1e300}}, "episodes", "is not allowed"),
        ({"settings": {"epsilon": "nan"}}, "epsilon", "is not allowed"),
        ({"settings": {"nothing": 1}}, "nothing", "no setting"),
        ({"settings": {"game": "muehle"}}, "game", "stands beside"),
        ({"settings": {"tensorboard": "/tmp/here"}}, "tensorboard", "not a path"),
        ({"settings": {"tensorboard": "../../here"}}, "tensorboard", "not a path"),
        ({"settings": {"tuples": "/etc/passwd"}}, "tuples", "is a path"),
        ({"settings": {"compact": "/tmp/anywhere.npz"}}, "compact", "is a path"),
        ({"game": "reversixt-2", "options": {"map": "/etc/passwd"}}, "map", "not taken from a page"),
        ({"game": "reversixt-2", "options": {"map": "../x.map"}}, "map", "not taken from a page"),
        ({"settings": {"opponents": ["os:system,x=1"]}}, "opponents", "names a class"),
        ({"settings": {"opponents": ["ntuple:file=/etc/passwd"]}}, "opponents", "no file of a model"),
        ({"settings": {"opponents": ["model:../../x"]}}, "opponents", "no model"),
        ({"learner": "rl-jass"}, "game", "only jass-schieber"),
        ({**SUPERVISED, "settings": {"data": ["/etc/passwd"]}}, "data", "is a path"),
        ({**SUPERVISED, "settings": {"data": ["deals:../x"]}}, "data", "no file of deals"),
        ({**SUPERVISED, "settings": {"data": ["deals:here", "deals:missing"]}}, "data", "available: here"),
        ({"learner": "dqn", "settings": {"train_phases": ["../x"]}}, "train_phases", "not taken from a page"),
    ],
)
def test_a_training_is_refused_at_its_field(trust, change, field, message):
    with pytest.raises(FieldError) as caught:
        order("training", {**TRAINING, **change}, trust)
    assert caught.value.name == field
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agent": ""}, "agent"),
        ({"agent": "sb3:/tmp/x.zip,trust=1"}, "agent"),
        ({"agent": "sb3:/tmp/x.zip"}, "agent"),
        ({"agent": "subprocess:Popen"}, "agent"),
        ({"agent": "engine:gtp,command=touch pwned"}, "agent"),
        ({"agent": "engine:openspiel,bot=x"}, "agent"),
        ({"agent": "x" * 10_000}, "agent"),
        ({"agent": ["random"]}, "agent"),
        ({"opponent": "rote:table=../../etc/passwd"}, "opponent"),
        ({"opponent": "model:missing"}, "opponent"),
        ({"opponent": "pimc"}, "opponent"),  # needs hidden cards
        ({"games": 21}, "games"),
        ({"games": 10**9}, "games"),
        ({"opening": -1}, "opening"),
        ({"game": "../x"}, "game"),
        ({"workers": 1000}, "workers"),
    ],
)
def test_a_validation_is_refused_at_its_field(trust, change, field):
    with pytest.raises(FieldError) as caught:
        order("validation", {**VALIDATION, **change}, trust)
    assert caught.value.name == field


def test_deals_are_named_not_found_by_paths(trust, tmp_path):
    made = order("training", {**SUPERVISED, "settings": {"data": ["deals:here"]}}, trust)
    assert made.plan["settings"]["data"] == [str(tmp_path / "deals" / "here.npz")]
    (tmp_path / "deals" / "out.npz").symlink_to("/etc/passwd")
    with pytest.raises(FieldError, match="no file of deals"):
        order("training", {**SUPERVISED, "settings": {"data": ["deals:out"]}}, trust)


def test_a_suite_is_one_that_is_installed(trust):
    assert order("suite", {"suite": "quick", "games": 2}, trust).total > 0
    for name in ("/etc/passwd", "../quick", "quick.toml", ""):
        with pytest.raises(FieldError, match="no suite"):
            order("suite", {"suite": name}, trust)
    assert {"quick", "full"} <= {suite["name"] for suite in forms.suite_form()["suites"]}


def test_a_link_out_of_the_folder_of_models_is_not_followed(trust, tmp_path):
    (tmp_path / "secret.npz").write_bytes(b"x")
    (trust.models.folder / "sly.npz").symlink_to(tmp_path / "secret.npz")
    with pytest.raises(ValueError, match="no file of a model"):
        trust.spec(f"ntuple:file={trust.models.folder / 'sly.npz'}")


def test_whoever_starts_the_studio_can_allow_more(tmp_path):
    trusting = Trust(Models(tmp_path / "models"), trusted=True)
    assert trusting.spec("my_pkg.players:Careful") == "my_pkg.players:Careful"


def _mutated(draw, value):
    """Return something like ``value``, or something else altogether."""
    others = [None, True, -1, 10**30, 1e308, float("nan"), "", "x" * 3000, "../..", "\x00", "model:", [], {}, [[[]]]]
    if draw.random() < 0.3:
        return draw.choice(others)
    if isinstance(value, dict):
        found = {key: _mutated(draw, item) if draw.random() < 0.4 else item for key, item in value.items()}
        if draw.random() < 0.3:
            found["".join(draw.choices(string.printable, k=5))] = draw.choice(others)
        return found
    if isinstance(value, str) and value:
        at = draw.randrange(len(value))
        return value[:at] + draw.choice(string.printable) + value[at + draw.randrange(2) :]
    return draw.choice(others)


def test_ten_thousand_mutated_requests_are_orders_or_one_line(trust):
    draw = random.Random(1)
    requests = [("training", TRAINING), ("validation", VALIDATION), ("suite", {"suite": "quick", "games": 2})]
    for _ in range(10_000):
        kind, request = draw.choice(requests)
        with contextlib.suppress(ValueError):
            order(kind, _mutated(draw, request), trust)
    assert not list(trust.models.folder.iterdir())


def test_models_are_copied_deleted_and_taken_back(trust):
    models = trust.models
    models.create("a", "ntuple", "einstein-3x3", {}, {"job": "x"})
    with pytest.raises(ValueError, match="nothing to copy yet"):
        models.save_as("a", "b")
    models.named("a").out.write_bytes(b"weights")
    copy = models.save_as("a", "b")
    assert copy.out.read_bytes() == b"weights"
    assert models.named("b").facts == {"copy_of": "a"}
    assert models.called(f"{copy.spec},plies=2") == "model:b,plies=2"
    mark = models.delete("a")
    assert [model.name for model in models.listed()] == ["b"]
    assert models.restore(mark).name == "a"
    assert models.free_name("a") == "a-2"
    for mark in ("../b", "0@../b", "", None, "1@b"):
        with pytest.raises(ValueError, match="not in the bin"):
            models.restore(mark)

"""Games under way in the checkpoint of a training, forged by hand: refused, or games that go on."""

import random

import numpy as np
import pytest

from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.dqn.replay import OwnDecisions, Replay
from stammtisch.wrappers.random_symmetry import VectorRandomSymmetry
from tests.attack.damage import FEW, MANY, attack

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
NUMBERS = (-(1 << 62), -300, -3, -2, -1, 0, 1, 2, 3, 7, 40, 1000, 1 << 62)
KINDS = [("morris-3", "self"), ("einstein-3x3", "heuristic"), ("jass-schieber", "random")]
BELIEVED = ("rows", "obs", "streams")


def steps(env, masks, n, rng):
    for _ in range(n):
        actions = np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1)
        _, rewards, _, _, info = env.step(actions)
        assert np.isfinite(rewards).all()
        masks = info["action_mask"]
        assert masks.any(axis=1).all()
    return masks


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def saved(request):
    """What a batch of games has saved at several moments, and a batch that can go on with it."""
    game, opponent = request.param
    env, rng, found = BatchedEnv(game, 6, opponent), np.random.default_rng(0), []
    _, info = env.reset(seed=0)
    masks = info["action_mask"]
    for n in (0, 1, 2, 3, 5, 30):
        masks = steps(env, masks, n, rng)
        found.append({name: array.copy() for name, array in env.saved().items()})
    other = BatchedEnv(game, 6, opponent)
    other.reset(seed=1)
    return other, found


def test_what_was_saved_is_taken_over(saved):
    env, found = saved
    for arrays in found:
        env.restore(arrays)
        for name, array in env.saved().items():
            np.testing.assert_array_equal(array, arrays[name])


def forged(arrays, rng):
    """Return arrays with one to three numbers changed, or one of another form; not the positions themselves."""
    made = {name: array.copy() for name, array in arrays.items()}
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice([name for name in made if name not in BELIEVED])
        array = made[name]
        if array.shape and rng.random() < 0.1:
            made[name] = rng.choice((array[:1], array[None], array.astype(np.float32), np.zeros((), array.dtype)))
            continue
        if array.shape:
            place = tuple(rng.randrange(n) for n in array.shape)
            kind = np.iinfo(array.dtype) if array.dtype.kind == "i" else np.iinfo(np.int8)
            array[place] = max(kind.min, min(kind.max, rng.choice(NUMBERS)))
    return made


@pytest.mark.parametrize("count", COUNTS)
def test_forged_games_are_refused_or_played_on(saved, count):
    env, found = saved
    rng, drawn = random.Random(count), np.random.default_rng(1)

    def use(arrays):
        env.restore(arrays)
        steps(env, env.lanes.masks, 4, drawn)

    outcome = attack(use, found[0], (forged(rng.choice(found), rng) for _ in range(count)))
    assert outcome.tried == count
    assert count // 5 < outcome.refused < count


def test_seats_deciders_and_masks_that_cannot_be_are_refused(saved):
    env, found = saved
    for name, value, match in (
        ("players", 99, "seats"),
        ("seats", -77, "seats"),
        ("kinds", -9, "somebody else decides"),
        ("kinds", 2, "somebody else decides"),
        ("masks", 1, "stands elsewhere"),
        ("players", -2, "are said to go on"),
    ):
        with pytest.raises(ValueError, match=match):
            env.restore({**found[0], name: np.full_like(found[0][name], value)})


def test_memories_of_actions_that_there_are_not_are_refused():
    memory, follow = Replay(8, 3, np.int8, 5), OwnDecisions(2, 2, 3, np.int8, 5, 1, 1.0)
    kept, followed = memory.saved(), follow.saved()
    memory.restore(kept)
    follow.restore(followed)
    with pytest.raises(ValueError, match=r"actions 0\.\.9"):
        follow.restore({**followed, "actions": np.array([[[0, 9], [0, 0]]])})
    with pytest.raises(ValueError, match="-1 transitions"):
        memory.restore({**kept, "added": np.array(-1)})
    with pytest.raises(ValueError, match="observations"):
        memory.restore({**kept, "added": np.array(2)})


def test_frames_that_there_are_not_are_refused():
    env = VectorRandomSymmetry(BatchedEnv("morris-3", 4))
    env.turn(np.array([0, 7, 2, 3]))
    for chosen in ([0, 1, 2, 8], [-1, 0, 0, 0], [0, 0, 0]):
        with pytest.raises(ValueError, match=r"as many frames in 0\.\.7"):
            env.turn(np.array(chosen))


def test_masks_of_other_games_are_refused():
    adapter = pytest.importorskip("stammtisch.wrappers.libraries.sb3.vec_env")
    env = adapter.SB3VecEnv(BatchedEnv("morris-3", 4, autoreset_mode="SameStep"))
    env.reset()
    saved = env.saved()
    env.restore(saved)
    with pytest.raises(ValueError, match="its masks have the shape"):
        env.restore({**saved, "adapter masks": saved["adapter masks"][:2]})

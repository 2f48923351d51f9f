"""Checkpoints of AlphaZero whose searches were forged by hand: refused, or games go on; no kernel is led astray."""

import random

import numpy as np
import pytest

from stammtisch.baselines.kernels.puct_arrays import KEPT
from stammtisch.baselines.kernels.puct_records import COUNT, MOVER
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.envs import load_game
from stammtisch.training.alphazero.checks import check_records
from stammtisch.training.alphazero.selfplay import SelfPlay
from stammtisch.training.alphazero.settings import AlphaZeroSettings
from tests.attack.damage import FEW, MANY, attack

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
NUMBERS = (-(1 << 31), -2, -1, 0, 1, 2, 3, 7, 40, 127, 1000, 30_000, (1 << 31) - 1)
KINDS = [
    ("einstein-3x3", "gumbel"),
    ("einstein-3x3", "puct"),
    pytest.param(("reversi-4x4", "puct"), marks=pytest.mark.slow),
    pytest.param(("jass-schieber", "gumbel"), marks=pytest.mark.slow),
]
BELIEVED = ("rows", "deals", "flight", "last", "questions")


def player(game_id, search):
    """Return somebody who plays small games against himself."""
    small = {"positions": 400, "network": "mlp-8", "portion": 40, "lanes": 4, "backend": "numpy", "simulations": 8}
    settings = AlphaZeroSettings.for_game(game_id, {**small, "search": search, "full_share": 0.5})
    found = SelfPlay(settings)
    shape = NetworkShape.for_game(load_game(game_id), settings.network_for(found.game))
    found.use(shape.fresh_weights(0), 0)
    return found


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def saved(request):
    """What players have saved after portions of several lengths, and who can go on with it."""
    first = player(*request.param)
    found = []
    for positions in (1, 3, 5, 9, 2, 2):
        first.play(positions, -2.0)
        found.append({name: array.copy() for name, array in first.saved().items()})
    return player(*request.param), found


def test_what_was_saved_is_taken_over_and_played_on(saved):
    second, found = saved
    for arrays in found:
        second.restore(arrays)
        for name, array in second.saved().items():
            np.testing.assert_array_equal(array, arrays[name])
        second.use(second._shape.fresh_weights(0), 0)
        assert len(second.play(5, -2.0).records.facts) >= 5


def forged(arrays, rng):
    """Return arrays with one to three numbers changed, but for the positions that trees begin with."""
    made = {name: array.copy() for name, array in arrays.items()}
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(
            [name for name in made if not name.endswith(("rows", "deals", "flight", "last", "questions"))]
        )
        array = made[name]
        if not array.size:
            continue
        place = tuple(rng.randrange(min(n, 6) if rng.random() < 0.7 else n) for n in array.shape)
        if array.dtype.kind == "f":
            array[place] = rng.choice((np.nan, np.inf, -np.inf, 0.0, -1.0, 1e5, 1e30))
        else:
            kind = np.iinfo(array.dtype)
            array[place] = max(kind.min, min(kind.max, rng.choice(NUMBERS)))
    return made


@pytest.mark.parametrize("count", COUNTS)
def test_forged_searches_are_refused_or_played_on(saved, count):
    second, found = saved
    rng = random.Random(count)

    def use(arrays):
        second.restore(arrays)
        second.use(second._shape.fresh_weights(0), 0)
        records = second.play(5, -2.0).records
        check_records(second.game.rules, records)
        assert np.isfinite(records.policy).all()

    outcome = attack(use, found[0], (forged(rng.choice(found), rng) for _ in range(count)))
    assert outcome.tried == count
    assert count // 5 < outcome.refused < count


def test_trees_that_lead_astray_are_refused(saved):
    second, found = saved
    at = second._kernels.TREE
    arrays = max(found, key=lambda each: each["forest/lanes"][:, KEPT].max())

    def refused(name, place, value, match):
        made = {**arrays, name: arrays[name].copy()}
        made[name][place] = value
        with pytest.raises(ValueError, match=match):
            second.restore(made)

    refused("notes/facts", (slice(None), 0, MOVER), 99, "seat of 99")
    refused("notes/facts", (slice(None), 0, COUNT), 9999, "number of actions of 9999")
    refused("forest/lanes", (0, at.PENDING), 1 << 40, "cannot be")
    refused("begun", (), 2, "begun")
    if "forest/edges" in arrays:
        lane = int(np.argmax(arrays["forest/lanes"][:, at.NODES]))
        assert arrays["forest/lanes"][lane, at.NODES] > 1
        refused("forest/edges", (lane, 0, at.ACTION), 99, "other edges than its position")
        refused("forest/edges", (lane, slice(None), at.CHILD), 0, "does not hold the position")
        refused("forest/rows", (lane, 1), 0, "does not hold the position|other edges than its position")
        refused("forest/nodes", (lane, 0, at.COUNT), -1, "cannot be")
    else:
        refused("forest/actions", (slice(None), 0), 9999, "action of 9999")


def test_arrays_of_another_form_are_refused(saved):
    second, found = saved
    for name, array in found[0].items():
        if name == "begun":
            continue
        for changed in (array[:1], array[None], array.astype(np.complex128), np.zeros((), array.dtype)):
            with pytest.raises(ValueError, match=r"^[^\n]+$"):
                second.restore({**found[0], name: changed})

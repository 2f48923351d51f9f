"""The frozen players: every game has one, their files are checked, and the index says how they were made."""

import hashlib
import pathlib

import pytest

import stammtisch
from stammtisch.baselines.frozen import Champion
from stammtisch.envs import GAMES
from stammtisch.errors import BadFile
from stammtisch.models import FrozenModel, model_file, models_of
from stammtisch.models.index import FOLDER, read_index

HOUSE = [game_id for game_id, entry in GAMES.items() if not entry.is_outside]
MOST_BYTES = 25 << 20


@pytest.mark.parametrize("game_id", HOUSE)
def test_every_game_has_a_champion(game_id):
    assert models_of(game_id)
    agent = stammtisch.load_agent("champion", game_id, seed=0)
    assert isinstance(agent, Champion)
    assert agent.spec == "champion"


@pytest.mark.parametrize("model", read_index(), ids=lambda model: f"{model.name}-{model.agent}"[:50])
def test_rows_tell_what_they_are(model):
    assert model.name
    assert model.game in HOUSE
    assert "time_s" not in model.agent, "a budget in seconds is another player on every machine"
    if model.file:
        assert model_file(model).parent == FOLDER
        assert model.command.startswith("stammtisch train ")
        assert model.versions
        assert model.minutes > 0


def test_the_files_are_small_and_all_in_the_index():
    files = [path for path in FOLDER.iterdir() if path.suffix not in (".py", ".toml") and path.is_file()]
    assert {path.name for path in files} == {model.file for model in read_index() if model.file}
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


def test_a_flipped_bit_is_refused(tmp_path):
    path = tmp_path / "network.npz"
    data = bytearray(b"weights" * 100)
    path.write_bytes(data)
    model = FrozenModel(name="x", file=path.name, sha256=hashlib.sha256(data).hexdigest())
    assert model_file(model, tmp_path) == path
    data[50] ^= 4
    path.write_bytes(data)
    with pytest.raises(BadFile, match=r'cannot read model ".*network.npz": its checksum begins with') as refused:
        model_file(model, tmp_path)
    assert "\n" not in str(refused.value)
    path.unlink()
    with pytest.raises(BadFile, match="there is no such file"):
        model_file(model, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = 2", "this version reads format 1, not 2"),
        ("format = 1\n[[model]]\nnam = 'x'", 'no key for model 1 "nam"; did you mean "name"'),
        ("format = 1\n[[model]]\nseed = -1", "key seed=-1 for model 1 is not allowed"),
        ("format = ", "cannot read index of models"),
    ],
)
def test_a_wrong_index_is_one_line(tmp_path, text, message):
    (tmp_path / "index.toml").write_text(text)
    with pytest.raises(BadFile, match=message):
        read_index(pathlib.Path(tmp_path))

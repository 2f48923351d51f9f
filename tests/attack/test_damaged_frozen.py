"""Frozen players, tables of solved positions and AlphaZero, damaged or foreign: one line, or a player that plays."""

import json
import random

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.alphazero.files import KIND, load_network, save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.envs.core.tables import open_table, write_table
from stammtisch.errors import BadFile
from stammtisch.models.index import FOLDER, FrozenModel, model_file, read_index
from stammtisch.models.ladders import read_ladders
from tests.attack.damage import FEW, MANY, attack_file, scratched, scribbled
from tests.playing import random_state

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
GAME = "einstein-3x3"


def plays(spec, game):
    state = random_state(game, 1, 3)
    view = state.view(state.player)
    assert stammtisch.load_agent(spec, game, seed=0).act(view) in view.legal_actions()


# What ships


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("file", ["index.toml", "ladder.toml"])
def test_the_index_and_the_ladders(tmp_path, monkeypatch, file, count):
    monkeypatch.setattr("stammtisch.models.ladders._PATH", tmp_path / "ladder.toml")

    def read(path):
        read_index.__wrapped__(path.parent) if file == "index.toml" else read_ladders.__wrapped__()

    rng = random.Random(count)
    whole = (FOLDER / file).read_text("utf-8")
    head = whole[: min(len(whole), 6000)].rpartition("\n[[")[0] + "\n"  # enough rows, and quick to parse
    mutants = (
        scribbled(head, rng).encode("utf-8", "replace") if i % 4 else scratched(head.encode(), rng)
        for i in range(count)
    )
    outcome = attack_file(read, head.encode(), mutants, tmp_path / file)
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused


def test_a_frozen_network_with_one_bit_changed_cut_off_or_of_another_game_is_refused(tmp_path):
    shipped = next(model for model in read_index() if model.file)
    data = (FOLDER / shipped.file).read_bytes()
    rng = random.Random(5)
    path = tmp_path / shipped.file
    path.write_bytes(data)
    assert model_file(shipped, tmp_path) == path
    others = [model for model in read_index() if model.file and model.file != shipped.file]
    for made in (
        *(flipped(data, rng.randrange(8 * len(data))) for _ in range(20)),
        data[: len(data) // 2],
        b"",
        data + b"\0",
        *((FOLDER / model.file).read_bytes() for model in others),
    ):
        path.unlink()
        path.write_bytes(made)
        with pytest.raises(BadFile, match="its checksum begins with"):
            model_file(shipped, tmp_path)
    with pytest.raises(BadFile, match="cannot read model"):
        model_file(FrozenModel(file="nothing.npz", sha256="0" * 64), tmp_path)


def flipped(data, bit):
    found = bytearray(data)
    found[bit // 8] ^= 1 << bit % 8
    return bytes(found)


# Tables of solved positions


@pytest.mark.parametrize("count", COUNTS)
def test_tables(tmp_path, count):
    rng = random.Random(count)
    whole = tmp_path / "whole.table"
    write_table(whole, np.arange(500, dtype=np.uint8) % 7, {"name": "morris-3", "part": "3-3"})
    data = whole.read_bytes()

    def use(path):
        table = open_table(path)
        assert table.entries.sum() >= 0
        table.check_sum()

    def mutant():
        kind = rng.randrange(4)
        if kind == 0:  # somewhere in the header
            return scratched(data[:400], rng) + data[400:]
        return flipped(data, rng.randrange(8 * len(data))) if kind == 1 else scratched(data, rng)

    outcome = attack_file(use, data, (mutant() for _ in range(count)), tmp_path / "made.table")
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("entries", [0, -1, 10**18, 2**63, 1.5, "500", None, True, [500]])
def test_a_table_that_says_a_false_size_costs_no_memory(tmp_path, entries):
    path = tmp_path / "made.table"
    write_table(path, np.zeros(500, np.uint8), {"name": "x", "part": "y"})
    text = path.read_bytes()
    length = int.from_bytes(text[8:16], "little")
    header = json.dumps({**json.loads(text[16 : 16 + length]), "entries": entries}).encode()
    begin = 16 + len(header)
    path.write_bytes(text[:8] + len(header).to_bytes(8, "little") + header + bytes(-begin % 4096) + text[4096:])
    with pytest.raises(BadFile, match="cannot read table"):
        open_table(path)


# AlphaZero


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    game = stammtisch.load_game(GAME)
    shape = NetworkShape.for_game(game, "mlp-8")
    path = tmp_path_factory.mktemp("alphazero") / "network.safetensors"
    save_network(path, game, shape, shape.fresh_weights(0), {"positions": 0})
    return path


@pytest.mark.parametrize("count", COUNTS)
def test_alphazero_networks(network, tmp_path, count):
    tensors = pytest.importorskip("tests.attack.test_damaged_models")
    game = stammtisch.load_game(GAME)
    mutants = tensors.tensor_mutants(network, KIND, count)
    spec = "alphazero:{},simulations=4,backend=numpy"
    outcome = attack_file(
        lambda path: plays(spec.format(path), game), network.read_bytes(), mutants, tmp_path / "network.safetensors"
    )
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("name", ["mlp-65536-65536", "64x9999", "0x0", "mlp-", "4x32" * 999, "٤x٣", "mlp-8\n", "", 3])
def test_networks_that_the_file_does_not_hold_are_refused_before_they_are_built(network, tmp_path, name):
    game = stammtisch.load_game(GAME)
    arrays, header = read_tensors(network, KIND)
    path = tmp_path / "made.safetensors"
    write_tensors(path, arrays, {**header, "network": name})
    outcome = attack_file(lambda path: load_network(path, game), network.read_bytes(), [path.read_bytes()], path, 64)
    assert outcome.refused == 1


def test_networks_of_other_games_and_other_learners_are_refused(network, tmp_path):
    with pytest.raises(BadFile, match="einstein-3x3"):
        load_network(network, stammtisch.load_game("reversi-4x4"))
    foreign = tmp_path / "foreign.safetensors"
    write_tensors(foreign, {"a": np.zeros(3, np.float32)}, {"kind": "dqn model", "game": GAME})
    for path in (foreign, FOLDER / "index.toml", FOLDER / next(m.file for m in read_index() if m.file), tmp_path):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            stammtisch.load_agent(f"alphazero:{path}", GAME)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["checkpoint", "positions"])
def test_alphazero_trainings_go_on_from_whole_files_only(tmp_path, kind):
    pytest.importorskip("torch")
    tensors = pytest.importorskip("tests.attack.test_damaged_models")
    from stammtisch.training.alphazero.settings import AlphaZeroSettings
    from stammtisch.training.alphazero.training import CHECKPOINT, PIECES, AlphaZeroTraining

    small = {"minutes": 0.0, "positions": 400, "network": "mlp-8", "portion": 200, "lanes": 8, "batch": 32}
    small |= {"evaluations": 1, "eval_games": 2, "eval_simulations": 2, "checkpoint_minutes": 0.0, "backend": "numpy"}
    settings = AlphaZeroSettings.for_game(GAME, small)
    out = tmp_path / "run"
    AlphaZeroTraining(settings, out).run()
    if kind == "checkpoint":
        victim, noun = out / CHECKPOINT, "alphazero checkpoint"
    else:
        victim, noun = sorted((out / PIECES).glob("*.safetensors"))[0], "positions of self-play"
    whole = victim.read_bytes()
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes(whole)

    def use(path):
        AlphaZeroTraining(settings, out, resume=True).workers.close()

    outcome = attack_file(use, whole, tensors.tensor_mutants(copy, noun, MANY), victim)
    assert outcome.tried == MANY
    assert outcome.refused > MANY // 3

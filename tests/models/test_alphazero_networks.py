"""The networks of AlphaZero that ship: small, playable without a file name, and with numpy alone."""

import subprocess
import sys

import pytest

import stammtisch
from stammtisch.arena.match import play_match
from stammtisch.models.index import FOLDER, read_index

NETWORKS = [model for model in read_index() if model.agent.startswith("alphazero")]
MOST_BYTES = 4 << 20


@pytest.mark.parametrize("model", NETWORKS, ids=lambda model: model.game)
def test_it_is_small_and_plays_without_a_file_name(model):
    assert (FOLDER / model.file).stat().st_size <= MOST_BYTES
    match = play_match(model.game, ["alphazero:search=off,backend=numpy", "random"], 40, seed=1, opening=2)
    assert match.mean_return > 0


@pytest.mark.parametrize("model", NETWORKS[:1], ids=lambda model: model.game)
def test_it_needs_neither_torch_nor_openvino_nor_safetensors(model):
    code = (
        "import sys\n"
        "for name in ('torch', 'openvino', 'safetensors'): sys.modules[name] = None\n"
        "import stammtisch\n"
        f"game = stammtisch.load_game({model.game!r})\n"
        "agent = stammtisch.load_agent('alphazero:search=off,backend=numpy', game, seed=0)\n"
        "state = game.new_state(0)\n"
        "import numpy as np\n"
        "while state.player == stammtisch.CHANCE: state.sample_chance(np.random.default_rng(0))\n"
        "print(agent.act(state.view(state.player)) in state.legal_actions())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


def test_games_without_one_say_so():
    with pytest.raises(ValueError, match="no network of alphazero ships for morris-3; give the file of one"):
        stammtisch.load_agent("alphazero", "morris-3")

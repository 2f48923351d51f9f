"""Deals as a dataset of Minari, read by its own API."""

import numpy as np
import pytest

from stammtisch.training.jass.deals import read_deals
from stammtisch.training.jass.making import MakingSettings, write_made
from stammtisch.training.jass.samples import returns_of


def test_minari_loads_what_we_made(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    from stammtisch.training.jass.minari_sets import check_name, write_dataset

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    write_made(tmp_path / "deals.npz", MakingSettings(deals=5, seed=2))
    check_name("jass/test-v0")
    write_dataset("jass/test-v0", tmp_path / "deals.npz")
    dataset = minari.load_dataset("jass/test-v0")
    assert dataset.total_episodes == 20
    deals = read_deals(tmp_path / "deals.npz")
    episodes = list(dataset.iterate_episodes())
    totals = [episode.rewards.sum() for episode in episodes]
    assert np.allclose(totals[::4], returns_of(deals))
    for episode in episodes:
        assert len(episode.observations) == len(episode.actions) + 1
        cards = [action for action in episode.actions if action < 36]
        assert len(cards) == 9
        for seen, action in zip(episode.observations, episode.actions, strict=False):
            assert action >= 36 or seen[action] == 1  # it holds the card that it plays
    with pytest.raises(ValueError, match="already"):
        check_name("jass/test-v0")
    with pytest.raises(ValueError, match="a name such as"):
        check_name("no version")

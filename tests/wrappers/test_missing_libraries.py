"""An adapter whose library is not installed says what to install."""

import importlib
import sys

import pytest

ADAPTERS = {
    "stammtisch.wrappers.libraries.tianshou.seats": ("tianshou.data", "tianshou"),
    "stammtisch.wrappers.libraries.tianshou.networks": ("tianshou.utils.torch_utils", "tianshou"),
    "stammtisch.wrappers.libraries.torchrl.seats": ("torchrl.envs", "torchrl"),
    "stammtisch.wrappers.libraries.rllib.env": ("ray.rllib.env.multi_agent_env", "rllib"),
    "stammtisch.wrappers.libraries.rllib.module": ("ray.rllib.core.columns", "rllib"),
}


@pytest.mark.parametrize("adapter", list(ADAPTERS))
def test_the_extra_is_named(adapter, monkeypatch):
    library, extra = ADAPTERS[adapter]
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    with pytest.raises(ImportError, match=rf"pip install stammtisch\[{extra}\]"):
        importlib.import_module(adapter)

"""One thread is the fastest for networks as small as those of the tests."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)

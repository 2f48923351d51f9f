"""What tests of interrupted trainings share."""

import numpy as np
from safetensors.numpy import load_file


def assert_same_arrays(first, second):
    a, b = load_file(first), load_file(second)
    assert sorted(a) == sorted(b)
    for name, array in a.items():
        assert np.array_equal(array, b[name]), name

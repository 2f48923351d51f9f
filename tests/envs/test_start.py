"""What a process does before its first step: which imports a source has, and which of numba's are put off."""

import ast
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import stammtisch
from stammtisch.envs.core.import_statements import import_statements

PACKAGE = pathlib.Path(stammtisch.__file__).parent


def texts_of(statements):
    return {ast.unparse(node) for node in statements}


@pytest.mark.parametrize("folder", ["envs", "baselines/kernels"])
def test_every_import_statement_is_found(folder):
    for path in (PACKAGE / folder).rglob("*.py"):
        text = path.read_bytes()
        wanted = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert texts_of(wanted) == texts_of(import_statements(text)), path


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("import a, b as c", {"import a, b as c"}),
        ("x = 1; from a import b", {"from a import b"}),
        ("if x: import a\nelse: import b", {"import a", "import b"}),
        ("def f():\n    from . import (\n        a,  # why\n        b,\n    )\n    return a", {"from . import a, b"}),
        ("from a \\\n  import b\r\nimport c", {"from a import b", "import c"}),
        ('"""Games\nfrom the table, not\nimport ed"""\nfrom a import *', {"from a import *"}),
        ("important = from_here = 1", set()),
    ],
)
def test_statements_stand_anywhere(text, statements):
    assert texts_of(import_statements(text.encode())) == statements


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="SciPy is not installed")
def test_scipys_linear_algebra_comes_when_it_is_compiled():
    code = """if True:
        import sys
        import gymnasium as gym, numba, numpy as np, stammtisch
        gym.make("stammtisch/EinStein3x3-v0").reset(seed=0)
        print("scipy.linalg" in sys.modules)
        print(numba.njit(lambda a: np.dot(a, a))(np.ones(4)), "scipy.linalg" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "4.0", "True"]

"""The README's Python blocks run as they stand."""

import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0] for block in BLOCKS])
def test_readme_block(block, capsys):
    exec(compile(block, str(README), "exec"), {})
    assert capsys.readouterr().out

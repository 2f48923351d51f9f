"""The page that builds Connect Four step by step: what it shows is the package in the examples."""

import re

import pytest

from tests.plugins.conftest import ROOT

PAGE = (ROOT / "docs" / "add-a-game.md").read_text("utf-8")
EXAMPLE = ROOT / "examples" / "connect_four"
SHOWN = dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE, re.DOTALL | re.MULTILINE))
SOURCES = (".py", ".toml", ".md")


def test_the_page_shows_every_file():
    there = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*") if path.suffix in SOURCES}
    assert set(SHOWN) == there


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_page_shows_files_as_they_are(name):
    assert (EXAMPLE / name).read_text("utf-8") == SHOWN[name]

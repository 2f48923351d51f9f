"""The site: its pages are made from the code, its Python blocks run, its commands exist."""

import importlib
import json
import pathlib
import re
import shlex
import sys

import pytest
import typer

import stammtisch
from stammtisch.baselines import AGENTS
from stammtisch.cli import app
from stammtisch.envs import GAMES, game_class

ROOT = pathlib.Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
WITH_PYTHON = [path for path in PAGES if "```python" in path.read_text("utf-8")]
COMMAND = re.compile(r"^(?:.*&& )?(stammtisch [^#\n]*)", re.MULTILINE)


@pytest.fixture(scope="module")
def tool():
    """Import a module of docs/tools by its name."""
    sys.path.insert(0, str(ROOT / "docs" / "tools"))
    yield importlib.import_module
    sys.path.pop(0)


def blocks(path: pathlib.Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


def name_of(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", WITH_PYTHON, ids=name_of)
def test_python_blocks_run(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}  # a block may go on where the one before it ended
    for block in blocks(path, "python"):
        exec(compile(block, str(path), "exec"), names)
    assert capsys.readouterr().out


def commands() -> list[tuple[str, str]]:
    return [
        (name_of(path), line.strip())
        for path in PAGES
        for block in blocks(path, "bash")
        for line in COMMAND.findall(block)
    ]


@pytest.mark.parametrize(("page", "line"), commands(), ids=lambda text: text[:60])
def test_commands_can_be_typed(page, line):
    words = shlex.split(line)[1:]
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        _, command, words = command.resolve_command(None, words)
    command.make_context(line, words)  # reads the words, runs nothing


def test_every_family_has_a_page(tool):
    pages = tool("game_pages")
    assert {game_class(game_id).FAMILY for game_id in GAMES} >= set(pages.families())
    page = pages.family_page("einstein")
    for game_id in pages.families()["einstein"]:
        assert f"`{game_id}`" in page
    assert page.startswith("# EinStein würfelt nicht!")
    for heading in ("## Action Space", "## Observation Space", "## Arguments", "## Version History"):
        assert heading in page
    assert page.count("<svg") >= len(pages.families()["einstein"])
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})


def test_pictures_take_the_colours_of_dark_pages(tool):
    pictures = tool("pictures")
    state = stammtisch.load_game("einstein-3x3").new_state()
    shown = pictures.figure(state, "the <start>")
    assert '<rect class="board-paper"' in shown
    assert '<text class="board-ink"' in shown
    assert "&lt;start&gt;" in shown
    assert "\n" not in shown
    assert "prefers-color-scheme: dark" in pictures.lone_picture(state)


def test_every_player_has_its_options_on_a_page():
    shown = {
        name
        for path in (ROOT / "docs/players").glob("*.md")
        for name in re.findall(r"<!-- options (\S+) -->", path.read_text("utf-8"))
    }
    reference = {"heuristic", "greedy", "strong"}  # on the page of random
    assert shown | reference >= {name for name, entry in AGENTS.items() if entry.agent.startswith("stammtisch.")}


def test_option_tables_tell_default_and_bounds(tool):
    table = tool("player_tables").option_table("mcts")
    assert "| `iterations` | `1000` | >= 1 | simulations per move; with a network 10000 by default |" in table
    assert "spread \\| utility" in table


def test_figures_come_with_their_command(tool):
    figures = tool("figures")
    for name in ("players", "speed"):
        kept = json.loads((ROOT / "docs/figures" / f"{name}.json").read_text("utf-8"))
        assert kept["command"].startswith("stammtisch ")
        assert kept["rows"]
    assert "`stammtisch bench players`" in figures.strength_table(["mcts"])
    assert "×" in figures.speed_table()


def test_links_between_pages_lead_somewhere(tool):
    made = {f"games/{family}.md" for family in tool("game_pages").families()}
    made |= {"games/index.md", "changelog.md", "contributing.md"}
    for path in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
            there = (path.parent / target).resolve()
            assert there.is_file() or str(there.relative_to(ROOT / "docs")) in made, f"{path.name}: {target}"

"""What MkDocs asks while it builds the site: pages made from the code, and tables within pages."""

import pathlib
import re
from typing import Any

from figures import speed_table, strength_table
from game_pages import families, family_cards, family_page, index_page, title_and_line
from mkdocs.structure.files import File, Files
from player_tables import agent_table, option_table

_ROOT = pathlib.Path(__file__).parents[2]
_WANTED = re.compile(r"<!-- (options|agents|families|svg|strength|speed)(?: (.+?))? -->")


def on_config(config: Any) -> Any:
    """Put a page per family below "Games", and pages that the contents do not name at their end."""
    for entry in config.nav:
        if "Games" in entry:
            entry["Games"] = ["games/index.md", *({title_and_line(f)[0]: f"games/{f}.md"} for f in families())]
    named = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    pages = pathlib.Path(config.docs_dir)
    config.nav += sorted({str(path.relative_to(pages)) for path in pages.rglob("*.md")} - named)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that come from elsewhere: the games, the changelog, how to contribute."""
    made = {f"games/{family}.md": family_page(family) for family in families()}
    made["games/index.md"] = index_page()
    made["changelog.md"] = (_ROOT / "CHANGELOG.md").read_text("utf-8")
    made["contributing.md"] = (_ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Fill in what a page asks for, for example ``<!-- options mcts -->``."""

    def made(match: re.Match[str]) -> str:
        what, name = match.groups()
        if what == "options":
            return option_table(name)
        if what == "agents":
            return agent_table(_player_pages())
        if what == "families":
            return family_cards()
        if what == "strength":
            return strength_table(name.split())
        if what == "speed":
            return speed_table()
        return (_ROOT / "docs" / name).read_text("utf-8").replace("\n", " ")

    return _WANTED.sub(made, markdown)


def _player_pages() -> dict[str, str]:
    """Return the page on which each agent's options are told."""
    pages = {}
    for path in sorted((_ROOT / "docs/players").glob("*.md")):
        for what, name in _WANTED.findall(path.read_text("utf-8")):
            if what == "options":
                pages[name] = path.name
    return pages

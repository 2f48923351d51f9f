"""One page per family of games, made from the docstrings of the ``Game`` classes; a new family gets one by itself."""

import importlib
import inspect
import re

from pictures import Moment, boards, figure, middle_of, played_game

from stammtisch.envs import GAMES, game_class, load_game
from stammtisch.envs.core.game import Game

_SHOWN_AT_LENGTH = ("einstein-5x5", "reversi-8x8", "muehle", "jass-schieber")
_GALLERY_MOVES = 24
_CHANCE = {"none": "–", "explicit": "dice", "sampled": "the deal"}


def families() -> dict[str, list[str]]:
    """Return the ids of every family of this package, in the order of the table of games."""
    found: dict[str, list[str]] = {}
    for game_id in GAMES:
        cls = game_class(game_id)
        if cls.__module__.startswith("stammtisch."):
            found.setdefault(cls.FAMILY, []).append(game_id)
    return found


def title_and_line(family: str) -> tuple[str, str]:
    """Return the name of a family and a line about it, as the docstring of its room (``Name: line.``) tells."""
    cls = game_class(families()[family][0])
    room = importlib.import_module(".".join(cls.__module__.split(".")[:3]))
    first = inspect.cleandoc(room.__doc__ or "").partition("\n")[0]
    title, colon, line = first.partition(": ")
    return (title, line) if colon else (family.capitalize(), first)


def leading_id(ids: list[str]) -> str:
    """Return the game of a family that is shown move by move."""
    return next((game_id for game_id in ids if game_id in _SHOWN_AT_LENGTH), ids[0])


def family_page(family: str) -> str:
    """Return the page of a family as Markdown."""
    ids = families()[family]
    title, line = title_and_line(family)
    games = {game_id: load_game(game_id) for game_id in ids}
    leader = leading_id(ids)
    others = {game_id: played_game(game, "", _GALLERY_MOVES) for game_id, game in games.items() if game_id != leader}
    pages = dict.fromkeys(inspect.cleandoc(type(game).__doc__ or "") for game in games.values())
    manual = [_manual(text, is_alone=len(pages) == 1) for text in pages if "##" in text]
    return "\n\n".join(
        [
            f"# {title}",
            line[:1].upper() + line[1:],
            _strip(played_game(games[leader])),
            "## Games",
            _table(games),
            _gallery(others),
            "## In code",
            _snippet(games[leader]),
            *manual,
            "",
        ]
    )


def family_cards() -> str:
    """Return a picture of each family that leads to its page, for the first page of the site."""
    cards = []
    for family, ids in families().items():
        moments = played_game(load_game(leading_id(ids)))
        shown = figure(moments[middle_of(moments)].state, title_and_line(family)[0])
        cards.append(f'<a href="games/{family}.html">{shown}</a>')
    return boards(cards)


def index_page() -> str:
    """Return the page that leads to the families."""
    parts = ["# Games", "Every game has the same [faces](../faces.md) and [players](../players/index.md)."]
    for family, ids in families().items():
        title, line = title_and_line(family)
        parts += [f"## [{title}]({family}.md)", line[:1].upper() + line[1:], _table({i: load_game(i) for i in ids})]
    return "\n\n".join([*parts, ""])


def _strip(moments: list[Moment]) -> str:
    """Show the start, a move (before and after it) and the end of a game."""
    before = middle_of(moments)
    after = before + 1
    shown = [] if moments[0].state.game.info.chance == "sampled" else [(0, "the start")]
    shown += [
        (before, f"{moments[before].text}; player {moments[before].state.player} to move"),
        (after, moments[after].text),
        (len(moments) - 1, f"the end; returns {_returns(moments[-1])}"),
    ]
    return boards([figure(moments[i].state, caption) for i, caption in shown])


def _returns(moment: Moment) -> str:
    return ", ".join(f"{value:+.2f}".replace(".00", "") for value in moment.state.returns())


def _gallery(games: dict[str, list[Moment]]) -> str:
    return boards([figure(moments[middle_of(moments)].state, game_id) for game_id, moments in games.items()])


def _table(games: dict[str, Game]) -> str:
    rows = ["| id | environment | players | chance | actions | observation |", "|---|---|---|---|---|---|"]
    for game_id, game in games.items():
        info = game.info
        shape = " × ".join(map(str, info.observation_shape))
        chance = _CHANCE[info.chance] + (", cards hidden" if info.hidden else "")
        cells = (f"`{game_id}`", f"`{GAMES[game_id].env_id}`", _players(info.teams), chance, info.num_actions, shape)
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def _players(teams: tuple[int, ...]) -> str:
    """Say how many play, and who with whom: ``4: 0+2, 1+3``."""
    sides = [[seat for seat, team in enumerate(teams) if team == side] for side in sorted(set(teams))]
    together = ", ".join("+".join(map(str, side)) for side in sides)
    return str(len(teams)) if len(sides) == len(teams) else f"{len(teams)}: {together}"


def _snippet(game: Game) -> str:
    """Return lines that run: a game by hand, and the environment."""
    env_id = GAMES[game.id].env_id
    reset = "state.sample_chance(rng)" if game.info.chance != "none" else ""
    lines = [
        "```python",
        "import gymnasium as gym",
        "import numpy as np",
        "import stammtisch",
        "",
        f'game = stammtisch.load_game("{game.id}")',
        "state = game.new_state(seed=0)",
        *(["rng = np.random.default_rng(0)", reset + "  # the die or the deal"] if reset else []),
        "print(state)",
        "print([state.action_text(action) for action in state.legal_actions()])",
        "",
        f'env = gym.make("{env_id}", opponent="heuristic")',
        "observation, info = env.reset(seed=0)",
        "```",
    ]
    return "\n".join(line for line in lines if line != "import numpy as np" or reset)


def _manual(text: str, is_alone: bool) -> str:
    """Return the manual page of a class; where a family has several, each below a heading of its own."""
    head, _, rest = text.partition("\n")
    text = f"**{head}**\n{rest}"
    text = re.sub(r"(?<=[^|\n])\n(?=\d+\. |\* )", "\n\n", text)  # a list begins after an empty line
    text = re.sub(r"^(\d+\. .*(?:\n {3}.*)*)\n(?=[A-Z])", r"\1\n\n", text, flags=re.MULTILINE)
    if is_alone:
        return text
    return f"## {head.partition(':')[0]}\n\n" + re.sub(r"^## ", "### ", text, flags=re.MULTILINE)

"""Tables of the players and their options, made from what the agents themselves declare."""

from game_pages import families, title_and_line

from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs import load_game
from stammtisch.envs.core.options import option_rows


def option_table(name: str) -> str:
    """Return the options of an agent as a Markdown table."""
    rows = ["| option | default | allowed | meaning |", "|---|---|---|---|"]
    for key, _, default, allowed, meaning in option_rows(agent_class(name).OPTIONS):
        rows.append(f"| `{key}` | {_code(default)} | {_text(allowed)} | {_text(meaning)} |")
    return "\n".join(rows) if len(rows) > 2 else f"`{name}` has no options."


def agent_table(pages: dict[str, str]) -> str:
    """Return all agents with what they do; ``pages`` names the page of each."""
    rows = ["| agent | what it does | plays |", "|---|---|---|"]
    for name, entry in AGENTS.items():
        shown = f"[`{name}`]({pages[name]})" if name in pages else f"`{name}`"
        rows.append(f"| {shown} | {_text(entry.help)} | {_plays(name)} |")
    return "\n".join(rows)


def _code(text: str) -> str:
    return f"`{text}`" if text else "–"


def _text(words: str) -> str:
    return words.replace("|", "\\|")


def _plays(name: str) -> str:
    """Say which families an agent accepts, by asking it."""
    accepted = []
    for family, ids in families().items():
        able = [game_id for game_id in ids if _accepts(name, game_id)]
        if able:
            title = title_and_line(family)[0]
            accepted.append(title if len(able) == len(ids) else f"{title} ({', '.join(able)})")
    return "all games" if accepted == [title_and_line(family)[0] for family in families()] else ", ".join(accepted)


def _accepts(name: str, game_id: str) -> bool:
    game = load_game(game_id)
    try:
        agent_class(name)(game, seed=0, spec=name, **AGENTS[name].fixed)
    except ValueError as error:  # learned players ask for their file; n-tuples need something to look at
        return "needs" in str(error) and (name != "ntuple" or game.FEATURES is not None)
    return True

"""Commands about Jass: ``jass-stats``."""

from typing import Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import JsonFlag, SeedOption, app, err, out, print_json


@app.command("jass-stats")
def jass_stats(
    agent: Annotated[str, typer.Argument(help="The agent, as name:key=value,…")],
    deals: Annotated[int, typer.Option(min=1, help="Deals that the agent plays in all four seats.")] = 2000,
    seed: SeedOption = 0,
    json_: JsonFlag = False,
) -> None:
    """Count the habits of a Jass player: how often it wastes trumps, gives points away, fails its partner.

    Example: `stammtisch jass-stats heuristic --deals 20000`
    """
    from stammtisch.benchmarks.jass.habits import jass_stats as count_habits

    with err.status(f"{agent} plays {deals} deals"):
        data = count_habits(agent, deals, seed)
    if json_:
        print_json(data)
        return
    table = Table("id", "habit", "rate", "error", "opportunities", "random play")
    for habit in data["habits"]:
        rate = "–" if habit["rate"] is None else f"{habit['rate']:.3f}"
        error = "–" if habit["error"] is None else f"{habit['error']:.3f}"
        table.add_row(habit["id"], habit["meaning"], rate, error, str(habit["opportunities"]), f"{habit['random']:.3f}")
    out.print(table)
    given = f"{data['excess']:.2f} points given away per C1"
    out.print(f"{data['agent']}: {data['deals']} deals, seed {data['seed']}; {given}")

"""Commands about Jass: ``jass-stats``, ``jass-modes``."""

from typing import Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import JsonFlag, SeedOption, app, err, out, print_json, progress_bar


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


@app.command("jass-modes")
def jass_modes(
    agents: Annotated[
        list[str], typer.Argument(help="Who chooses, as name:key=value,…; others are compared to the first.")
    ],
    deals: Annotated[int, typer.Option(min=2, help="Deals, the same for all.")] = 1000,
    players: Annotated[str, typer.Option(help="Who plays the cards in all four seats.")] = "heuristic",
    seed: SeedOption = 0,
    json_: JsonFlag = False,
) -> None:
    """Measure the choice of the mode apart from the play: the same cards, other modes, the same players.

    Example: `stammtisch jass-modes heuristic rl-jass --deals 2000`
    """
    from dataclasses import asdict

    from stammtisch.benchmarks.jass.modes import compare_modes

    with progress_bar("deals", deals) as advance:
        found = compare_modes(agents, players, deals, seed, advance)
    if json_:
        print_json({"players": players, "deals": deals, "seed": seed, "choices": [asdict(each) for each in found]})
        return
    table = Table("who chooses", "points of forehand's team", "more than the first", "passed on", "modes chosen")
    for each in found:
        points = f"{each.points:+z.1f} ({each.ci95[0]:+z.1f} to {each.ci95[1]:+z.1f})"
        more = (
            "–" if each is found[0] else f"{each.more:+z.1f} ({each.more_ci95[0]:+z.1f} to {each.more_ci95[1]:+z.1f})"
        )
        modes = ", ".join(f"{name} {count}" for name, count in each.modes.items())
        table.add_row(each.agent, points, more, f"{each.passed:.0%}", modes)
    out.print(table)
    out.print(f"{deals} deals, seed {seed}, played by {players}")

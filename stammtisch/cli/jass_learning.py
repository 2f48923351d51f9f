"""Commands about deals of Jass to learn from: ``jass-data``, ``jass-import``, ``jass-export``, ``jass-predict``."""

import pathlib
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import JsonFlag, SeedOption, WorkersOption, app, out, print_json, progress_bar

DealsOut = Annotated[pathlib.Path, typer.Option("--out", help="File of the deals.")]


@app.command("jass-data")
def jass_data(
    out_file: DealsOut,
    teacher: Annotated[
        str, typer.Option(help="Who plays all seats: an agent such as heuristic or pimc:worlds=10, or mix.")
    ] = "heuristic",
    deals: Annotated[int, typer.Option(min=1, help="How many deals.")] = 10_000,
    seed: SeedOption = 0,
    random_modes: Annotated[
        float, typer.Option(min=0, max=1, help="Share of deals whose mode is drawn by lot, so that all six occur.")
    ] = 0.2,
    epsilon: Annotated[
        float, typer.Option(min=0, max=1, help="Share of cards drawn at random; they are no samples.")
    ] = 0.0,
    workers: WorkersOption = 1,
    minari: Annotated[
        str | None, typer.Option(help="Also as a Minari dataset of this name, such as jass/heuristic-v0.")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Let a player of ours play deals of Schieber, for networks to learn from: synthetic data.

    Example: `stammtisch jass-data --teacher heuristic --deals 100000 --out deals.npz`
    """
    from stammtisch.training.jass.making import MakingSettings, facts_text, write_made

    settings = MakingSettings(teacher=teacher, deals=deals, seed=seed, random_modes=random_modes, epsilon=epsilon)
    if minari is not None:
        from stammtisch.training.jass.minari_sets import check_name

        check_name(minari)
    with progress_bar(f"deals by {teacher}", deals) as advance:
        facts = write_made(out_file, settings, workers, advance)
    if minari is not None:
        from stammtisch.training.jass.minari_sets import write_dataset

        facts["minari"] = write_dataset(minari, out_file)
    if json_:
        print_json(facts)
        return
    _print_counts(facts["counts"])
    out.print(f"{facts_text(facts['counts'])}, synthetic, by {teacher}, seed {seed}, in {out_file}", markup=False)


@app.command("jass-import")
def jass_import(
    files: Annotated[list[pathlib.Path], typer.Argument(help="Logs, all of one format or of any with auto.")],
    out_file: DealsOut,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="auto, swisslos, jass-kit, jass-kit-observations, trump-csv, challenge, capture or results.",
        ),
    ] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an import that was interrupted.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Read logs of Schieber into a file of deals; every card is checked, what fails is dropped and counted.

    Example: `stammtisch jass-import logs/*.txt --out deals.npz`
    """
    from stammtisch.training.jass.logs.reading import LogImport
    from stammtisch.training.jass.making import facts_text

    work = LogImport(files, out_file, form, resume)
    with progress_bar("bytes read", work.total) as advance:
        facts = work.run(advance)
    if json_:
        print_json(facts)
        return
    _print_counts(facts)
    for reason, times in facts["dropped"].items():
        out.print(f"dropped {times:,}: {reason}", markup=False)
    for note, times in facts["notes"].items():
        out.print(f"noted {times:,}: {note}", markup=False)
    out.print(f"{facts_text(facts)} in {out_file}", markup=False)


@app.command("jass-export")
def jass_export(
    file: Annotated[pathlib.Path, typer.Argument(help="File of deals.")],
    base: Annotated[pathlib.Path, typer.Option("--out", help="Beginning of the names: BASE0001.txt and so on.")],
    json_: JsonFlag = False,
) -> None:
    """Write complete deals as jass-kit logs them, at most 100,000 in a file.

    Example: `stammtisch jass-export deals.npz --out kit/deals`
    """
    from stammtisch.training.jass.deals import read_header
    from stammtisch.training.jass.logs.writing import export_deals

    with progress_bar("deals", read_header(file)["deals"]) as advance:
        facts = export_deals(file, base, advance)
    if json_:
        print_json(facts)
        return
    left = f"; {facts['left_out']:,} incomplete ones are left out" if facts["left_out"] else ""
    out.print(f"{facts['deals']:,} deals in {len(facts['files'])} files from {base}0001.txt on{left}", markup=False)


@app.command("jass-predict")
def jass_predict(
    file: Annotated[pathlib.Path, typer.Argument(help="File of networks of train supervised or rl-jass.")],
    hand: Annotated[str, typer.Option(help='Cards held, such as "H6 H8 HJ D9".')],
    table: Annotated[str, typer.Option(help="Cards on the table in playing order.")] = "",
    played: Annotated[str, typer.Option(help="Cards of finished tricks, in playing order.")] = "",
    mode: Annotated[
        str | None, typer.Option(help="Mode that is played: hearts … undeufe; without it, the mode is to be chosen.")
    ] = None,
    passed: Annotated[bool, typer.Option("--passed", help="The choice was passed on.")] = False,
    picture: Annotated[pathlib.Path | None, typer.Option(help="PNG file of the probabilities as bars.")] = None,
    json_: JsonFlag = False,
) -> None:
    """Ask networks about one situation: how likely is each card, or each mode?

    Example: `stammtisch jass-predict jass.safetensors --hand "H6 H8 H9 HJ HA D9 D10 S8 S10"`
    """
    from stammtisch.plots import check_picture
    from stammtisch.training.jass.predicting import draw_bars, predict

    if picture is not None:
        check_picture(picture)
    found = predict(file, hand, table, played, mode, passed)
    if picture is not None:
        draw_bars(found, picture)
    if json_:
        print_json(found)
        return
    shown = Table(found["kind"], "among all", "among legal" if found["kind"] == "card" else "among allowed", "")
    has_points = any("points" in row for row in found["rows"])
    if has_points:
        shown.add_column("points below the best")
    for row in found["rows"]:
        share = row["legal_probability"]
        cells = [row["name"], f"{row['probability']:.3f}", "–" if share is None else f"{share:.3f}"]
        cells.append("█" * round(40 * (share or 0)))
        if has_points:
            cells.append(f"{-row['points']:z.1f}" if "points" in row else "–")
        shown.add_row(*cells)
    out.print(shown)
    out.print(found["about"], markup=False)


def _print_counts(counts: Mapping[str, Any]) -> None:
    table = Table("mode", "deals")
    for mode, deals in counts["modes"].items():
        table.add_row(mode, f"{deals:,}")
    out.print(table)
    out.print(f"passed on in {counts['share_passed']:.1%} of the deals, {counts['cut_off']:,} deals cut off")

"""The command ``studio``: the web page on this machine."""

import pathlib
from typing import Annotated

import typer

from stammtisch.cli.console import app, out


@app.command()
def studio(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; by default 8421 or the next free one.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the link.")] = False,
    dir_: Annotated[
        pathlib.Path | None,
        typer.Option("--dir", help="Folder of games, models and runs; by default ~/.local/share/stammtisch/studio."),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Let agents be files that run code when loaded (sb3), and programs.")
    ] = False,
) -> None:
    """Open the studio, a web page on this machine: play, watch, analyse, train and validate.

    The link holds a token; whoever has it can use the studio. Only this machine can reach it.

    Example: `stammtisch studio --port 8421`
    """
    from stammtisch.studio.server import default_folder, run_studio

    def tell(link: str) -> None:
        out.print(f"the studio is at {link}", markup=False, highlight=False, soft_wrap=True)
        out.print("Ctrl+C ends it; games and trainings go on where they were when it starts again")

    run_studio(dir_ or default_folder(), port, trust, not no_browser, tell)

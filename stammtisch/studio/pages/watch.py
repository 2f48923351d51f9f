"""Watch: games of the studio, of results files (matches, tournaments, servers) and of texts, position by position."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stammtisch.envs import load_game
from stammtisch.studio.desk import Page, Studio
from stammtisch.studio.pages.play import json_body, studio_of, tables_of
from stammtisch.studio.reels import Library, Reel
from stammtisch.studio.requests import checked_game, checked_text


async def start(studio: Studio) -> None:
    """Open the library."""
    studio.parts["library"] = Library(studio)


def library_of(studio: Studio) -> Library:
    """Return the library of the studio."""
    library: Library = studio.parts["library"]
    return library


async def reel_of(studio: Studio, wanted: Any) -> Reel:
    """Return the reel that a request names.

    Raises:
        ValueError: there is none.
    """
    kind = wanted.get("kind")
    if kind == "game":
        tables = tables_of(studio)
        table = tables.named(wanted.get("name"))
        await tables.ready(table)
        names = [seat.name or seat.spec or "person" for seat in table.seats]
        returns = table.returns() if table.is_over else []
        return Reel(table.game, list(table.states), list(table.events), names, returns, tables.viewer(table, None))
    if kind == "store":
        file = checked_text(wanted.get("file"), "a file", 300)
        try:
            match, number = int(wanted.get("match")), int(wanted.get("number"))
        except (TypeError, ValueError):
            raise ValueError("a stored game is a file, a match and a number") from None
        return await asyncio.to_thread(library_of(studio).stored, file, match, number)
    if kind == "text":
        return library_of(studio).kept(checked_text(wanted.get("name"), "a name", 60))
    raise ValueError('a game is of kind "game", "store" or "text"')


async def sources(request: Request) -> JSONResponse:
    """List the results files."""
    return JSONResponse({"files": await asyncio.to_thread(library_of(studio_of(request)).files)})


async def standing(request: Request) -> JSONResponse:
    """Tell how the matches of a results file stand."""
    file = checked_text(request.query_params.get("file"), "a file", 300)
    return JSONResponse(await asyncio.to_thread(library_of(studio_of(request)).standing, file))


async def reel(request: Request) -> JSONResponse:
    """Hand out a game without its pictures."""
    found = await reel_of(studio_of(request), request.query_params)
    return JSONResponse(await asyncio.to_thread(found.to_json))


async def frame(request: Request) -> JSONResponse:
    """Hand out one position."""
    found = await reel_of(studio_of(request), request.query_params)
    at = request.query_params.get("at", "0")
    if not at.isdecimal() or len(at) > 6:
        raise ValueError("a position is a number")
    return JSONResponse(await asyncio.to_thread(found.frame, int(at)))


async def record(request: Request) -> JSONResponse:
    """Take a game as text."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options = checked_game(studio, body.get("game"), body.get("options"))
    start_text, moves = (checked_text(body.get(key, ""), key) for key in ("start", "moves"))
    await tables_of(studio).workers.answer({"do": "warm", "game": game_id, "options": options})
    library = library_of(studio)
    made = await asyncio.to_thread(library.written, load_game(game_id, **options), start_text, moves)
    return JSONResponse({"name": library.keep(made)})


PAGE = Page(
    "watch",
    order=20,
    routes=[
        Route("/api/watch/sources", sources),
        Route("/api/watch/standing", standing),
        Route("/api/watch/reel", reel),
        Route("/api/watch/frame", frame),
        Route("/api/watch/record", record, methods=["POST"]),
    ],
    start=start,
)

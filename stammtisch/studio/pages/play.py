"""Play: tables for any mix of people and machines."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.studio import catalogue, showing
from stammtisch.studio.desk import Page, Studio, Tab
from stammtisch.studio.levels import strong_level
from stammtisch.studio.requests import checked_game, checked_number, checked_spec, checked_text, trust_of
from stammtisch.studio.setup import replaced
from stammtisch.studio.table import AGENT, PERSON, GameTable, Sitter
from stammtisch.studio.tables import Tables
from stammtisch.studio.workers import Workers

_PLAYERS = 2  # processes for moves
_LONGEST_NAME = 40
_HEAD_START_S = 1.0  # that the browser has for the first page, before processes start beside it


async def start(studio: Studio) -> None:
    """Read the tables and start the processes of the players."""
    tables = Tables(studio, Workers(_PLAYERS))
    studio.parts["tables"] = tables
    tables.read_all()
    studio.spawn(_begin(studio, tables))


async def _begin(studio: Studio, tables: Tables) -> None:
    """Let games go on; make ready what the first move needs, but not before the first page had its turn."""
    await catalogue_of(studio)
    await tables.resume()
    await asyncio.sleep(_HEAD_START_S)
    await tables.workers.start()
    await asyncio.to_thread(catalogue.worked_out)


async def stop(studio: Studio) -> None:
    """End the processes."""
    tables_of(studio).workers.close()


def tables_of(studio: Studio) -> Tables:
    """Return the tables of the studio."""
    tables: Tables = studio.parts["tables"]
    return tables


async def catalogue_of(studio: Studio) -> dict[str, Any]:
    """Return games and agents; found once, beside the event loop."""
    if "catalogue" not in studio.parts:
        studio.parts["catalogue"] = asyncio.ensure_future(asyncio.to_thread(catalogue.catalogue, studio.folder))
    found: dict[str, Any] = await asyncio.shield(studio.parts["catalogue"])
    return found


# Routes


def studio_of(request: Request) -> Studio:
    """Return the studio that a request is for."""
    studio: Studio = request.app.state.studio
    return studio


async def json_body(request: Request) -> dict[str, Any]:
    """Return what was sent.

    Raises:
        ValueError: it is no JSON object.
    """
    try:
        data = await request.json()
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ValueError("send a JSON object")
    return data


async def list_catalogue(request: Request) -> JSONResponse:
    """Tell which games and agents there are."""
    studio = studio_of(request)
    found = await catalogue_of(studio)
    allowed = trust_of(studio).agents()
    return JSONResponse({**found, "agents": {name: each for name, each in found["agents"].items() if name in allowed}})


async def games(request: Request) -> JSONResponse:
    """List the tables."""
    return JSONResponse({"games": [table.to_json() for table in tables_of(studio_of(request)).listed()[:200]]})


async def new_game(request: Request) -> JSONResponse:
    """Begin a game."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options = checked_game(studio, body.get("game"), body.get("options"))
    seats = await _seats(studio, body.get("seats"), game_id, options)
    table = GameTable(game_id, seats, options, checked_text(body.get("text", ""), "a position").strip())
    table.delay_s = checked_number(body.get("delay", table.delay_s), "delay", 0, 10)
    await tables_of(studio).add(table)
    return JSONResponse({"name": table.name})


async def _seats(studio: Studio, given: Any, game_id: str, options: dict[str, Any]) -> list[Sitter]:
    if not isinstance(given, list) or not all(isinstance(seat, dict) for seat in given) or len(given) > 16:
        raise ValueError("seats are a list of people and agents")
    found = []
    for seat in given:
        if seat.get("kind") not in (PERSON, AGENT):
            raise ValueError(f'in a seat there is a "{PERSON}" or an "{AGENT}"')
        name = checked_text(seat.get("name", ""), "a name", _LONGEST_NAME)
        found.append(Sitter(seat["kind"], "" if seat["kind"] == PERSON else str(seat.get("spec", "")), name))
    for spec in {seat.spec for seat in found if seat.kind == AGENT}:
        await _check_agent(studio, game_id, options, spec)
    return found


async def _check_agent(studio: Studio, game_id: str, options: dict[str, Any], spec: str) -> None:
    question = {"do": "check", "game": game_id, "options": options, "spec": checked_spec(studio, spec)}
    await tables_of(studio).workers.answer(question)


async def check_agent(request: Request) -> JSONResponse:
    """Tell whether an agent can play a game."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options = checked_game(studio, body.get("game"), body.get("options"))
    await _check_agent(studio, game_id, options, checked_text(body.get("spec"), "an agent", 500))
    return JSONResponse({"ok": True})


async def game(request: Request) -> Response:
    """Delete a table, or hand out its record, as everybody may know it."""
    studio = studio_of(request)
    tables = tables_of(studio)
    table = tables.named(request.path_params["name"])
    if request.method == "DELETE":
        tables.remove(table)
        return JSONResponse({})
    await tables.ready(table)
    if table.game.info.hidden and table.people and not table.is_over:
        raise ValueError("the record shows all cards; it is there when the game is over")
    return JSONResponse(
        {
            "game": table.game_id,
            "options": table.options,
            "start": table.states[0].to_text(),
            "text": table.state.to_text(),
            "events": table.events,
        }
    )


async def rematch(request: Request) -> JSONResponse:
    """Begin a new game with everybody one seat on."""
    tables = tables_of(studio_of(request))
    table = tables.named(request.path_params["name"]).rotated()
    await tables.add(table)
    return JSONResponse({"name": table.name})


async def position(request: Request) -> JSONResponse:
    """Show a position that is set up: by its text, and perhaps with one spot changed."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options = checked_game(studio, body.get("game"), body.get("options"))
    await tables_of(studio).workers.answer({"do": "warm", "game": game_id, "options": options})
    return JSONResponse(await asyncio.to_thread(_set_up, load_game(game_id, **options), body))


def _set_up(game: Game, body: dict[str, Any]) -> dict[str, Any]:
    text = checked_text(body.get("text", ""), "a position").strip() or game.new_state(0).to_text()
    if body.get("spot"):
        start = game.picture(game.new_state(0))
        text = replaced(
            game, text, start, checked_text(body["spot"], "a spot", 20), checked_text(body["symbol"], "a", 8)
        )
    try:
        state = game.from_text(text)
    except ValueError as error:
        return {"text": text, "error": str(error)}
    view = showing.shown(state, showing.EVERYBODY, True)
    return {"text": text, "error": "", **view}


# Messages


async def receive(studio: Studio, tab: Tab, message: dict[str, Any]) -> None:
    """Do what a person wants at a table."""
    tables = tables_of(studio)
    table = tables.named(message.get("name"))
    do = _DEEDS.get(str(message.get("do")))
    if do is None:
        raise ValueError(f"nothing is called {str(message.get('do'))[:20]!r} at a table")
    if not table.is_loaded:
        tab.send({"page": "play", "what": "loading", "name": table.name})
        await tables.ready(table)
    await do(studio, tables, table, tab, message)
    if isinstance(message.get("ask"), int):
        tab.send({"page": "play", "what": "done", "ask": message["ask"]})


async def _follow(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    tab.follow(f"play/{table.name}")
    tables.tell(table, tab)
    tables.wake(table)


async def _leave(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    tab.leave(f"play/{table.name}")


async def _move(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    action, events = message.get("action"), message.get("events")
    if isinstance(action, bool) or not isinstance(action, int) or not isinstance(events, int):
        raise ValueError("a move is an action and the number of events before it")
    await tables.play(table, tab, action, events)


async def _back(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    await tables.take_back(table)


async def _resign(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    await tables.resign(table)


async def _look(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    player = table.player
    if player not in table.people:
        raise ValueError("it is not your turn")
    tab.notes["look"] = (table.name, player)
    tables.tell(table, tab)


async def _pace(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    delay, paused = message.get("delay"), message.get("paused")
    await tables.set_pace(
        table,
        None if delay is None else checked_number(delay, "delay", 0, 10),
        None if paused is None else bool(paused),
    )


async def _step(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    tables.step(table)


async def _retry(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    table.fault = ""
    tables.wake(table)
    tables.tell(table)


async def _hint(studio: Studio, tables: Tables, table: GameTable, tab: Tab, message: dict[str, Any]) -> None:
    """Ask the strongest usual level what it would do; the answer goes to this tab only."""
    player, events = table.player, len(table.events)
    if player not in table.people or (table.game.info.hidden and tables.viewer(table, tab) != player):
        raise ValueError("there is a hint when it is your turn")
    spec = strong_level(table.game)

    async def answer() -> None:
        try:
            action = await tables.best_action(table, player, spec)
        except ValueError as error:
            tab.send({"page": "play", "what": "error", "error": str(error)})
            return
        if events == len(table.events):
            hint = {
                "action": action,
                "text": table.state.action_text(action),
                "way": list(table.game.way(table.state, action)),
            }
            tab.send({"page": "play", "what": "hint", "name": table.name, "events": events, **hint})

    studio.spawn(answer())


_DEEDS = {
    "follow": _follow,
    "leave": _leave,
    "move": _move,
    "back": _back,
    "resign": _resign,
    "look": _look,
    "pace": _pace,
    "step": _step,
    "retry": _retry,
    "hint": _hint,
}

PAGE = Page(
    "play",
    order=10,
    routes=[
        Route("/api/play/catalogue", list_catalogue),
        Route("/api/play/games", games),
        Route("/api/play/new", new_game, methods=["POST"]),
        Route("/api/play/check", check_agent, methods=["POST"]),
        Route("/api/play/position", position, methods=["POST"]),
        Route("/api/play/games/{name}", game, methods=["GET", "DELETE"]),
        Route("/api/play/games/{name}/rematch", rematch, methods=["POST"]),
    ],
    receive=receive,
    start=start,
    stop=stop,
)

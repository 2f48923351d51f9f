"""Analyse: what agents think of a position while they search, what is exact, and where a game turned."""

import asyncio
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stammtisch.envs import load_game
from stammtisch.envs.core.state import State
from stammtisch.studio import showing
from stammtisch.studio.desk import Page, Studio, Tab
from stammtisch.studio.pages.play import json_body, studio_of, tables_of
from stammtisch.studio.pages.watch import reel_of
from stammtisch.studio.requests import checked_game, checked_number, checked_spec, checked_text
from stammtisch.studio.worker import packed
from stammtisch.studio.workers import Workers

_ANALYSTS = 2
_SLOTS = ("0", "1", "exact", "curve")
_STALL_S = 400.0  # the first report may have to wait for the compiler
_MOST_POSITIONS = 400
_LINE = 12  # events of a main line that are shown


async def start(studio: Studio) -> None:
    """Make the processes of the analysts ready to be started."""
    studio.parts["analysts"] = Workers(_ANALYSTS)


async def stop(studio: Studio) -> None:
    """End them."""
    _analysts(studio).close()


def _analysts(studio: Studio) -> Workers:
    workers: Workers = studio.parts["analysts"]
    return workers


async def _position(studio: Studio, wanted: dict[str, Any]) -> tuple[str, dict[str, Any], State]:
    """Return the game, its options and the position that a page means: by text, or by a game and a number."""
    if wanted.get("kind") == "position":
        game_id, options = checked_game(studio, wanted.get("game"), wanted.get("options"))
        await tables_of(studio).workers.answer({"do": "warm", "game": game_id, "options": options})
        game = load_game(game_id, **options)
        text = checked_text(wanted.get("text", ""), "a position")
        state = await asyncio.to_thread(lambda: game.from_text(text) if text.strip() else game.new_state(0))
        return game_id, options, state
    reel = await reel_of(studio, wanted)
    _check_open(reel.viewer)
    at = int(checked_number(wanted.get("at", 0), "a position", 0, len(reel.states) - 1))
    return reel.game.id, reel.game.changed_options(), reel.states[at]


def _check_open(viewer: int) -> None:
    if viewer != showing.EVERYBODY:
        raise ValueError("while cards are hidden and people play, a game is not analysed; wait for its end")


async def position(request: Request) -> JSONResponse:
    """Show a position, with all legal actions."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options, state = await _position(studio, body)
    view = await asyncio.to_thread(showing.shown, state, showing.EVERYBODY, True)
    return JSONResponse({"game": game_id, "options": options, "text": state.to_text(), **view})


async def child(request: Request) -> JSONResponse:
    """Return the position after an action, chance being drawn anew where it follows."""
    studio, body = studio_of(request), await json_body(request)
    game_id, options, state = await _position(studio, body)
    action = body.get("action")
    if isinstance(action, bool) or not isinstance(action, int):
        raise ValueError("an action is a number")
    after = state.child(action)
    view = await asyncio.to_thread(showing.shown, after, showing.EVERYBODY, True)
    return JSONResponse({"game": game_id, "options": options, "text": after.to_text(), **view})


async def receive(studio: Studio, tab: Tab, message: dict[str, Any]) -> None:
    """Begin or end an analysis; each tab has a few places for one."""
    slot = str(message.get("slot"))
    if slot not in _SLOTS:
        raise ValueError(f"an analysis is in one of the places {', '.join(_SLOTS)}")
    running: dict[str, asyncio.Task[Any]] = tab.notes.setdefault("analyses", {})
    old = running.pop(slot, None)
    if old is not None:
        old.cancel()
    work = {"search": _search, "exact": _exact, "curve": _curve}.get(str(message.get("do")))
    if work is not None:
        running[slot] = studio.spawn(_told(studio, tab, slot, message, work))


def left(studio: Studio, tab: Tab) -> None:
    """End the analyses of a tab that was closed."""
    for task in tab.notes.get("analyses", {}).values():
        task.cancel()


async def _told(studio: Studio, tab: Tab, slot: str, message: dict[str, Any], work: Any) -> None:
    try:
        await work(studio, tab, slot, message)
    except ValueError as error:
        tab.send({"page": "analyse", "what": "failed", "slot": slot, "error": str(error)})


async def _search(studio: Studio, tab: Tab, slot: str, message: dict[str, Any]) -> None:
    game_id, options, state = await _position(studio, message)
    if state.player < 0:
        tab.send({"page": "analyse", "what": "idle", "slot": slot})
        return
    limit_s = checked_number(message.get("time_s", 10), "time", 0.1, 600)
    question = {
        "do": "analyse",
        "game": game_id,
        "options": options,
        "spec": checked_spec(studio, message.get("spec")),
        "row": packed(state.view(state.player).row),
        "seat": state.player,
        "time_s": limit_s,
    }
    loop = asyncio.get_running_loop()
    begun: float | None = None
    async with aclosing(_analysts(studio).answers(question, _STALL_S)) as answers:
        async for answer in answers:
            begun = begun if begun is not None else loop.time()
            over = loop.time() - begun >= limit_s or bool(answer.get("done"))
            report = _said(state, answer)
            tab.send({"page": "analyse", "what": "report", "slot": slot, **report, "done": over})
            if over:
                return


def _said(state: State, answer: dict[str, Any]) -> dict[str, Any]:
    """Put a report of a search into words and spots."""
    game = state.game
    rows = []
    legal = set(state.legal_actions())
    for action, value, visits in zip(
        answer.get("actions", [answer["action"]]),
        answer.get("values", [None]),
        answer.get("visits", [None]),
        strict=True,
    ):
        if action in legal:
            text, way = state.action_text(action), list(game.way(state, action))
            rows.append({"action": action, "text": text, "way": way, "value": value, "visits": visits})
    line: list[str] = []
    now = state
    for event in answer.get("line", [])[:_LINE]:
        if now.player == -2 or (game.info.hidden and line):
            break
        try:
            line.append(showing.said(now, event))
            now = now.child(event)
        except ValueError:
            break  # a search of hidden cards goes on where these cannot follow
    return {"action": answer["action"], "rows": rows, "line": line, "effort": answer.get("effort", {})}


async def _exact(studio: Studio, tab: Tab, slot: str, message: dict[str, Any]) -> None:
    game_id, options, state = await _position(studio, message)
    if state.player < 0:
        return
    question = {"do": "exact", "game": game_id, "options": options, "row": packed(state.row)}
    answer = await _analysts(studio).answer(question, _STALL_S)
    tab.send({"page": "analyse", "what": "exact", "slot": slot, **answer})


async def _curve(studio: Studio, tab: Tab, slot: str, message: dict[str, Any]) -> None:
    """Judge every decision of a game, and report one after the other."""
    reel = await reel_of(studio, message)
    _check_open(reel.viewer)
    places = [at for at, state in enumerate(reel.states[:-1]) if state.player >= 0][:_MOST_POSITIONS]
    positions = [
        [packed(reel.states[at].view(reel.states[at].player).row), reel.states[at].player, reel.events[at]]
        for at in places
    ]
    question = {
        "do": "judge",
        "game": reel.game.id,
        "options": reel.game.changed_options(),
        "spec": checked_spec(studio, message.get("spec")),
        "time_s": checked_number(message.get("time_s", 0.1), "time", 0.02, 10),
        "positions": positions,
    }
    async with aclosing(_analysts(studio).answers(question, _STALL_S)) as answers:
        async for answer in answers:
            at = places[answer["place"]]
            state = reel.states[at]
            tab.send(
                {
                    "page": "analyse",
                    "what": "point",
                    "slot": slot,
                    "at": at,
                    "seat": state.player,
                    "value": answer["value"],
                    "played": answer["played"],
                    "best": state.action_text(answer["best"]),
                    "text": state.action_text(reel.events[at]),
                    "total": len(places),
                }
            )
    tab.send({"page": "analyse", "what": "curve-done", "slot": slot})


PAGE = Page(
    "analyse",
    order=30,
    routes=[
        Route("/api/analyse/position", position, methods=["POST"]),
        Route("/api/analyse/child", child, methods=["POST"]),
    ],
    receive=receive,
    start=start,
    stop=stop,
    left=left,
)

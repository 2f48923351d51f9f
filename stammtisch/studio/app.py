"""The web application: files of the front end, routes of the pages, and the WebSocket that all of them share."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from stammtisch.origins import OriginPolicy
from stammtisch.studio.desk import Page, Studio, Tab
from stammtisch.studio.front import Front
from stammtisch.studio.guard import SUBPROTOCOL, Guard, one_line
from stammtisch.studio.pages import all_pages
from stammtisch.version import __version__

_MOST_TABS = 256
_MESSAGES_PER_S = 40.0
_BURST = 120.0
_log = logging.getLogger(__name__)


def make_app(studio: Studio, policy: OriginPolicy) -> ASGIApp:
    """Return the guarded application."""
    pages = all_pages()
    front = Front([page.name for page in pages if page.order])

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        for page in pages:
            if page.start is not None:
                await page.start(studio)
        yield
        for page in reversed(pages):
            if page.stop is not None:
                await page.stop(studio)
        await studio.close()

    async def facts(request: Request) -> JSONResponse:
        return JSONResponse({"version": __version__})

    async def socket(websocket: WebSocket) -> None:
        await _attend(studio, {page.name: page for page in pages}, websocket)

    app = Starlette(
        routes=[
            Route("/", front.index),
            Route("/static/{name:path}", front.file),
            Route("/api/studio", facts),
            *(route for page in pages for route in page.routes),
            WebSocketRoute("/ws", socket),
        ],
        exception_handlers={ValueError: _bad_request, Exception: _mishap},
        lifespan=lifespan,
    )
    app.state.studio = studio
    return Guard(app, policy, studio.token)


async def _bad_request(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse(one_line(error), 400)


async def _mishap(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": f"the studio failed here: {type(error).__name__}"}, 500)


async def _attend(studio: Studio, pages: dict[str, Page], websocket: WebSocket) -> None:
    """Serve a tab until it goes."""
    await websocket.accept(SUBPROTOCOL)
    if len(studio.tabs) >= _MOST_TABS:
        await websocket.close(1013, "too many pages are open")
        return
    tab = Tab()
    studio.tabs.add(tab)
    sender = asyncio.ensure_future(_forward(tab, websocket))
    reader = asyncio.ensure_future(_listen(studio, pages, tab, websocket))
    try:
        await asyncio.wait([sender, reader], return_when=asyncio.FIRST_COMPLETED)
    finally:
        studio.tabs.discard(tab)
        for task in (sender, reader):
            task.cancel()
        await asyncio.gather(sender, reader, return_exceptions=True)
        for page in pages.values():
            if page.left is not None:
                page.left(studio, tab)
        with contextlib.suppress(Exception):
            await websocket.close()


async def _forward(tab: Tab, websocket: WebSocket) -> None:
    while not tab.is_lost:
        await websocket.send_text(await tab.next_text())


async def _listen(studio: Studio, pages: dict[str, Page], tab: Tab, websocket: WebSocket) -> None:
    """Hand on the messages of a tab, as fast as a tab may talk."""
    allowance, last = _BURST, time.monotonic()
    while True:
        try:
            text = await websocket.receive_text()
        except (WebSocketDisconnect, KeyError, RuntimeError):
            return
        now = time.monotonic()
        allowance, last = min(_BURST, allowance + (now - last) * _MESSAGES_PER_S) - 1, now
        if allowance < 0:
            await asyncio.sleep(-allowance / _MESSAGES_PER_S)
        await _handle(studio, pages, tab, text)


async def _handle(studio: Studio, pages: dict[str, Page], tab: Tab, text: str) -> None:
    """Give one message to its page; what is wrong with it is told to the tab."""
    message: Any = None
    try:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("a message is a JSON object") from None
        if not isinstance(message, dict):
            raise ValueError("a message is a JSON object")
        page = pages.get(str(message.get("page")))
        if page is None or page.receive is None:
            raise ValueError(f'no page listens to "{str(message.get("page"))[:40]}"')
        await page.receive(studio, tab, message)
    except ValueError as error:
        tab.send({**_address(message), "what": "error", **one_line(error)})
    except Exception as error:
        _log.exception("a message could not be handled")
        tab.send({**_address(message), "what": "error", "error": f"the studio failed here: {type(error).__name__}"})


def _address(message: Any) -> dict[str, Any]:
    """Return which page an answer is for, and to which question."""
    if not isinstance(message, dict):
        return {"page": ""}
    ask = message.get("ask")
    return {"page": str(message.get("page"))[:40], **({"ask": ask} if isinstance(ask, int) else {})}

"""Who may talk to the studio: pages that it has served itself, on this machine, with the token of the start link.

Any web page can send requests to 127.0.0.1 and open WebSockets there. So every request is asked for the name it used
(``Host``), for the page it comes from (``Origin``) and, where it wants more than the files of the front end, for the
token. Bodies are limited, and so is the number of requests at a time.
"""

import secrets
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stammtisch.origins import OriginPolicy

HEADER = "x-studio-token"
SUBPROTOCOL = "stammtisch"
_TOKEN_PROTOCOL = "token."
LARGEST_BODY = 1 << 20
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SAFE_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class _TooLarge(Exception):
    """The body of a request is larger than allowed."""


class Guard:
    """Stands before the application; works for HTTP and WebSockets alike.

    Args:
        app: what is guarded.
        policy: decides about ``Host`` and ``Origin``.
        token: what ``/api`` and the WebSocket ask for.
    """

    def __init__(self, app: ASGIApp, policy: OriginPolicy, token: str):
        self._app, self._policy, self._token = app, policy, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reason = self._policy.refusal(headers.getlist("host"), headers.getlist("origin"))
        status = 403
        if reason is None and not self._knows_token(scope, headers):
            reason, status = "open the link that `stammtisch studio` printed: its token is missing or wrong", 401
        if reason is not None:
            await _refuse(scope, receive, send, status, reason)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, headers)

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        if scope["type"] == "websocket":
            offered = [part.strip() for part in headers.get("sec-websocket-protocol", "").split(",")]
            given = next((p.removeprefix(_TOKEN_PROTOCOL) for p in offered if p.startswith(_TOKEN_PROTOCOL)), "")
        elif scope["path"].startswith("/api"):
            given = headers.get(HEADER, "")
        else:
            return True  # the files of the front end, which hold nothing secret
        return secrets.compare_digest(given.encode(), self._token.encode())

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST_BODY:
            await _refuse(scope, receive, send, 413, f"a request has at most {LARGEST_BODY} bytes")
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise _TooLarge
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", [])
                own = {name.lower() for name, _ in given}  # a report has a policy of its own
                message = {**message, "headers": [*given, *(pair for pair in _SAFE_HEADERS if pair[0] not in own)]}
            await send(message)

        try:
            await self._app(scope, counted, with_headers)
        except _TooLarge:
            await _refuse(scope, receive, send, 413, f"a request has at most {LARGEST_BODY} bytes")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:100]})
        return
    answer: Response = JSONResponse({"error": reason}, status)
    await answer(scope, receive, send)


def one_line(error: Exception) -> dict[str, Any]:
    """Return what is told of an error."""
    return {"error": str(error) or type(error).__name__}

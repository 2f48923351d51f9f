"""The WebSocket library, looked up when it is needed, with an error that names the extra when it is missing."""

import functools
from types import SimpleNamespace
from typing import Any

_MISSING = 'the Jass challenge protocol needs the library websockets: pip install "stammtisch[jass]"'


@functools.cache
def websockets_client() -> Any:
    """Return what a client needs of the library."""
    try:
        from websockets import exceptions
        from websockets.asyncio.client import connect
        from websockets.frames import CloseCode
    except ImportError:
        raise ValueError(_MISSING) from None

    class Connect(connect):
        def process_redirect(self, exc: Exception) -> Exception:
            """Go where the user wants to go, not where a server sends us."""
            return exc

    return SimpleNamespace(
        connect=Connect,
        ConnectionClosed=exceptions.ConnectionClosed,
        ConnectionClosedError=exceptions.ConnectionClosedError,
        InvalidHandshake=exceptions.InvalidHandshake,
        InvalidMessage=exceptions.InvalidMessage,
        InvalidURI=exceptions.InvalidURI,
        NORMAL=CloseCode.NORMAL_CLOSURE,
    )


@functools.cache
def websockets_server() -> Any:
    """Return what a server needs of the library."""
    try:
        from websockets import exceptions
        from websockets.asyncio.server import ServerConnection, broadcast, serve
    except ImportError:
        raise ValueError(_MISSING) from None
    return SimpleNamespace(
        broadcast=broadcast,
        serve=serve,
        ServerConnection=ServerConnection,
        ConnectionClosed=exceptions.ConnectionClosed,
    )

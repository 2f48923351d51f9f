"""Who may talk to a server on this machine: programs, and web pages only where somebody said so.

A browser lets any page open WebSockets and send requests to 127.0.0.1, and a page whose name is made to mean 127.0.0.1
(DNS rebinding) even passes for the server's own. So every server here asks the same two questions: is the name that
the client used (``Host``) one of this server's, and is the page that asks (``Origin``) its own or an allowed one?
"""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from stammtisch.text import printable

ANY = "*"
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_LONGEST_SHOWN = 80


class OriginPolicy:
    """Decides by the headers of a request, whatever library has read them.

    A program sends no ``Origin``, and may talk to a server that listens on more than loopback by any name. Browsers
    send one with every WebSocket and every request that changes something: it must be of this server itself or be
    allowed. Where only loopback listens, nobody has another name for it than that of loopback.

    Args:
        bound_host: the address that the server listens on.
        allowed: origins of pages that may connect, as browsers send them (``http://localhost:8000``, ``null``); their
            names count as the server's own, as behind a proxy. ``"*"`` lets everybody in.

    Raises:
        ValueError: an origin cannot be read.
    """

    def __init__(self, bound_host: str, allowed: Iterable[str] = ()):
        listed = tuple(allowed)
        self._everybody = ANY in listed
        self._origins = {_origin(text) for text in listed if text != ANY}
        self._names = {bound_host.lower()} | {origin[1] for origin in self._origins if origin[1]}
        self._only_loopback = _is_loopback(bound_host)

    def refusal(self, hosts: Iterable[str], origins: Iterable[str]) -> str | None:
        """Return why a request is refused, None if it is not.

        Args:
            hosts: all ``Host`` headers of the request; there should be one.
            origins: all ``Origin`` headers; there should be one at most.
        """
        if self._everybody:
            return None
        host_headers, origin_headers = list(hosts), list(origins)
        if len(host_headers) != 1 or len(origin_headers) > 1:
            return "one Host and at most one Origin, please"
        name, port = _host_and_port(host_headers[0])
        if (self._only_loopback or origin_headers) and not self._is_own(name):
            return f'Host "{_shown(host_headers[0])}" is not the name of this server'
        if not origin_headers or self._is_welcome(origin_headers[0], name, port):
            return None
        return f'pages of "{_shown(origin_headers[0])}" may not connect; --allow-origin lets them in'

    def _is_own(self, name: str) -> bool:
        """Tell whether a name is the server's: an address, which nobody can redirect, or a name that it was given."""
        return name in self._names or _is_loopback(name) or (not self._only_loopback and _is_address(name))

    def _is_welcome(self, text: str, name: str, port: int | None) -> bool:
        try:
            origin = _origin(text)
        except ValueError:
            return False
        scheme = origin[0]
        return origin in self._origins or (
            scheme in ("http", "https") and origin[1:] == (name, port or _DEFAULT_PORTS[scheme])
        )


def _origin(text: str) -> tuple[str, str, int | None]:
    """Return scheme, name and port of an origin, so that different ways to write it are the same."""
    if text == "null":
        return "null", "", None
    problem = f'cannot read origin "{_shown(text)}"; write it as browsers send it, http://HOST:PORT, or * for all'
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(problem) from None
    rest = (parts.path, parts.query, parts.fragment, parts.username, parts.password)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or any(rest) or not text.isascii():
        raise ValueError(problem)
    return parts.scheme, parts.hostname, port if port is not None else _DEFAULT_PORTS[parts.scheme]


def _host_and_port(header: str) -> tuple[str, int | None]:
    """Return name and port of a ``Host`` header; an empty name if it cannot be read."""
    try:
        parts = urlsplit(f"//{header}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return "", None
    return ("", None) if parts.path or parts.username is not None else (name, port)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    if _is_address(name):
        return ipaddress.ip_address(name).is_loopback
    return name.lower() == "localhost" or name.lower().endswith(".localhost")


def _shown(text: str) -> str:
    return printable(text[:_LONGEST_SHOWN])

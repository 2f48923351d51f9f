"""The program behind ``stammtisch studio``: one server on loopback, its token and its link.

It listens and tells the link before the web application is imported: a browser needs longer to open a page than that
takes, and what it asks for meanwhile waits. Nothing is answered but by the guarded application.
"""

import importlib.util
import logging
import os
import pathlib
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable

from stammtisch.files import make_folder, written_whole
from stammtisch.files.locks import FileLock
from stammtisch.origins import OriginPolicy
from stammtisch.studio.desk import Studio

HOST = "127.0.0.1"
DEFAULT_PORT = 8421
_TRIES = 20  # ports that are tried one after the other where none was asked for
_LARGEST_MESSAGE = 1 << 16
_NEEDED = ("starlette", "uvicorn", "websockets")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,100}")


def default_folder() -> pathlib.Path:
    """Return where the studio keeps its games and models if nothing else is said."""
    base = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    return pathlib.Path(base) / "stammtisch" / "studio"


def run_studio(
    folder: pathlib.Path, port: int | None, trusted: bool, browse: bool, tell: Callable[[str], None]
) -> None:
    """Serve the studio until it is interrupted.

    Args:
        folder: where everything is kept; only one studio at a time may use it.
        port: where to listen; None takes the usual one, or the next that is free.
        trusted: let agents be files that run code when they are loaded, and programs.
        browse: open the page in a browser.
        tell: takes the link.
    """
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise ValueError(f'the studio needs {name}; install it with: pip install -e ".[studio]"')
    make_folder(folder)
    lock = FileLock(folder / "studio")
    listener = _listen(port)
    studio = Studio(folder, _token(folder), trusted)
    link = f"http://{HOST}:{listener.getsockname()[1]}/?token={studio.token}"
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    tell(link)
    if browse:
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    try:
        _serve(studio, listener)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
        lock.release()


def _serve(studio: Studio, listener: socket.socket) -> None:
    """Answer until somebody ends it."""
    import uvicorn

    from stammtisch.studio.app import make_app

    config = uvicorn.Config(
        make_app(studio, OriginPolicy(HOST)),
        log_config=None,
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=_LARGEST_MESSAGE,
        ws_ping_interval=20,
        limit_concurrency=1000,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    uvicorn.Server(config).run([listener])


def _listen(port: int | None) -> socket.socket:
    wanted = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + _TRIES), 0]
    problem = OSError()
    for number in wanted:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen(256)
        except OSError as error:
            listener.close()
            problem = error
        else:
            return listener
    raise ValueError(f"cannot listen on {HOST}:{wanted[0]}: {problem.strerror}; choose another --port")


def _token(folder: pathlib.Path) -> str:
    """Return the token of a folder; it stays the same, so that open pages find a restarted studio."""
    place = folder / "token"
    try:
        known = place.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        known = ""
    if _TOKEN.fullmatch(known):
        return known
    token = secrets.token_urlsafe(24)
    with written_whole(place) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(token.encode())
    return token

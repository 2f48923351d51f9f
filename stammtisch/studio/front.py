"""The files of the front end, from memory, under addresses that change with them: a browser asks for each only once."""

import hashlib
import pathlib
import re
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

STATIC = pathlib.Path(__file__).parent / "static"
_KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STAMPED = re.compile(r"([0-9a-f]{12})/(.+)")
_ADDRESS = "/static/"
_WORDS, _WORDS_START = re.compile(r"words/(\w+)\.js"), b"export default {"


class Front:
    """Hands out the front end.

    What is asked for is looked up by its name among the files that were found, so no address leads anywhere else.

    Args:
        pages: names of the pages, in the order of the navigation.
        folder: where the files are.
    """

    def __init__(self, pages: Sequence[str], folder: pathlib.Path = STATIC):
        self._folder, self._pages = folder, " ".join(pages)
        self._state: dict[str, tuple[int, int]] = {}
        self._look()

    def _look(self) -> None:
        """Read the files, unless they are as they were."""
        paths = {
            path.relative_to(self._folder).as_posix(): path
            for path in sorted(self._folder.rglob("*"))
            if path.suffix in _KINDS
        }
        state = {name: (stat.st_mtime_ns, stat.st_size) for name, path in paths.items() if (stat := path.stat())}
        if state == self._state:
            return
        self._state = state
        self._files = {name: path.read_bytes() for name, path in paths.items()}
        words = [(found[1], data) for name, data in self._files.items() if (found := _WORDS.fullmatch(name))]
        self._files["words.js"] = b"".join(_words(page, data) for page, data in words)
        digest = hashlib.sha256()
        for name, data in self._files.items():
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        self._stamp = digest.hexdigest()[:12]
        text = self._files["index.html"].decode().replace(_ADDRESS, f"{_ADDRESS}{self._stamp}/")
        self._index = text.replace('data-pages=""', f'data-pages="{self._pages}"').encode()

    async def index(self, request: Request) -> Response:
        """Answer with the page itself; files that were changed since are seen from now on."""
        self._look()
        return Response(self._index, media_type="text/html", headers={"cache-control": "no-cache"})

    async def file(self, request: Request) -> Response:
        """Answer with a file; pages that were opened before it was changed get it as it is now."""
        name = request.path_params["name"]
        stamped = _STAMPED.fullmatch(name)
        data = self._files.get(stamped[2] if stamped else name)
        if data is None:
            return Response("there is no such file", 404, media_type="text/plain")
        is_lasting = stamped is not None and stamped[1] == self._stamp
        keep = "max-age=31536000, immutable" if is_lasting else "no-cache"
        return Response(data, media_type=_KINDS[pathlib.PurePosixPath(name).suffix], headers={"cache-control": keep})


def _words(page: str, data: bytes) -> bytes:
    """Return the texts of a page, ``export default {…}``, as a part of the one module that has them all."""
    return b"export const %b = (() => {\n%b})();\n" % (page.encode(), data.replace(_WORDS_START, b"return {", 1))

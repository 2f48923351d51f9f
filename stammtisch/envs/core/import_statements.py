"""The import statements of a file, found without parsing the rest of it: a game is loaded from some sixty files."""

import ast
import re
from collections.abc import Iterator

_STATEMENT = re.compile(rb"^[ \t]*((?:from|import)[ \t](?:\([^)]*\)|\\\r?\n|[^\n\\(])*)", re.MULTILINE)
_HIDDEN = re.compile(rb"[;:][ \t]*(?:from|import)[ \t]")  # behind something else on its line


def import_statements(text: bytes) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import statement of a source, wherever it stands.

    Raises:
        SyntaxError: the whole had to be parsed, and cannot be.
    """
    parts = [text] if _HIDDEN.search(text) else [match[1] for match in _STATEMENT.finditer(text)]
    for part in parts:
        try:
            tree = ast.parse(part)
        except SyntaxError:
            if part is text:
                raise
            continue  # a sentence of a docstring
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))

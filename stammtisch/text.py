"""Text from outside, made safe for terminals and logs.

A name or a reason that somebody else chose can hold escape sequences that move the cursor, line breaks that forge a
second line of a log, and marks that turn the order of what stands beside it. Here they are written out, as in Python.
"""

import re

# C0, DEL and C1; marks of direction and other invisible format characters, without the joiners that scripts and emoji
# need; separators of lines and paragraphs; halves of surrogate pairs; tags.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def is_printable(text: str) -> bool:
    """Tell whether a text can be shown as it is."""
    return _UNSAFE.search(text) is None


def printable(text: str) -> str:
    r"""Return a text as one line that any terminal shows as it is; what would not be shown is written out.

    Example:
        >>> print(printable("red \x1b[31m, next\nline, right-to-left \u202e, Zoë 🂡"))
        red \x1b[31m, next\nline, right-to-left \u202e, Zoë 🂡
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def cut_to_bytes(text: str, most: int) -> str:
    """Return the beginning of a text that needs at most so many bytes in UTF-8.

    Example:
        >>> cut_to_bytes("Mühle", 2)
        'M'
    """
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")

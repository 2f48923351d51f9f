"""Damaged files: bytes, letters and values changed by a seeded hand, and readers that must survive all of them."""

import contextlib
import copy
import json
import pathlib
import random
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tests.attack.memory import peak, reset_peak
from tests.attack.mutants import change

FEW, MANY = 200, 2000  # mutants of a kind in the default run, and in the slow one
_SLOWEST_S = 10
_WAITS = 20  # times as long by the clock
_LONGEST_LINE = 2000
_NUMBERS = [b"\0", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0\0\0\0\x80"]
_LETTERS = [
    "",
    " ",
    "\n",
    "0",
    "-1",
    "1e999",
    "9" * 30,
    '"',
    "'",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "=",
    "#",
    "\0",
    "ü",
    "🂡",
    ".",
]


class TooSlow(BaseException):
    """A reader took too long; not an ``Exception``, so that no reader can take it for damage."""


@dataclass
class Outcome:
    """How many mutants were read, and how many refused."""

    read: int = 0
    refused: int = 0
    lines: set[str] = field(default_factory=set)

    @property
    def tried(self) -> int:
        """Mutants in all."""
        return self.read + self.refused


def scratched(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with something changed, cut out, repeated, moved, or cut off."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(found) + 1), rng.choice((1, 2, 4, 8, 64, 512))
        kind = rng.randrange(7)
        if kind == 0 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            found[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            number = rng.choice(_NUMBERS)
            found[at : at + len(number)] = number
        elif kind == 3:
            del found[at : at + length]
        elif kind == 4:
            found[at:at] = found[at : at + length]
        elif kind == 5:
            other = rng.randrange(len(found) + 1)
            found[at : at + length] = found[other : other + length]
        elif rng.random() < 0.2:
            del found[at:]
    return bytes(found)


def scribbled(text: str, rng: random.Random) -> str:
    """Return a text with letters, words or lines changed."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        kind = rng.randrange(5)
        at = rng.randrange(len(text) + 1)
        if kind == 0:
            text = text[:at] + rng.choice(_LETTERS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.randrange(1, 12) :]
        elif kind == 2:
            text = text[:at] + rng.choice(_LETTERS) + text[at + 1 :]
        else:
            parts = text.split("\n" if kind == 3 else " ")
            here, there = rng.randrange(len(parts)), rng.randrange(len(parts))
            parts[here] = parts[there] if rng.random() < 0.7 else rng.choice(_LETTERS)
            text = ("\n" if kind == 3 else " ").join(parts)
    return text


def changed(values: object, rng: random.Random) -> object:
    """Return plain values with something changed in them; sometimes very deep."""
    found = copy.deepcopy(values)
    for _ in range(rng.randrange(1, 4)):
        change(found, rng)
    return found


def as_json(values: object, rng: random.Random) -> str:
    """Return values as JSON, once in a while with something nested very deep in it."""
    text = json.dumps(values)
    if rng.random() < 0.05:
        deep = rng.choice((40, 3000, 100_000))
        text = (
            text[:1]
            + ("[" * deep + "]" * deep + "," if text[0] == "[" else '"a":' + "[" * deep + "]" * deep + ",")
            + text[1:]
        )
    return text


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``TooSlow`` when the block takes longer in time of the processor; waiting may take more of the clock.

    Other work on the machine is not held against a reader.
    """

    def stop(*_: object) -> None:
        raise TooSlow

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, _WAITS * seconds))
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def attack(read: Callable[[object], object], whole: object, mutants: Iterable[object], most_mb: int = 256) -> Outcome:
    """Hand every mutant to a reader, which may accept it or refuse it in one line of a ``ValueError``.

    Args:
        read: reads a mutant and uses what it found.
        whole: what is right; it is read first, without a limit, because kernels may have to be compiled for it.
        mutants: what to read.
        most_mb: memory that the reader may take beyond what is taken now.
    """
    outcome = Outcome()
    read(whole)
    before = reset_peak()
    for number, mutant in enumerate(mutants):
        try:
            with time_limit(_SLOWEST_S):
                read(mutant)
            outcome.read += 1
        except ValueError as error:
            line = str(error)
            assert "\n" not in line, f"mutant {number}: {line}"
            assert 0 < len(line) < _LONGEST_LINE, f"mutant {number}: {line[:200]}"
            outcome.refused += 1
            outcome.lines.add(line)
        except BaseException as error:
            raise AssertionError(f"mutant {number} made {error!r}: {repr(mutant)[:300]}") from error
        taken = (peak() - before) >> 20
        assert taken < most_mb, f"mutant {number} took {taken} MB"
    return outcome


def attack_file(
    read: Callable[[pathlib.Path], object],
    whole: bytes,
    mutants: Iterable[bytes],
    path: pathlib.Path,
    most_mb: int = 256,
) -> Outcome:
    """Do the same with files: every mutant is written to ``path`` first."""

    def read_file(data: object) -> object:
        path.unlink(missing_ok=True)  # what is mapped from the last one stays whole
        path.write_bytes(data)  # type: ignore[arg-type]
        return read(path)

    return attack(read_file, whole, mutants, most_mb)

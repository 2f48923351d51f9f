"""Games of a match side by side in threads: no process has to start, and each kernel is loaded once.

That pays where all players think in kernels, which let go of Python's global lock. Every thread has players of its own,
so that the games are those of one thread.
"""

import queue
import threading
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any

from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.play import MatchPlayer
from stammtisch.arena.records import Records

_CHUNKS_PER_THREAD = 12
_MOST_THINKING, _MOST_IN_KERNEL = 500, 8192  # games of a chunk
_LONGEST_END_S = 1.0  # to wait for threads that think on when the match is over


class _Ended(Exception):
    """Nobody waits for the games any more."""


def play_threads(plan: MatchPlan, numbers: Sequence[int], workers: int) -> Generator[Records, None, None]:
    """Play in ``workers`` threads of this process; chunks come in order."""
    first = MatchPlayer(plan)
    most = _MOST_IN_KERNEL if first.in_kernel else _MOST_THINKING
    size = max(1, min(most, -(-len(numbers) // (workers * _CHUNKS_PER_THREAD))))
    chunks = [numbers[low : low + size] for low in range(0, len(numbers), size)]
    waiting = deque(enumerate(chunks))
    played: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    is_over = threading.Event()
    players = [first, *(MatchPlayer(plan) for _ in chunks[1:workers])]
    for player in players:
        arguments = player, waiting, played, is_over
        threading.Thread(target=_work, args=arguments, name="stammtisch-match", daemon=True).start()
    done: dict[int, Records] = {}
    left = len(players)
    try:
        for place in range(len(chunks)):
            while place not in done:
                number, result = played.get()
                if isinstance(result, BaseException):
                    raise result
                if number < 0:
                    left -= 1
                else:
                    done[number] = result
            yield done.pop(place)
    finally:
        is_over.set()
        while left and _has_ended(played):
            left -= 1


def _work(
    player: MatchPlayer, waiting: deque[tuple[int, Sequence[int]]], played: Any, is_over: threading.Event
) -> None:
    """Play chunks until there are none left, or the match is over; say with the number -1 that this thread is done."""

    def go_on() -> None:
        if is_over.is_set():
            raise _Ended

    player.before_each_question = go_on
    try:
        while waiting and not is_over.is_set():
            try:
                place, numbers = waiting.popleft()
            except IndexError:  # another thread was quicker
                break
            played.put((place, player.play(numbers)))
    except _Ended:
        pass
    except BaseException as error:
        played.put((0, error))
    finally:
        played.put((-1, None))


def _has_ended(played: "queue.SimpleQueue[tuple[int, Any]]") -> bool:
    """Wait a while for a thread to say that it is done."""
    try:
        while played.get(timeout=_LONGEST_END_S)[0] >= 0:
            pass
    except queue.Empty:
        return False
    return True

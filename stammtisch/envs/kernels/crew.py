"""Parts of a batch handed from one thread to others without Python: to hand over by locks takes longer than a step.

Every thread has a box, a row of words, the caller the first one. A worker looks into its box again and again for a
while after its last task; then it parks, and must be woken by Python. The global lock is not needed to hand over nor
to work. Parts are done piece by piece, and who is ready takes pieces of those who are not: nobody waits for a worker
that is late, or whose core another program has taken, but for the piece that it has in hand.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.atomic import add, call, pause, put, put_if, seen

kernel: Callable[[Callable[..., Any]], Any]

BOX_SIZE = 32  # words: boxes lie some cache lines apart
STATE, PATIENCE, FUNCTION, BOOK, HIGH = range(5)
NEXT = 16  # where the next piece of the part begins; others write there too
PARKED, READY, TASK, BUSY = range(4)
PIECES = 8  # of a part
LEAST_PIECE = 64


@kernel
def rest(times):
    """Pause so many times: how long takes that here?"""
    for _ in range(times):
        pause()


@njit
def _work(boxes, me):
    """Do the pieces of the own part, then those that are left of the others."""
    parts = len(boxes)
    function, book = boxes[0, FUNCTION], boxes[0, BOOK]
    piece = max(LEAST_PIECE, boxes[0, HIGH] // PIECES)
    for k in range(parts):
        box = boxes[(me + k) % parts]
        high = box[HIGH]
        low = add(box, NEXT, piece)
        while low < high:
            call(function, book, low, min(low + piece, high))
            low = add(box, NEXT, piece)


@kernel
def serve(boxes, me):
    """Do the tasks that come into a box, until none has come for so many looks as it has patience."""
    box = boxes[me]
    looks = 0
    while True:
        state = seen(box, STATE)
        if state == TASK:
            if put_if(box, STATE, TASK, BUSY):
                _work(boxes, me)
                put(box, STATE, READY)
            looks = 0
        elif looks >= box[PATIENCE] and (state == PARKED or put_if(box, STATE, READY, PARKED)):
            return
        pause()
        looks += 1


@njit
def _await(boxes, patience):
    looks = 0
    for k in range(1, len(boxes)):
        put_if(boxes[k], STATE, TASK, READY)  # it has not even begun
        while seen(boxes[k], STATE) == BUSY:
            if looks >= patience:
                return False
            pause()
            looks += 1
    return True


@kernel
def wait(boxes, patience):
    """Look for the workers to be done, ``patience`` times; return whether they are."""
    return _await(boxes, patience)


@kernel
def work_along(boxes, patience):
    """Do the first part and what is left of the others, then wait; return whether all is done."""
    _work(boxes, 0)
    return _await(boxes, patience)


@kernel
def hand_out(boxes, function, book, n, patience):
    """Put a part of ``0..n`` into every box, and work along unless somebody is parked.

    Returns:
        A bit for every worker that is parked: it is to be woken before the caller works along; and whether all is done.
    """
    parked = np.int64(0)
    parts = len(boxes)
    for k in range(parts):
        box = boxes[k]
        box[FUNCTION], box[BOOK], box[PATIENCE] = function, book, patience
        box[HIGH] = n * (k + 1) // parts
        box[NEXT] = n * k // parts
    for k in range(1, parts):
        if not put_if(boxes[k], STATE, READY, TASK):
            put(boxes[k], STATE, TASK)
            parked |= 1 << k
    if parked:
        return parked, False
    _work(boxes, 0)
    return parked, _await(boxes, patience)

"""The table of what a job can be: how it is asked for; what its process does is in ``work.RUNS``."""

from collections.abc import Callable, Mapping
from typing import Any

from stammtisch.errors import unknown
from stammtisch.files.documents import fits
from stammtisch.studio.jobs.orders import Order, order_suite, order_training, order_validation
from stammtisch.studio.trust import Trust

KINDS: dict[str, Callable[[Mapping[str, Any], Trust], Order]] = {
    "training": order_training,
    "validation": order_validation,
    "suite": order_suite,
}


def order(kind: str, request: Mapping[str, Any], trust: Trust) -> Order:
    """Return the job that a page asks for.

    Raises:
        ValueError: something is wrong or not allowed; a ``FieldError`` says with which field.
    """
    if kind not in KINDS:
        raise unknown("kind of job", kind, KINDS)
    if not fits(request, dict[str, Any]):
        raise ValueError("a job is asked for by a table of settings")
    return KINDS[kind](request, trust)

"""The table of what a job can be: how it is asked for, and what its process does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stammtisch.errors import unknown
from stammtisch.files.documents import fits
from stammtisch.studio.jobs.orders import Order, order_suite, order_training, order_validation
from stammtisch.studio.jobs.work import Work, run_suite_job, run_training, run_validation
from stammtisch.studio.trust import Trust


@dataclass(frozen=True)
class Kind:
    """One kind of job."""

    order: Callable[[Mapping[str, Any], Trust], Order]
    run: Callable[[Work], None]


KINDS: dict[str, Kind] = {
    "training": Kind(order_training, run_training),
    "validation": Kind(order_validation, run_validation),
    "suite": Kind(order_suite, run_suite_job),
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
    return KINDS[kind].order(request, trust)

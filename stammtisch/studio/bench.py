"""``Bench``: what the pages about training, models and benchmarks share in a running studio, away from its event loop.

Everything that reads folders or loads agents is done by one thread, one thing after the other, so that the pages of
people who play never wait for it.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from stammtisch.json_text import finite
from stammtisch.studio.desk import Studio
from stammtisch.studio.jobs.manager import Job, Jobs
from stammtisch.studio.jobs.progress import ProgressReader
from stammtisch.studio.jobs.worker import REPORT, RESULTS
from stammtisch.studio.models import Models
from stammtisch.studio.trust import Trust

T = TypeVar("T")
_PART = "bench"


class Bench:
    """Jobs, models and ratings of a studio.

    Args:
        studio: whose they are.
    """

    def __init__(self, studio: Studio):
        self.models = Models(studio.models)
        self.trust = Trust(self.models, studio.trusted)
        self.jobs = Jobs(studio.subfolder("jobs"), self.trust)
        self._key = studio.token.encode()
        self._thread = ThreadPoolExecutor(1, "bench")

    async def do(self, work: Callable[..., T], *given: Any) -> T:
        """Do something in the thread of the bench."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    def summary(self, job: Job) -> dict[str, Any]:
        """Return what lists show of a job; reads what is new of its progress."""
        progress = self.jobs.progress(job.id)
        progress.look()
        told: dict[str, Any] = finite(self._summary(job, progress))
        return told

    def _summary(self, job: Job, progress: ProgressReader) -> dict[str, Any]:
        last, facts = progress.last, job.run.get("facts")
        return {
            "id": job.id,
            "kind": job.kind,
            "title": job.title,
            "game": job.game,
            "total": progress.total or job.total,
            "unit": job.unit,
            "model": job.model,
            "created": job.created,
            "state": job.state,
            "done": last["done"],
            "seconds": last["s"],
            "left": progress.seconds_left() if job.state in ("running", "paused") else None,
            "line": last.get("line", ""),
            "wdl": last.get("wdl"),
            "message": job.run.get("message", ""),
            "facts": facts if isinstance(facts, dict) and job.kind == "validation" else {},
            "learner": job.plan.get("learner", ""),
            "agents": job.plan.get("shown", []),
            "games": (job.folder / RESULTS).is_file(),
            "report": self.report_key(job.id) if (job.folder / REPORT).is_file() else "",
        }

    def summaries(self) -> list[dict[str, Any]]:
        """Return what lists show of all jobs."""
        return [self.summary(job) for job in self.jobs.listed()]

    def detail(self, name: str) -> dict[str, Any]:
        """Return everything that a page shows of one job: the curves so far, the log, the settings."""
        job = self.jobs.job(name)
        told = self.summary(job)
        progress = self.jobs.progress(name)
        return {
            **told,
            "figures": progress.figures(),
            "points": sorted(progress.points.values(), key=lambda point: point["step"]),
            "log": self.jobs.log(name),
            "plan": finite({**job.plan, "agents": [self.models.called(spec) for spec in job.plan.get("agents", [])]}),
        }

    def report_key(self, name: str) -> str:
        """Return what the address of a report holds, so that only whoever has the token can know it."""
        return hmac.new(self._key, f"report {name}".encode(), hashlib.sha256).hexdigest()[:32]

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def bench_of(studio: Studio) -> Bench:
    """Return the bench of a studio, made when it is first asked for."""
    if _PART not in studio.parts:
        studio.parts[_PART] = Bench(studio)
    found: Bench = studio.parts[_PART]
    return found

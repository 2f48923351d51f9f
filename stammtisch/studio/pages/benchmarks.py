"""The page of benchmarks: suites as jobs, how they fill in, and the ladder of everybody on this machine."""

import pathlib
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stammtisch.studio.bench import Bench, bench_of
from stammtisch.studio.desk import Page
from stammtisch.studio.jobs.orders import SuiteSettings
from stammtisch.studio.jobs.worker import RESULTS
from stammtisch.studio.reels import ELSEWHERE

_PART = "ladder"


async def _ladder(request: Request) -> JSONResponse:
    from stammtisch.studio.ratings import Standings

    studio = request.app.state.studio
    bench = bench_of(studio)
    ladder: Standings = studio.parts.setdefault(_PART, Standings(bench.models))
    return JSONResponse({"tables": await bench.do(lambda: ladder.tables(_files(bench, studio.folder)))})


def _files(bench: Bench, folder: pathlib.Path) -> list[pathlib.Path]:
    places = (bench.jobs.folder, folder / "games", pathlib.Path.cwd() / ELSEWHERE)
    return [path for place in places for path in place.glob(f"*/{RESULTS}")]


async def _matches(request: Request) -> JSONResponse:
    bench = bench_of(request.app.state.studio)
    return JSONResponse({"matches": await bench.do(_filling, bench, request.path_params["id"])})


def _filling(bench: Bench, name: str) -> list[dict[str, Any]]:
    """Return every match of a suite with what has been played of it."""
    from stammtisch.arena.records import Records
    from stammtisch.arena.store import Store
    from stammtisch.benchmarks.suites.suite import is_built, load_suite

    job = bench.jobs.job(name)
    if job.kind != "suite":
        raise ValueError("this job is no suite")
    settings = SuiteSettings.read(job.plan)
    suite = load_suite(settings.suite, settings.games, settings.seed, job.folder)
    rows = []
    store = Store(job.folder / RESULTS, read_only=True) if (job.folder / RESULTS).is_file() else None
    try:
        for plan in suite.plans():
            played = store.games_of(plan) if store is not None else []
            row: dict[str, Any] = {"game": plan.game, "agents": [bench.models.called(agent) for agent in plan.agents]}
            row |= {"games": plan.games, "done": len(played), "built": is_built(plan.agents), "wdl": None}
            if played:
                scores = Records.of(played).scores()
                row["wdl"] = [int((scores == score).sum()) for score in (1.0, 0.5, 0.0)]
            rows.append(row)
    finally:
        if store is not None:
            store.close()
    return rows


PAGE = Page(
    "benchmarks",
    order=60,
    routes=[
        Route("/api/benchmarks/ladder", _ladder),
        Route("/api/benchmarks/{id}", _matches),
    ],
)

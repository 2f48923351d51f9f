"""The page of models: a list, copies, and a bin to take back from."""

import functools
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stammtisch.models.index import read_index
from stammtisch.studio.bench import Bench, bench_of
from stammtisch.studio.desk import Page
from stammtisch.studio.pages.jobs import body_of


def _bench(request: Request) -> Bench:
    return bench_of(request.app.state.studio)


async def _list(request: Request) -> JSONResponse:
    bench = _bench(request)
    models = await bench.do(lambda: [model.to_json() for model in bench.models.listed()])
    return JSONResponse({"models": models, "frozen": _frozen()})


@functools.cache
def _frozen() -> list[dict[str, Any]]:
    """Return the players that ship: the champion of each game."""
    found: dict[str, dict[str, Any]] = {}
    for model in read_index():
        told = {"name": model.name, "game": model.game, "agent": "champion", "about": model.about or model.agent}
        found.setdefault(model.game, {**told, "elo": model.elo, "games": model.games})
    return list(found.values())


async def _copy(request: Request) -> JSONResponse:
    bench, asked = _bench(request), await body_of(request)
    copy = await bench.do(bench.models.save_as, request.path_params["name"], asked.get("name"))
    return JSONResponse(copy.to_json())


async def _delete(request: Request) -> JSONResponse:
    bench, name = _bench(request), request.path_params["name"]
    if await bench.do(bench.jobs.learner_of, name) is not None:
        raise ValueError(f'"{name}" is being trained; stop its training first')
    return JSONResponse({"mark": await bench.do(bench.models.delete, name)})


async def _restore(request: Request) -> JSONResponse:
    bench, asked = _bench(request), await body_of(request)
    model = await bench.do(bench.models.restore, asked.get("mark"))
    return JSONResponse(model.to_json())


PAGE = Page(
    "models",
    order=50,
    routes=[
        Route("/api/models", _list),
        Route("/api/models/restore", _restore, methods=["POST"]),
        Route("/api/models/{name}", _delete, methods=["DELETE"]),
        Route("/api/models/{name}/copy", _copy, methods=["POST"]),
    ],
)

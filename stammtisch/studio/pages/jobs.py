"""Jobs for the pages that start and watch them: lists, forms, verbs, live news, reports. It has no page of its own."""

import asyncio
import hmac
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from stammtisch.baselines import AGENTS
from stammtisch.envs.core.games import GAMES
from stammtisch.files.documents import check_depth
from stammtisch.studio.bench import Bench, bench_of
from stammtisch.studio.desk import Page, Studio, Tab
from stammtisch.studio.jobs import forms
from stammtisch.studio.jobs.orders import FieldError
from stammtisch.studio.jobs.worker import PROGRAM, REPORT, RESULTS
from stammtisch.training.learners import LEARNERS

_TOPIC = "jobs"
_LOOK_S = 1.0
_MOST_FOLLOWED = 8  # jobs that one tab follows
_LARGEST = 1 << 16  # bytes of an order
_REPORT_S = 600.0
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
)
_VERBS = ("pause", "resume", "stop")


async def body_of(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request carries.

    Raises:
        ValueError: it is none, or too large.
    """
    text = await request.body()
    if len(text) > _LARGEST:
        raise ValueError(f"an order has at most {_LARGEST} bytes")
    try:
        found = json.loads(text or b"{}")
    except (ValueError, RecursionError):
        raise ValueError("a request is a JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("a request is a JSON object")
    check_depth(found)
    return found


def _bench(request: Request) -> Bench:
    return bench_of(request.app.state.studio)


async def _list(request: Request) -> JSONResponse:
    bench = _bench(request)
    return JSONResponse({"jobs": await bench.do(bench.summaries)})


async def _create(request: Request) -> JSONResponse:
    bench, asked = _bench(request), await body_of(request)
    kind, order = asked.get("kind"), asked.get("order")
    if not isinstance(kind, str) or not isinstance(order, dict):
        raise ValueError("a job is asked for by its kind and its order")
    try:
        job = await bench.do(bench.jobs.create, kind, order)
    except FieldError as error:
        return JSONResponse({"error": str(error), "field": error.name}, 400)
    return JSONResponse(await bench.do(bench.summary, job))


async def _detail(request: Request) -> JSONResponse:
    bench = _bench(request)
    return JSONResponse(await bench.do(bench.detail, request.path_params["id"]))


async def _act(request: Request) -> JSONResponse:
    bench, verb = _bench(request), request.path_params["verb"]
    if verb not in _VERBS:
        raise ValueError(f"a job is told to {', '.join(_VERBS)}")
    job = await bench.do(getattr(bench.jobs, verb), request.path_params["id"])
    return JSONResponse(await bench.do(bench.summary, job))


async def _write_report(request: Request) -> JSONResponse:
    """Write the report of the games that a job has played so far, in a process of its own."""
    bench, studio = _bench(request), request.app.state.studio
    job = await bench.do(bench.jobs.job, request.path_params["id"])
    if not (job.folder / RESULTS).is_file():
        raise ValueError("there are no games yet")
    words = (*PROGRAM, "report", str(job.folder / RESULTS), "--out", str(job.folder), "--json")
    lock: asyncio.Lock = studio.parts.setdefault("report lock", asyncio.Lock())
    async with lock:
        nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, stdin=nothing, stdout=nothing, stderr=pipe)
        try:
            _, said = await asyncio.wait_for(process.communicate(), _REPORT_S)
        except TimeoutError:
            raise ValueError("the report took too long") from None
        finally:
            if process.returncode is None:
                process.kill()
    if process.returncode != 0:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(lines[-1][:300] if lines else "the report could not be written")
    return JSONResponse(await bench.do(bench.summary, job))


async def _delete(request: Request) -> JSONResponse:
    bench = _bench(request)
    return JSONResponse({"mark": await bench.do(bench.jobs.delete, request.path_params["id"])})


async def _restore(request: Request) -> JSONResponse:
    bench, asked = _bench(request), await body_of(request)
    job = await bench.do(bench.jobs.restore, asked.get("mark"))
    return JSONResponse(await bench.do(bench.summary, job))


async def _choices(request: Request) -> JSONResponse:
    learned = {learner.agent.partition(":")[0] for learner in LEARNERS.values()}  # they need a file: models
    allowed = _bench(request).trust.agents()
    agents = [{"name": name, "help": AGENTS[name].help, "learned": name in learned} for name in allowed]
    return JSONResponse({"learners": forms.learners(), "games": list(GAMES), "agents": agents})


async def _training_form(request: Request) -> JSONResponse:
    learner, game = request.query_params.get("learner", ""), request.query_params.get("game", "")
    bench = _bench(request)
    form = await bench.do(forms.training_form, learner, game)
    return JSONResponse({**form, "deals": await bench.do(bench.trust.deals)})


async def _validation_form(request: Request) -> JSONResponse:
    return JSONResponse(forms.validation_form())


async def _suite_form(request: Request) -> JSONResponse:
    return JSONResponse(await _bench(request).do(forms.suite_form))


async def _report(request: Request) -> Response:
    """Hand out a report; its address is a secret, and it may do nothing but show itself."""
    bench, name = _bench(request), request.path_params["id"]
    if not hmac.compare_digest(request.path_params["key"].encode(), bench.report_key(name).encode()):
        return JSONResponse({"error": "open the report from the page of benchmarks"}, 404)
    path = (await bench.do(bench.jobs.job, name)).folder / REPORT
    if not path.is_file():
        raise ValueError("there is no report yet")
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": _REPORT_POLICY})


async def receive(studio: Studio, tab: Tab, message: dict[str, Any]) -> None:
    """Take ``{"what": "follow", "jobs": [id, …]}``: news of all jobs, and every line of these."""
    if message.get("what") != "follow":
        raise ValueError("a page of jobs follows them")
    wanted = message.get("jobs", [])
    if not isinstance(wanted, list) or len(wanted) > _MOST_FOLLOWED or not all(isinstance(n, str) for n in wanted):
        raise ValueError(f"a page follows at most {_MOST_FOLLOWED} jobs")
    for topic in [topic for topic in tab.topics if topic.startswith(f"{_TOPIC}/")]:
        tab.leave(topic)
    tab.follow(_TOPIC)
    for name in wanted:
        tab.follow(f"{_TOPIC}/{name[:40]}")


async def start(studio: Studio) -> None:
    """Find the jobs of the last time, and look after all of them."""
    bench = bench_of(studio)
    studio.spawn(_look_after(studio, bench))


async def stop(studio: Studio) -> None:
    """Leave the jobs alone: they go on."""
    bench_of(studio).close()


async def _look_after(studio: Studio, bench: Bench) -> None:
    """Begin what waits, and tell pages what is new, once a second."""
    await bench.do(bench.jobs.recover)
    known: dict[str, dict[str, Any]] = {}
    seen: dict[str, int] = {}
    while True:
        await asyncio.sleep(_LOOK_S)
        try:
            await bench.do(bench.jobs.tick)
            now = {told["id"]: told for told in await bench.do(bench.summaries)}
        except (ValueError, OSError):  # a full disk; it is told where somebody asks
            continue
        changed = [told for name, told in now.items() if told != known.get(name)]
        gone = [name for name in known if name not in now]
        if changed or gone:
            studio.publish(_TOPIC, {"page": "jobs", "what": "jobs", "jobs": changed[:50], "gone": gone})
        for told in changed:
            _publish_lines(studio, bench, told, seen)
        known = now


def _publish_lines(studio: Studio, bench: Bench, told: dict[str, Any], seen: dict[str, int]) -> None:
    """Tell those who follow a job what it has told since the last time."""
    name = told["id"]
    lines = bench.jobs.progress(name).lines
    before, seen[name] = seen.get(name, 0), len(lines)
    fresh = lines[before:] if len(lines) >= before else lines
    points = list(bench.jobs.progress(name).points.values())[-40:]
    message = {"page": "jobs", "what": "progress", "id": name, "lines": fresh[-60:], "points": points}
    studio.publish(f"{_TOPIC}/{name}", message)


PAGE = Page(
    "jobs",
    routes=[
        Route("/api/jobs", _list),
        Route("/api/jobs", _create, methods=["POST"]),
        Route("/api/jobs/choices", _choices),
        Route("/api/jobs/restore", _restore, methods=["POST"]),
        Route("/api/jobs/forms/training", _training_form),
        Route("/api/jobs/forms/validation", _validation_form),
        Route("/api/jobs/forms/suite", _suite_form),
        Route("/api/jobs/{id}", _detail),
        Route("/api/jobs/{id}", _delete, methods=["DELETE"]),
        Route("/api/jobs/{id}/report", _write_report, methods=["POST"]),
        Route("/api/jobs/{id}/{verb}", _act, methods=["POST"]),
        Route("/report/{id}/{key}", _report),
    ],
    receive=receive,
    start=start,
    stop=stop,
)

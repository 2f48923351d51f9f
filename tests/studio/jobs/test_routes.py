"""The routes of jobs, models and benchmarks: what a page gets, and what an attacker does not."""

import asyncio
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from stammtisch.origins import OriginPolicy
from stammtisch.studio.app import make_app
from stammtisch.studio.bench import bench_of
from stammtisch.studio.desk import Studio

TOKEN = "t" * 30
HEADERS = {"x-studio-token": TOKEN}
ROUTES = [
    ("GET", "/api/jobs"),
    ("POST", "/api/jobs"),
    ("POST", "/api/jobs/restore"),
    ("GET", "/api/jobs/choices"),
    ("GET", "/api/jobs/forms/suite"),
    ("GET", "/api/jobs/20260101-000000-abcdef"),
    ("DELETE", "/api/jobs/20260101-000000-abcdef"),
    ("POST", "/api/jobs/20260101-000000-abcdef/stop"),
    ("GET", "/api/models"),
    ("POST", "/api/models/restore"),
    ("DELETE", "/api/models/a"),
    ("POST", "/api/models/a/copy"),
    ("GET", "/api/benchmarks/ladder"),
]


@pytest.fixture
def studio(tmp_path):
    return Studio(tmp_path, TOKEN)


@pytest.fixture
def client(studio, monkeypatch):
    from stammtisch.studio.jobs.manager import Jobs

    def begin(self, job):
        (job.folder / "run.json").write_text(json.dumps({"state": "starting", "at": time.time()}))

    monkeypatch.setattr(Jobs, "_begin", begin)  # nothing is started here
    app = make_app(studio, OriginPolicy("127.0.0.1"))
    with TestClient(app, base_url="http://127.0.0.1:8421", raise_server_exceptions=False) as made:
        yield made


def start(client, name="tiny", **settings):
    order = {"learner": "ntuple", "game": "einstein-3x3", "settings": settings, "name": name}
    return client.post("/api/jobs", headers=HEADERS, json={"kind": "training", "order": order})


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_nothing_is_told_or_done_without_the_token_or_for_another_site(client, method, path):
    assert client.request(method, path).status_code == 401
    assert client.request(method, path, headers={"x-studio-token": "x" * 30}).status_code == 401
    foreign = {**HEADERS, "origin": "https://evil.example"}
    assert client.request(method, path, headers=foreign).status_code == 403
    assert client.request(method, path, headers={**HEADERS, "host": "evil.example"}).status_code == 403


def test_a_training_is_started_told_about_and_deleted(client):
    made = start(client, episodes=10)
    assert made.status_code == 200
    job = made.json()
    assert (job["kind"], job["total"], job["state"]) == ("training", 10, "starting")
    assert [each["id"] for each in client.get("/api/jobs", headers=HEADERS).json()["jobs"]] == [job["id"]]
    detail = client.get(f"/api/jobs/{job['id']}", headers=HEADERS).json()
    assert detail["plan"]["settings"]["episodes"] == 10
    assert detail["points"] == []
    assert client.delete(f"/api/jobs/{job['id']}", headers=HEADERS).status_code == 400  # it has just begun
    listed = client.get("/api/models", headers=HEADERS).json()
    assert listed["models"][0]["name"] == "tiny"
    assert {"einstein-3x3", "muehle"} <= {each["game"] for each in listed["frozen"]}
    answer = client.delete("/api/models/tiny", headers=HEADERS)
    assert "is being trained" in answer.json()["error"]


def test_what_is_wrong_is_told_at_its_field(client):
    answer = start(client, episodes=-5)
    assert answer.status_code == 400
    assert answer.json()["field"] == "episodes"
    assert "\n" not in answer.json()["error"]
    assert client.get("/api/models", headers=HEADERS).json()["models"] == []


def test_job_starts_that_flood_in_are_refused_at_the_limit(client):
    codes = [start(client, f"m{i}", episodes=10).status_code for i in range(40)]
    assert set(codes) == {200, 400}
    assert codes.count(200) <= 24 + 16  # waiting, and begun on a machine with many processors
    assert "wait already" in start(client, "late", episodes=10).json()["error"]


@pytest.mark.parametrize(
    "name", ["..", "../x", "%2e%2e%2fx", "..%2f..%2fetc%2fpasswd", "a%00b", "x" * 300, "20260101-000000-abcdef", ".bin"]
)
def test_names_that_lead_out_of_the_folders_are_no_names(client, tmp_path, name):
    (tmp_path / "token").write_text("secret")
    for method, path in [
        ("GET", f"/api/jobs/{name}"),
        ("DELETE", f"/api/jobs/{name}"),
        ("POST", f"/api/jobs/{name}/stop"),
        ("DELETE", f"/api/models/{name}"),
        ("POST", f"/api/models/{name}/copy"),
        ("GET", f"/api/benchmarks/{name}"),
        ("GET", f"/report/{name}/{'0' * 32}"),
    ]:
        answer = client.request(method, path, headers=HEADERS, json={"name": "b"} if method == "POST" else None)
        assert answer.status_code in (400, 404, 405), (method, path, answer.text)
        assert "secret" not in answer.text
    for mark in (f"1@{name}", name, None, 5, {"a": 1}):
        for kind in ("jobs", "models"):
            assert client.post(f"/api/{kind}/restore", headers=HEADERS, json={"mark": mark}).status_code == 400


def test_a_report_is_shown_only_by_its_secret_address_and_can_do_nothing(client, studio):
    job = start(client, episodes=10).json()
    bench = bench_of(studio)
    (bench.jobs.job(job["id"]).folder / "report.html").write_text("<script>alert(1)</script>")
    told = client.get(f"/api/jobs/{job['id']}", headers=HEADERS).json()
    answer = client.get(f"/report/{job['id']}/{told['report']}")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts;")
    assert "connect-src" not in policy
    assert answer.headers.get_list("content-security-policy") == [policy]
    assert client.get(f"/report/{job['id']}/{'0' * 32}").status_code == 404


def test_large_and_deep_orders_are_refused(client):
    for body in (
        b"x" * 70_000,
        b"[" * 60_000,
        b'{"kind":' * 5000,
        b'{"a":' + b"[" * 100 + b"]" * 100 + b"}",
        b"\xff",
        b"7",
    ):
        assert client.post("/api/jobs", headers=HEADERS, content=body).status_code == 400, body[:20]
    assert client.post("/api/jobs", headers=HEADERS, content=b" " * (2 << 20)).status_code == 413


def test_two_thousand_mutated_orders_cost_nothing(client, tmp_path):
    order = {"learner": "ntuple", "game": "einstein-3x3", "settings": {"episodes": 10, "opponents": ["random"]}}
    whole = json.dumps({"kind": "training", "order": order}).encode()
    draw = random.Random(3)
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        answer = client.post("/api/jobs", headers=HEADERS, content=bytes(data))
        assert answer.status_code in (200, 400)
        if answer.status_code == 400:
            assert answer.json()["error"]
    assert client.get("/api/jobs", headers=HEADERS).status_code == 200
    known = {"jobs", "models", "games", "results", "token", "catalogue.json"}
    assert {path.name for path in tmp_path.iterdir()} <= known


def test_a_tab_gets_the_news_that_it_follows_and_bad_messages_are_answered(studio):
    from stammtisch.studio.desk import Tab
    from stammtisch.studio.pages import jobs

    async def scene():
        tab = Tab()
        studio.tabs.add(tab)
        for bad in (
            {},
            {"what": "follow", "jobs": "x"},
            {"what": "follow", "jobs": ["x"] * 9},
            {"what": "follow", "jobs": [1]},
        ):
            with pytest.raises(ValueError, match="follow"):
                await jobs.receive(studio, tab, bad)
        await jobs.receive(studio, tab, {"what": "follow", "jobs": ["a"]})
        await jobs.receive(studio, tab, {"what": "follow", "jobs": ["b"]})
        assert tab.topics == {"jobs", "jobs/b"}
        bench = bench_of(studio)
        bench.jobs._begin = lambda job: None
        order = {"learner": "ntuple", "game": "einstein-3x3", "settings": {"episodes": 10}}
        job = await bench.do(bench.jobs.create, "training", order)
        await jobs.start(studio)
        news = json.loads(await asyncio.wait_for(tab.next_text(), 30))
        assert (news["page"], news["what"], news["jobs"][0]["id"]) == ("jobs", "jobs", job.id)
        await studio.close()
        await jobs.stop(studio)

    with ThreadPoolExecutor(1) as apart:  # a browser of other tests may have a loop in this thread
        apart.submit(asyncio.run, scene()).result()

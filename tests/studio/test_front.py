"""The first page: what it needs is small, stays in the browser until it changes, and is the only thing answered."""

import re
import shutil
import subprocess
import sys

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from stammtisch.studio.front import STATIC, Front
from tests.studio.serving import Served

SLOW = ("PIL", "numba", "stammtisch.arena.match", "stammtisch.benchmarks", "stammtisch.training.evaluator")


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(STATIC, tmp_path / "static")


@pytest.fixture
def client(folder):
    front = Front(["play", "train"], folder)
    return TestClient(Starlette(routes=[Route("/", front.index), Route("/static/{name:path}", front.file)]))


def addresses(page):
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', page)


def test_a_browser_asks_for_each_file_only_once(client):
    page = client.get("/")
    assert page.headers["cache-control"] == "no-cache"
    assert 'data-pages="play train"' in page.text
    assert len(addresses(page.text)) > 8
    for address in addresses(page.text):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"], address


def test_a_file_that_has_changed_has_another_address(client, folder):
    before = addresses(client.get("/").text)
    (folder / "main.js").write_text("// new\n")
    after = addresses(client.get("/").text)
    assert not {*before} & {*after}
    old = client.get(next(address for address in before if address.endswith("main.js")))
    assert old.text == "// new\n"
    assert old.headers["cache-control"] == "no-cache"  # a page that was opened before does not keep it


def test_the_texts_of_all_pages_are_one_module(client):
    words = client.get("/static/words.js").text
    pages = {path.stem for path in STATIC.glob("words/*.js")}
    assert set(re.findall(r"^export const (\w+) = ", words, re.M)) == pages
    assert words.count("\nreturn {") == len(pages)
    assert "export default" not in words


def test_kinds_of_files_are_told(client):
    kinds = {"studio.css": "text/css", "main.js": "text/javascript", "icon.svg": "image/svg+xml"}
    for name, kind in kinds.items():
        assert client.get(f"/static/{name}").headers["content-type"].startswith(kind)
    assert client.get("/static/none.js").status_code == 404
    assert client.post("/static/main.js").status_code == 405


def test_the_application_imports_nothing_that_the_first_page_can_do_without():
    code = (
        "import sys, stammtisch.studio.app, stammtisch.studio.pages as pages; pages.all_pages();"
        f"print(*[name for name in {SLOW} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


def test_what_is_asked_before_the_application_is_there_waits_for_its_guard(tmp_path):
    studio = Served(tmp_path / "data")  # has read the link, which is told before the application is imported
    try:
        assert studio.ask("GET", "/api/play/games", token="wrong")[0] == 401
        assert studio.ask("GET", "/", headers={"Host": "evil.example"})[0] == 403
        assert studio.ask("GET", "/api/play/games", headers={"Origin": "http://evil.example"})[0] == 403
        assert studio.ask("GET", "/api/play/games")[0] == 200
    finally:
        studio.stop()

"""The first page comes soon: its list of games and agents is kept while it is true, its modules come together."""

import json
import os
import random
import re

import pytest

from stammtisch.baselines import AGENTS, AgentEntry
from stammtisch.envs import GAMES
from stammtisch.studio import catalogue
from stammtisch.studio.front import STATIC
from tests.attack.damage import scribbled


@pytest.fixture
def counted(monkeypatch):
    """Count how often the list is worked out, which is made short."""
    calls = []
    few = {name: GAMES[name] for name in ("morris-3", "einstein-3x3")}
    monkeypatch.setattr(catalogue, "GAMES", few)
    worked_out = catalogue.worked_out
    monkeypatch.setattr(catalogue, "worked_out", lambda: calls.append(1) or worked_out())
    return calls


def test_it_is_worked_out_once_and_then_kept(tmp_path, counted):
    first = catalogue.catalogue(tmp_path)
    assert [game["id"] for game in first["games"]] == ["morris-3", "einstein-3x3"]
    assert "champion" in first["agents"]
    assert catalogue.catalogue(tmp_path) == json.loads(json.dumps(first))
    assert len(counted) == 1


def test_another_state_of_the_package_has_a_list_of_its_own(tmp_path, counted, monkeypatch):
    catalogue.catalogue(tmp_path)
    monkeypatch.setattr(catalogue, "_stamp", lambda: "another")
    catalogue.catalogue(tmp_path)
    assert len(counted) == 2


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 5000, '{"stamp": 3}', '{"catalogue": {}}'])
def test_a_damaged_file_is_written_anew(tmp_path, counted, text):
    (tmp_path / "catalogue.json").write_text(text)
    assert catalogue.catalogue(tmp_path)["games"]
    assert catalogue.catalogue(tmp_path)["games"]
    assert len(counted) == 1


def test_whatever_is_damaged_in_it_the_list_is_right(tmp_path, counted):
    first = json.loads(json.dumps(catalogue.catalogue(tmp_path)))
    place = tmp_path / "catalogue.json"
    whole = place.read_text()
    rng = random.Random(7)
    for _ in range(60):
        place.write_text(scribbled(whole, rng), "utf-8", "replace")
        assert catalogue.catalogue(tmp_path) == first


def test_nothing_is_kept_while_there_are_plug_ins(tmp_path, counted, monkeypatch):
    monkeypatch.setitem(AGENTS, "outside", AgentEntry("elsewhere.players:Outside", "of another package"))
    catalogue.catalogue(tmp_path)
    catalogue.catalogue(tmp_path)
    assert len(counted) == 2
    assert not (tmp_path / "catalogue.json").exists()


def test_the_first_page_asks_for_all_its_modules_at_once():
    listed = set(re.findall(r'rel="modulepreload" href="/static/([^"]+)"', (STATIC / "index.html").read_text()))
    waiting, needed = ["main.js", "pages/play.js"], set()
    while waiting:
        module = waiting.pop()
        if module not in needed:
            needed.add(module)
            found = re.findall(r'from "([^"]+)"', (STATIC / module).read_text()) if module != "words.js" else []
            waiting += [os.path.normpath(os.path.join(os.path.dirname(module), name)) for name in found]
    assert listed == needed - {"main.js"}

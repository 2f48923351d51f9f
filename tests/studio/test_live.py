"""Matches followed while they are played: how they stand, the latest game on the board, and when they end."""

import pytest

from stammtisch.arena.match import play_match
from stammtisch.arena.store import Store
from stammtisch.files.locks import FileLock, holder_of
from stammtisch.studio.standing import Count
from tests.studio.browser import Browser
from tests.studio.serving import Served

pytestmark = pytest.mark.xdist_group("studio")


def play(store: Store, games: int, agents: tuple[str, str] = ("heuristic", "random")) -> None:
    play_match("reversi-4x4", list(agents), games=games, seed=3, opening=2, store=store)


def test_a_growing_file_is_counted_as_if_it_were_counted_at_its_end(tmp_path):
    path = tmp_path / "results.sqlite"
    store = Store(path)
    play(store, 2)
    count = Count(path, str)
    first = count.look()
    assert first["running"]
    assert [match["games"] for match in first["matches"]] == [2]
    play(store, 10)
    play(store, 4, ("random", "heuristic"))
    grown = count.look()
    assert grown == Count(path, str).look()
    assert [match["games"] for match in grown["matches"]] == [10, 4]
    assert grown["latest"] == 1
    assert {row["agent"]: row["games"] for row in grown["table"]} == {"heuristic": 14, "random": 14}
    assert sum(row["points"] for row in grown["table"]) == 14
    plan = store.plans()[0]
    wins = sum(record.returns[record.seating.index(0)] > 0 for record in store.games_of(plan))
    assert grown["matches"][0]["wdl"][0] == wins
    assert [record.returns for record in store.outcomes_of(plan, 6)] == [
        record.returns for record in store.games_of(plan)[6:]
    ]
    store.close()
    assert not count.look()["running"]


def test_another_file_in_the_same_place_is_counted_anew(tmp_path):
    path, other = tmp_path / "results.sqlite", tmp_path / "other.sqlite"
    for place, agents, games in ((path, ("heuristic", "random"), 6), (other, ("random", "heuristic"), 2)):
        store = Store(place)
        play(store, games, agents)
        store.close()
    count = Count(path, str)
    assert count.look()["matches"][0]["games"] == 6
    other.replace(path)
    assert [(match["agents"], match["games"]) for match in count.look()["matches"]] == [(["random", "heuristic"], 2)]


def test_who_holds_a_file_is_told_without_touching_it(tmp_path):
    path = tmp_path / "x.sqlite"
    assert holder_of(path) is None
    lock = FileLock(path)
    assert holder_of(path) is not None
    lock.release()
    assert holder_of(path) is None
    for text in ("999999999", "0", "-1", "", "x" * 99, "9" * 19):
        path.with_name("x.sqlite-lock").write_text(text)
        assert holder_of(path) is None


def test_a_running_match_is_followed_to_its_end(served: Served, browser: Browser):
    folder = served.folder / "results" / "cup"
    folder.mkdir(parents=True)
    store = Store(folder / "results.sqlite")
    play(store, 2)
    page = browser.page(served, "#/watch")
    page.wait_for_selector("[data-file='results/cup/results.sqlite'] .state-running")
    page.click("[data-file='results/cup/results.sqlite'] [data-act=live]")
    page.wait_for_selector(".live-match")
    assert "2 games" in page.locator(".live-match").inner_text()
    page.wait_for_selector(".board > svg .piece")
    assert "game 2" in page.locator(".explain").inner_text()
    play(store, 6)
    page.wait_for_function("() => document.querySelector('.live-match').textContent.includes('6 games')")
    page.wait_for_function("() => document.querySelector('.explain').textContent.includes('game 6')")
    store.close()
    page.wait_for_selector(".state-running", state="detached")
    page.click(".live-match")
    page.wait_for_selector("#next")
    assert not browser.problems
    page.context.close()


def test_a_game_of_the_studio_is_watched_as_it_goes_on(served: Served, browser: Browser):
    name = served.new_game("reversi-4x4", [{"kind": "agent", "spec": "random"}] * 2, delay=0.3)
    page = browser.page(served, f"#/watch/game/{name}")
    page.wait_for_selector("#next")
    before = page.locator(".moves li").count()
    page.wait_for_function("n => document.querySelectorAll('.moves li').length > n", arg=before)
    page.wait_for_selector(".moves li:last-child.now")
    page.context.close()

"""Training and validating by hand in a real browser, with reloads and a studio that is killed in between."""

import re

import pytest

from tests.studio.browser import play_to_the_end


def figure(text):
    """Return the number of a text such as ``1.2M / 4M games``."""
    number, sign = re.match(r"([\d.]+)([kMG]?)", text).groups()
    return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[sign]


def test_a_training_is_started_watched_stopped_resumed_and_its_model_validated(bench, server, page):
    # A setting out of bounds is told at its field, by the page itself; what only the server knows, too.
    page.goto(f"{server.link}#/train")
    page.click("[data-learner=ntuple]")
    page.select_option("#job-game", "einstein-3x3")
    episodes = page.locator("[data-field=episodes]")
    episodes.locator("input").fill("0")
    assert "At least 1" in episodes.locator(".field-wrong").inner_text()
    episodes.locator("input").fill("40000000")
    page.locator("[data-field=opponents] input").fill("nobody:x=1")
    page.fill("#train-name", "browser")
    page.click("#train-start")
    page.wait_for_selector("[data-field=opponents].bad")
    assert 'no agent "nobody"' in page.locator("[data-field=opponents] .field-wrong").inner_text()
    page.locator("[data-field=opponents] input").fill("random")
    for name, value in {"eval_every": "20000", "eval_games": "10", "checkpoint_s": "1"}.items():
        field = page.locator(f"[data-field={name}] input")
        field.evaluate("input => { input.closest('details').open = true; }")
        field.fill(value)
    page.click("#train-start")

    # It runs, and its charts grow.
    page.wait_for_selector(".run[data-state=running]")
    page.wait_for_selector(".chart:not([hidden]) polyline", state="attached")
    page.wait_for_selector(".chart-band", state="attached")
    assert page.locator(".chart:visible h3").all_inner_texts()[0].upper() == "SCORE"
    assert "against random" in page.locator(".log").inner_text()

    # A reload shows the same; paused it stands still.
    page.reload()
    page.wait_for_selector(".run[data-state=running]")
    page.wait_for_selector(".chart:not([hidden]) polyline", state="attached")
    page.click(".run [data-verb=pause]")
    page.wait_for_selector(".run[data-state=paused]")

    # The studio is killed, and comes back with the training as it was.
    port = server.port
    server.kill()
    page.wait_for_selector("#link-state.shown")
    server.start(port)
    page.wait_for_selector("#link-state:not(.shown)", state="attached")
    page.reload()
    page.wait_for_selector(".run[data-state=paused]")
    page.click(".run [data-verb=resume]")
    page.wait_for_selector(".run[data-state=running]")
    page.click(".run [data-verb=stop]")
    page.wait_for_selector(".run[data-state=stopped]")
    done = figure(page.locator(".job-progress span").inner_text())
    assert done > 0
    page.click(".run [data-verb=resume]")
    page.wait_for_selector(".run[data-state=running]")
    page.wait_for_function(
        "before => parseFloat(document.querySelector('.run .job-bar').getAttribute('aria-valuenow')) >= 0 && "
        "document.querySelector('.facts dd').textContent.replace(/\\D/g, '') > before",
        arg=done,
    )
    page.click(".run [data-verb=stop]")
    page.wait_for_selector(".run[data-state=stopped]")

    # Its model is copied, validated with a reload in the middle, deleted and taken back.
    page.goto(f"{server.link}#/models")
    page.click("[data-model=browser] [data-act=copy]")
    page.fill("dialog input", "copied")
    page.click("dialog .primary")
    page.wait_for_selector("[data-model=copied]")
    page.click("[data-model=copied] [data-act=delete]")
    page.wait_for_selector("[data-model=copied]", state="detached")
    page.click(".note-undo")
    page.wait_for_selector("[data-model=copied]")
    page.locator("[data-model=browser] input").check()
    page.locator("[data-model=copied] input").check()
    page.click("#models-compare")
    page.wait_for_selector("[data-field=agent]")
    assert page.input_value("[data-field=opponent] input") == "model:copied"
    page.fill("[data-field=opponent] input", "random")
    page.fill("[data-field=games] input", "3")
    page.click("#validate-start")
    page.wait_for_selector("[data-field=games].bad")
    page.fill("[data-field=games] input", "4000")
    page.click("#validate-start")
    page.wait_for_selector(".validation")
    page.reload()
    page.wait_for_selector(".validation[data-state=done]")
    won, drawn, lost = map(int, page.locator(".wdl-facts dd").all_inner_texts()[:3])
    assert won + drawn + lost == 4000
    assert won > 2 * lost
    job = next(job for job in bench.jobs.listed() if job.kind == "validation")
    assert (job.folder / "results.sqlite").is_file()

    # Its games can be watched, and somebody plays against the model.
    page.click(".validation [data-act=watch]")
    page.wait_for_selector(".board-holder svg")
    page.goto(f"{server.link}#/models")
    page.click("[data-model=browser] [data-act=play]")
    page.wait_for_selector(".spot.legal", state="attached")
    page.reload()
    page.wait_for_selector(".spot.legal", state="attached")
    assert play_to_the_end(page) > 0

    # And it is in the ladder.
    page.goto(f"{server.link}#/benchmarks")
    page.wait_for_selector(".ladder-table")
    assert "model:browser" in page.locator(".ladder-table").inner_text()


@pytest.mark.slow
def test_a_suite_fills_in_is_stopped_goes_on_and_hands_out_its_report(server, page):
    page.goto(f"{server.link}#/benchmarks")
    page.wait_for_selector(".suite")
    page.check("input[value=quick]")
    page.locator("[data-field=games] input").evaluate("input => { input.closest('details').open = true; }")
    page.fill("[data-field=games] input", "8")
    page.click("#bench-start")
    page.wait_for_selector(".run[data-state=running]")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.matches td')].some(cell => cell.textContent.startsWith('8 / 8'))"
    )
    page.click(".run [data-verb=stop]")
    page.wait_for_selector(".run:is([data-state=stopped], [data-state=done])")
    page.reload()
    page.click(".run [data-verb=resume]")
    page.wait_for_selector(".run[data-state=done]", timeout=600_000)
    with page.context.expect_page() as opened:
        page.click("[data-act=report]")
    report = opened.value
    report.wait_for_load_state()
    assert "Quick benchmark" in report.title() or "Quick benchmark" in report.inner_text("body")

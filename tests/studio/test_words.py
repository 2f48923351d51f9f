"""Texts of the studio: German where English is, for every setting of every learner that is known by name."""

import json
import pathlib
import re

import pytest

import stammtisch.studio
from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs import GAMES, game_class
from stammtisch.studio.jobs.orders import suite_names
from stammtisch.training.learners import LEARNERS

STATIC = pathlib.Path(stammtisch.studio.__file__).parent / "static"
TRANSLATED = ("ntuple", "rote", "dqn", "alphazero", "sb3")  # another learner is shown in English until somebody writes


def german():
    """Return the sentences of settings that are told in German."""
    text = (STATIC / "jobs" / "help.js").read_text("utf-8")
    return dict(
        tuple(map(json.loads, pair))
        for pair in re.findall(r'^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$', text, re.M)
    )


@pytest.mark.parametrize("name", TRANSLATED)
def test_settings_of_learners_are_told_in_german(name):
    """A new setting may wait for its sentence, and is shown in English meanwhile; nearly all must have one."""
    learner = LEARNERS[name]
    shown = [entry for key, entry in learner.table.items() if key not in ("game", "options")]
    told = [learner.help, *(entry.schema().get("description", "") for entry in shown)]
    missing = [sentence for sentence in told if sentence not in german()]
    assert len(missing) <= len(told) // 10, missing


def test_agents_and_their_options_are_told_in_german():
    """As with settings, a new one may wait for its sentence; those of agents that only --trust offers have none."""
    told = {entry.help for name, entry in AGENTS.items() if name != "engine"}
    told |= {option.help for name in AGENTS if name != "engine" for option in agent_class(name).OPTIONS.values()}
    missing = told - german().keys()
    assert len(missing) <= len(told) // 10, missing


def test_suites_are_told_in_german():
    text = (STATIC / "jobs" / "suites.js").read_text("utf-8")
    assert set(suite_names()) == set(re.findall(r'^  "([\w-]+)": \["[^"]+", "[^"]+"\],$', text, re.M))


def test_options_of_games_are_told_in_german():
    told = {entry.schema().get("description", "") for game in GAMES for entry in game_class(game).OPTIONS.values()}
    assert sorted(told - german().keys()) == []


@pytest.mark.parametrize("path", [*sorted((STATIC / "words").glob("*.js")), STATIC / "jobs" / "words.js"], ids=str)
def test_every_text_is_there_in_both_languages_with_the_same_gaps(path):
    english, _, deutsch = path.read_text("utf-8").partition("\n  de: {")
    deutsch = deutsch.partition("\n  phrases:")[0]

    def texts(part):
        found = re.findall(r'"([a-z]+\.[\w.-]+)": ("(?:[^"\\]|\\.)*")', part)
        return {key: sorted(re.findall(r"\{(\w+)\}", text)) for key, text in found}

    assert texts(english)
    assert texts(english) == texts(deutsch)


def test_texts_that_pages_ask_for_are_there():
    known = {
        key
        for path in [*(STATIC / "words").glob("*.js"), STATIC / "jobs" / "words.js"]
        for key in re.findall(r'"([a-z]+\.[\w.-]+)":', path.read_text("utf-8"))
    }
    for path in STATIC.rglob("*.js"):
        if path.parent.name != "words":
            asked = set(re.findall(r'\bt\("([a-z]+\.[\w.-]+)"', path.read_text("utf-8")))
            assert sorted(asked - known) == [], path.name

"""The one way to set things: types, bounds, choices, texts, messages, tables and schemas."""

import dataclasses
import json
import math
import re
from dataclasses import MISSING, dataclass
from typing import Any

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs import GAMES, game_class
from stammtisch.envs.core.options import (
    BaseSettings,
    Option,
    object_schema,
    option,
    option_rows,
    read_all,
    read_pairs,
    read_series,
    read_values,
    split_pairs,
)

TABLE = {
    "depth": Option(3, "actions to look ahead", minimum=1, maximum=9),
    "rate": Option(0.5, "step size", minimum=0),
    "reach": Option(math.inf, "how far", finite=False),
    "rollout": Option("random", "who plays", ("random", "heuristic")),
    "exact": Option(False, "value all moves"),
    "file": Option("", "a file"),
}


@dataclass(frozen=True)
class Example(BaseSettings):
    OWNER = "the example"

    game: str = option(MISSING, "id of the game")
    layers: list[int] = option([256, 128], "units", minimum=1)
    shares: dict[str, float] = option({"pool": 1.0}, "who sits opposite", minimum=0)
    options: dict[str, Any] = option({}, "options of the game")
    seeds: int | None = option(None, "how many", minimum=1)
    phases: list[str] = option([], "phases that learn", ("placing", "moving"))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("depth", "4", 4),
        ("depth", "9e0", 9),
        ("rate", "1", 1.0),
        ("rate", "1e-3", 0.001),
        ("reach", "inf", math.inf),
        ("rollout", "heuristic", "heuristic"),
        ("exact", "1", True),
        ("exact", "Yes", True),
        ("exact", "off", False),
        ("file", "a=b.npz", "a=b.npz"),
    ],
)
def test_texts_are_read_as_the_type_of_the_default(name, text, value):
    found = read_pairs(TABLE, [f"{name}={text}"])
    assert found == {name: value}
    assert type(found[name]) is type(TABLE[name].default)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [("depth", 4.0, 4), ("depth", np.int64(4), 4), ("rate", 1, 1.0), ("exact", 1, True), ("exact", np.True_, True)],
)
def test_values_are_converted_where_that_loses_nothing(name, value, kept):
    found = read_values(TABLE, {name: value})[name]
    assert found == kept
    assert type(found) is type(TABLE[name].default)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("depth=0", "option depth=0 for agent x is not allowed; give an integer from 1 to 9"),
        ("depth=1.5", "option depth=1.5 for agent x is not allowed; give an integer from 1 to 9"),
        ("depth=deep", 'option depth="deep" for agent x is not allowed; give an integer from 1 to 9'),
        ("rate=nan", "option rate=nan for agent x is not allowed; give a number of at least 0 that is finite"),
        ("rate=inf", "option rate=inf for agent x is not allowed; give a number of at least 0 that is finite"),
        ("reach=nan", "option reach=nan for agent x is not allowed; give a number"),
        ("exact=2", 'option exact="2" for agent x is not allowed; give true or false'),
        (
            "rollout=heuristics",
            'option rollout="heuristics" for agent x is not allowed; did you mean "heuristic"? choose one of random, '
            "heuristic",
        ),
        ("dept=1", 'no option for agent x "dept"; did you mean "depth"? available: depth, exact, file, rate, reach, '),
        ("depth", 'cannot read "depth" as option for agent x; write key=value'),
    ],
)
def test_messages_say_what_was_given_and_what_would_be_right(pair, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_pairs(TABLE, [pair], owner="agent x")


@pytest.mark.parametrize(
    ("name", "value"),
    [("depth", True), ("depth", "4"), ("depth", None), ("rate", 10**400), ("file", 3), ("exact", "true")],
)
def test_values_of_another_type_are_refused(name, value):
    with pytest.raises(ValueError, match=f"option {name}=.* is not allowed; give "):
        read_values(TABLE, {name: value})


def test_integers_stay_within_64_bits():
    with pytest.raises(ValueError, match="give an integer below 2\\^63"):
        Option(1, "many").parse("n", "1e30")


def test_the_first_pair_may_leave_out_the_main_name():
    assert read_pairs(TABLE, ["net.npz", "depth=2"], main="file") == {"file": "net.npz", "depth": 2}
    with pytest.raises(ValueError, match='cannot read "net\\.npz"'):
        read_pairs(TABLE, ["depth=2", "net.npz"], main="file")


def test_commas_in_brackets_do_not_split():
    assert split_pairs("") == []
    assert split_pairs('a=[[0,1],[2]],b={"c": [1,2]},d=') == ["a=[[0,1],[2]]", 'b={"c": [1,2]}', "d="]


def test_a_series_has_several_values():
    assert read_series(TABLE, "rate=0,1e-3") == ("rate", [0.0, 0.001])
    with pytest.raises(ValueError, match='no option "rat"; did you mean "rate"'):
        read_series(TABLE, "rat=1")
    with pytest.raises(ValueError, match='option rate="" is not allowed; give a number of at least 0'):
        read_series(TABLE, "rate")


def test_every_name_has_a_value():
    assert read_all(TABLE, {"depth": 2}) == {**{name: entry.default for name, entry in TABLE.items()}, "depth": 2}


def test_records_check_and_convert_themselves():
    made = Example("muehle", layers=(64, 1e2), shares={"pool": 1})
    assert made.layers == [64, 100]
    assert made.shares == {"pool": 1.0}
    assert Example("muehle").layers is not Example("muehle").layers
    assert dataclasses.asdict(made) == made.to_dict()
    with pytest.raises(ValueError, match=r"layers=\[0\] for the example .* a list of integers of at least 1, such"):
        Example("muehle", layers=[0])
    with pytest.raises(ValueError, match="a table of names and numbers of at least 0, such as"):
        Example("muehle", shares={"pool": "much"})
    with pytest.raises(ValueError, match="give an integer of at least 1 or nothing"):
        Example("muehle", seeds=0)
    with pytest.raises(ValueError, match="choose one or more of placing, moving"):
        Example("muehle", phases=["flying"])


def test_records_are_read_from_texts_and_files():
    changes = Example.changes(["layers=8,8", "seeds=none", "shares=pool=2,mcts:c=1=3", 'options={"pay": "deal"}'])
    assert changes == {
        "layers": [8, 8],
        "seeds": None,
        "shares": {"pool": 2.0, "mcts:c=1": 3.0},
        "options": {"pay": "deal"},
    }
    assert Example.changes(["layers=[8]", "options=target=500"]) == {"layers": [8], "options": {"target": 500}}
    assert Example.read({"game": "muehle", "layers": [1]}, changes) == Example("muehle", **changes)
    with pytest.raises(ValueError, match="the example lacks game"):
        Example.read({"layers": [1]})
    with pytest.raises(ValueError, match='no setting for the example "layer"; did you mean "layers"'):
        Example.read({"layer": [1]})


def test_rows_show_value_default_and_what_is_allowed():
    rows = option_rows(TABLE, read_all(TABLE, {"depth": 2}))
    assert rows[0] == ("depth", "2", "3", "1..9", "actions to look ahead")
    assert [row[3] for row in rows] == ["1..9", ">= 0", "", "random | heuristic", "true | false", ""]


def test_schemas_name_types_bounds_and_what_is_required():
    schema = object_schema(Example.table())
    assert schema["required"] == ["game"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["layers"] == {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "description": "units",
        "default": [256, 128],
    }
    assert schema["properties"]["seeds"]["anyOf"] == [{"type": "integer", "minimum": 1}, {"type": "null"}]
    json.dumps(schema)


@pytest.mark.parametrize("name", AGENTS)
def test_every_default_of_an_agent_is_allowed(name):
    table = agent_class(name).OPTIONS
    assert read_values(table, {key: entry.default for key, entry in table.items()}) == read_all(table, {})
    assert all(entry.help and not entry.help.endswith(".") for entry in table.values())
    json.dumps([entry.to_json() for entry in table.values()], allow_nan=False)


@pytest.mark.parametrize("game_id", GAMES)
def test_every_default_of_a_game_is_allowed(game_id):
    table = game_class(game_id).OPTIONS
    assert read_values(table, {key: entry.default for key, entry in table.items()}) == read_all(table, {})
    assert all(entry.help and not entry.help.endswith(".") for entry in table.values())


def test_agents_take_the_same_options_from_specs_and_from_python():
    written = stammtisch.load_agent("mcts:iterations=1e2,reuse=0,c=1", "einstein-3x3")
    made = agent_class("mcts")(stammtisch.load_game("einstein-3x3"), iterations=100, reuse=False, c=1)
    assert written.options == made.options
    with pytest.raises(ValueError, match="option c=nan for agent mcts is not allowed"):
        stammtisch.load_agent("mcts:c=nan", "einstein-3x3")
    with pytest.raises(ValueError, match="no option for agent mcts"):
        agent_class("mcts")(stammtisch.load_game("einstein-3x3"), spec="mcts", iteration=100)

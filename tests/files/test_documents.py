"""Documents are read within limits, or refused in one line."""

import os

import pytest

from stammtisch.errors import BadFile, unknown
from stammtisch.files.documents import (
    check_depth,
    fits,
    parse_json,
    parse_toml,
    parse_yaml,
    read_json,
    read_table,
    read_text,
)

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]\n" for i in range(1, 12)
)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "[" * 100_000, "nested deeper than 32"),
        ("a.json", "[" * 40 + "]" * 40, "nested deeper than 32"),
        ("a.json", "{", "Expecting property name"),
        ("a.json", "[1]", "not a table"),
        ("a.json", '{"a": ' + "9" * 5000 + "}", "Exceeds the limit"),
        ("a.toml", "a = " + "[" * 3000, "nested deeper than 32"),
        ("a.toml", "a." * 20_000 + "a = 1", "more than 32 parts"),
        ("a.toml", "a = ", "Invalid value"),
        ("a.yaml", "[" * 3000, "nested deeper than 32"),
        ("a.yaml", LAUGHS, "more than"),
        ("a.yaml", "a: [", "flow (sequence|node)"),
        ("a.yaml", "!!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("a.yaml", "1: 2", "not a table"),
        ("a.ini", "", "ends neither in .yaml"),
        ("a.json", " " * 200_000, "more than 131,072 bytes"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadFile, match=f'^cannot read settings ".*{name}": .*{said}') as caught:
        read_table(path, "settings")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_missing_files_folders_pipes_and_other_alphabets_are_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes("ü".encode("latin-1"))
    for name, said in [
        ("no", "there is no such file"),
        ("pipe", "not a file"),
        (".", "not a file"),
        ("latin", "UTF-8"),
    ]:
        with pytest.raises(BadFile, match=f"^cannot read list .*{said}"):
            read_text(tmp_path / name, "list")
    (tmp_path / "long").write_text("four")
    with pytest.raises(BadFile, match="more than 3 bytes"):
        read_json(tmp_path / "long", "list", most_bytes=3)


def test_what_is_right_is_read():
    assert parse_json('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    assert parse_toml('about = "e.g. this. or that."\n[a.b]\nc = 1') == {
        "about": "e.g. this. or that.",
        "a": {"b": {"c": 1}},
    }
    assert parse_yaml("") == {}
    check_depth([[[]]], deepest=3)
    with pytest.raises(ValueError, match="nested deeper than 1"):
        check_depth([[[]]], deepest=1)


def test_names_that_do_not_exist_are_told_in_a_line_of_bearable_length():
    line = str(unknown("game", "[" * 100_000 + "\n", ["reversi-8x8"]))
    assert len(line) < 400
    assert "\n" not in line


@pytest.mark.parametrize("number", [10**400, -(10**400), 1 << 64, -(1 << 63) - 1])
def test_integers_that_no_array_holds_fit_nowhere(number):
    assert not fits(number, int)
    assert not fits(number, float)
    assert not fits([1, number], list[int])
    assert fits((1 << 64) - 1, int)
    assert fits(-(1 << 63), float)

"""Text from outside: nothing in it moves a cursor, breaks a line or turns the order of letters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from stammtisch.cli.console import SafeConsole, progress_bar
from stammtisch.text import cut_to_bytes, is_printable, printable

HOSTILE = [chr(code) for code in [*range(0x20), *range(0x7F, 0xA0), 0x061C, *range(0x200E, 0x2010)]]
HOSTILE += [chr(code) for code in [*range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF, 0xD800, 0xE0041]]


@pytest.mark.parametrize("character", HOSTILE, ids=lambda character: f"U+{ord(character):04X}")
def test_control_characters_are_written_out(character):
    assert not is_printable(f"a{character}b")
    shown = printable(f"a{character}b")
    assert shown.isascii()
    assert shown.isprintable()


@pytest.mark.parametrize("text", ["Zoë", "李", "🂡", "👩‍🚀", "نام‌ها", "a\\b"])
def test_what_people_write_stays_as_it_is(text):
    assert printable(text) == text


@given(st.text())
def test_nothing_is_left_that_is_not_shown(text):
    shown = printable(text)
    assert printable(shown) == shown
    shown.encode()
    bad = [letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")]
    assert bad == []
    assert not set(shown) & set(HOSTILE)


@given(st.text(), st.integers(0, 40))
def test_a_cut_text_fits_and_is_whole(text, most):
    cut = cut_to_bytes(text, most)
    assert len(cut.encode()) <= most


def test_the_console_shows_escape_sequences_instead_of_obeying_them(capsys):
    console = SafeConsole(width=80, force_terminal=False)
    table = Table("a column")
    table.add_row("\x1b[2Jcell\x9b31m")
    console.print("plain \x1b]0;title\x07 and \u202eright to left", markup=False)
    console.print("two\nlines", style="red", markup=False)
    console.print(table)
    shown = capsys.readouterr().out
    assert r"\x1b]0;title" in shown
    assert "two\nlines\n" in shown
    assert r"\x1b[2Jcel" in shown  # as much as the column has room for
    assert not set(shown) & set(HOSTILE) - {"\n"}


def test_brackets_in_names_and_paths_are_letters(capsys, monkeypatch):
    console = SafeConsole(width=80, force_terminal=True, stderr=True)
    monkeypatch.setattr("stammtisch.cli.console.err", console)
    hostile = "a[/b] [red]c[/] [link=x]d"
    table = Table("column", title=hostile)
    table.add_row(hostile)
    console.print(hostile)
    console.print(table)
    with console.status(hostile) as status:
        status.update(hostile)
    with progress_bar(hostile, 2) as advance:
        advance(1, hostile)
    assert capsys.readouterr().err.count(hostile) >= 4

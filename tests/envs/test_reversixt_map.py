"""Maps of ReversiXT: text both ways, errors with line and column, neighbours, the shipped maps and generated ones."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stammtisch
from stammtisch.envs.reversixt.generator import Wishes, generate_map
from stammtisch.envs.reversixt.map import (
    SYMBOLS,
    Map,
    dead_fields,
    format_map,
    next_places,
    parse_map,
    placements,
    shipped_maps,
)
from stammtisch.errors import BadText

EXAMPLE = """3
1
2 1
4 6
0 b 0 0 c 0
0 1 2 3 0 0
0 3 1 2 x 0
- 0 i 0 0 -
0 1 6 <-> 5 1 2
1 0 0 <-> 2 3 4
"""


def test_the_example_is_read_and_written_back():
    board = parse_map(EXAMPLE)
    assert (board.players, board.overrides, board.bombs, board.strength) == (3, 1, 2, 1)
    assert (board.height, board.width, board.at(4, 2), board.at(0, 3)) == (4, 6, "x", "-")
    assert board.tunnels == (((0, 1, 6), (5, 1, 2)), ((1, 0, 0), (2, 3, 4)))
    assert format_map(board) == EXAMPLE


def test_line_ends_capitals_and_blank_lines_do_not_matter():
    sloppy = "\n" + EXAMPLE.upper().replace("\n", " \r\n").replace("0 1 6", "\r\n0 1 6") + "\n\n"
    assert parse_map(sloppy) == parse_map(EXAMPLE)


def edited(line, text):
    lines = EXAMPLE.splitlines()
    lines[line - 1] = text
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 is missing: the number of players"),
        (edited(1, "1"), r'line 1, column 1: "1" is not allowed; the number of players: 2 to 8'),
        (edited(1, "9"), "line 1, column 1"),
        (edited(2, "some"), r'line 2, column 1: "some"'),
        (edited(3, "2"), "line 3, column 1: 1 numbers where 2 should be"),
        (edited(3, "2 -1"), r'line 3, column 3: "-1"'),
        (edited(4, "4 61"), r'line 4, column 3: "61" is not allowed; height and width: 1 to 60'),
        (edited(4, "0 6"), "line 4, column 1"),
        (edited(5, "0 b 0 q c 0"), r'line 5, column 7: cannot read field "q"'),
        (edited(5, "0 b00 c 0"), r"line 5, column 3: .* separate symbols by blanks"),
        (edited(6, "0 1 2 4 0 0"), "line 6, column 7: stone of player 4 on a map of 3 players"),
        (edited(7, "0 3 1 2 x"), "line 7, column 10: row 2 of the board has 5 fields, not 6"),
        (edited(7, "0 3 1 2 x 0 0"), "line 7, column 13: row 2 of the board has 7 fields, not 6"),
        ("\n".join(EXAMPLE.splitlines()[:6]), "line 7 is missing: row 2 of the board"),
        (edited(9, "0 1 6 <-> 5 1"), r'line 9, column 1: a transition is written "x1 y1 d1 <-> x2 y2 d2"'),
        (edited(9, "0 1 6 <-> 6 1 2"), r'line 9, column 11: "6" is not allowed; x: 0 to 5'),
        (edited(9, "0 1 8 <-> 5 1 2"), r'line 9, column 5: "8" is not allowed; direction: 0 to 7'),
        (edited(9, "0 3 6 <-> 5 1 2"), "line 9, column 1: a transition cannot begin at 0 3: there is a hole"),
        (edited(9, "0 1 6 <-> 5 1 6"), "line 9, column 11: no transition at 5 1 6: there is a neighbour"),
        (edited(10, "0 1 6 <-> 2 3 4"), "line 10, column 1: a second transition at 0 1 6"),
        (edited(10, "1 0 0 <-> 1 0 0"), "line 10, column 11: a second transition at 1 0 0"),
        ("2\n0\n0 0\n1 2\n- -\n", "at least one field"),
        ("2\n" * (1 << 20), "too long"),
    ],
)
def test_bad_maps_are_refused_with_line_and_column(text, message):
    with pytest.raises(BadText, match=message) as caught:
        parse_map(text)
    assert "\n" not in str(caught.value)


@given(text=st.text(alphabet=SYMBOLS + " \n<>", max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        board = parse_map(text)
    except BadText:
        return
    assert parse_map(format_map(board)) == board


@given(data=st.data(), players=st.integers(2, 8), width=st.integers(1, 7), height=st.integers(1, 7))
def test_any_map_survives_its_text(data, players, width, height):
    cells = data.draw(
        st.text(alphabet=SYMBOLS[: players + 1] + "xcib-", min_size=width * height, max_size=width * height)
    )
    board = Map(players, data.draw(st.integers(0, 99)), 3, 2, height, width, cells)
    if not cells.strip("-"):
        return
    ends = [(x, y, d) for y in range(height) for x in range(width) for d in range(8) if board.is_open(x, y, d)]
    drawn = data.draw(st.permutations(ends))
    board = dataclasses.replace(board, tunnels=tuple(zip(drawn[0:6:2], drawn[1:6:2], strict=False)))
    assert parse_map(format_map(board)) == board
    table = next_places(board)
    for place, onward in enumerate(table):
        if onward >= 0:  # every walk can be walked back
            assert table[onward ^ 4] == place ^ 4


def test_tunnels_lead_to_their_other_end_and_turn_the_walk():
    table = next_places(parse_map("2\n0\n0 0\n2 3\n1 2 0\n0 0 0\n2 0 2 <-> 1 1 4\n"))
    assert table[2 * 8 + 2] == 4 * 8 + 0  # out to the right at (2, 0), in at (1, 1) upwards
    assert table[4 * 8 + 4] == 2 * 8 + 6
    assert table[2 * 8 + 0] == -1


@pytest.mark.parametrize("name", sorted(shipped_maps()))
def test_shipped_maps_are_well_formed_and_playable(name):
    board = parse_map(shipped_maps()[name])
    assert format_map(board) == shipped_maps()[name]
    assert dead_fields(board) == []
    first = [len(placements(board, player)) for player in range(1, board.players + 1)]
    assert len(set(first)) == 1  # no player starts with more choice than another
    assert bool(first[0]) == (name != "bombs")


def test_there_are_a_dozen_maps_for_every_number_of_players():
    boards = [parse_map(text) for text in shipped_maps().values()]
    assert len(boards) >= 12
    assert {board.players for board in boards} == set(range(2, 9))
    assert max(board.width * board.height for board in boards) == 2500


def turned(board, cell):
    """Return where the turn of a generated board takes a cell."""
    y, x = divmod(cell, board.width)
    n, width, height = board.players, board.width, board.height
    if n == 2:
        return (height - 1 - y) * width + width - 1 - x
    if n == 4 and width == height:
        return x * width + height - 1 - y
    strip = max(width, height) // n
    if width >= height:
        return y * width + ((x + strip) % (strip * n) if x < strip * n else x)
    return ((y + strip) % (strip * n) if y < strip * n else y) * width + x


@pytest.mark.parametrize(
    "size", [(2, 8, 8), (2, 9, 13), (3, 20, 20), (4, 20, 20), (4, 21, 21), (4, 9, 14), (5, 11, 10)]
)
@given(seed=st.integers(0, 2**32 - 1))
def test_generated_maps_are_fair_and_playable(size, seed):
    players, width, height = size
    board = generate_map(Wishes(players, width, height), seed)
    assert (board.players, board.width, board.height) == size
    assert parse_map(format_map(board)) == board
    assert dead_fields(board) == []
    after = {str(p): str(p % players + 1) for p in range(1, players + 1)}
    table = next_places(board).reshape(-1, 8)
    for cell, symbol in enumerate(board.cells):
        image = turned(board, cell)
        assert board.cells[image] == after.get(symbol, symbol)
        neighbours = sorted(turned(board, place // 8) for place in table[cell] if place >= 0)
        assert neighbours == sorted(place // 8 for place in table[image] if place >= 0)
    assert all(placements(board, player) for player in range(1, players + 1))


def test_generated_maps_follow_their_seed():
    one, again, other = (generate_map(Wishes(6, 24, 15), seed) for seed in (7, 7, 8))
    assert one == again != other


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (Wishes(9), "9 players are not possible; 2 to 8"),
        (Wishes(2, 3, 8), "a side of 3"),
        (Wishes(2, 8, 61), "a side of 61"),
        (Wishes(8, 10, 10), "10x10 is too small for 8 players; one side must be at least 16"),
        (Wishes(2, 8, 8, holes=0.99), "fewer holes"),
    ],
)
def test_impossible_wishes_are_refused(wishes, message):
    with pytest.raises(ValueError, match=message):
        generate_map(wishes, 0)


def test_a_map_is_given_by_name_text_or_file(tmp_path):
    file = tmp_path / "own.map"
    file.write_text(EXAMPLE.replace("\n", "\r\n"))
    by_text = stammtisch.load_game("reversixt", map=EXAMPLE)
    by_file = stammtisch.load_game("reversixt", map=str(file))
    assert by_text == by_file == stammtisch.load_game("reversixt", map=file)
    assert by_file.info.num_players == 3
    file.unlink()
    again = pickle.loads(pickle.dumps(by_file))
    assert again == by_file
    assert again.rules is by_text.rules
    named = stammtisch.load_game("reversixt", map="plain")
    assert repr(named) == "load_game('reversixt', map='plain')"
    assert named.map == parse_map(shipped_maps()["plain"])
    assert named != by_text
    assert by_text.neighbours.shape == (24, 8)
    assert by_text.neighbours[6, 6] == 11


def test_bad_maps_are_refused_by_the_option(tmp_path):
    with pytest.raises(ValueError, match=r'option map="plane" for reversixt is not allowed: did you mean "plain"\?'):
        stammtisch.load_game("reversixt", map="plane")
    with pytest.raises(ValueError, match="line 5, column 7"):
        stammtisch.load_game("reversixt", map=edited(5, "0 b 0 q c 0"))
    with pytest.raises(ValueError, match="a map of 3 players in reversixt-2"):
        stammtisch.load_game("reversixt-2", map=EXAMPLE)
    file = tmp_path / "bad.map"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"bad\.map is not a text file"):
        stammtisch.load_game("reversixt", map=file)
    for odd in (3, None, "x" * 10000, "nul\0byte"):
        with pytest.raises(ValueError, match=r"option map=.* is not allowed"):
            stammtisch.load_game("reversixt", map=odd)


def test_the_numbers_of_tunnels_can_be_observed():
    game = stammtisch.load_game("reversixt", map=EXAMPLE, observation="tunnels")
    planes = game.new_state().observation(0)[-8:]
    assert np.argwhere(planes).tolist() == [[0, 0, 1], [2, 1, 5], [4, 3, 2], [6, 1, 0]]
    assert planes[6, 1, 0] == planes[2, 1, 5] == 1
    assert planes[0, 0, 1] == planes[4, 3, 2] == 2

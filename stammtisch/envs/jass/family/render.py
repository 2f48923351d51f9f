"""Jass as text and as a picture: four hands around the table, the trick, the mode and the points.

Cards that are not in the row, because the player who looks may not see them, are shown by their backs.
"""

from typing import Any

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, PLAYER_COLORS, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.jass.family.cards import N_RANKS
from stammtisch.envs.jass.family.names import CARDS
from stammtisch.envs.jass.family.symbols import (
    FRENCH_COLOURS,
    FRENCH_RANKS,
    SWISS_COLOURS,
    SWISS_RANKS,
    WHITE,
    draw_sign,
)
from stammtisch.envs.jass.family.view import cards_in, plays, table, tricks

_SIGNS = {"french": ("♥", "♦", "♣", "♠"), "swiss": ("Ro", "Se", "Ei", "Si")}
_RANKS = {"french": FRENCH_RANKS, "swiss": SWISS_RANKS}
_COLOURS = {"french": FRENCH_COLOURS, "swiss": SWISS_COLOURS}

_WIDTH, _HEIGHT = 760, 640
_CARD_W, _CARD_H = 46, 66
_STEP, _STEP_DOWN = 49, 28
_NEAR_SCALE, _NEAR_STEP = 1.6, 76  # the hand of the seat that looks
_BACK = "##"
_BACK_BLUE: Color = (58, 84, 132)
_BACK_LINE: Color = (150, 170, 206)
_CLOTH: Color = (66, 110, 82)
_CLOTH_EDGE: Color = (44, 78, 58)
_HAZE: Color = (222, 230, 222)
_PLAYED_SCALE = 1.35  # cards on the table
# Centre of each seat's hand and of the card it plays: the next player sits to the right.
_HANDS: tuple[Point, ...] = ((380, 593), (721, 320), (380, 47), (39, 320))
_PLAYS: tuple[Point, ...] = ((380, 418), (472, 320), (380, 222), (288, 320))


def _card_text(pack: str, card: int) -> str:
    return _SIGNS[pack][card // N_RANKS] + _RANKS[pack][card % N_RANKS]


def board_text(state: State) -> str:
    """Write a state for people: hands, the card each player has on the table; the last card in brackets."""
    game: Any = state.game
    rules, row, pack = game.rules, state._row, game.options["pack"]
    on_table = dict(table(rules, row))
    last = _last_card(state)
    width = max(len(_card_text(pack, card)) for card in range(36)) + 2
    lines = [game.headline(state), game.score_line(state)]
    for seat in range(4):
        card = "" if seat not in on_table else _card_text(pack, on_table[seat])
        card = f"[{card}]" if card and on_table[seat] == last else f" {card} "
        turn = ">" if state.player == seat else " "
        known, backs = _hand(state, seat)
        hand = " ".join([*(_card_text(pack, c) for c in known), *[_BACK] * backs])
        forehand = "*" if seat == row[rules.FOREHAND] else " "
        lines.append(f"{turn} {seat}{forehand} {card:{width}} {hand}".rstrip())
    finished = tricks(rules, row)
    if finished:
        trick = finished[-1]
        cards = " ".join(f"[{_card_text(pack, c)}]" if c == last else _card_text(pack, c) for c in trick.cards)
        lines.append(f"last trick: {trick.leader} led {cards}, {trick.winner} took {trick.points}")
    return "\n".join(lines)


def _hand(state: State, seat: int) -> tuple[list[int], int]:
    """Return the cards of a hand that are known, and how many are not."""
    rules: Any = state.game.rules
    known = cards_in(int(state._row[rules.HAND + seat]))
    if state.player == CHANCE:
        return known, 0
    played = int(state._row[rules.PLAYED + seat]).bit_count()
    return known, N_RANKS - played - len(known)


def _last_card(state: State) -> int | None:
    cards = plays(own(state.game.rules), state._row)
    return cards[-1] if cards else None


def picture(state: State) -> Canvas:
    """Draw the hands around the table; between tricks the last trick stays, its last card marked."""
    return _picture(state, 0, 1.0)


def picture_from(state: State, near: int) -> Canvas:
    """Draw the table as the seat ``near`` has it before itself, with large cards in its own hand."""
    return _picture(state, near, _NEAR_SCALE)


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the card that is played; what is said is not on the table."""
    return (CARDS[action],) if action < len(CARDS) else ()


def _picture(state: State, near: int, near_scale: float) -> Canvas:
    rules: Any = state.game.rules
    row, pack = state._row, state.game.options["pack"]
    canvas = Canvas(_WIDTH, _HEIGHT)
    canvas.rectangle((84, 96), (_WIDTH - 84, _HEIGHT - 96), _CLOTH, _CLOTH_EDGE, 4, radius=40)
    for seat in range(4):
        known, backs = _hand(state, seat)
        place = (seat - near) % 4
        _draw_hand(canvas, pack, seat, place, [*known, *[None] * backs], 1.0 if place else near_scale)
        _draw_name(canvas, state, seat, place, lifted=not place and near_scale > 1)
    last = _last_card(state)
    finished = tricks(rules, row)
    lying = table(rules, row)
    if not lying and finished:
        trick = finished[-1]
        lying = [((trick.leader + i) % 4, card) for i, card in enumerate(trick.cards)]
    for seat, card in lying:
        with canvas.piece(CARDS[card], "table"):
            _draw_card(canvas, pack, _PLAYS[(seat - near) % 4], card, MARK if card == last else None, _PLAYED_SCALE)
    _draw_panel(canvas, state)
    return canvas


def _draw_hand(canvas: Canvas, pack: str, seat: int, place: int, cards: list[int | None], scale: float) -> None:
    x, y = _HANDS[place]
    y -= (scale - 1) * _CARD_H / 2
    across = place % 2 == 0
    step = min(_STEP * scale, _NEAR_STEP) if across else _STEP_DOWN
    for i, card in enumerate(cards):
        shift = (i - (len(cards) - 1) / 2) * step
        center = (x + shift, y) if across else (x, y + shift)
        name = f"back {seat}" if card is None else CARDS[card]
        with canvas.piece(name, f"hand {seat}.{i}"):
            if card is None:
                _draw_back(canvas, center)
            else:
                _draw_card(canvas, pack, center, card, None, scale)
        if card is not None and not place:
            canvas.spot(name, center, _CARD_W * scale / 2, _CARD_H * scale / 2)


def _draw_back(canvas: Canvas, center: Point) -> None:
    x, y = center[0] - _CARD_W / 2, center[1] - _CARD_H / 2
    canvas.rectangle((x, y), (x + _CARD_W, y + _CARD_H), WHITE, INK, 1, radius=5)
    canvas.rectangle((x + 4, y + 4), (x + _CARD_W - 4, y + _CARD_H - 4), _BACK_BLUE, radius=3)
    for i in range(1, 5):  # a lattice from edge to edge
        left, right, top, bottom = x + 6, x + _CARD_W - 6, y + 6, y + _CARD_H - 6
        across, down = (right - left) * i / 5, (bottom - top) * i / 5
        canvas.line([(left + across, top), (left, top + down)], _BACK_LINE, 1)
        canvas.line([(right - across, bottom), (right, bottom - down)], _BACK_LINE, 1)
        canvas.line([(right - across, top), (right, top + down)], _BACK_LINE, 1)
        canvas.line([(left + across, bottom), (left, bottom - down)], _BACK_LINE, 1)


def _draw_card(canvas: Canvas, pack: str, center: Point, card: int, mark: Color | None, scale: float = 1.0) -> None:
    width, height = _CARD_W * scale, _CARD_H * scale
    x, y = center[0] - width / 2, center[1] - height / 2
    if mark:
        canvas.rectangle((x - 4, y - 4), (x + width + 4, y + height + 4), mark, radius=8)
    canvas.rectangle((x, y), (x + width, y + height), WHITE, INK, 1, radius=5 * scale)
    colour, rank = divmod(card, N_RANKS)
    canvas.text((x + 4 * scale, y + 12 * scale), _RANKS[pack][rank], 16 * scale, _COLOURS[pack][colour], "lm")
    draw_sign(canvas, pack, colour, (x + width - 11 * scale, y + 12 * scale), 6.5 * scale)
    draw_sign(canvas, pack, colour, (x + width / 2, y + 43 * scale), 14 * scale)


def _draw_name(canvas: Canvas, state: State, seat: int, place: int, lifted: bool) -> None:
    """Put a disc in the colour of the team before each hand; a ring around it says whose turn it is."""
    center = ((380, 522), (654, 320), (380, 118), (106, 320))[place]
    if lifted:  # above the large cards
        center = (380, 502)
    if state.player == seat:
        canvas.circle(center, 16, MARK)
    canvas.circle(center, 13, PLAYER_COLORS[state.game.info.teams[seat]])
    canvas.text(center, str(seat), 15, WHITE)


def _draw_panel(canvas: Canvas, state: State) -> None:
    """Write mode and points onto the cloth, the trump sign beside them."""
    game: Any = state.game
    mode = int(state._row[game.rules.MODE])
    over = "over: " if state.player == TERMINAL else ""
    canvas.text((380, 152), over + game.headline(state), 16, _HAZE)
    canvas.text((380, 478), game.score_line(state), 16, _HAZE)
    if 0 <= mode < 4:
        canvas.circle((200, 200), 26, WHITE, INK, 1)
        draw_sign(canvas, game.options["pack"], mode, (200, 200), 15)

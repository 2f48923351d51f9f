"""Jass as text and as a picture: four hands around the table, the trick, the mode and the points.

Cards that are not in the row, because the player who looks may not see them, are shown by their backs.
"""

from typing import Any

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, PLAYER_COLORS, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.jass.family.cards import N_RANKS
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
_BACK = "##"
_BACK_BLUE: Color = (58, 84, 132)
_BACK_LINE: Color = (150, 170, 206)
_CLOTH: Color = (66, 110, 82)
_CLOTH_EDGE: Color = (44, 78, 58)
_HAZE: Color = (206, 214, 206)
# Centre of each seat's hand and of the card it plays: the next player sits to the right.
_HANDS: tuple[Point, ...] = ((380, 593), (721, 320), (380, 47), (39, 320))
_PLAYS: tuple[Point, ...] = ((380, 394), (462, 320), (380, 246), (298, 320))


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
    rules: Any = state.game.rules
    row, pack = state._row, state.game.options["pack"]
    canvas = Canvas(_WIDTH, _HEIGHT)
    canvas.rectangle((84, 96), (_WIDTH - 84, _HEIGHT - 96), _CLOTH, _CLOTH_EDGE, 4, radius=40)
    for seat in range(4):
        known, backs = _hand(state, seat)
        _draw_hand(canvas, pack, seat, [*known, *[None] * backs])
        _draw_name(canvas, state, seat)
    last = _last_card(state)
    finished = tricks(rules, row)
    lying = table(rules, row)
    if not lying and finished:
        trick = finished[-1]
        lying = [((trick.leader + i) % 4, card) for i, card in enumerate(trick.cards)]
    for seat, card in lying:
        _draw_card(canvas, pack, _PLAYS[seat], card, MARK if card == last else None)
    _draw_panel(canvas, state)
    return canvas


def _draw_hand(canvas: Canvas, pack: str, seat: int, cards: list[int | None]) -> None:
    x, y = _HANDS[seat]
    across = seat % 2 == 0
    for i, card in enumerate(cards):
        shift = (i - (len(cards) - 1) / 2) * (_STEP if across else _STEP_DOWN)
        center = (x + shift, y) if across else (x, y + shift)
        if card is None:
            _draw_back(canvas, center)
        else:
            _draw_card(canvas, pack, center, card, None)


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


def _draw_card(canvas: Canvas, pack: str, center: Point, card: int, mark: Color | None) -> None:
    x, y = center[0] - _CARD_W / 2, center[1] - _CARD_H / 2
    if mark:
        canvas.rectangle((x - 4, y - 4), (x + _CARD_W + 4, y + _CARD_H + 4), mark, radius=8)
    canvas.rectangle((x, y), (x + _CARD_W, y + _CARD_H), WHITE, INK, 1, radius=5)
    colour, rank = divmod(card, N_RANKS)
    canvas.text((x + 4, y + 12), _RANKS[pack][rank], 16, _COLOURS[pack][colour], "lm")
    draw_sign(canvas, pack, colour, (x + _CARD_W - 11, y + 12), 6.5)
    draw_sign(canvas, pack, colour, (x + _CARD_W / 2, y + 43), 14)


def _draw_name(canvas: Canvas, state: State, seat: int) -> None:
    """Put a disc in the colour of the team before each hand; a ring around it says whose turn it is."""
    center = ((380, 522), (654, 320), (380, 118), (106, 320))[seat]
    if state.player == seat:
        canvas.circle(center, 16, MARK)
    canvas.circle(center, 13, PLAYER_COLORS[state.game.info.teams[seat]])
    canvas.text(center, str(seat), 15, WHITE)


def _draw_panel(canvas: Canvas, state: State) -> None:
    """Write mode and points onto the cloth, the trump sign beside them."""
    game: Any = state.game
    mode = int(state._row[game.rules.MODE])
    over = "over: " if state.player == TERMINAL else ""
    canvas.text((380, 172), over + game.headline(state), 15, _HAZE)
    canvas.text((380, 476), game.score_line(state), 15, _HAZE)
    if 0 <= mode < 4:
        canvas.circle((240, 212), 22, WHITE, INK, 1)
        draw_sign(canvas, game.options["pack"], mode, (240, 212), 13)

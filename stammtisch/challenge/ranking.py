"""The table of a tournament as it is broadcast: who takes part, and the newest results."""

from collections.abc import Sequence
from typing import Any

from stammtisch.challenge.messages import Message

Result = tuple[int, int, bool]
"""A finished game: first bot, second bot, whether the first won."""

RUNNING_BYTES = 1 << 16
FINAL_BYTES = 1 << 19
_RESULT_BYTES = len('{"player1":"","player2":"","firstPlayerWon":false,"id":12345678},')


def table_message(rows: list[dict[str, Any]], names: Sequence[str], results: Sequence[Result], most: int) -> Message:
    """Return the table, with as many results, the newest first, as fit into so many bytes.

    The number of results grows with the square of the number of bots, and everybody is sent every table: without a
    limit no client could take in the frame, and nobody could afford to send it.
    """
    lengths = [len(Message("", name).text) for name in names]
    shown: list[dict[str, Any]] = []
    for number in range(len(results) - 1, -1, -1):
        first, second, won = results[number]
        most -= _RESULT_BYTES + lengths[first] + lengths[second]
        if most < 0:
            break
        shown.append({"player1": names[first], "player2": names[second], "firstPlayerWon": won, "id": number})
    return Message("BROADCAST_TOURNAMENT_RANKING_TABLE", {"ranking": rows, "pairingResults": shown})

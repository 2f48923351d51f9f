"""Differenzler and Molotow, in which everyone plays alone: names, options, text form and set-up."""

import re
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.game import Option
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import Seed
from stammtisch.envs.jass.family.cards import DEAL_POINTS, N_COLOURS
from stammtisch.envs.jass.family.game import TO_BE_DEALT, JassGame, mode_name
from stammtisch.envs.jass.family.names import CARDS, LEGAL_RULES, MODES
from stammtisch.envs.jass.family.view import SoloView
from stammtisch.errors import BadText

_RULES = (LEGAL_RULES[2], LEGAL_RULES[0])


class SoloGame(JassGame):
    """A game of the Jass family without partners."""

    RULES = "stammtisch.envs.jass.solo.rules"
    HEURISTIC = "stammtisch.envs.jass.solo.heuristic"
    POLICIES = ("heuristic", "greedy")
    PREDICTS: ClassVar[bool]
    view_class = SoloView
    OPTIONS = {
        "deals": Option(1, "number of deals", minimum=1),
        "pay": Option("game", "when deals are paid", ("game", "deal")),
        "start": Option("seat0", "who is forehand of the first deal", ("seat0", "random")),
        "legal_rule": Option("void", "which trumps may follow a ruff", _RULES),
        **JassGame.OPTIONS,
    }

    def _config(self) -> dict[str, int]:
        options = self.options
        return {
            "predicts": int(self.PREDICTS),
            "open": 0,
            "at_once": 0,
            "deals": options["deals"],
            "rule": LEGAL_RULES.index(options["legal_rule"]),
            "random_start": int(options["start"] == "random"),
            "pay_deals": int(options["pay"] == "deal"),
        }

    def _head(self, row: NDArray[np.int64]) -> str:
        rules = self.rules
        totals = ":".join(str(row[rules.TOTAL + p]) for p in range(4))
        return f"deal {row[rules.DEALS] + 1}, totals {totals}, forehand {row[rules.FOREHAND]}"

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        rules = self.rules
        number = "([0-9]{1,6})"
        found = re.fullmatch(f"deal {number}, totals {':'.join([number] * 4)}, forehand ([0-3])", line)
        if found is None:
            raise BadText(f'a record of {self.id} begins like "deal 1, totals 0:0:0:0, forehand 0", not "{line}"')
        deals, *totals, forehand = (int(word) for word in found.groups())
        if not 1 <= deals <= rules.N_DEALS:
            raise BadText(f"a game of {self.id} has {rules.N_DEALS} deals, there is no deal {deals}")
        most = (deals - 1) * DEAL_POINTS
        if max(totals) > most or (not self.PREDICTS and sum(totals) != most):
            raise BadText(f"totals {totals} cannot come from {deals - 1} deals of {DEAL_POINTS} points")
        row[rules.DEALS] = deals - 1
        row[rules.TOTAL : rules.TOTAL + 4] = totals
        row[rules.FOREHAND] = forehand

    def score_line(self, state: State) -> str:
        view = state.view(0)
        text = "points " + ":".join(map(str, view.scores))
        if self.options["deals"] > 1:
            totals = ":".join(map(str, view.totals))
            text = f"deal {state._row[self.rules.DEALS] + 1} of {self.options['deals']}, {text}, before {totals}"
        return text


class Differenzler(SoloGame):
    """Differenzler Jass: everyone says how many points it will make; who comes closest wins.

    ## Description
    36 cards, nine each, everyone for itself. The trumps are drawn with the deal. Then everyone predicts its own
    points, 0 to 157, secretly. Forehand leads. Who can must follow suit; one may always trump instead, but, who
    holds the colour led, not below a trump that lies there already; the trump jack, the *Buur*, need never be shown
    to a trump lead. A trick counts its cards for the player who takes it, the last one 5 more: 157 points in all. The
    penalty of a deal is the distance between prediction and points. There is no match bonus and there are no melds.
    Rules: those of Swisslos as public rule pages tell them. Left open there and chosen here: predictions are said in
    turn from forehand on, and forehand moves on by one seat from deal to deal.

    ## Players
    Four, each its own team; seat 0 moves first unless `start` says otherwise. Play goes 0, 1, 2, 3.

    ## Action Space
    `Discrete(194)`

    | Action | Meaning |
    |---|---|
    | 0-35 | play the card `9 * colour + rank`; colours H, D, C, S, ranks 6, 7, 8, 9, 10, J, Q, K, A |
    | 36 + n | predict n points, n = 0..157 |

    The deal, with the trumps, is one chance event. Its outcomes are 63-bit numbers, too many to list, and no part of
    the position.

    ## Observation Space
    `(396,) int8` in 0..1. Seats are counted from the observer on, j = 0 is the observer itself.

    | Index | Meaning |
    |---|---|
    | 0 + card | own hand |
    | 36 + 36 j + card | played by j in a finished trick of this deal |
    | 180 + 36 j + card | lies on the table, played by j |
    | 324 + 4 (j - 1) + colour | j = 1, 2, 3 has shown to be void (in trumps: of all but the Buur) |
    | 336 + colour | trumps |
    | 340 + j, 344 + j, 348 + j | j is forehand; j is to move; j led the running trick (or is to lead) |
    | 352 + 8 j + bit | points of j in this deal, as a binary number |
    | 384 + j | j has predicted |
    | 388 + bit | own prediction, as a binary number |

    With `predictions="open"` those of j = 1, 2, 3 follow (3 * 8 bits). With `deals` above 1 the penalties of the deals
    before follow for each j, then the number of deals before, as binary numbers.

    ## Action Mask
    `(194,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it is not
    your turn.

    ## Rewards
    Minus the penalty / 100, summed over the deals: never above zero, and not zero-sum. In a match an agent wins a
    game in which its return is above the mean of the table.

    ## Starting State
    The seed decides the deals with their trumps and, with `start="random"`, who is forehand of the first.

    ## Episode End
    1. The last trick of the last deal has been taken. There is no truncation.

    ## Information
    Nothing beyond the keys of the faces. `state.view(player)` tells what a player may know: `hand`, `table`, `history`,
    `mode` (the trumps), `forehand`, `voids`, `barred`, `scores`, `totals`, `deal`, `predictions` (those of others are
    None until the game is over). `view.sample_state(rng)` deals the other cards anew, all deals that agree with every
    play so far equally likely, and draws each secret prediction from 0..157, all equally likely.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `deals` | int | 1 | number of deals |
    | `pay` | str | "game" | "deal": pay every deal when it is over |
    | `predictions` | str | "secret" | "open": everyone hears the predictions as they are said |
    | `legal_rule` | str | "void" | "server": under-trumping only from a hand of trumps, as in Schieber |
    | `start` | str | "seat0" | who is forehand of the first deal: seat 0, or "random" |
    | `pack` | str | "french" | "swiss": pictures and boards show Rosen, Schellen, Eichel, Schilten |

    Example: `stammtisch.load_game("jass-differenzler", deals=4, predictions="open")`.

    ## Version History
    * v0: first release
    """

    PREDICTS = True
    SAID = "predictions"
    OPTIONS = {**SoloGame.OPTIONS, "predictions": Option("secret", "who hears them", ("secret", "open"))}

    def _config(self) -> dict[str, int]:
        return {**super()._config(), "open": int(self.options["predictions"] == "open")}

    def new_state(
        self,
        seed: Seed = None,
        *,
        deal: Sequence[Sequence[int]] | None = None,
        forehand: int | None = None,
        trump: int | None = None,
    ) -> State:
        """Return the start position: before the deal, or with a deal and its trumps that are given.

        Args:
            seed: decides the forehand with ``start="random"``.
            deal: four hands of nine card ids, by seat.
            forehand: the seat that begins; by default what ``start`` says.
            trump: the colour 0..3 that is trumps, given with a deal.
        """
        if (deal is None) != (trump is None) or (trump is not None and trump not in range(N_COLOURS)):
            raise ValueError(f"a deal of {self.id} comes with its trumps 0..3, not with {trump!r}")
        state = super().new_state(seed, deal=deal, forehand=forehand)
        if trump is None:
            return state
        row = state.row
        row[self.rules.MODE] = trump
        return self.from_row(row)

    def _head(self, row: NDArray[np.int64]) -> str:
        mode = int(row[self.rules.MODE])
        return f"{super()._head(row)}, trumps {MODES[mode] if mode >= 0 else '-'}"

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        front, comma, trumps = line.rpartition(", trumps ")
        if not comma or trumps not in ("-", *MODES[:N_COLOURS]):
            raise BadText(f'the first line of a record of {self.id} ends like ", trumps hearts", not "{line}"')
        super()._read_head(row, front)
        if trumps != "-":
            row[self.rules.MODE] = MODES.index(trumps)

    def from_text(self, text: str) -> State:
        state = super().from_text(text)
        if (state.player == CHANCE) != (state._row[self.rules.MODE] < 0):
            raise BadText(f"trumps and hands of {self.id} are dealt together: give both or neither")
        return state

    def _said(self, row: NDArray[np.int64]) -> list[str]:
        rules = self.rules
        seats = [(int(row[rules.FOREHAND]) + turn) % 4 for turn in range(int(row[rules.SAID]))]
        return [str(row[rules.PREDICTION + seat] - 1) for seat in seats]

    def _say(self, action: int) -> str:
        return str(action - len(CARDS))

    def headline(self, state: State) -> str:
        rules, row = self.rules, state._row
        if state.player == CHANCE:
            return TO_BE_DEALT
        name = mode_name(self.options["pack"], int(row[rules.MODE]))
        predictions = [str(row[rules.PREDICTION + p] - 1) if row[rules.PREDICTION + p] else "?" for p in range(4)]
        text = f"{name}, predictions {':'.join(predictions)}"
        return text if row[rules.SAID] == 4 else f"{text}, player {state.player} predicts"


class Molotow(SoloGame):
    """Molotow Jass: everyone tries to make few points; the first card that cannot follow suit names the trumps.

    ## Description
    36 cards, nine each, everyone for itself. Forehand leads. At first there are no trumps, high cards win, and who can
    must follow suit. The first card that does not follow names its colour as trumps for the rest of the deal; from
    then on the rules of a trump game hold: one may always trump instead of following, but, who holds the colour led,
    not below a trump that lies there already, and the trump jack, the *Buur*, need never be shown to a trump lead.
    Points are counted from the cards taken when all is over, so nine and jack of the trumps count 14 and 20 whenever
    they were taken; the last trick counts 5 more: 157 points in all (some card always fails to follow, nine being no
    multiple of four). Fewest points win.
    Rules: public rule pages, which disagree whether the card that names the trumps already acts as one in its own
    trick (`trumps_from`). Counts for melds, and strokes instead of points, as some circles play, are left out.

    ## Players
    Four, each its own team; seat 0 moves first unless `start` says otherwise. Play goes 0, 1, 2, 3.

    ## Action Space
    `Discrete(36)`: play the card `9 * colour + rank`; colours H, D, C, S, ranks 6, 7, 8, 9, 10, J, Q, K, A. The deal is
    one chance event. Its outcomes are 63-bit numbers, too many to list, and no part of the position.

    ## Observation Space
    `(384,) int8` in 0..1. Seats are counted from the observer on, j = 0 is the observer itself.

    | Index | Meaning |
    |---|---|
    | 0 + card | own hand |
    | 36 + 36 j + card | played by j in a finished trick of this deal |
    | 180 + 36 j + card | lies on the table, played by j |
    | 324 + 4 (j - 1) + colour | j = 1, 2, 3 has shown to be void (in trumps: of all but the Buur) |
    | 336 + colour | trumps, none while they are not named |
    | 340 + j, 344 + j, 348 + j | j is forehand; j is to move; j led the running trick (or is to lead) |
    | 352 + 8 j + bit | points of j in this deal, as a binary number |

    With `deals` above 1 the points of the deals before follow for each j, then the number of deals before, as binary
    numbers.

    ## Action Mask
    `(36,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it is not
    your turn.

    ## Rewards
    (mean points of all players - own points) / 100, summed over the deals: zero-sum; 0.3925 for a deal without points.

    ## Starting State
    The seed decides the deals and, with `start="random"`, who is forehand of the first; forehand moves on by one seat
    from deal to deal.

    ## Episode End
    1. The last trick of the last deal has been taken. There is no truncation.

    ## Information
    Nothing beyond the keys of the faces. `state.view(player)` tells what a player may know: `hand`, `table`, `history`,
    `mode` (the trumps, None while they are not named), `forehand`, `voids`, `barred`, `scores`, `totals`, `deal`.
    `view.sample_state(rng)` deals the other cards anew, all deals that agree with every play so far equally likely.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `deals` | int | 1 | number of deals |
    | `pay` | str | "game" | "deal": pay every deal when it is over |
    | `trumps_from` | str | "trick" | "next": the trumps named act from the next trick on |
    | `legal_rule` | str | "void" | "server": under-trumping only from a hand of trumps, as in Schieber |
    | `start` | str | "seat0" | who is forehand of the first deal: seat 0, or "random" |
    | `pack` | str | "french" | "swiss": pictures and boards show Rosen, Schellen, Eichel, Schilten |

    Example: `stammtisch.load_game("jass-molotow", deals=8, trumps_from="next")`.

    ## Version History
    * v0: first release
    """

    PREDICTS = False
    OPTIONS = {**SoloGame.OPTIONS, "trumps_from": Option("trick", "when trumps begin to act", ("trick", "next"))}

    def _config(self) -> dict[str, int]:
        return {**super()._config(), "at_once": int(self.options["trumps_from"] == "trick")}

    def headline(self, state: State) -> str:
        if state.player == CHANCE:
            return TO_BE_DEALT
        return mode_name(self.options["pack"], int(state._row[self.rules.MODE]))

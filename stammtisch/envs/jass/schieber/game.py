"""Schieber Jass: names, options, text form and set-up."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.game import Option, Symmetry
from stammtisch.envs.core.state import State
from stammtisch.envs.jass.family.game import SPOKEN, TO_BE_DEALT, JassGame, mode_name, told
from stammtisch.envs.jass.family.names import CARDS, LEGAL_RULES, MODES, card_id
from stammtisch.envs.jass.family.play import AT_TABLE, AT_VOIDS
from stammtisch.envs.jass.family.suits import renamings, suit_symmetry
from stammtisch.envs.jass.family.view import JassView
from stammtisch.errors import BadText

_ENCODINGS = ("full", "jass-42", "jass-150", "jass-186", "jass-1302", "jass-1302-seats")
_PAY_TRICKS = 2


class Schieber(JassGame):
    """Schieber Jass, one deal: two teams of two play for the points of nine tricks; the difference counts.

    ## Description
    36 cards, nine each; partners sit opposite. Forehand chooses the mode: a trump colour, Obeabe (no trumps,
    high cards win) or Undeufe (no trumps, low cards win), or passes the choice on to its partner
    (*schieben*), who must choose. Forehand leads in any case. Who can must follow suit; with trumps one may
    always trump instead, but not below a trump that lies there already (unless only trumps are left), and the
    trump jack, the *Buur*, need never be shown to a trump lead. A trick counts its cards, the last one 5
    more: 157 points in all; nine tricks make a match, 100 more.
    Rules: the Jass challenge server of Zühlke (2017); options for what people play at home.

    ## Players
    | Index | Team | Moves first |
    |---|---|---|
    | 0 | 0 | yes, unless `start` says otherwise |
    | 1 | 1 | |
    | 2 | 0 | |
    | 3 | 1 | |

    Play goes 0, 1, 2, 3.

    ## Action Space
    `Discrete(43)`, with Slalom `Discrete(45)`.

    | Action | Meaning |
    |---|---|
    | 0-35 | play the card `9 * colour + rank`; colours H, D, C, S, ranks 6, 7, 8, 9, 10, J, Q, K, A |
    | 36-39 | make hearts, diamonds, clubs, spades trumps |
    | 40, 41 | choose Obeabe, Undeufe |
    | 42 | schieben: pass the choice on to the partner |
    | 43, 44 (only with `slalom`) | Slalom beginning with Obeabe, with Undeufe |

    The deal is one chance event. Its outcomes are 63-bit numbers, too many to list, and no part of the
    position.

    ## Observation Space
    `"full"`: `(378,) int8` in 0..1. Seats are counted from the observer on, j = 0 is the observer itself.

    | Index | Meaning |
    |---|---|
    | 0 + card | own hand |
    | 36 + 36 j + card | played by j in a finished trick of this deal |
    | 180 + 36 j + card | lies on the table, played by j |
    | 324 + 4 (j - 1) + colour | j = 1, 2, 3 has shown to be void (in trumps: of all but the Buur) |
    | 336 + mode | mode: H, D, C, S trumps, Obeabe, Undeufe (then the two Slalom modes, if there are any) |
    | 342, 343 | the mode is to be chosen; the choice was passed on |
    | 344 + j, 348 + j | j is forehand; j chose the mode |
    | 352 + j, 356 + j | j is to move; j led the running trick (or is to lead) |
    | 360 + bit, 369 + bit | points in this deal of the own team, of the other team, as binary numbers |

    Further scoring options need more bits for the points, and `weis` appends the cards shown by each j (4 *
    36). The inputs of the JassBot thesis (HSR, 2017) tell less. While the mode is being chosen they show the
    hand only; Slalom shows as the direction of the running trick.

    | `observation` | Layout |
    |---|---|
    | `"jass-42"` | per card 0 unknown, 1 own hand, 2-4 first to third card on the table; mode (6) |
    | `"jass-150"` | own hand (36), first, second, third card on the table (3 * 36), mode (6) |
    | `"jass-186"` | the same, cards of finished tricks (36), mode (6) |
    | `"jass-1302"` | own hand, table (3 * 36), 8 tricks * 4 cards in playing order * 36, mode (6) |
    | `"jass-1302-seats"` | the same, the four cards of a trick by seat counted from the observer on |

    `encodings.trump_encoding(view, 36 or 37)` gives the inputs of the thesis' trump networks.

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros
    when it is not your turn.

    ## Rewards
    (points of the own team - points of the other team) / 100, the match bonus included once; with
    `pay="trick"` every trick pays its part when it is taken, and the sum is the same.

    ## Starting State
    The seed decides the deal and, with `start="random"`, who is forehand.

    ## Episode End
    1. The ninth trick has been taken. There is no truncation.

    ## Information
    Nothing beyond the keys of the faces; the outcome of the deal is not among them. `state.view(player)`
    tells what a player may know: `hand`, `table`, `history`, `mode`, `forehand`, `pushed`, `declarer`,
    `voids`, `barred`, `shown`, `scores`, `totals`. `view.sample_state(rng)` deals the other cards anew, all
    deals that agree with every play so far, and with the melds shown, equally likely. Nothing is inferred
    from the choice of the mode.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `observation` | str | "full" | encoding, see above |
    | `pay` | str | "deal" | "trick": pay every trick at once |
    | `start` | str | "seat0" | who is forehand: seat 0, "random", or the holder of a card such as "D7" |
    | `legal_rule` | str | "server" | "jass-kit": of two ruffs only the lower in plain order must be beaten |
    | `match_by` | str | "tricks" | "points": worthless tricks do not save a team from the match |
    | `multipliers` | bool | False | clubs and spades count double, modes without trumps threefold |
    | `weis` | bool | False | melds: after the first trick the team with the best scores and shows its own |
    | `weis_overlap` | bool | True | a card may serve in a sequence and in a four of a kind |
    | `stoeck` | bool | False | 20 points for king and queen of trumps from one hand, with the second |
    | `slalom` | bool | False | two more modes: Obeabe and Undeufe by turns, counted as in the first trick |
    | `pack` | str | "french" | "swiss": pictures and boards show Rosen, Schellen, Eichel, Schilten |

    Example: `stammtisch.load_game("jass-schieber", observation="jass-186", pay="trick")`.

    ## Version History
    * v0: first release
    """

    RULES = "stammtisch.envs.jass.schieber.rules"
    HEURISTIC = "stammtisch.envs.jass.schieber.heuristic"
    SOLVER = "stammtisch.envs.jass.schieber.solver"
    ORACLE = "stammtisch.envs.jass.schieber.oracle"
    REACH = ("tricks", 6)
    POLICIES = ("heuristic", "greedy")
    SAID = "mode"
    FACTS = {
        **JassGame.FACTS,
        "pushed": told("pushed", "bool", "whether forehand passed the choice on to its partner"),
        "declarer": told("declarer", "int | None", "seat that chose the mode"),
    }
    view_class = JassView
    OPTIONS = {
        "observation": Option("full", "encoding", _ENCODINGS),
        "pay": Option("deal", "when points are paid", ("deal", "trick")),
        "start": Option("seat0", "who is forehand of the first deal", ("seat0", "random", *CARDS)),
        "legal_rule": Option("server", "which trumps may follow a ruff", LEGAL_RULES[:2]),
        "match_by": Option("tricks", "what makes a match", ("tricks", "points")),
        "multipliers": Option(False, "count some modes double or threefold"),
        "weis": Option(False, "score melds"),
        "weis_overlap": Option(True, "a card may serve in two melds"),
        "stoeck": Option(False, "score king and queen of trumps"),
        "slalom": Option(False, "add the Slalom modes"),
        **JassGame.OPTIONS,
    }

    def _config(self) -> dict[str, int]:
        options = self.options
        starts: dict[str, int] = {"seat0": -1, "random": -2}
        return {
            "target": 0,
            "stop_at_once": 0,
            "pay_points": 1,
            "pay": _PAY_TRICKS * (options["pay"] == "trick"),
            "start": starts[options["start"]] if options["start"] in starts else card_id(options["start"]),
            "kit_rule": int(options["legal_rule"] == "jass-kit"),
            "match_by_points": int(options["match_by"] == "points"),
            "multipliers": int(options["multipliers"]),
            "weis": int(options["weis"]),
            "weis_overlap": int(options["weis_overlap"]),
            "stoeck": int(options["stoeck"]),
            "slalom": int(options["slalom"]),
            "encoding": _ENCODINGS.index(options["observation"]),
        }

    @property
    def symmetries(self) -> list[Symmetry]:
        """Renamings of the suits: 24; with multipliers 4, as some count double; 6 if a card decides who begins."""
        rules: Any = self.rules
        length, cards, suits = rules.OBS_LEN, len(CARDS), 4
        if rules.ENCODING == rules.FULL:
            shown_at = rules.FULL_LEN - 4 * cards * rules.WEIS
            cards_at = [*range(0, AT_TABLE + 4 * cards, cards), *range(shown_at, length, cards)]
            suits_at = [*range(AT_VOIDS, rules.OBS_FRONT_LEN, suits), rules.OBS_FRONT_LEN]
        else:
            cards_at, suits_at = list(range(0, length - 6, cards)), [length - 6]
        kinds = [(int(rules.FACTOR[suit]), suit == rules.START // 9) for suit in range(suits)]
        return [suit_symmetry(each, length, cards_at, suits_at, rules.N_ACTIONS) for each in renamings(kinds)]

    def _head(self, row: NDArray[np.int64]) -> str:
        return f"forehand {row[self.rules.FOREHAND]}"

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        found = re.fullmatch(r"forehand ([0-3])", line)
        if found is None:
            raise BadText(f'a record of {self.id} begins with a line like "forehand 0", not "{line}"')
        row[self.rules.FOREHAND] = int(found[1])

    def _said(self, row: NDArray[np.int64]) -> list[str]:
        said = ["schieben"] * int(row[self.rules.PUSHED])
        if row[self.rules.MODE] >= 0:
            said.append(MODES[row[self.rules.MODE]])
        return said

    def _say(self, action: int) -> str:
        return MODES[action - len(CARDS)]

    def parse_action(self, state: State, text: str) -> int:
        """Read a card ("H10") or a mode ("hearts", "trump H", "rosen", "obeabe", "schieben")."""
        return super().parse_action(state, SPOKEN.get(" ".join(text.lower().split()), text))

    def stage(self, state: State) -> str:
        if state._row[self.rules.MODE] < 0:
            return "choice of the mode"
        return f"trick {int(state._row[self.rules.PLAYED_COUNT]) // 4 + 1}"

    def headline(self, state: State) -> str:
        row, pushed = state._row, int(state._row[self.rules.PUSHED])
        after = " after a pass" if pushed else ""
        if state.player == CHANCE:
            return TO_BE_DEALT
        if row[self.rules.MODE] < 0:
            return f"player {state.player} chooses{after}"
        chooser = (int(row[self.rules.FOREHAND]) + 2 * pushed) % 4
        return f"{mode_name(self.options['pack'], int(row[self.rules.MODE]))}, chosen by player {chooser}{after}"

    def score_line(self, state: State) -> str:
        rules, row = self.rules, state._row
        points = row[rules.SCORE : rules.SCORE + 2] + row[rules.EXTRA : rules.EXTRA + 2]
        text = f"points {points[0]}:{points[1]}, tricks {row[rules.WON]}:{row[rules.WON + 1]}"
        if rules.TARGET:
            total = row[rules.TOTAL : rules.TOTAL + 2] + points
            text = f"deal {row[rules.DEALS] + 1}, {text}, game {total[0]}:{total[1]} of {rules.TARGET}"
        return text


class Schieber2500(Schieber):
    """Schieber Jass, a whole game: deals are played until a team has 2500 points and more than the other.

    ## Description
    The deals are those of `Schieber`, forehand moves on by one seat from deal to deal. By default, as on the
    Jass challenge server, totals are compared after every complete deal: a team wins with at least `target`
    points and strictly more than the other; equal totals play on (a draw after `2 * target // 157 + 8` deals,
    which only multipliers could ever reach). With `ending="at-once"` the game stops the moment a team reaches
    the target, counted in the order Stöck, Weis, trick.

    ## Players
    As in `Schieber`; forehand of deal d is seat d mod 4 unless `start` says otherwise.

    ## Action Space
    As in `Schieber`.

    ## Observation Space
    As in `Schieber`; `"full"` is `(402,) int8`: at the end it has the points of the deals before, of the own
    team and of the other, as binary numbers (two times 12 bits for 2500).

    ## Action Mask
    As in `Schieber`.

    ## Rewards
    | Outcome | Reward |
    |---|---|
    | own team wins the game | +1 |
    | own team loses the game | -1 |

    With `utility="points"` it is the difference of the totals / 100 instead, as the game ends, or as it goes
    (`pay`).

    ## Starting State
    The seed decides the deals and, with `start="random"`, who is forehand of the first.

    ## Episode End
    1. After a deal a team has the target and more than the other (at once: a team reaches it).
    2. The limit of deals is reached with equal totals. There is no truncation.

    ## Information
    As in `Schieber`; `view.history` is that of the running deal.

    ## Arguments
    Those of `Schieber`, and:

    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `target` | int | 2500 | points that a team needs |
    | `ending` | str | "deal" | "at-once": stop the moment a team reaches the target |
    | `utility` | str | "win" | "points": difference of the totals / 100 |
    | `pay` | str | "game" | with `utility="points"` also "deal" or "trick": pay as points are made |

    Example: `stammtisch.load_game("jass-schieber-2500", target=1000, multipliers=True)`.

    ## Version History
    * v0: first release
    """

    OPTIONS = {
        **Schieber.OPTIONS,
        "pay": Option("game", "when points are paid", ("game", "deal", "trick")),
        "target": Option(2500, "points that a team needs", minimum=1),
        "ending": Option("deal", "when totals are compared", ("deal", "at-once")),
        "utility": Option("win", "what the game is played for", ("win", "points")),
    }

    def _config(self) -> dict[str, int]:
        pay, utility = self.options["pay"], self.options["utility"]
        if utility == "win" and pay != "game":
            raise ValueError(f'option pay={pay!r} needs utility="points": a win is paid at the end of the game')
        return {
            **super()._config(),
            "target": self.options["target"],
            "stop_at_once": int(self.options["ending"] == "at-once"),
            "pay_points": int(utility == "points"),
            "pay": ("game", "deal", "trick").index(pay),
        }

    def _head(self, row: NDArray[np.int64]) -> str:
        rules = self.rules
        totals = f"{row[rules.TOTAL]}:{row[rules.TOTAL + 1]}"
        return f"deal {row[rules.DEALS] + 1}, points {totals}, forehand {row[rules.FOREHAND]}"

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        found = re.fullmatch(r"deal ([0-9]{1,6}), points ([0-9]{1,9}):([0-9]{1,9}), forehand ([0-3])", line)
        if found is None:
            raise BadText(f'a record of {self.id} begins like "deal 1, points 0:0, forehand 0", not "{line}"')
        rules = self.rules
        if not 1 <= int(found[1]) <= rules.MOST_DEALS:
            raise BadText(f"a game of {self.id} has at most {rules.MOST_DEALS} deals, not {found[1]}")
        row[rules.DEALS] = int(found[1]) - 1
        row[rules.TOTAL : rules.TOTAL + 2] = int(found[2]), int(found[3])
        row[rules.FOREHAND] = int(found[4])

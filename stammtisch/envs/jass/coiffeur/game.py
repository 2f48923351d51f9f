"""Coiffeur Jass: names, options, text form and set-up."""

import re

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.game import Option
from stammtisch.envs.core.state import State
from stammtisch.envs.jass.family.game import SPOKEN, TO_BE_DEALT, JassGame, mode_name
from stammtisch.envs.jass.family.names import CARDS, MODES
from stammtisch.envs.jass.family.view import CONTRACTS, CoiffeurView
from stammtisch.errors import BadText

_LETTERS = "HDCSOU12LG"
_FACTORS = ("french", "swiss", "single")
_FIRST_JOKER, _LAST_JOKER = 6, 7


class Coiffeur(JassGame):
    """Coiffeur Jass: both teams play every contract once; only who chose scores, times the factor of the contract.

    ## Description
    36 cards, nine each; partners sit opposite. Each team has a list of contracts: the four colours as trumps, Obeabe
    (no trumps, high cards win), Undeufe (no trumps, low cards win) and two jokers, which stand for any of these six;
    in the long game also Slalom (Obeabe and Undeufe by turns) and Guschti (five tricks the one, four the other; both
    count as in the first trick). In every deal forehand chooses a contract that its team has left, or passes the choice
    on to the next player, opponents included; when all have passed, the first must choose. A team without contracts is
    passed over. The chooser leads. Cards are played as in `Schieber`. The team that chose records its points, 0 to
    157, times the factor of the contract; a match counts 100 more (`match`). More points win when both lists are used
    up.
    Rules: those of Swisslos and of a public rule page for the factors. Left open there and chosen here: jokers are
    no Slalom and no Guschti, and in the long game the factors go on with Slalom 7, Guschti 8, jokers 9 and 10.

    ## Players
    | Index | Team | Moves first |
    |---|---|---|
    | 0 | 0 | yes, unless `start` says otherwise |
    | 1 | 1 | |
    | 2 | 0 | |
    | 3 | 1 | |

    Play goes 0, 1, 2, 3; forehand moves on by one seat from deal to deal.

    ## Action Space
    `Discrete(55)`, in the long game `Discrete(59)`.

    | Action | Meaning |
    |---|---|
    | 0-35 | play the card `9 * colour + rank`; colours H, D, C, S, ranks 6, 7, 8, 9, 10, J, Q, K, A |
    | 36-41 | choose hearts, diamonds, clubs, spades, Obeabe, Undeufe |
    | 42-47, 48-53 | use the first, the second joker for one of these six modes |
    | 54-57 (only `contracts=10`) | Slalom from Obeabe, from Undeufe; Guschti from Obeabe, from Undeufe |
    | 54, or 58 | schieben: pass the choice on to the next player |

    The deal is one chance event. Its outcomes are 63-bit numbers, too many to list, and no part of the position.

    ## Observation Space
    `(432,) int8` in 0..1. Seats are counted from the observer on, j = 0 is the observer itself.

    | Index | Meaning |
    |---|---|
    | 0 + card | own hand |
    | 36 + 36 j + card | played by j in a finished trick of this deal |
    | 180 + 36 j + card | lies on the table, played by j |
    | 324 + 4 (j - 1) + colour | j = 1, 2, 3 has shown to be void (in trumps: of all but the Buur) |
    | 336 + mode | mode: H, D, C, S trumps, Obeabe, Undeufe |
    | 342 + contract | contract: H, D, C, S, Obeabe, Undeufe, first and second joker |
    | 350 + k | more than k = 0..3 players have passed in this deal |
    | 354 + j, 358 + j | j is forehand; j chose the contract |
    | 362 + j, 366 + j | j is to move; j led the running trick (or is to lead) |
    | 370 + bit, 379 + bit | points in this deal of the own team, of the other team, as binary numbers |
    | 388 + bit, 402 + bit | points recorded before of the own team, of the other team, as binary numbers |
    | 416 + contract, 424 + contract | contracts left to the own team, to the other team, this deal's included |

    The long game has ten modes (two Slalom, two Guschti at the end) and ten contracts (Slalom, Guschti at the end);
    the factors decide how many bits the points recorded take.

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it
    is not your turn.

    ## Rewards
    | Outcome | Reward |
    |---|---|
    | own team has more points in the end | +1 |
    | equal points | 0 |
    | own team has fewer points | -1 |

    With `utility="points"` it is the difference of the points recorded / 100 instead, at the end of the game or (`pay`)
    of every deal.

    ## Starting State
    The seed decides the deals and, with `start="random"`, who is forehand of the first.

    ## Episode End
    1. Both teams have played all their contracts: after 16 deals, 20 in the long game. There is no truncation.

    ## Information
    Nothing beyond the keys of the faces. `state.view(player)` tells what a player may know: `hand`, `table`, `history`,
    `mode`, `forehand`, `passes`, `contract`, `declarer`, `left`, `voids`, `barred`, `scores`, `totals`.
    `view.sample_state(rng)` deals the other cards anew, all deals that agree with every play so far equally likely.
    Nothing is inferred from the choice of the contract.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `contracts` | int | 8 | 10: with Slalom and Guschti |
    | `factors` | str | "french" | spades 1, clubs 2, diamonds 3, hearts 4, Obeabe 5, Undeufe 6, jokers 7 and 8 |
    | | | | "swiss": Eichel (clubs) 1, Rosen (hearts) 2, Schilten (spades) 3, Schellen (diamonds) 4, then the same |
    | | | | "single": every contract counts once |
    | `match` | bool | True | all nine tricks count 100 more |
    | `utility` | str | "win" | "points": difference of the points recorded / 100 |
    | `pay` | str | "game" | with `utility="points"` also "deal": pay every deal when it is over |
    | `start` | str | "seat0" | who is forehand of the first deal: seat 0, or "random" |
    | `pack` | str | "french" | "swiss": pictures and boards show Rosen, Schellen, Eichel, Schilten |

    Example: `stammtisch.load_game("jass-coiffeur", contracts=10, utility="points", pay="deal")`.

    ## Version History
    * v0: first release
    """

    RULES = "stammtisch.envs.jass.coiffeur.rules"
    HEURISTIC = "stammtisch.envs.jass.coiffeur.heuristic"
    POLICIES = ("heuristic", "greedy")
    SAID = "contract"
    view_class = CoiffeurView
    OPTIONS = {
        "contracts": Option(8, "number of contracts of each team", (8, 10)),
        "factors": Option("french", "what the contracts count", _FACTORS),
        "match": Option(True, "all nine tricks count 100 more"),
        "utility": Option("win", "what the game is played for", ("win", "points")),
        "pay": Option("game", "when points are paid", ("game", "deal")),
        "start": Option("seat0", "who is forehand of the first deal", ("seat0", "random")),
        **JassGame.OPTIONS,
    }

    def _config(self) -> dict[str, int]:
        options = self.options
        if options["utility"] == "win" and options["pay"] != "game":
            raise ValueError('option pay="deal" needs utility="points": a win is paid at the end of the game')
        return {
            "long": int(options["contracts"] == 10),
            "factors": _FACTORS.index(options["factors"]),
            "match": int(options["match"]),
            "random_start": int(options["start"] == "random"),
            "pay_points": int(options["utility"] == "points"),
            "pay_deals": int(options["pay"] == "deal"),
        }

    # Text

    def _head(self, row: NDArray[np.int64]) -> str:
        rules = self.rules
        left = [
            "".join(letter for k, letter in enumerate(_LETTERS) if int(row[rules.LEFT + team]) >> k & 1)
            for team in (0, 1)
        ]
        totals = f"{row[rules.TOTAL]}:{row[rules.TOTAL + 1]}"
        return f"points {totals}, left {left[0] or '-'}:{left[1] or '-'}, forehand {row[rules.FOREHAND]}"

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        rules = self.rules
        letters = "([HDCSOU12LG]{1,10}|-)"
        found = re.fullmatch(f"points ([0-9]{{1,6}}):([0-9]{{1,6}}), left {letters}:{letters}, forehand ([0-3])", line)
        if found is None:
            raise BadText(
                f'a record of {self.id} begins like "points 0:0, left HDCSOU12:HDCSOU12, forehand 0", not "{line}"'
            )
        for team in (0, 1):
            left = [_LETTERS.index(letter) for letter in found[3 + team].strip("-")]
            if left != sorted(set(left)) or (left and left[-1] >= rules.N_CONTRACTS):
                raise BadText(f"no list of contracts of {self.id}: {found[3 + team]}")
            done = sum(int(rules.CONTRACT_FACTOR[k]) for k in range(rules.N_CONTRACTS) if k not in left)
            if int(found[1 + team]) > done * rules.MOST_POINTS:
                raise BadText(f"team {team} cannot have {found[1 + team]} points with {found[3 + team]} left")
            row[rules.TOTAL + team] = int(found[1 + team])
            row[rules.LEFT + team] = sum(1 << k for k in left)
        if not row[rules.LEFT] and not row[rules.LEFT + 1]:
            raise BadText(f"a game of {self.id} is over when no contract is left; a record keeps its last deal")
        row[rules.FOREHAND] = int(found[5])

    def _said(self, row: NDArray[np.int64]) -> list[str]:
        rules = self.rules
        said = ["schieben"] * int(row[rules.SAID])
        if row[rules.MODE] >= 0:
            said.append(_choice(int(row[rules.CONTRACT]), int(row[rules.MODE])))
        return said

    def _say(self, action: int) -> str:
        choice = action - len(CARDS)
        return "schieben" if action == self.rules.PASS else _choice(*map(int, self.rules.CHOICES[choice]))

    def parse_action(self, state: State, text: str) -> int:
        """Read a card ("H10") or a choice ("hearts", "joker1-obeabe", "slalom-undeufe", "schieben")."""
        return super().parse_action(state, SPOKEN.get(" ".join(text.lower().split()), text))

    def headline(self, state: State) -> str:
        rules, row = self.rules, state._row
        if state.player == CHANCE:
            return TO_BE_DEALT
        passes = int(row[rules.SAID])
        after = f" after {passes} pass{'es' if passes > 1 else ''}" if passes else ""
        if row[rules.MODE] < 0:
            return f"player {state.player} chooses{after}"
        name, contract = mode_name(self.options["pack"], int(row[rules.MODE])), int(row[rules.CONTRACT])
        joker = f" as {CONTRACTS[contract]}" if contract in (_FIRST_JOKER, _LAST_JOKER) else ""
        return f"{name}{joker}, times {rules.CONTRACT_FACTOR[contract]}, chosen by player {row[rules.DECLARER]}{after}"

    def score_line(self, state: State) -> str:
        rules, row = self.rules, state._row
        left = sum(int(row[rules.LEFT + team]).bit_count() for team in (0, 1))
        deal = rules.N_DEALS - left + 1
        points, totals = f"{row[rules.SCORE]}:{row[rules.SCORE + 1]}", f"{row[rules.TOTAL]}:{row[rules.TOTAL + 1]}"
        return f"deal {deal} of {rules.N_DEALS}, points {points}, recorded before {totals}"


def _choice(contract: int, mode: int) -> str:
    joker = contract in (_FIRST_JOKER, _LAST_JOKER)
    return f"{CONTRACTS[contract]}-{MODES[mode]}" if joker else MODES[mode]

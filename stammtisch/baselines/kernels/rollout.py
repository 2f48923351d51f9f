"""How a simulation ends: a game played on by a policy, to its end or up to a cut. Bound into the search families."""

from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below
from stammtisch.envs.core.rules import Policy, Rules

RULES: Rules
HEURISTIC: Policy  # who plays on
CUT: str  # value of an unfinished game: "zero" or "evaluate"

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_PLAYERS = RULES.N_PLAYERS
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
IS_RANDOM, policy, evaluate_all = HEURISTIC.IS_RANDOM, HEURISTIC.choose, HEURISTIC.evaluate_all
EVALUATES = CUT == "evaluate"


@njit
def _value_unfinished(s, out):
    if EVALUATES:
        evaluate_all(s, out)
    else:
        for q in range(N_PLAYERS):
            out[q] = 0.0


@njit
def rollout(s, r, acts, depth, out, net):
    """Play the row ``s`` on and fill the utility of every seat.

    Args:
        s: the position, changed.
        r: uint64[1 + N_PLAYERS]; chance and random moves draw from stream 0, a policy from that of its seat.
        acts: int64[MAX_BRANCH], scratch.
        depth: player actions before the game is cut, negative for none.
        out: float64[N_PLAYERS].
        net: what values positions elsewhere; nothing here.
    """
    p = player(s)
    while p != TERMINAL:
        if HAS_CHANCE and p == CHANCE:
            apply(s, sample(s, r))
        else:
            if depth == 0:
                _value_unfinished(s, out)
                return
            depth -= 1
            if IS_RANDOM:
                apply(s, acts[below(r, CHANCE_STREAM, legal(s, acts))])
            else:
                apply(s, policy(s, r, acts))
        p = player(s)
    returns(s, out)


@njit
def guess(s, p, net, softness, guesses):
    """Nothing is known of a move before it is tried; see ``ntuple_rollout.guess``."""

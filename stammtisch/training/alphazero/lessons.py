"""``Lessons``: games of another player to begin with, written down like those of self-play."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import GameRecord, lineup
from stammtisch.arena.play import states_of
from stammtisch.baselines.kernels import puct_records
from stammtisch.baselines.kernels.puct_arrays import head_count, team_count, utility_scale
from stammtisch.baselines.kernels.puct_records import SearchRecords, new_records
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.training.alphazero.selfplay import Portion
from stammtisch.training.alphazero.settings import AlphaZeroSettings

_LESSON_SEED = 0xA1FB
_OPENINGS = 12  # random first moves at the most, where neither dice nor deals make games differ
_POSITIONS_PER_GAME = 32  # about
_SURE = 0.9  # share of the policy that is the teacher's move; the rest is for all legal ones alike


class Lessons:
    """Games of a teacher against itself; its moves are the policy to be learned, and how its games end the value.

    Args:
        settings: of the training; they name the teacher.
    """

    def __init__(self, settings: AlphaZeroSettings):
        self._settings = settings
        self._game = load_game(settings.game, **settings.options)
        self._agents = lineup(self._game, settings.teacher, settings.teacher)

    def portion(self, games: int) -> Portion:
        """Return the next games; how many there were before, in the same training, decides which."""
        parts = np.random.SeedSequence((_LESSON_SEED, self._settings.seed, games))
        seed = int(parts.generate_state(1)[0])
        sides = len(self._agents)
        wanted = sides * -(-self._settings.portion // (_POSITIONS_PER_GAME * sides))
        most = min(_OPENINGS, self._game.rules.MAX_MOVES // 4) if self._game.info.chance == "none" else 0
        opening = seed % (most + 1)
        match = play_match(self._game, self._agents, wanted, seed, opening=opening)
        taken = [self._noted(record, seed, opening) for record in match.records]
        records = SearchRecords(*(np.concatenate(arrays) for arrays in zip(*taken, strict=True)))
        plies = sum(record.moves for record in match.records)
        return Portion(records, match.games, plies, simulations=0, given_up=0, checked=0, wrong=0)

    def _noted(self, record: GameRecord, seed: int, opening: int) -> SearchRecords:
        """Return the decisions of a game behind its opening, each as its seat may know it."""
        rules = self._game.rules
        notes = new_records(rules, record.moves, with_last=self._settings.future_weight > 0)
        worth = self._worth(record)
        kept = moves = 0
        states = [state for state, _ in states_of(self._game, record, seed, len(self._agents))]
        for state, event in zip(states, record.events, strict=False):
            seat = state.player
            if seat < 0 or event < 0:
                continue
            moves += 1
            legal = state.legal_actions()
            if moves <= opening or len(legal) == 1:
                continue
            n = len(legal)
            notes.rows[kept] = state.view(seat).row
            notes.facts[kept, puct_records.MOVER] = seat
            notes.facts[kept, puct_records.COUNT] = n
            notes.facts[kept, puct_records.GAME] = record.number
            notes.facts[kept, puct_records.PLY] = moves - 1
            notes.actions[kept, :n] = legal
            notes.policy[kept, :n] = (1 - _SURE) / n
            notes.policy[kept, legal.index(event)] += _SURE
            mine = rules.TEAMS[seat]
            notes.outcome[kept] = [worth[(mine + h) % len(worth)] for h in range(head_count(rules))]
            if notes.last.shape[1] > 0:
                end = states[-1]
                notes.last[kept] = end.view(seat).row if end.player == TERMINAL else state.view(seat).row
            kept += 1
        notes.found[:kept] = notes.outcome[:kept]
        return SearchRecords(*(array[:kept] for array in notes))

    def _worth(self, record: GameRecord) -> NDArray[np.float64]:
        """Return what the game was worth for every team."""
        rules = self._game.rules
        returns = np.array(record.returns)
        teams = np.array(rules.TEAMS)
        means = [returns[teams == team].mean() for team in range(team_count(rules))]
        return np.array(means) / utility_scale(rules)

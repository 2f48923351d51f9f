"""``SelfPlay``: one worker that plays games against itself and hands out what the searches found."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers, halving_table
from stammtisch.baselines.kernels.puct_records import Play, SearchRecords, new_records
from stammtisch.baselines.learned.alphazero.evaluators import NetworkBackend, make_evaluator
from stammtisch.baselines.learned.alphazero.lanes import (
    KEEP_ANSWER,
    KEEP_TREE,
    gumbel_search,
    puct_search,
    search_arrays,
    search_kernels,
)
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights
from stammtisch.baselines.learned.tensor_files import take_over
from stammtisch.baselines.search.endgames import Endgames
from stammtisch.envs import load_game
from stammtisch.envs.core.streams import seed_streams
from stammtisch.training.alphazero.checks import check_games
from stammtisch.training.alphazero.settings import AlphaZeroSettings

_MOST_NOTES = 100 << 20  # bytes for the positions of games under way
_WORKER_SEED = 0xA1FA


@dataclass(frozen=True)
class Portion:
    """What a worker hands out.

    Attributes:
        records: positions of finished games.
        games: finished games.
        plies: moves of these games.
        simulations: network calls times lanes.
        given_up: games that one side gave up.
        checked: games that a side would have given up, and that were played on.
        wrong: those of them that it did not lose.
    """

    records: SearchRecords
    games: int
    plies: int
    simulations: int
    given_up: int
    checked: int
    wrong: int


def packed(portion: Portion) -> bytes:
    """Return a portion as compressed arrays, to be sent over a wire."""
    names = [each.name for each in fields(portion) if each.name != "records"]
    counts = np.array([getattr(portion, name) for name in names], np.int64)
    with io.BytesIO() as buffer:
        np.savez_compressed(buffer, allow_pickle=False, counts=counts, **portion.records._asdict())
        return buffer.getvalue()


def unpacked(data: bytes) -> Portion:
    """Return what was packed."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        records = SearchRecords(**{name: arrays[name] for name in SearchRecords._fields})
        return Portion(records, *arrays["counts"].tolist())


class SelfPlay:
    """Games side by side in one process, one thread.

    Args:
        settings: of the training.
        worker: number of this worker; with ``incarnation`` and the seed it decides all that is drawn.
        incarnation: how often this worker has been started anew.
    """

    def __init__(self, settings: AlphaZeroSettings, worker: int = 0, incarnation: int = 0):
        self.settings = settings
        game = self.game = load_game(settings.game, **settings.options)
        rules = game.rules
        endgames = Endgames(game, settings.tables) if settings.tables else None
        self._kernels = search_kernels(game, endgames)
        self._shape = NetworkShape.for_game(game, settings.network_for(game))
        per_lane: int = rules.MAX_MOVES * sum(array.nbytes for array in new_records(rules, 1, 1))
        self._lanes = max(1, min(settings.lanes, _MOST_NOTES // per_lane))
        is_gumbel = settings.search == "gumbel"
        if rules.HAS_HIDDEN and not is_gumbel:
            raise ValueError(f"cards are hidden in {game.id}: self-play searches by gumbel there, not by puct")
        self._search = (
            gumbel_search(settings.considered, noise=1.0, c_scale=settings.c_scale)
            if is_gumbel
            else puct_search(settings.c, dirichlet=settings.dirichlet, noise=settings.noise)
        )
        self._play = Play(
            settings.simulations,
            min(settings.cheap_simulations, settings.simulations),
            settings.full_share,
            settings.opening,
            settings.opening_share,
            1.0,
            settings.cool,
            settings.warm_plies,
            settings.resign,
            settings.resign_check,
            KEEP_ANSWER if is_gumbel else KEEP_TREE,
            0,
        )
        self._tables = np.zeros((2, settings.considered + 1, settings.simulations), np.int32)
        self._tables[1] = halving_table(settings.considered, settings.simulations)
        cheap = halving_table(settings.considered, self._play.cheap)
        self._tables[0, :, : self._play.cheap] = cheap
        self._tables[0, :, self._play.cheap :] = cheap[:, -1:]
        seats = 1 + rules.N_PLAYERS
        streams = seed_streams((_WORKER_SEED, settings.seed, worker, incarnation), self._lanes * seats)
        self._forest = search_arrays(
            game, self._lanes, settings.simulations, streams.reshape(self._lanes, seats), endgames
        )
        self._endgames = endgames  # whose files stay mapped
        self._notes = new_records(rules, self._lanes, rules.MAX_MOVES)
        self._questions = np.zeros((self._lanes, rules.OBS_LEN), np.float32)
        self._evaluator: NetworkBackend | None = None
        self._version = -1
        self._has_begun = False

    def use(self, weights: Weights, version: int) -> None:
        """Play on with other weights; games under way go on."""
        if version != self._version:
            self._version = version
            self._evaluator = make_evaluator(self._shape, weights, self.settings.backend, self.settings.precision)

    def play(self, positions: int, resign: float) -> Portion:
        """Play until so many positions are written down, a few more where games end together.

        Args:
            positions: how many.
            resign: value below which a side gives up.
        """
        assert self._evaluator is not None, "use() comes before play()"
        how = self._play._replace(version=self._version, resign=resign)
        room = positions + self._lanes * self.game.rules.MAX_MOVES
        records = new_records(self.game.rules, room, with_last=self.settings.future_weight > 0)
        counts = np.zeros(self._kernels.COUNTS, np.int64)
        if not self._has_begun:
            self._has_begun = True
            self._kernels.begin(self._forest, how, self._questions)
        calls = 0
        while counts[self._kernels.WRITTEN] < positions:
            answers = self._evaluator(self._questions)
            self._kernels.play(
                self._forest,
                NetworkAnswers(np.asarray(answers.logits), np.asarray(answers.values)),
                self._search,
                how,
                self._tables,
                self._notes,
                records,
                counts,
                self._questions,
            )
            calls += 1
        n = int(counts[self._kernels.WRITTEN])
        kept = SearchRecords(*(array[:n].copy() for array in records))
        named = {name.lower(): int(counts[getattr(self._kernels, name)]) for name in ("GAMES", "PLIES", "CHECKED")}
        return Portion(
            kept,
            **named,
            simulations=calls * self._lanes,
            given_up=int(counts[self._kernels.GIVEN_UP]),
            wrong=int(counts[self._kernels.WRONG]),
        )

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that decide everything to come."""
        return {**self._named_arrays(), "begun": np.array(self._has_begun, np.int8)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned for the same settings.

        Raises:
            ValueError: no games can be gone on with like that.
        """
        take_over(self._named_arrays(), arrays)
        begun = arrays["begun"]
        if begun.shape or begun not in (0, 1):
            raise ValueError("it does not tell whether games have begun")
        if begun:
            check_games(self.game, self._kernels, self._forest, self._notes, self.settings.simulations)
        self._has_begun = bool(begun)
        self._version = -1

    def _named_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that change; endgame tables do not."""
        arrays = {f"forest/{name}": array for name, array in self._forest._asdict().items() if name != "endgames"}
        arrays |= {f"notes/{name}": array for name, array in self._notes._asdict().items()}
        return {**arrays, "questions": self._questions}

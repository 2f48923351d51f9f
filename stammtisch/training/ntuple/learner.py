"""``NTupleTraining``: n-tuple learning by self-play that can be stopped at any time and goes on bit for bit."""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels import ntuple_net
from stammtisch.baselines.kernels.ntuple_net import Memory, TrainingArrays
from stammtisch.baselines.learned.ntuple.network import Layout, Network
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import seed_streams
from stammtisch.files.archives import opened_archive
from stammtisch.training.ntuple.settings import NTupleSettings

_PLACES = 1 << 12  # lines of the solver's table


class NTupleTraining:
    """Learns a network. ``run`` plays some episodes; what is learned does not depend on how they are divided.

    Args:
        game: the game.
        layout: what the network looks at.
        settings: how it learns.
        seed: decides everything that is drawn.
        threads: with several, games are played side by side and change the same weights without locks (Hogwild);
            which of two changes to one weight comes last, or is lost, is then up to the machine, so that only one
            thread gives the same network again.

    Attributes:
        network: what has been learned so far.
        statistics: float64[STATISTICS] of the last ``run``.
        curve: evaluations so far, kept in the file.
        probcut: what is known of searches on this network, likewise.
        kept: float32[n], the weights that won last, with ``keep``; else float32[0].
    """

    def __init__(self, game: Game, layout: Layout, settings: NTupleSettings, seed: int = 0, threads: int = 1):
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if threads > 1 and settings.replay != "none":
            raise ValueError(f"replay={settings.replay} learns in one thread, not in {threads}")
        self.game, self.settings, self.seed = game, settings, seed
        self.network = Network(game, layout, coherent=bool(settings.coherence))
        if settings.init:
            weights = self.network.net.weights
            weights[:] = np.random.default_rng([seed, 2]).uniform(-settings.init, settings.init, len(weights))
        self._solver = game.endgame() if settings.endgame else None
        if settings.endgame and self._solver is None:
            raise ValueError(f"endgame={settings.endgame}: {game.id} has no exact solver of its last cells")
        self._for_strength = settings.goal == "strength"
        family, bindings = ("ntuple_strength", {"SOLVER": self._solver}) if self._for_strength else ("ntuple", {})
        self._kernels = self.network.kernels(family, **bindings)
        self._numbers = settings.numbers()
        self._depth = settings.depth(game.info.max_moves)
        capacity, length = settings.capacity, game.rules.STATE_LEN
        self._memory = Memory(
            before=np.zeros((capacity, length), np.int64),
            after=np.zeros((capacity, length), np.int64),
            seats=np.zeros(capacity, np.int64),
            tree=np.zeros(2 * capacity, np.float64),
            pushed=np.zeros(1, np.int64),
        )
        self.kept = np.zeros(len(self.network.net.weights) if settings.keep else 0, np.float32)
        freezes = settings.freeze > 0 and capacity > 0
        self._frozen = np.zeros(len(self.network.net.weights) if freezes else 0, np.float32)
        self._counts = np.zeros(ntuple_net.COUNTS, np.int64)
        self._streams = seed_streams(seed, threads)
        self.statistics = np.zeros(ntuple_net.STATISTICS, np.float64)
        self.curve: list[dict[str, Any]] = []
        self.probcut: list[dict[str, float]] = []

    @property
    def done(self) -> int:
        """Episodes played so far."""
        return int(self._counts[ntuple_net.DONE])

    def run(self, episodes: int) -> None:
        """Play and learn from so many episodes, or what is left of them."""
        self.statistics[:] = 0
        episodes = min(episodes, self.settings.episodes - self.done)
        threads = len(self._streams)
        if threads == 1:
            self._train(episodes, self._counts, self.statistics, self._streams)
            return
        shares = [(episodes + thread) // threads for thread in range(threads)]
        counts = [self._counts.copy() for _ in shares]
        statistics = [np.zeros_like(self.statistics) for _ in shares]
        streams = [self._streams[thread : thread + 1] for thread in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(self._train, shares, counts, statistics, streams))
        self._counts += sum(after - self._counts for after in counts)
        self.statistics += sum(statistics)

    def _train(
        self,
        episodes: int,
        counts: NDArray[np.int64],
        statistics: NDArray[np.float64],
        stream: NDArray[np.uint64],
    ) -> None:
        arrays = TrainingArrays(self.network.net, self._frozen, self._memory, self._numbers, counts, statistics, stream)
        if self._for_strength:
            boards = self._solver.new_boards(_PLACES) if self._solver is not None else ()
            self._kernels.train(episodes, arrays, boards)
        else:
            self._kernels.train(episodes, self._depth, arrays)

    def report(self) -> dict[str, float]:
        """Return what the last ``run`` showed: moves per game, mean error, mean result of the first seat."""
        games, plies, error, steps, first = self.statistics
        return {
            "moves per game": plies / max(1, games),
            "mean error": error / max(1, steps),
            "first seat": first / max(1, games),
        }

    # Files

    def _arrays(self) -> dict[str, NDArray[Any]]:
        net, memory = self.network.net, self._memory
        arrays = {"counts": self._counts, "stream": self._streams, "sums": net.sums, "norms": net.norms}
        arrays |= {"frozen": self._frozen, "kept": self.kept}
        arrays |= {f"memory_{name}": array for name, array in memory._asdict().items()}
        return {name: array for name, array in arrays.items() if array.size}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network together with all that the training needs to go on."""
        self.network.facts = {
            "seed": self.seed,
            "settings": dataclasses.asdict(self.settings),
            "episodes": self.done,
            "curve": self.curve,
        }
        if self.probcut:
            self.network.facts["probcut"] = self.probcut
        self.network.save(path, self._arrays())

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        game: Game,
        layout: Layout,
        settings: NTupleSettings,
        seed: int,
        threads: int = 1,
    ) -> "NTupleTraining":
        """Go on with a training where its file was written.

        Raises:
            ValueError: the file is no network of this game, or of a training with other parameters or another seed.
        """
        stored = Network.load(path, game)
        training = cls(game, layout, settings, seed, threads)
        asked = {"seed": seed, **dataclasses.asdict(settings), **dataclasses.asdict(layout)}
        found = {
            **{name: setting.default for name, setting in NTupleSettings.table().items()},  # of older files
            "seed": stored.facts.get("seed"),
            **stored.facts.get("settings", {}),
            **dataclasses.asdict(stored.layout),
        }
        for name, value in asked.items():
            if found.get(name) != value:
                raise ValueError(
                    f'"{path}" was trained with {name}={found.get(name)}, not {value}; resume with the same parameters'
                )
        if stored.tuples != training.network.tuples:
            raise ValueError(f'"{path}" was trained with another list of tuples "{layout.tuples}"')
        training.network.net.weights[:] = stored.net.weights
        with opened_archive(path, "training of an n-tuple network") as archive:
            if "stream" not in archive.names:
                raise ValueError("it has no whole state of a training; it can be played but not resumed")
            if (streams := archive.shape("stream", np.uint64)[0]) != threads:
                raise ValueError(f"it was trained with threads={streams}, not {threads}")
            for name, array in training._arrays().items():
                if archive.shape(name, array.dtype, array.ndim) != array.shape:
                    raise ValueError(f"{name} does not have the size that these parameters give")
                array[:] = archive.array(name, array.dtype, array.ndim)
            training._check_counts()
        training.curve = list(stored.facts.get("curve", []))
        return training

    def _check_counts(self) -> None:
        """Refuse the state of a training whose numbers point outside of its arrays."""
        seats, players = self._memory.seats, self.game.info.num_players
        if (self._counts < 0).any() or (self._memory.pushed < 0).any():
            raise ValueError("its counts are negative")
        if ((seats < 0) | (seats >= players)).any():
            raise ValueError("its memory has seats that the game has not")


def described(network: Network) -> str:
    """Say what a network is, in one line."""
    layout = network.layout
    return (
        f"{len(network.tuples)} tuples ({layout.tuples}), {network.taps} taps, coding {layout.coding}, "
        f"{layout.stages} stages, {len(network.net.weights):,} weights, {network.net.weights.nbytes / 1e6:,.0f} MB"
    )

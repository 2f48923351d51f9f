"""Self-play for Stable-Baselines3: opponents that are the latest model, past snapshots of it, or fixed agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from stammtisch.baselines.learned.sb3 import action_scores
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.scores import scores
from stammtisch.envs.lanes import BatchPolicy, Opponent
from stammtisch.envs.vector import BatchedEnv
from stammtisch.wrappers.libraries.sb3.masked import random_legal

Weights = dict[str, torch.Tensor]
LEARNED = ("latest", "pool", "league")
_FORGET = 0.98  # share of its results that a snapshot keeps whenever opponents are drawn anew
_LEAST = 0.02  # least weight in the league of a snapshot that always loses


class NetworkOpponent:
    """A network as a batched policy: one forward pass for all games in which it has to decide.

    A categorical policy draws its actions from its probabilities; one with Q-values takes the best but for a share
    ``epsilon`` of its moves. Until it has a network it plays at random.
    """

    def __init__(self, name: str, epsilon: float = 0.05):
        self.name, self.epsilon = name, epsilon
        self.policy: Any = None

    def __call__(
        self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return one legal action per position."""
        if self.policy is None:
            return random_legal(masks, rng)
        scores = action_scores(self.policy, observations, masks)
        if hasattr(self.policy, "get_distribution"):
            return _draw(scores, masks, rng)
        best = np.where(masks == 1, scores, -np.inf).argmax(axis=1)
        explores = rng.random(len(masks)) < self.epsilon
        return np.where(explores, random_legal(masks, rng), best)

    def __repr__(self) -> str:
        return f"network opponent {self.name}"


def _draw(logits: NDArray[np.float32], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw from the softmax over legal actions."""
    legal = masks == 1
    logits = np.where(legal, logits, -np.inf)
    shares = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
    drawn = (shares <= rng.random(len(masks))[:, None] * shares[:, -1:]).sum(axis=1)
    last_legal = masks.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
    actions: NDArray[np.int64] = np.minimum(drawn, last_legal)
    return actions


@dataclass
class Snapshot:
    """A model as it once was, and how the learner fares against it.

    Attributes:
        step: steps of training it had seen.
        weights: its tensors.
        points: the learner's points against it, draws counted half, older games less.
        games: games likewise.
    """

    step: int
    weights: Weights
    points: float = 0.0
    games: float = 0.0

    @property
    def score(self) -> float:
        """The learner's share of points, drawn to one half while there are few games."""
        return (self.points + 1.0) / (self.games + 2.0)


class OpponentPool:
    """Who sits opposite the learner, and how often.

    Args:
        shares: weights of ``"latest"`` (the model in training), ``"pool"`` (its snapshots, all alike), ``"league"``
            (snapshots, the more often the more they win) and of agent specs such as ``"heuristic"``.
        size: most snapshots kept; the oldest goes first.
        slots: snapshots that play at the same time; each costs one forward pass per step for all games. They are drawn
            anew at every rollout, so that a game may see its opponent change.
        seed: decides which snapshots are drawn.

    Example:
        >>> pool = OpponentPool({"latest": 0.5, "pool": 0.4, "random": 0.1})
        >>> env = BatchedEnv("einstein-3x3", 8, opponent=pool.opponents(), autoreset_mode="SameStep")
    """

    def __init__(self, shares: Mapping[str, float], size: int = 20, slots: int = 2, seed: int = 0):
        if not shares:
            raise ValueError(
                'a pool of opponents needs at least one share, such as {"latest": 1.0}; '
                f"give {', '.join(LEARNED)} or agent specs"
            )
        if size < 1 or slots < 1:
            raise ValueError(f"size and slots of a pool of opponents are at least 1, not {size} and {slots}")
        self.shares, self.size = dict(shares), size
        self.latest = NetworkOpponent("latest")
        self.slots = {
            source: [NetworkOpponent(f"{source} {i}") for i in range(slots)]
            for source in ("pool", "league")
            if source in shares
        }
        self.snapshots: list[Snapshot] = []
        self.accepted: Weights | None = None
        self.rng = np.random.default_rng(np.random.SeedSequence([seed, 8]))
        self._sitting: dict[int, Snapshot] = {}
        self._entries: list[tuple[str, Opponent]] = []
        for source in self.shares:
            if source == "latest":
                self._entries.append((source, self.latest))
            elif source in self.slots:
                self._entries += [(source, slot) for slot in self.slots[source]]
            else:
                self._entries.append((source, source))

    def opponents(self) -> dict[Opponent, float]:
        """Return what ``BatchedEnv`` takes as its opponent."""
        counts = {source: [s for s, _ in self._entries].count(source) for source in self.shares}
        return {entry: self.shares[source] / counts[source] for source, entry in self._entries}

    def source_of(self, index: int) -> str:
        """Name the source of an opponent by its index in the pool."""
        return self._entries[index][0]

    def attach(self, policy: Any) -> None:
        """Give the opponents networks of the same form as ``policy``; the first snapshot is what it is now."""
        if self.latest.policy is not None:
            return
        for opponent in [self.latest, *(slot for slots in self.slots.values() for slot in slots)]:
            opponent.policy = type(policy)(**policy._get_constructor_parameters())
            opponent.policy.load_state_dict(policy.state_dict())
            opponent.policy.set_training_mode(False)
        self.add(policy, 0)

    def add(self, policy: Any, step: int) -> None:
        """Keep a snapshot of a policy."""
        self.snapshots.append(Snapshot(step, copy_of(policy)))
        del self.snapshots[: -self.size]

    def refresh(self, policy: Any) -> None:
        """Show the latest model to its opponent, or the one last accepted, and draw the snapshots that play next."""
        self.latest.policy.load_state_dict(policy.state_dict() if self.accepted is None else self.accepted)
        self._sitting.clear()
        for snapshot in self.snapshots:
            snapshot.points *= _FORGET
            snapshot.games *= _FORGET
        for index, (source, entry) in enumerate(self._entries):
            if source in self.slots and isinstance(entry, NetworkOpponent):
                snapshot = self.snapshots[int(self.rng.choice(len(self.snapshots), p=self._chances(source)))]
                entry.policy.load_state_dict(snapshot.weights)
                self._sitting[index] = snapshot

    def _chances(self, source: str) -> NDArray[np.float64]:
        weights = np.ones(len(self.snapshots))
        if source == "league":
            weights = np.array([max(_LEAST, (1.0 - snapshot.score) ** 2) for snapshot in self.snapshots])
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def count(self, index: int, score: float) -> None:
        """Remember whether the learner won against the opponent with this index in the pool: 1, 0.5 or 0."""
        if index in self._sitting:
            self._sitting[index].points += score
            self._sitting[index].games += 1.0


def copy_of(policy: Any) -> Weights:
    """Return an independent copy of a policy's tensors."""
    return {name: tensor.detach().clone() for name, tensor in policy.state_dict().items()}


def batched_score(game: Game, first: BatchPolicy, second: BatchPolicy, games: int, seed: int) -> float:
    """Let two batched policies play, the first in random seats with itself as partner; return its score."""
    options = game.changed_options()
    env = BatchedEnv(game.id, games, second, first, autoreset_mode="NextStep", **options)
    observations, info = env.reset(seed=seed)
    seats, rng = info["seat"], np.random.default_rng(seed)
    returns, over = np.zeros((games, game.info.num_players)), np.zeros(games, np.bool_)
    while not over.all():
        actions = first(observations, info["action_mask"], rng)
        observations, _, terminated, _, info = env.step(actions)
        returns += np.where(over[:, None], 0.0, info["rewards"])
        over |= terminated
    return float(scores(returns, seats).mean())


class SelfPlayCallback(BaseCallback):
    """Keeps the opponents of a pool up to date while a model learns.

    Args:
        pool: the opponents that the environment was made with.
        every: steps between snapshots.
        gate: with a share such as 0.55, a new model becomes ``latest`` and a snapshot only if it scores that much
            against the one accepted before; 0 accepts every model.
        gate_games: games of that comparison.
        seed: decides these games.
        verbose: 1 prints what happened to each candidate.
    """

    def __init__(
        self,
        pool: OpponentPool,
        every: int = 100_000,
        gate: float = 0.0,
        gate_games: int = 200,
        seed: int = 0,
        verbose: int = 0,
    ):
        super().__init__(verbose)
        if every < 1 or gate_games < 1 or not 0 <= gate < 1:
            raise ValueError(f"cannot keep snapshots with every={every}, gate={gate}, gate_games={gate_games}")
        self.pool, self.every, self.gate, self.gate_games, self.seed = pool, every, gate, gate_games, seed
        self.next_snapshot = every
        self.points: dict[str, list[float]] = {}

    def _init_callback(self) -> None:
        self.pool.attach(self.model.policy)
        if self.gate and self.pool.accepted is None:
            self.pool.accepted = copy_of(self.model.policy)

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.next_snapshot:
            self.next_snapshot = self.num_timesteps + self.every
            self._offer()
        self.pool.refresh(self.model.policy)
        for source, points in self.points.items():
            self.logger.record(f"self-play/score against {source}", sum(points) / len(points))
        self.points.clear()

    def _offer(self) -> None:
        """Keep the model of now as a snapshot, if it passes the gate."""
        if self.gate:
            candidate = NetworkOpponent("candidate")
            candidate.policy = self.model.policy
            self.pool.refresh(self.model.policy)
            game: Game = self.training_env.inner.game  # type: ignore[attr-defined]
            score = batched_score(game, candidate, self.pool.latest, self.gate_games, self.seed + self.num_timesteps)
            self.logger.record("self-play/gate", score)
            passed = score >= self.gate
            if self.verbose:
                print(f"{self.num_timesteps} steps: {score:.1%} at the gate, {'accepted' if passed else 'refused'}")
            if not passed:
                return
            self.pool.accepted = copy_of(self.model.policy)
        self.pool.add(self.model.policy, self.num_timesteps)

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "opponent" in info:
                self.pool.count(info["opponent"], info["score"])
                self.points.setdefault(self.pool.source_of(info["opponent"]), []).append(info["score"])
        return True

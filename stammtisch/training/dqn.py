"""``train dqn``: deep Q-learning by self-play, as in the deep-Q report on Mühle.

All seats of all games learn. A phase has a main network, a target network and a memory of its own; the value of the
next decision comes from the network of the phase that the player is in by then.
"""

import os
import pathlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.baselines.dqn import (
    DeepQ,
    action_values,
    build_networks,
    load_networks,
    phase_actions,
    phase_names,
    phases_of,
    save_networks,
)
from stammtisch.benchmarks.match import MatchResult, play_match
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.envs.muehle.game import Muehle
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.replay import OwnDecisions, Replay, Transitions
from stammtisch.training.settings import checked_fields, merged


def _setting(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class DQNSettings:
    """Everything that decides a training of ``dqn``."""

    game: str = _setting("muehle", "id of the game")
    options: dict[str, Any] = field(default_factory=dict, metadata={"help": "options of the game"})
    seed: int = _setting(0, "decides everything that is drawn")
    games: int = _setting(20_000, "games of self-play in all")
    minutes: float = _setting(0.0, "stop after so many minutes; 0: no limit")
    parallel: int = _setting(30, "games at the same time")
    threads: int = _setting(1, "threads of PyTorch")

    networks: int = _setting(0, "3: one per phase of Mühle, 1: one for everything, 0: what the game has")
    layers: list[int] = field(
        default_factory=lambda: [256, 128], metadata={"help": "units of the fully connected layers"}
    )
    train_phases: list[str] = field(
        default_factory=list, metadata={"help": "phases that learn; the others stay as they are; none named: all"}
    )
    start: str = _setting("", "file of a model to begin with")

    learning_rate: float = _setting(5e-4, "step size of Adam at the start")
    final_rate: float = _setting(0.1, "share of it that is left after the last game")
    gamma: float = _setting(0.99, "discount per own decision")
    n_step: int = _setting(3, "own decisions that a target looks ahead")
    double: bool = _setting(True, "double Q-learning: the main network chooses, the target network values")
    batch: int = _setting(256, "transitions per gradient step and phase")
    memory: int = _setting(100_000, "transitions kept per phase")
    least_memory: int = _setting(2_000, "transitions of a phase before it learns")
    train_every: int = _setting(4, "actions per game between two gradient steps of each phase (trainEveryXSteps)")
    target_every: int = _setting(500, "gradient steps between updates of the target networks (updateTargetEvery)")
    symmetry: bool = _setting(True, "turn and mirror what is replayed, by lot")

    epsilon: float = _setting(1.0, "share of random actions in the first game")
    epsilon_end: float = _setting(0.05, "least share of random actions")
    epsilon_decay: float = _setting(0.999, "factor of that share per game")
    random_share: float = _setting(0.5, "share of games in which one side plays by lot altogether")

    reward_win: float = _setting(1.0, "for a won game")
    reward_loss: float = _setting(-1.0, "for a lost game")
    reward_draw: float = _setting(0.0, "for a drawn game")
    reward_move: float = _setting(0.0, "for every action")
    reward_own_mill: float = _setting(0.1, "Mühle: for a mill of one's own")
    reward_enemy_mill: float = _setting(-0.1, "Mühle: for a mill of the opponent")

    validate_every: int = _setting(2_000, "games between validations")
    validate_games: int = _setting(100, "games of a validation")
    validate_against: str = _setting("random", "agent to play: random, heuristic, or a reference model dqn:FILE")
    validate_opening: int = _setting(2, "first moves of each pair of games drawn by lot")

    def __post_init__(self) -> None:
        checked_fields(self)
        for name in ("games", "parallel", "n_step", "batch", "memory", "train_every", "target_every", "validate_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"setting {name}={getattr(self, name)} is not allowed; it must be at least 1")


def dqn_settings_for(game: str, *changes: Mapping[str, Any]) -> DQNSettings:
    """Return the default settings for a game, with changes applied in turn."""
    return DQNSettings(**merged(DQNSettings, {"game": game, **_DEFAULTS.get(game.partition("-")[0], {})}, changes))


# What differs where there are neither phases nor mills, and games are shorter.
_DEFAULTS: dict[str, dict[str, Any]] = {"einstein": {"games": 60_000}}


@dataclass(frozen=True)
class DQNProgress:
    """How far a training is: games, actions, gradient steps, share of random actions, time, and the last validation."""

    games: int
    actions: int
    updates: int
    epsilon: float
    seconds: float
    validation: MatchResult | None


class DQNTraining:
    """A training of ``dqn``.

    Args:
        settings: everything that decides it.
        out: the file of the model; the best in validation so far is written there.
        progress: called about once a second.
    """

    def __init__(
        self,
        settings: DQNSettings,
        out: str | os.PathLike[str] | None = None,
        progress: Callable[[DQNProgress], None] | None = None,
    ):
        self.settings, self.out, self.progress = settings, out, progress
        game = self.game = load_game(settings.game, **settings.options)
        self.phases = phase_names(game, settings.networks or None)
        unknown_phases = sorted(set(settings.train_phases) - set(self.phases))
        if unknown_phases:
            raise ValueError(f'no phase "{unknown_phases[0]}" in {game!r}; there are {", ".join(self.phases)}')
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng(settings.seed)
        rules = game.rules
        self.main, self.target = (build_networks(game, settings.layers, self.phases) for _ in range(2))
        if settings.start:
            self.main, header = load_networks(settings.start, game)
            if header["layers"] != settings.layers or tuple(header["phases"]) != self.phases:
                raise ValueError(
                    f'"{settings.start}" has layers {header["layers"]} for {", ".join(header["phases"])}, '
                    f"not {settings.layers} for {', '.join(self.phases)}"
                )
        self.target.load_state_dict(self.main.state_dict())
        self.optimizers = [torch.optim.Adam(net.parameters(), lr=settings.learning_rate) for net in self.main]
        self.memories = [Replay(settings.memory, rules.OBS_LEN, rules.OBS_DTYPE, rules.N_ACTIONS) for _ in self.phases]
        self.learning = [
            i for i, name in enumerate(self.phases) if not settings.train_phases or name in settings.train_phases
        ]
        self._outputs = [np.full(rules.N_ACTIONS, -1, np.int64) for _ in self.phases]
        for outputs, actions in zip(self._outputs, phase_actions(game, self.phases), strict=True):
            outputs[actions] = np.arange(len(actions))
        symmetries = game.symmetries if settings.symmetry else game.symmetries[:1]
        self._turned = np.stack([symmetry.observation for symmetry in symmetries])
        self._renamed = np.stack([symmetry.action for symmetry in symmetries])
        self._original = np.argsort(self._renamed, axis=1)
        self.games = self.actions = self.updates = 0
        self.epsilon = settings.epsilon
        self.validation: MatchResult | None = None
        self.best_score = -1.0
        self.seconds = self.cpu_seconds = 0.0

    def run(self) -> "DQNTraining":
        """Play and learn to the end of the settings."""
        settings, rules = self.settings, self.game.rules
        n, players = settings.parallel, rules.N_PLAYERS
        env = BatchedEnv(
            self.game.id, n, "self", on_illegal="raise", autoreset_mode="SameStep", **self.game.changed_options()
        )
        follow = OwnDecisions(
            n, players, rules.OBS_LEN, rules.OBS_DTYPE, rules.N_ACTIONS, settings.n_step, settings.gamma
        )
        observations, info = env.reset(seed=settings.seed)
        mills = mills_closed(self.game, env.lanes.rows)
        by_lot = self._draw_by_lot(n)
        begun = told = time.perf_counter()
        cpu_begun = time.process_time()
        step = 0
        next_validation = settings.validate_every
        while self.games < settings.games and not self._is_late(begun):
            movers, masks = info["player"], info["action_mask"]
            flat = observations.reshape(n, -1)
            self._remember(follow.arrive(movers, flat, masks))
            actions = self._choose(flat, masks, movers == by_lot)
            follow.begin(movers, flat, actions)
            observations, _, over, _, info = env.step(actions)
            before, mills = mills, mills_closed(self.game, env.lanes.rows)
            follow.pay(self._rewards(info["rewards"], over, movers, before, mills))
            if over.any():
                self._remember(follow.finish(over))
                by_lot = np.where(over, self._draw_by_lot(n), by_lot)
                self.games += int(over.sum())
                self.epsilon = max(settings.epsilon_end, settings.epsilon * settings.epsilon_decay**self.games)
            self.actions += n
            step += 1
            if step % settings.train_every == 0:
                self._learn()
            if self.games >= next_validation:
                next_validation = self.games + settings.validate_every
                self.validate()
            if self.progress is not None and time.perf_counter() - told > 1.0:
                told = time.perf_counter()
                self.tell(told - begun)
        self.seconds, self.cpu_seconds = time.perf_counter() - begun, time.process_time() - cpu_begun
        self.validate()
        self.tell(self.seconds)
        return self

    def _is_late(self, begun: float) -> bool:
        return bool(self.settings.minutes) and time.perf_counter() - begun > 60.0 * self.settings.minutes

    def tell(self, seconds: float) -> None:
        """Report progress."""
        if self.progress is not None:
            now = DQNProgress(self.games, self.actions, self.updates, self.epsilon, seconds, self.validation)
            self.progress(now)

    def _draw_by_lot(self, n: int) -> NDArray[np.int64]:
        """Return for each game the seat that plays by lot, or -1."""
        seats = self.rng.integers(self.game.info.num_players, size=n)
        return np.where(self.rng.random(n) < self.settings.random_share, seats, -1)

    def _choose(
        self, observations: NDArray[Any], masks: NDArray[np.int8], by_lot: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return an epsilon-greedy action per game."""
        values = action_values(self.main, self.game, self.phases, observations)
        best = np.where(masks == 1, values, -np.inf).argmax(axis=1)
        drawn = np.where(masks == 1, self.rng.random(masks.shape, np.float32), -1.0).argmax(axis=1)
        explores = by_lot | (self.rng.random(len(masks)) < self.epsilon)
        return np.where(explores, drawn, best)

    def _rewards(
        self,
        results: NDArray[np.float64],
        over: NDArray[np.bool_],
        movers: NDArray[np.int64],
        before: NDArray[np.int64],
        mills: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return what every seat earned by one action in every game, ``float64[games, seats]``."""
        chosen = self.settings
        paid = np.where(results > 0, chosen.reward_win * results, -chosen.reward_loss * results)
        paid[over] += np.where(results[over] == 0, chosen.reward_draw, 0.0)
        paid[np.arange(len(movers)), movers] += chosen.reward_move
        closed = np.where(over[:, None], 0, mills - before)  # a game that is over has begun anew
        if closed.any():
            paid += chosen.reward_own_mill * closed + chosen.reward_enemy_mill * closed[:, ::-1]
        return paid

    def _remember(self, batch: Transitions) -> None:
        """Put transitions into the memories of the phases in which they were decided."""
        if len(batch):
            phases = phases_of(self.game, self.phases, batch.observations)
            for phase, memory in enumerate(self.memories):
                memory.add(batch, phases == phase)

    def _learn(self) -> None:
        """Make one gradient step for every phase that learns and has seen enough."""
        settings = self.settings
        left = max(0.0, 1.0 - self.games / settings.games)
        rate = settings.learning_rate * (settings.final_rate + (1.0 - settings.final_rate) * left)
        for phase in self.learning:
            if len(self.memories[phase]) < settings.least_memory:
                continue
            batch = self._mirrored(self.memories[phase].sample(settings.batch, self.rng))
            wanted = torch.from_numpy(batch.returns + batch.discounts * self._next_values(batch))
            values = self.main[phase](torch.from_numpy(batch.observations.astype(np.float32)))
            chosen = values.gather(1, torch.from_numpy(self._outputs[phase][batch.actions])[:, None])[:, 0]
            loss = torch.nn.functional.smooth_l1_loss(chosen, wanted)
            optimizer = self.optimizers[phase]
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.main[phase].parameters(), 10.0)
            optimizer.step()
            self.updates += 1
            if self.updates % (settings.target_every * len(self.learning)) == 0:
                self.target.load_state_dict(self.main.state_dict())

    def _next_values(self, batch: Transitions) -> NDArray[np.float32]:
        """Return the value of the best legal action at the next decision, from the network of its phase."""
        values = np.zeros(len(batch), np.float32)
        going_on = np.flatnonzero(batch.discounts)
        if len(going_on):
            observations, legal = batch.next_observations[going_on], batch.next_masks[going_on] == 1
            targets = action_values(self.target, self.game, self.phases, observations)
            judges = targets
            if self.settings.double:
                judges = action_values(self.main, self.game, self.phases, observations)
            best = np.where(legal, judges, -np.inf).argmax(axis=1)
            values[going_on] = targets[np.arange(len(best)), best]
        return values

    def _mirrored(self, batch: Transitions) -> Transitions:
        """Turn every row into a frame of its own, drawn from the symmetries."""
        if len(self._turned) == 1:
            return batch
        frames = self.rng.integers(len(self._turned), size=len(batch))
        turned, original = self._turned[frames], self._original[frames]
        return Transitions(
            np.take_along_axis(batch.observations, turned, axis=1),
            self._renamed[frames, batch.actions],
            batch.returns,
            np.take_along_axis(batch.next_observations, turned, axis=1),
            np.take_along_axis(batch.next_masks, original, axis=1),
            batch.discounts,
        )

    def validate(self) -> MatchResult:
        """Play the model as it is now, and keep it if it is the best so far."""
        settings = self.settings
        agent = DeepQ.of(self.game, self.main, self.phases)
        self.validation = play_match(
            self.game,
            [agent, settings.validate_against],
            settings.validate_games,
            settings.seed + 1,
            opening=settings.validate_opening,
        )
        if self.validation.score >= self.best_score:
            self.best_score = self.validation.score
            if self.out is not None:
                facts = {"games": self.games, "updates": self.updates, "validation": self.validation.score}
                path = pathlib.Path(self.out)
                save_networks(path, self.main, self.game, settings.layers, self.phases, facts)
        return self.validation


def mills_closed(game: Game, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many mills each side has closed in every game, ``int64[games, seats]``; zeros but for Mühle."""
    rules = game.rules
    closed = np.zeros((len(rows), rules.N_PLAYERS), np.int64)
    if isinstance(game, Muehle):
        for seat in (0, 1):
            pending = np.where(rows[:, rules.MOVER] == seat, rows[:, rules.PENDING], 0)
            closed[:, seat] = rules.MEN - rows[:, rules.LEFT + 1 - seat] + pending
    return closed

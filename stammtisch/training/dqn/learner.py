"""``train dqn``: deep Q-learning by self-play, as in the deep-Q report on Mühle.

All seats of all games learn. A phase has a main network, a target network and a memory of its own; the value of the
next decision comes from the network of the phase that the player is in by then.
"""

import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.arena.match import MatchResult, play_match
from stammtisch.arena.plan import lineup
from stammtisch.baselines.learned.dqn import (
    DeepQ,
    action_values,
    build_networks,
    load_networks,
    phase_actions,
    phase_names,
    phases_of,
    save_networks,
)
from stammtisch.envs import load_game
from stammtisch.envs.vector import BatchedEnv
from stammtisch.files import check_writable, make_folder
from stammtisch.training.checkpoints import checkpoint_path, goes_on
from stammtisch.training.dqn.checkpoint import load_dqn_checkpoint, save_dqn_checkpoint
from stammtisch.training.dqn.replay import OwnDecisions, Replay, Transitions
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.training.evaluator import CurvePoint


@dataclass(frozen=True)
class DQNProgress:
    """How far a training is: games, actions, gradient steps, random actions, time, validations, figures to be drawn."""

    games: int
    actions: int
    updates: int
    epsilon: float
    seconds: float
    validation: MatchResult | None
    curve: tuple[CurvePoint, ...]
    figures: dict[str, float]


class DQNTraining:
    """A training of ``dqn`` that can be begun, interrupted and resumed.

    Args:
        settings: everything that decides it.
        out: the file of the model; the best in validation so far is written there, and a checkpoint beside it.
        resume: go on from that checkpoint if there is one, as if the training had never stopped; settings other than
            ``games``, ``minutes`` and ``threads`` must be the same.
        progress: called about once a second; what it returns is whether to stop at a checkpoint.
    """

    def __init__(
        self,
        settings: DQNSettings,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Callable[[DQNProgress], bool | None] | None = None,
    ):
        self.settings, self.out, self.progress = settings, out, progress
        if out is not None:
            make_folder(pathlib.Path(out).parent)
            check_writable(out)
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
        n = settings.parallel
        self.env = BatchedEnv(
            game.id, n, "self", on_illegal="raise", autoreset_mode="SameStep", **game.changed_options()
        )
        self.env.reset(seed=settings.seed)
        self.follow = OwnDecisions(
            n, rules.N_PLAYERS, rules.OBS_LEN, rules.OBS_DTYPE, rules.N_ACTIONS, settings.n_step, settings.gamma
        )
        self._teams = np.array(game.info.teams)
        self.random_seats = self._draw_random_seats(n)
        self.games = self.actions = self.updates = 0
        self.epsilon = settings.epsilon
        self.next_validation = settings.validate_every
        self.validation: MatchResult | None = None
        self.curve: list[CurvePoint] = []
        self.best_score = -1.0
        self.seconds = self.cpu_seconds = 0.0
        self._losses: list[float] = []  # since the last report
        self._reported = 0, 0  # games and actions at the last report
        if out is not None and goes_on(out, resume):
            load_dqn_checkpoint(checkpoint_path(out), self)
            self._reported = self.games, self.actions

    def run(self) -> "DQNTraining":
        """Play and learn to the end of the settings, or until ``progress`` asks to stop."""
        settings = self.settings
        begun = reported = time.perf_counter()
        before = self.seconds - begun, self.cpu_seconds - time.process_time()
        next_checkpoint = self.games + settings.checkpoint_every
        stopped = False
        while self.games < settings.games and not self._is_late() and not stopped:
            self._step()
            if self.games >= self.next_validation:
                self.next_validation = self.games + settings.validate_every
                self.validate()
            self.seconds, self.cpu_seconds = before[0] + time.perf_counter(), before[1] + time.process_time()
            if self.games >= next_checkpoint:
                next_checkpoint = self.games + settings.checkpoint_every
                self.save_checkpoint()
            if time.perf_counter() - reported > 1.0:
                reported = time.perf_counter()
                stopped = bool(self.tell())
        self.save_checkpoint()
        if self.validation is None or (self.curve[-1].step < self.games and not stopped):
            self.validate()
        self.tell()
        return self

    def _step(self) -> None:
        """Take one action in every game, remember what it earned, and learn when it is time."""
        settings, n = self.settings, self.settings.parallel
        lanes, follow = self.env.lanes, self.follow
        movers, masks, flat = lanes.players.copy(), lanes.masks, lanes.obs
        self._remember(follow.arrive(movers, flat, masks))
        actions = self._choose(flat, masks, self._teams[movers] == self.random_seats)
        follow.begin(movers, flat, actions)
        mills = self.game.milestones(lanes.rows)
        _, _, over, _, info = self.env.step(actions)
        closed = self.game.milestones(lanes.rows) - mills
        follow.pay(self._rewards(info["rewards"], over, movers, closed))
        if over.any():
            self._remember(follow.finish(over))
            self.random_seats = np.where(over, self._draw_random_seats(n), self.random_seats)
            self.games += int(over.sum())
            self.epsilon = max(settings.epsilon_end, settings.epsilon * settings.epsilon_decay**self.games)
        self.actions += n
        if self.actions // n % settings.train_every == 0:
            self._learn()

    def _is_late(self) -> bool:
        return bool(self.settings.minutes) and self.seconds > 60.0 * self.settings.minutes

    def tell(self) -> bool | None:
        """Report progress; return whether to stop."""
        if self.progress is None:
            return None
        counts = self.games, self.actions, self.updates, self.epsilon, self.seconds
        return self.progress(DQNProgress(*counts, self.validation, tuple(self.curve), self._figures()))

    def _figures(self) -> dict[str, float]:
        """Return what can be drawn over time, of the games since the last report."""
        games, actions = self.games - self._reported[0], self.actions - self._reported[1]
        found = {"epsilon": self.epsilon}
        if games:
            found["moves"] = actions / games
        if self._losses:
            found["loss"] = float(np.mean(self._losses))
        self._reported = self.games, self.actions
        self._losses.clear()
        return found

    def save_checkpoint(self) -> None:
        """Write everything that the training needs to go on beside the model, if there is a file for it."""
        if self.out is not None:
            save_dqn_checkpoint(checkpoint_path(self.out), self)

    def _draw_random_seats(self, n: int) -> NDArray[np.int64]:
        """Return for each game the side, all seats of a team, that plays at random, or -1."""
        sides = self.rng.integers(len(set(self.game.info.teams)), size=n)
        return np.where(self.rng.random(n) < self.settings.random_share, sides, -1)

    def _choose(
        self, observations: NDArray[Any], masks: NDArray[np.int8], random_turns: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return an epsilon-greedy action per game."""
        values = action_values(self.main, self.game, self.phases, observations)
        best = np.where(masks == 1, values, -np.inf).argmax(axis=1)
        drawn = np.where(masks == 1, self.rng.random(masks.shape, np.float32), -1.0).argmax(axis=1)
        explores = random_turns | (self.rng.random(len(masks)) < self.epsilon)
        actions: NDArray[np.int64] = np.where(explores, drawn, best)
        return actions

    def _rewards(
        self,
        results: NDArray[np.float64],
        over: NDArray[np.bool_],
        movers: NDArray[np.int64],
        closed: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return what every seat earned by one action in every game, ``float64[games, seats]``."""
        chosen = self.settings
        paid = np.where(results > 0, chosen.reward_win * results, -chosen.reward_loss * results)
        paid[over] += np.where(results[over] == 0, chosen.reward_draw, 0.0)
        paid[np.arange(len(movers)), movers] += chosen.reward_move
        closed = np.where(over[:, None], 0, closed)  # a game that is over has begun anew
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
            torch.autograd.backward(loss)  # has types, as Tensor.backward has not
            torch.nn.utils.clip_grad_norm_(self.main[phase].parameters(), 10.0)
            optimizer.step()
            self._losses.append(loss.item())
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
        """Play the model as it is now, against one agent in all other teams, and keep it if it is the best so far."""
        settings = self.settings
        agent = DeepQ.of(self.game, self.main, self.phases)
        self.validation = play_match(
            self.game,
            lineup(self.game, agent, settings.validate_against),
            settings.validate_games,
            settings.seed + 1,
            opening=settings.validate_opening,
        )
        played = self.validation
        point = CurvePoint(self.games, settings.validate_against, played.score, played.ci95, played.games)
        self.curve = [*(earlier for earlier in self.curve if earlier.step < self.games), point]
        if self.validation.score >= self.best_score:
            self.best_score = self.validation.score
            if self.out is not None:
                facts = {"games": self.games, "updates": self.updates, "validation": self.validation.score}
                save_networks(self.out, self.main, self.game, settings.layers, self.phases, facts)
        return self.validation

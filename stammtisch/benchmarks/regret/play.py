"""Playing the games of a measurement and judging every decision of its agent."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import game_streams, lineup, seatings
from stammtisch.baselines import load_agent
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import EQUAL, JudgedGame, JudgedMove
from stammtisch.envs.core.agent import answer
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.state import State

_TRIES = 1000
_SHIFT = np.uint64(1)


class Judge:
    """Plays and judges games of one plan, which must be checked; built once per process, then asked by number."""

    def __init__(self, plan: RegretPlan):
        self.plan = plan
        self.game = plan.loaded()
        self._oracle = plan.oracle()
        specs = lineup(self.game, plan.agent, plan.opponent)
        self._seatings = seatings(self.game, len(specs))
        players = self.game.info.num_players
        self._agents = [[load_agent(spec, self.game) for _ in range(players)] for spec in specs]
        reference = "heuristic" if "heuristic" in self.game.POLICIES else "random"
        self._opener = load_agent(reference, self.game)

    def play(self, numbers: Sequence[int]) -> list[JudgedGame]:
        """Play the games with these numbers."""
        streams = game_streams(self.plan.seed, len(self._seatings), self.game.info.num_players, numbers)
        return [self._play(number, streams[i]) for i, number in enumerate(numbers)]

    def start(self, group: int) -> State:
        """Return the position at which the games of a group begin."""
        number = group * len(self._seatings)
        streams = game_streams(self.plan.seed, len(self._seatings), self.game.info.num_players, [number])[0]
        return self._start(np.random.default_rng(int(streams[-1])))

    def _start(self, rng: np.random.Generator) -> State:
        """Draw a covered position, or reach one by play.

        Where chance brings variety the reference bot plays up to it; elsewhere every other move, by lot, is random.
        """
        if (drawn := self._oracle.start(rng, self.plan.size)) is not None:
            return drawn
        wild = 0.5 if self.game.info.chance == "none" else 0.0
        for _ in range(_TRIES):
            state = self.game.new_state(seed=int(rng.integers(1 << 62)))
            self._opener.reset(int(rng.integers(1 << 62)))
            while state.player != TERMINAL:
                if self._oracle.covers_from(state):
                    return state
                if state.player == CHANCE:
                    state.sample_chance(rng)
                elif rng.random() < wild:
                    state.apply(int(rng.choice(state.legal_actions())))
                else:
                    state.apply(self._opener.act(state.view(state.player)))
        raise ValueError(f"no position of {self.game.id} that the oracle covers was reached in {_TRIES} games")

    def _play(self, number: int, streams: NDArray[np.uint64]) -> JudgedGame:
        group, turn = divmod(number, len(self._seatings))
        seating = self._seatings[turn]
        state = self._start(np.random.default_rng(int(streams[-1])))
        chance = np.random.default_rng(int(streams[0]))
        worlds = np.random.default_rng(int(streams[0] ^ streams[1]) >> 1)
        agents = [self._agents[agent][seat] for seat, agent in enumerate(seating)]
        for seat, agent in enumerate(agents):
            agent.take_stream(streams, seat)
        start, ply = state.to_text(), 0
        asked: list[tuple[int, State, int]] = []
        while state.player != TERMINAL and ply < self.plan.moves:
            if state.player == CHANCE:
                state.sample_chance(chance)
                continue
            action = answer(agents[state.player], state)
            if not state.is_legal(action):
                raise state._illegal(action)
            if seating[state.player] == 0:
                asked.append((ply, state.clone(), action))
            state.apply(action)
            ply += 1
        choices = [each for each in asked if len(each[1].legal_actions()) > 1]
        covered = [each for each in choices if self._oracle.covers(each[1])]
        values = self._oracle.values_of([before for _, before, _ in covered])
        decisions = [
            self._judge(number, ply, before, action, found, worlds)
            for (ply, before, action), found in zip(covered, values, strict=True)
        ]
        return JudgedGame(
            number, group, start, len(asked) - len(choices), len(choices) - len(covered), tuple(decisions)
        )

    def _judge(
        self,
        number: int,
        ply: int,
        state: State,
        action: int,
        values: dict[int, float],
        rng: np.random.Generator,
    ) -> JudgedMove:
        best_action = max(values, key=lambda each: values[each])
        best, chosen = values[best_action], values[action]
        if best - chosen <= EQUAL:
            best_action = action
        known, hidden = max(0.0, best - chosen), 0.0
        if self.plan.worlds:
            sampled = self._oracle.values_in_worlds(state.view(state.player), self.plan.worlds, rng)
            known, hidden = split_regret(sampled, list(values).index(action))
        stage = self.game.stage(state)
        position = state.to_text()
        return JudgedMove(
            number, ply, state.player, stage, action, best_action, best, chosen, len(values), known, hidden, position
        )


def split_regret(values: NDArray[np.float64], chosen: int) -> tuple[float, float]:
    """Split the mean loss over sampled deals into what a player could know and what not.

    Args:
        values: float64[worlds, actions], values of the actions in deals that agree with what the player knows.
        chosen: place of the action that was played.

    Returns:
        The loss against the best action in the mean over the deals, and how much better in the mean it would be to know
        each deal: neither is negative, and their sum is the mean loss against the best action of each deal.
    """
    means = values.mean(axis=0)
    known = float(means.max() - means[chosen])
    hidden = float(values.max(axis=1).mean() - means.max())
    return max(0.0, known), max(0.0, hidden)

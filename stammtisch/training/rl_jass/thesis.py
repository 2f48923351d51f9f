"""The three experiments of the JassBot thesis (HSR, 2017) in reinforcement learning: value learning with replay.

Output k of a network is the reward expected from card k. A card is the best of the hand, and now and then any of it;
one that is not legal costs a penalty and another is chosen, unless choices are masked. There is no target network. What
the thesis' program got wrong is not repeated: losses are squared errors (cross-entropy on linear outputs with negative
targets means nothing), the card stored is the card played, a match counts once, rejected cards are no tricks of the
deal, and a hand that was passed on cannot be passed on again.
"""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import lineup
from stammtisch.baselines.learned.jass.agent import SupervisedJass
from stammtisch.baselines.learned.jass.network import JassNetworks
from stammtisch.baselines.learned.tensor_files import named, read_tensors, take_over, under, write_tensors
from stammtisch.envs import load_game
from stammtisch.envs.core.rules import own, uncompiled
from stammtisch.envs.jass.family.cards import N_CARDS, SCHIEBEN
from stammtisch.envs.jass.family.partners import mode_value
from stammtisch.envs.vector import BatchedEnv
from stammtisch.files.reading import reading
from stammtisch.training.checkpoints import checkpoint_path, goes_on, optimizer_arrays, restore_optimizer, tensors_of
from stammtisch.training.counts import checked_points, restore_counts
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.rl_jass.rounds import JassRounds, RLProgress, Validation
from stammtisch.training.rl_jass.settings import RLJassSettings
from stammtisch.training.settings import check_same_settings
from stammtisch.training.supervised.modules import DenseModule

KIND = "rl-jass experiment checkpoint"
GAMMA = 0.95  # per trick
_MEMORY = 50_000  # decisions
_EPOCHS = 5
_PENALTY = -1.0
_EPSILON_DECAY, _EPSILON_FLOOR = 0.995, 0.01
_L2 = 0.01  # on the weights of the last layer
_ENOUGH = 55  # value of a hand from which on its best mode is chosen
_NOT_PASSED = -0.30  # for choosing a mode with less
_TRICKS = 9
_FREE = ("minutes", "threads")
_COUNTS = ("deals", "updates", "rejections", "epsilon", "next_validation", "seconds", "cpu_seconds")
_LANES = ("_obs", "_played", "_paid", "_count", "_mode_inputs", "_mode_choice")
_MEMORIES = ("obs", "actions", "rewards", "next_obs", "is_last")


@dataclass(frozen=True)
class Experiment:
    """What is printed of one.

    Attributes:
        encoding: what the network for cards sees.
        layers: its units.
        trump: units of the network for the mode, none where modes are drawn at random.
        adam: the optimizer, else plain gradient descent.
        rate: its step size.
        lost: whether lost tricks count against a player, else nothing.
        whole: whether the target is the discounted rest of the deal, else one trick and the best value after it.
        batch: decisions per gradient step.
        epsilon: share of random cards at the start.
    """

    encoding: str
    layers: tuple[int, ...]
    trump: tuple[int, ...]
    adam: bool
    rate: float
    lost: bool
    whole: bool
    batch: int
    epsilon: float


EXPERIMENTS = {
    1: Experiment("jass-42", (42, 38, 36), (), False, 0.005, False, False, 32, 0.6),
    2: Experiment("jass-150", (150, 100, 36), (36, 36, 6), False, 0.001, False, False, 16, 0.6),
    3: Experiment(
        "jass-186", (186, 420, 950, 420, 186, 80, 36), (37, 37, 7), True, 0.001, True, True, 16 * _TRICKS, 0.05
    ),
}


class ThesisTraining(JassRounds):
    """A training of one experiment; the arguments are those of ``RLJassTraining``."""

    def __init__(
        self,
        settings: RLJassSettings,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Callable[[RLProgress], bool | None] | None = None,
    ):
        super().__init__(settings, out, progress)
        plan = self.plan = EXPERIMENTS[settings.experiment]
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng(settings.seed)
        self.game = load_game(settings.game, observation=plan.encoding, pay="trick")
        rules = own(self.game.rules)
        self._hand_at, self._pushed_at, self._mode_at = rules.HAND, rules.PUSHED, rules.MODE
        self._encoding = plan.encoding
        layers = plan.layers
        self.modules = {"card": DenseModule(layers, batch_norm=True)}
        if plan.trump:
            self.modules["trump"] = DenseModule(plan.trump, batch_norm=True)
        if settings.start:
            self._begin_with(JassNetworks.load(settings.start))
        kind = torch.optim.Adam if plan.adam else torch.optim.SGD
        self.optimizers = {name: kind(module.parameters(), lr=plan.rate) for name, module in self.modules.items()}
        for module in self.modules.values():
            module.eval()
        n = settings.lanes
        self.env = BatchedEnv(
            self.game.id,
            n,
            settings.opponent,
            on_illegal="raise",
            autoreset_mode="SameStep",
            **self.game.changed_options(),
        )
        self.env.reset(seed=settings.seed)
        length = self.game.rules.OBS_LEN
        self._obs = np.zeros((n, 4, _TRICKS, length), np.int8)  # what each seat saw at each card
        self._played = np.zeros((n, 4, _TRICKS), np.int64)
        self._paid = np.zeros((n, 4, _TRICKS), np.float32)
        self._count = np.zeros((n, 4), np.int64)
        self._mode_inputs = np.zeros((n, 4, (plan.trump or (N_CARDS,))[0]), np.float32)
        self._mode_choice = np.full((n, 4), -1, np.int64)
        self.memory: dict[str, NDArray[Any]] = {
            "obs": np.zeros((0, length), np.int8),
            "actions": np.zeros(0, np.int64),
            "rewards": np.zeros(0, np.float32),
            "next_obs": np.zeros((0, length), np.int8),
            "is_last": np.zeros(0, bool),
        }
        self.trump_memory = np.zeros((0, (plan.trump or (0,))[0] + 2), np.float32)  # inputs, choice, reward
        self.rejections = 0
        self.epsilon = plan.epsilon
        self._losses: list[float] = []
        if out is not None and goes_on(out, resume):
            self._load()

    def _begin_with(self, networks: JassNetworks) -> None:
        """Take the networks of a file in place of those of the experiment; their outputs become values."""
        if networks.card.sorted_suits or networks.card.encoding not in ("jass-42", "jass-150", "jass-186"):
            raise ValueError(
                f"an experiment begins with a network on 42, 150 or 186 inputs, not on {networks.card.encoding}"
            )
        self._encoding = networks.card.encoding
        self.game = load_game(self.game.id, observation=self._encoding, pay="trick")
        self.modules["card"] = DenseModule.from_network(networks.card)
        if networks.trump is not None and networks.trump.layers == self.plan.trump:
            self.modules["trump"] = DenseModule.from_network(networks.trump)

    def play_round(self) -> None:
        self._play_deals()
        self._learn_from_memory()

    def _play_deals(self) -> None:
        """Play on until as many deals as there are lanes are over, and remember the decisions of who learns."""
        env, n = self.env, self.settings.lanes
        wanted = self.deals + n
        while self.deals < wanted:
            lanes = env.lanes
            movers, masks, obs = lanes.players.copy(), lanes.masks.copy(), lanes.obs.copy()
            actions = np.zeros(n, np.int64)
            choosing = lanes.rows[:, self._mode_at] < 0
            for lane in np.flatnonzero(choosing):
                actions[lane] = N_CARDS + self._choose_mode(int(lane), int(movers[lane]))
            playing = np.flatnonzero(~choosing)
            if len(playing):
                actions[playing] = self._choose_cards(obs[playing], masks[playing, :N_CARDS])
                seats, k = movers[playing], self._count[playing, movers[playing]]
                self._obs[playing, seats, k] = obs[playing]
                self._played[playing, seats, k] = actions[playing]
                self._count[playing, seats] += 1
            _, _, over, _, info = env.step(actions)
            self._pay(info["rewards"])
            if over.any():
                self._remember(np.flatnonzero(over))
                self._count[over], self._paid[over], self._mode_choice[over] = 0, 0.0, -1
                self.deals += int(over.sum())

    def _pay(self, rewards: NDArray[np.float64]) -> None:
        """Give every seat what its latest trick brought."""
        paid = rewards if self.plan.lost else np.maximum(rewards, 0.0)
        lanes, seats = np.nonzero(self._count)
        self._paid[lanes, seats, self._count[lanes, seats] - 1] += paid[lanes, seats]

    def _choose_mode(self, lane: int, seat: int) -> int:
        """Return what the network for the mode values most, now and then anything; without one, anything."""
        row = self.env.lanes.rows[lane]
        pushed = bool(row[self._pushed_at])
        module = self.modules.get("trump")
        if module is None:
            return int(self.rng.integers(SCHIEBEN))
        choices = min(self.plan.trump[-1], SCHIEBEN if pushed else SCHIEBEN + 1)
        inputs = self._mode_inputs[lane, seat]
        hand = int(row[self._hand_at + seat])
        inputs[:N_CARDS] = [hand >> card & 1 for card in range(N_CARDS)]
        inputs[N_CARDS:] = pushed
        if self.rng.random() < self.epsilon:
            choice = int(self.rng.integers(choices))
        else:
            with torch.no_grad():
                choice = int(module(torch.from_numpy(inputs)[None])[0, :choices].argmax())
        self._mode_choice[lane, seat] = choice
        return choice

    def _choose_cards(self, obs: NDArray[np.int8], legal: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return epsilon-greedy cards; without a mask, cards of the hand are tried until one is legal."""
        with torch.no_grad():
            said = self.modules["card"](torch.from_numpy(obs).float()).numpy()
        may = legal.astype(bool) if self.settings.mask else self._hands(obs)
        explores = self.rng.random(len(obs)) < self.epsilon
        scores = np.where(explores[:, None], self.rng.random(said.shape), said)
        while True:
            cards = np.where(may, scores, -np.inf).argmax(1)
            wrong = np.flatnonzero(legal[np.arange(len(cards)), cards] == 0)
            if not len(wrong):
                found: NDArray[np.int64] = cards
                return found
            self.rejections += len(wrong)
            penalty = np.full(len(wrong), _PENALTY, np.float32)
            self._keep(obs[wrong], cards[wrong], penalty, obs[wrong], np.ones(len(wrong), bool))
            may[wrong, cards[wrong]] = False

    def _hands(self, obs: NDArray[np.int8]) -> NDArray[np.bool_]:
        return np.asarray(obs[:, :N_CARDS] == 1)

    def _remember(self, ended: NDArray[np.int64]) -> None:
        """Put all decisions of deals that are over into the memory."""
        places, seats = np.nonzero(self._count[ended] == _TRICKS)
        lanes = ended[places]
        obs, cards, rewards = self._obs[lanes, seats], self._played[lanes, seats], self._paid[lanes, seats].copy()
        last = np.zeros(cards.shape, bool)
        last[:, -1] = True
        if self.plan.whole:
            for k in range(_TRICKS - 2, -1, -1):
                rewards[:, k] += GAMMA * rewards[:, k + 1]
            last[:] = True
        following = np.concatenate([obs[:, 1:], obs[:, :1]], axis=1)
        self._keep(*(part.reshape(-1, *part.shape[2:]) for part in (obs, cards, rewards, following, last)))
        rows = []
        for lane in ended:
            for seat in np.flatnonzero(self._mode_choice[lane] >= 0):
                inputs, choice = self._mode_inputs[lane, seat], int(self._mode_choice[lane, seat])
                reward = float(self._paid[lane, seat].sum())
                if self.plan.trump[-1] == SCHIEBEN + 1:
                    reward = mode_reward(_hand_of(inputs), choice, bool(inputs[N_CARDS]))
                rows.append([*inputs, choice, reward])
        if rows:
            self.trump_memory = np.concatenate([self.trump_memory, np.array(rows, np.float32)])[-_MEMORY:]

    def _keep(self, *parts: NDArray[Any]) -> None:
        for name, part in zip(_MEMORIES, parts, strict=True):
            self.memory[name] = np.concatenate([self.memory[name], part.astype(self.memory[name].dtype)])[-_MEMORY:]

    def _learn_from_memory(self) -> None:
        """Make one fit per deal played: a few decisions, five times."""
        batch = self.plan.batch
        for _ in range(self.settings.lanes):
            places = self.rng.integers(len(self.memory["actions"]), size=batch)
            wanted = torch.from_numpy(self._targets(places))
            obs = torch.from_numpy(self.memory["obs"][places]).float()
            actions = torch.from_numpy(self.memory["actions"][places])
            for _ in range(_EPOCHS):
                self._fit("card", obs, actions, wanted)
            if len(self.trump_memory) >= 2:
                drawn = self.trump_memory[self.rng.integers(len(self.trump_memory), size=min(batch, 32))]
                inputs, choices = torch.from_numpy(drawn[:, :-2]), torch.from_numpy(drawn[:, -2].astype(np.int64))
                for _ in range(_EPOCHS):
                    self._fit("trump", inputs, choices, torch.from_numpy(drawn[:, -1].copy()))
            self.epsilon = max(_EPSILON_FLOOR, self.epsilon * _EPSILON_DECAY)

    def _targets(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        rewards, last = self.memory["rewards"][places], self.memory["is_last"][places]
        if last.all():
            return rewards
        following = self.memory["next_obs"][places]
        with torch.no_grad():
            said = self.modules["card"](torch.from_numpy(following).float()).numpy()
        best = np.where(self._hands(following), said, -np.inf).max(1, initial=-np.inf)
        found: NDArray[np.float32] = (rewards + np.where(last, 0.0, GAMMA * np.where(last, 0.0, best))).astype(
            np.float32
        )
        return found

    def _fit(self, name: str, inputs: torch.Tensor, choices: torch.Tensor, wanted: torch.Tensor) -> None:
        module, optimizer = self.modules[name], self.optimizers[name]
        module.train()
        said = module(inputs).gather(1, choices[:, None])[:, 0]
        loss = (said - wanted).square().mean()
        last = module.linear[-1]
        assert isinstance(last, torch.nn.Linear)
        optimizer.zero_grad()
        torch.autograd.backward(loss + _L2 * last.weight.square().sum() / max(1, last.weight.numel()))
        optimizer.step()
        module.eval()
        self.updates += 1
        if name == "card":
            self._losses.append(loss.item())

    def networks(self) -> JassNetworks:
        """Return the networks as they play."""
        trump = self.modules.get("trump")
        return JassNetworks(
            self.modules["card"].to_network(self._encoding, False, "linear"),
            None if trump is None else trump.to_network(f"trump-{self.plan.trump[0]}", False, "linear"),
            facts={"deals": self.deals, "points": self.points, "settings": self.settings.to_dict()},
        )

    def validate(self) -> Validation:
        """Play a match with masked cards and no chance, the seats exchanged."""
        settings = self.settings
        agent = SupervisedJass.of(self.game, self.networks(), settings.seed)
        agents = lineup(self.game, agent, settings.validate_against)
        played = play_match(self.game, agents, settings.validate_deals, settings.seed + 1)
        points, (low, high) = 100.0 * played.mean_return, played.return_ci95
        error = 100.0 * (high - low) / 2 / 1.96
        margin = (played.ci95[1] - played.ci95[0]) / 2 / 1.96
        found = Validation(settings.validate_deals, points, error, played.score, margin)
        return self.note(found, played.ci95, played.games)

    def figures(self) -> dict[str, float]:
        figures = {"epsilon": self.epsilon}
        if self._losses:
            figures["loss"] = float(np.mean(self._losses))
        self._losses.clear()
        return figures

    def save(self) -> None:
        if self.out is None:
            return
        self.networks().save(self.out)
        arrays: dict[str, NDArray[Any]] = named("memory/", self.memory) | {"trump memory": self.trump_memory}
        arrays |= named("games/", self.env.saved()) | {f"lanes/{name}": getattr(self, name) for name in _LANES}
        for name, module in self.modules.items():
            arrays |= {f"{name}/{key}": tensor.detach().numpy() for key, tensor in module.state_dict().items()}
            arrays |= named(f"optimizer {name}/", optimizer_arrays(self.optimizers[name]))
        header = {
            "kind": KIND,
            "settings": self.settings.to_dict(),
            "counts": {name: getattr(self, name) for name in _COUNTS},
            "curve": [asdict(point) for point in self.curve],
            "points": self.points,
            "random": self.rng.bit_generator.state,
        }
        write_tensors(checkpoint_path(self.out), arrays, header)

    def _load(self) -> None:
        assert self.out is not None
        path = checkpoint_path(self.out)
        arrays, header = read_tensors(path, KIND)
        with reading(path, KIND):
            check_same_settings(header["settings"], self.settings.to_dict(), _FREE)
            self.memory = {name: np.array(part) for name, part in under("memory/", arrays).items()}
            self.trump_memory = np.array(arrays["trump memory"])
            self.env.restore(under("games/", arrays))
            take_over({name: getattr(self, name) for name in _LANES}, under("lanes/", arrays))
            if self._count.min() < 0 or self._count.max() > _TRICKS:
                raise ValueError(f"its seats have played {self._count.min()}..{self._count.max()} cards of {_TRICKS}")
            for name, module in self.modules.items():
                module.load_state_dict(tensors_of(under(f"{name}/", arrays)))
                restore_optimizer(self.optimizers[name], under(f"optimizer {name}/", arrays))
            restore_counts(self, _COUNTS, header["counts"])
            self.curve = [CurvePoint.from_json(point) for point in header["curve"]]
            self.points = checked_points(header["points"])
            self.rng.bit_generator.state = header["random"]


def mode_reward(hand: int, choice: int, is_passed: bool) -> float:
    """Return the thesis' reward for a choice of the mode, which depends on the hand alone: 0 for the best.

    Example:
        >>> from stammtisch.envs.jass.family.names import card_id
        >>> hand = sum(1 << card_id(card) for card in "H6 H8 H9 HJ HA D9 D10 S8 S10".split())
        >>> mode_reward(hand, 0, False), mode_reward(hand, 1, False), mode_reward(hand, 6, False)
        (0.0, -0.48, -0.77)
    """
    values = [int(uncompiled(mode_value)(np.int64(hand), mode)) for mode in range(SCHIEBEN)]
    best = max(values)
    if best < _ENOUGH and not is_passed:
        return 0.0 if choice == SCHIEBEN else _NOT_PASSED
    return ((0 if choice == SCHIEBEN else values[choice]) - best) / 100


def _hand_of(inputs: NDArray[np.float32]) -> int:
    return sum(1 << card for card in range(N_CARDS) if inputs[card])

"""``train rl-jass``: deep Monte Carlo with a critic that sees all hands, by self-play from nothing.

Three networks learn from rounds of deals in which all four seats play by them. The *critic* sees all four hands and
learns what a team gets from a position on (lambda-returns of the deals played). The network for *cards* sees what its
player knows and learns, for every legal card, what the critic says of the position after it, less the mean over the
legal cards: over many deals this becomes the mean over what may be hidden, which is what a player can go by. The
network for the *mode* learns the same for the six modes, and for passing on what the partner's choice is worth. A
decision thus teaches all its choices at once, and the luck of the deal falls out.

The critic is used in training only. Nothing of it, and no hidden card, reaches the networks that play.
"""

import copy
import os
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.envs import load_game
from stammtisch.envs.jass.family.cards import N_CARDS
from stammtisch.envs.jass.family.sight import CARD_LEN, OPEN_LEN, TRUMP_LEN, TRUMP_OUT
from stammtisch.training.checkpoints import checkpoint_path, goes_on
from stammtisch.training.rl_jass.expert import SearchExpert
from stammtisch.training.rl_jass.networks import dense, from_file, score_by, to_networks
from stammtisch.training.rl_jass.rounds import JassRounds, RLProgress, Validation
from stammtisch.training.rl_jass.settings import RLJassSettings
from stammtisch.training.rl_jass.table import N_MODES, DealTable, Decisions, Players, Score, Softness

UNIT = 10.0  # networks say values in tens of points: this times the hundreds of the table
_MODE_STEPS = 8  # gradient steps of the network for the mode per round
_MODE_AVERAGE = 5.0  # it makes fewer steps than the other, so each weighs more in the average
_VALIDATION_SEED = 20_000
_NEVER = -1e9
_CRITIC_FIRST = 5_000  # deals in which only the critic learns, where networks to begin with bring none
_EXPERT_SOFTNESS = 0.2  # tens of points below the best at which a card still counts


class RLJassTraining(JassRounds):
    """A training that can be begun, interrupted and resumed; it goes on as if it had never stopped.

    Args:
        settings: everything that decides it.
        out: the file of the player; a checkpoint lies beside it.
        resume: go on from that checkpoint if there is one.
        progress: called after every round; what it returns is whether to stop at a checkpoint.
    """

    def __init__(
        self,
        settings: RLJassSettings,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Callable[[RLProgress], bool | None] | None = None,
    ):
        super().__init__(settings, out, progress)
        self.game = load_game(settings.game, **settings.options)
        if self.game.id != "jass-schieber" or self.game.changed_options():
            raise ValueError("train rl-jass learns jass-schieber with the rules as they are, without options")
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng(settings.seed)
        self.card = dense(CARD_LEN, settings.layers, N_CARDS)
        self.trump = dense(TRUMP_LEN, settings.trump_layers, TRUMP_OUT)
        self.critic = dense(OPEN_LEN, settings.critic_layers, 1)
        given = from_file(settings.start, self.networks) if settings.start else {"critic"}
        self._critic_first = settings.critic_first
        if settings.critic_first < 0:
            self._critic_first = 0 if "critic" in given or settings.method == "imitate" else _CRITIC_FIRST
        self.anchor = copy.deepcopy(self.card)
        self.averages = {"card": copy.deepcopy(self.card), "trump": copy.deepcopy(self.trump)}
        self.optimizers = {
            name: torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
            for name, network in self.networks.items()
        }
        self.memory: list[Decisions] = []
        self._table = DealTable(self.game, settings.lanes)
        self._board = DealTable(self.game, settings.validate_deals, settings.validate_against)
        self._expert = None
        if settings.method == "expert":
            self._expert = SearchExpert(self.game, settings.expert_worlds, settings.expert_share)
        self._losses: dict[str, list[float]] = {"card": [], "trump": [], "critic": []}
        if out is not None and goes_on(out, resume):
            from stammtisch.training.rl_jass.checkpoint import load_rl_checkpoint

            load_rl_checkpoint(checkpoint_path(out), self)

    @property
    def networks(self) -> dict[str, torch.nn.Sequential]:
        """The networks that learn, by name."""
        return {"card": self.card, "trump": self.trump, "critic": self.critic}

    @property
    def has_logits(self) -> bool:
        """Whether the networks say how likely choices are, and not what they are worth."""
        return self.settings.method != "values"

    @property
    def share(self) -> float:
        """How much of the training is done, 0..1."""
        return min(1.0, self.deals / self.settings.deals)

    def play_round(self) -> None:
        """Play a round of deals and learn from the latest ones."""
        settings, done = self.settings, self.share
        warm = settings.temperature * (settings.final_temperature / settings.temperature) ** done / 100.0 * UNIT
        how = Softness(warm, warm * settings.mode_temperature, settings.epsilon, settings.mode_epsilon)
        if self.has_logits:
            how = Softness(1.0, 1.0, settings.epsilon, settings.mode_epsilon)
        players = Players(score_by(self.card), score_by(self.trump), score_by(self.critic))
        if settings.method == "imitate":
            latest = self._table.imitate(self.rng)
        else:
            latest = self._table.learn_from(players, how, settings.trace, self.rng, self._expert)
        self.memory = [*self.memory, latest][-settings.memory :]
        self.deals += settings.lanes
        rate = settings.learning_rate * (
            settings.final_rate + (1 - settings.final_rate) * (1 + np.cos(np.pi * done)) / 2
        )
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = rate
        steps = max(1, round(len(latest.returns) * settings.reuse / settings.batch))
        only_critic = self.deals <= self._critic_first
        for _ in range(steps):
            drawn = self.memory[self.rng.integers(len(self.memory))]
            places = self.rng.integers(len(drawn.returns), size=settings.batch)
            if not only_critic or self._expert is not None:
                self._learn("card", self._card_loss(drawn, self._told(drawn, places)))
            said = self.critic(_tensor(drawn.opens[places]))[:, 0]
            self._learn("critic", (said - torch.from_numpy(drawn.returns[places])).square().mean())
            self._average("card", settings.average)
        for _ in range(0 if only_critic else _MODE_STEPS):
            drawn = self.memory[self.rng.integers(len(self.memory))]
            places = self.rng.integers(len(drawn.trumps), size=min(settings.batch, len(drawn.trumps)))
            self._learn("trump", self._mode_loss(drawn, places))
            self._average("trump", min(1.0, _MODE_AVERAGE * settings.average))

    def _told(self, drawn: Decisions, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return decisions whose values are known: all of them, unless an expert was asked about some only."""
        if self._expert is None:
            return places
        known = np.flatnonzero(drawn.legal.any(1))
        found: NDArray[np.int64] = known[self.rng.integers(len(known), size=len(places))] if len(known) else known
        return found

    def _card_loss(self, drawn: Decisions, places: NDArray[np.int64]) -> torch.Tensor:
        """Return what is minimised: by values their squared error, else what makes better cards likelier."""
        legal = torch.from_numpy(drawn.legal[places])
        sights = _tensor(drawn.sights[places])
        values = torch.from_numpy(drawn.values[places]) * UNIT
        said = self.card(sights)
        if not self.has_logits:
            weight = legal.float()
            count = weight.sum(1, keepdim=True)
            centred = (said - (said * weight).sum(1, keepdim=True) / count) * weight
            off: torch.Tensor = (centred - values).square().sum(1) / count[:, 0]
            return off.mean()
        logs = torch.log_softmax(said.masked_fill(~legal, _NEVER), 1)
        if self.settings.method == "imitate":
            return -(logs * values / UNIT).sum(1).mean()
        if self.settings.method == "expert":
            wanted = torch.softmax((values / _EXPERT_SOFTNESS).masked_fill(~legal, _NEVER), 1)
            loss = -(logs.masked_fill(~legal, 0.0) * wanted).sum(1).mean()
        else:
            loss = -(logs.exp() * values).sum(1).mean()
        if self.settings.anchor:
            with torch.no_grad():
                old = torch.log_softmax(self.anchor(sights).masked_fill(~legal, _NEVER), 1)
            loss = loss + self.settings.anchor * (logs.exp() * (logs - old)).sum(1).mean()
        return loss

    def _mode_loss(self, drawn: Decisions, places: NDArray[np.int64]) -> torch.Tensor:
        """Return the same for the mode; an expert is asked about cards only, so the critic's values teach it."""
        seen, worth = _tensor(drawn.trumps[places]), torch.from_numpy(drawn.modes[places]) * UNIT
        loss = torch.zeros(())
        for who, choices in ((0, TRUMP_OUT), (1, N_MODES)):
            said, wanted = self.trump(seen[:, who])[:, :choices], worth[:, who, :choices]
            if self.settings.method == "imitate":
                loss = loss - (torch.log_softmax(said, 1) * wanted / UNIT).sum(1).mean()
            elif self.has_logits:
                loss = loss - (torch.softmax(said, 1) * wanted).sum(1).mean()
            else:
                off = said - said.mean(1, keepdim=True) - wanted + wanted.mean(1, keepdim=True)
                loss = loss + off.square().mean()
        return loss

    def _learn(self, name: str, loss: torch.Tensor) -> None:
        optimizer = self.optimizers[name]
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.networks[name].parameters(), 10.0)
        optimizer.step()
        self.updates += 1
        self._losses[name].append(loss.item())

    @torch.no_grad()
    def _average(self, name: str, weight: float) -> None:
        for kept, now in zip(self.averages[name].parameters(), self.networks[name].parameters(), strict=True):
            kept.lerp_(now, weight)

    def players(self) -> tuple[Score, Score]:
        """Return what plays by now: the averages of the networks for cards and for the mode."""
        return score_by(self.averages["card"]), score_by(self.averages["trump"])

    def validate(self) -> Validation:
        """Play the averages against a reference bot, every deal from both sides, and add a point to the curve."""
        leads = self._board.match(*self.players(), _VALIDATION_SEED)
        both = leads.mean(0)
        wins = (np.sign(leads).mean(0) + 1) / 2
        found = Validation(
            len(both),
            float(both.mean()),
            float(both.std(ddof=1) / len(both) ** 0.5) if len(both) > 1 else 0.0,
            float(wins.mean()),
            float(wins.std(ddof=1) / len(both) ** 0.5) if len(both) > 1 else 0.0,
        )
        margin = 1.96 * found.score_error
        interval = max(0.0, found.score - margin), min(1.0, found.score + margin)
        return self.note(found, interval, 2 * found.deals)

    def figures(self) -> dict[str, float]:
        figures = {"rate": float(self.optimizers["card"].param_groups[0]["lr"])}
        if self._losses["card"]:
            figures["loss"] = float(np.mean(self._losses["card"]))
            figures["error"] = float(np.mean(self._losses["critic"]))
        for losses in self._losses.values():
            losses.clear()
        return figures

    def save(self) -> None:
        if self.out is None:
            return
        from stammtisch.training.rl_jass.checkpoint import save_rl_checkpoint

        facts = {
            "deals": self.deals,
            "updates": self.updates,
            "points": self.points,
            "settings": self.settings.to_dict(),
        }
        output = "logits" if self.has_logits else "values"
        to_networks(self.averages["card"], self.averages["trump"], self.critic, output, facts).save(self.out)
        save_rl_checkpoint(checkpoint_path(self.out), self)


def _tensor(sights: NDArray[np.int8]) -> torch.Tensor:
    return torch.from_numpy(sights).float()

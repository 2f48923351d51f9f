"""One network learning from samples, step by step; it can be interrupted anywhere and goes on as if it had not been."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stammtisch.baselines.learned.jass.encodings import frames
from stammtisch.baselines.learned.jass.network import DenseNetwork
from stammtisch.baselines.learned.tensor_files import named, under
from stammtisch.files.documents import fits
from stammtisch.training.checkpoints import optimizer_arrays, restore_optimizer, tensors_of
from stammtisch.training.jass.samples import CardSamples, TrumpSamples
from stammtisch.training.supervised.modules import DenseModule
from stammtisch.training.supervised.settings import Plan

N_FRAMES = 24


class Course:
    """A network, its optimizer, and how far it is.

    Args:
        plan: everything that decides it.
        samples: what it learns from.
        seed: decides the weights at the start, the order of samples and what else is drawn.
        start: a network to begin with.
    """

    def __init__(self, plan: Plan, samples: CardSamples | TrumpSamples, seed: int, start: DenseNetwork | None = None):
        if not len(samples):
            raise ValueError("there is nothing to learn from: no sample of this kind is in the games for training")
        if plan.batch_norm and plan.residual:
            raise ValueError("batch_norm does not go with residual layers; switch one of them off")
        self.plan, self.samples, self.seed = plan, samples, seed
        torch.manual_seed(seed)
        self.module = self._begun(start)
        decay = plan.weight_decay
        self.optimizer: torch.optim.Optimizer = (
            torch.optim.AdamW(self.module.parameters(), lr=plan.rate, weight_decay=decay)
            if plan.optimizer == "adam"
            else torch.optim.SGD(self.module.parameters(), lr=plan.rate, weight_decay=decay)
        )
        self.epoch = self.step = 0  # epochs done, steps done in this one
        self.losses: list[float] = []  # of this epoch
        self.figures: list[tuple[float, float, float]] = []  # of this epoch: accuracy, squared error, outputs above
        self._frames = None if plan.symmetry == "off" else frames(plan.encoding)
        self._order: NDArray[np.int64] | None = None

    def _begun(self, start: DenseNetwork | None) -> DenseModule:
        plan = self.plan
        if start is None:
            return DenseModule(plan.layers, plan.activation, plan.batch_norm, plan.dropout, plan.residual)
        wanted = (plan.encoding, plan.layers, plan.activation, plan.residual, plan.symmetry == "sort")
        found = (start.encoding, start.layers, start.activation, start.residual, start.sorted_suits)
        if wanted != found or plan.batch_norm:
            raise ValueError(f"the network to begin with is {found}, without batch_norm, not {wanted}")
        return DenseModule.from_network(start, plan.dropout)

    @property
    def steps(self) -> int:
        """Steps of an epoch; a rest too small to normalise is left out."""
        whole, rest = divmod(len(self.samples), self.plan.batch)
        return whole + (rest > 1) if whole else 1

    @property
    def is_done(self) -> bool:
        """Whether all epochs are over."""
        return self.epoch >= self.plan.epochs

    def learn(self) -> float:
        """Make one step and return its loss."""
        plan = self.plan
        if self._order is None:
            self._order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.samples))
        self.module.train()
        indices = self._order[self.step * plan.batch : (self.step + 1) * plan.batch]
        x, targets = self._batch(indices)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        outputs = self.module(torch.from_numpy(x.astype(np.float32)))
        loss = self._loss(outputs, torch.from_numpy(targets))
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        self.optimizer.step()
        found = loss.item()
        if not math.isfinite(found):
            raise ValueError(f"the training diverged in epoch {self.epoch + 1}; give a smaller rate than {plan.rate:g}")
        self.losses.append(found)
        self.figures.append(self._figures(outputs.detach(), torch.from_numpy(targets)))
        self.step += 1
        return found

    def end_epoch(self) -> float:
        """Close an epoch whose steps are done; return its mean loss."""
        mean = float(np.mean(self.losses))
        self.epoch, self.step, self.losses, self.figures, self._order = self.epoch + 1, 0, [], [], None
        return mean

    def trained(self) -> dict[str, float]:
        """Return accuracy and squared error on the samples of this epoch so far, as they were learned."""
        accuracy, mse, _ = np.mean(self.figures, axis=0)
        return {"train_accuracy": float(accuracy), "train_mse": float(mse)}

    def _figures(self, outputs: torch.Tensor, targets: torch.Tensor) -> tuple[float, float, float]:
        """Return accuracy, squared error, and how many outputs lie above that of the card played, of a batch."""
        played = targets.argmax(dim=1, keepdim=True)
        said = outputs.softmax(dim=1) if self.plan.output == "softmax" else outputs
        right = (outputs.argmax(dim=1, keepdim=True) == played).float().mean()
        above = (outputs > outputs.gather(1, played)).sum(dim=1).float().mean()
        return right.item(), (said - targets).square().mean().item(), above.item()

    def _rate(self) -> float:
        """Fall along a cosine from the rate at the start to its share at the end."""
        plan = self.plan
        done = (self.epoch + self.step / self.steps) / plan.epochs
        return plan.rate * (plan.final_rate + (1 - plan.final_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))

    def _batch(self, indices: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """Return inputs and what the outputs should be, ``float32[b, outputs]``."""
        plan = self.plan
        x, allowed, played = self.samples.batch(indices)
        targets = np.zeros((len(x), plan.layers[-1]), np.float32)
        targets[np.arange(len(x)), played] = 1
        if plan.soften and (values := self.samples.values(indices, allowed)) is not None:
            told = np.isfinite(values).any(axis=1)
            shares = np.where(np.isfinite(values), np.exp(np.nan_to_num(values) / plan.soften), 0.0)[told]
            targets[told] = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        if self._frames is None:
            return x, targets
        if plan.symmetry == "sort":
            chosen = self._frames.of(x)
        else:
            chosen = np.random.default_rng([self.seed, self.epoch, self.step]).integers(N_FRAMES, size=len(x))
        turned = np.empty_like(targets)
        np.put_along_axis(turned, self._frames.actions[chosen], targets, axis=1)
        return self._frames.turned(x, chosen), turned

    def _loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        plan = self.plan
        if plan.loss == "mse":
            said = outputs.softmax(dim=1) if plan.output == "softmax" else outputs
            loss = nn.functional.mse_loss(said, targets)
        else:
            loss = nn.functional.cross_entropy(outputs, targets)
        if plan.l2:
            last = self.module.linear[-1]
            assert isinstance(last, nn.Linear)
            loss = loss + plan.l2 * last.weight.square().sum()
        return loss

    def network(self) -> DenseNetwork:
        """Return the network as it is now."""
        self.module.eval()
        return self.module.to_network(self.plan.encoding, self.plan.symmetry == "sort", self.plan.output)

    def saved(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return arrays and plain values to go on from."""
        arrays: dict[str, NDArray[Any]] = {
            f"module/{name}": tensor.detach().numpy() for name, tensor in self.module.state_dict().items()
        }
        arrays |= named("optimizer/", optimizer_arrays(self.optimizer))
        arrays["random"] = torch.get_rng_state().numpy()
        arrays["losses"] = np.array(self.losses, np.float64)
        arrays["figures"] = np.array(self.figures, np.float64).reshape(-1, 3)
        return arrays, {"epoch": self.epoch, "step": self.step}

    def restore(self, arrays: dict[str, NDArray[Any]], values: Mapping[str, Any]) -> None:
        """Go on from what ``saved`` returned.

        Raises:
            ValueError: it is not what ``saved`` returned for the same plan and samples.
        """
        epoch, step, losses = values["epoch"], values["step"], arrays["losses"]
        if not fits([epoch, step], list[int]) or not 0 <= epoch <= self.plan.epochs or not 0 <= step < self.steps:
            raise ValueError(f"it was at step {step!r} of epoch {epoch!r}")
        if losses.shape != (step,) or losses.dtype != np.float64 or not np.isfinite(losses).all():
            raise ValueError("its losses are not those of its steps")
        self.module.load_state_dict(tensors_of(under("module/", arrays)))
        restore_optimizer(self.optimizer, under("optimizer/", arrays))
        torch.set_rng_state(torch.from_numpy(np.array(arrays["random"])))
        self.losses = losses.tolist()
        self.figures = [(float(a), float(b), float(c)) for a, b, c in arrays["figures"]]
        self.epoch, self.step = epoch, step

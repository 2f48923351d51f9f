"""What the checkpoints of all learners share: where they lie, whether to go on from one, and optimizers as arrays."""

import os
import pathlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def checkpoint_path(out: str | os.PathLike[str]) -> pathlib.Path:
    """Return the file of the checkpoint that lies beside the file of a result."""
    path = pathlib.Path(out)
    return path.with_name(f"{path.stem}.checkpoint{path.suffix}")


def goes_on(out: str | os.PathLike[str], resume: bool) -> bool:
    """Tell whether there is a checkpoint to go on from.

    Raises:
        ValueError: there is one, but the training is to begin anew.
    """
    if not checkpoint_path(out).exists():
        return False
    if not resume:
        raise ValueError(
            f"{checkpoint_path(out)} holds a training; add --resume to go on with it, or choose another file"
        )
    return True


def tensors_of(arrays: Arrays) -> dict[str, torch.Tensor]:
    """Return copies of arrays as tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """Return the state of an optimizer."""
    state = optimizer.state_dict()["state"]
    return {f"{i}/{k}": np.asarray(v) for i, values in state.items() for k, v in values.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Give an optimizer of the same parameters the state that ``optimizer_arrays`` returned.

    Raises:
        ValueError: it is the state of another one.
    """
    state: dict[Any, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors_of(arrays).items():
        index, _, key = name.partition("/")
        state.setdefault(int(index), {})[key] = tensor
    if len({frozenset(values) for values in state.values()}) > 1:
        raise ValueError("its optimizer does not remember the same of all weights")
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for index, values in state.items():
        for key, tensor in values.items():
            if tensor.shape not in (torch.Size([]), parameters[index].shape) or not tensor.is_floating_point():
                raise ValueError(f"what its optimizer remembers as {key} does not fit the weights {index}")
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})

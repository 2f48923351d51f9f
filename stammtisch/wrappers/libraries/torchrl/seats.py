"""The AEC environment for TorchRL: rollouts regrouped so that every seat has its own decisions and its own rewards.

TorchRL's ``PettingZooWrapper`` records all seats at every action of anybody. ``own_decisions`` turns such a rollout
into transitions from a decision of a seat to its own next decision, with the reward that it earned in between.
"""

from typing import Any

from pettingzoo import AECEnv

try:
    import torch
    from tensordict import TensorDict
    from torchrl.envs import MarlGroupMapType, PettingZooWrapper
except ImportError as error:
    raise ImportError(f"this adapter needs TorchRL: pip install stammtisch[torchrl] ({error})") from error

GROUP = "agents"


def seated_env(env: AECEnv, seed: int | None = None) -> PettingZooWrapper:
    """Return an AEC environment of ours for TorchRL, all seats in the group ``"agents"``.

    What a network needs is at ``("agents", "observation", "observation")`` and ``("agents", "action_mask")``; it
    answers for all seats, and the environment takes the action of the one whose turn it is, ``("agents", "mask")``.

    Args:
        env: an AEC environment, such as ``stammtisch.aec_env("einstein-3x3", raw=True)``.
        seed: decides every chance event of all games to come.
    """
    return PettingZooWrapper(env, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=seed)


def own_decisions(rollout: TensorDict) -> TensorDict:
    """Regroup a rollout of ``seated_env``, of one game or of many, into transitions of single seats.

    The chains of all seats follow each other, game by game; ``("next", "done")`` is True at the end of each. A reward
    is what the seat earned since its last action, a next observation that of its own next decision, or of the end. A
    decision whose consequence lies behind the end of the rollout is left out, and its chain ends without termination.

    Args:
        rollout: what ``env.rollout`` or a collector returned, of batch size ``[steps]``.

    Returns:
        A tensordict of batch size ``[n]`` with ``observation`` (float32, flat), ``action_mask``, ``action``, ``seat``,
        ``action_log_prob`` if the rollout has it, and under ``next`` ``observation``, ``action_mask``, ``reward``,
        ``done`` and ``terminated``.
    """
    acts = rollout[GROUP, "mask"]  # bool[steps, players]
    over = rollout["next", "done"].reshape(-1)  # bool[steps]
    steps, players = acts.shape
    begun = torch.cat([torch.tensor([True]), over[:-1]])
    game = begun.long().cumsum(0) - 1  # number of the game of each step
    first = torch.nonzero(begun).reshape(-1)  # first step of each game
    last = torch.cat([first[1:] - 1, torch.tensor([steps - 1])])  # last step of each game
    paid = rollout["next", GROUP, "reward"].double().reshape(steps, players).cumsum(0)
    paid = torch.cat([torch.zeros(1, players, dtype=torch.float64), paid])  # earned before each step
    is_next = rollout["next", GROUP, "mask"][-1] & ~over[-1]  # whose turn it is when the rollout ends
    chains = []
    for seat in range(players):
        own = torch.nonzero(acts[:, seat]).reshape(-1)
        if not len(own):
            continue
        again = torch.zeros(len(own), dtype=torch.bool)  # the same seat decides again in this game
        again[:-1] = game[own[1:]] == game[own[:-1]]
        complete = again | over[last[game[own]]]
        complete[-1] |= is_next[seat] & (game[own[-1]] == game[-1])
        opens = torch.cat([torch.tensor([True]), ~again[:-1]])
        since = torch.where(opens, first[game[own]], own)
        until = torch.where(again, torch.roll(own, -1) - 1, last[game[own]])  # the last step before its next decision
        cut = again & ~torch.roll(complete, -1)
        chain = _chain(rollout, seat, own, until)
        chain["game"] = game[own]
        chain["next", "reward"] = (paid[until + 1, seat] - paid[since, seat]).float()[:, None]
        chain["next", "done"] = (~again | cut)[:, None]
        chain["next", "terminated"] = rollout["next", "terminated"][until] & ~again[:, None]
        chains.append(chain[complete])
    whole: Any = torch.cat(chains)
    order = torch.argsort(whole.pop("game") * players + whole["seat"], stable=True)
    return whole[order]


def _chain(rollout: TensorDict, seat: int, own: Any, until: Any) -> TensorDict:
    """Return what one seat sees and does at the steps ``own``, and what it sees after the steps ``until``."""
    begin, end = rollout[own], rollout[until]["next"]
    data = {"action": begin[GROUP, "action"][:, seat], "seat": torch.full_like(own, seat), "next": {}}
    for part, where in ((data, begin), (data["next"], end)):
        part["observation"] = where[GROUP, "observation", "observation"][:, seat].flatten(1).float()
        part["action_mask"] = where[GROUP, "action_mask"][:, seat]
    if "action_log_prob" in set(rollout[GROUP].keys()):
        data["action_log_prob"] = begin[GROUP, "action_log_prob"][:, seat]
    return TensorDict(data, batch_size=own.shape)

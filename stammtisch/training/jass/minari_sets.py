"""Deals as a dataset of Minari, the Farama Foundation's format of offline data."""

import os
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from stammtisch.baselines.learned.jass.encodings import N_CARDS
from stammtisch.envs import load_game
from stammtisch.training.jass.deals import ALL_SEATS, Deals, deal_chunks, read_header

_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+-v\d+")
_ENCODING = "full"


def check_name(name: str) -> None:
    """Refuse, before anything is made, a name that Minari does not take, or a missing package.

    Raises:
        ValueError: says which.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f'a Minari dataset has a name such as "jass/heuristic-v0", not "{name}"')
    try:
        import minari
    except ImportError as error:
        raise ValueError(f"Minari is not installed: pip install stammtisch[data] ({error})") from None
    if name in minari.list_local_datasets():
        raise ValueError(f'there is a Minari dataset "{name}" already; choose another name')


def write_dataset(name: str, path: str | os.PathLike[str]) -> str:
    """Make a dataset of the complete deals of a file; an episode is one deal as one seat saw it.

    Observations are the full ones of ``jass-schieber`` at the seat's decisions and at the end, actions its own, the
    reward comes with the last action: the difference of points / 100.
    """
    import minari
    from gymnasium.spaces import Box, Discrete

    game: Any = load_game("jass-schieber")
    header = read_header(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Minari would like an address and a link, which only users have
        dataset = minari.create_dataset_from_buffers(
            name,
            [episode for deals in deal_chunks(path) for episode in _episodes(game, deals)],
            algorithm_name=str(header.get("teacher", "imported")),
            author="stammtisch",
            observation_space=Box(0, 1, game.info.observation_shape, np.int8),
            action_space=Discrete(game.info.num_actions),
            description=f"Schieber Jass, {'synthetic' if header.get('synthetic') else 'imported'}, "
            f"{header['deals']} deals",
        )
    return str(dataset.spec.dataset_id)


def _episodes(game: Any, deals: Deals) -> Iterator[Any]:
    from minari.data_collector import EpisodeBuffer

    for place in range(len(deals)):
        if deals.views[place] != ALL_SEATS or deals.played[place] != N_CARDS:
            continue
        hands = [[card for card in range(N_CARDS) if int(deals.hands[place, seat]) >> card & 1] for seat in range(4)]
        state = game.new_state(0, deal=hands, forehand=int(deals.forehand[place]))
        seen: list[list[Any]] = [[] for _ in range(4)]
        done: list[list[int]] = [[] for _ in range(4)]
        said = [42] * int(deals.passed[place]) + [36 + int(deals.mode[place])]
        for action in [*said, *map(int, deals.cards[place])]:
            if action < N_CARDS or deals.choice[place]:
                seen[state.player].append(state.observation(state.player))
                done[state.player].append(action)
            state.apply(action)
        for seat in range(4):
            n = len(done[seat])
            rewards = np.zeros(n)
            rewards[-1] = state.returns()[seat]
            yield EpisodeBuffer(
                observations=np.stack([*seen[seat], state.observation(seat)]),
                actions=np.array(done[seat]),
                rewards=rewards,
                terminations=np.arange(n) == n - 1,
                truncations=np.zeros(n, bool),
            )

"""Wrappers: change an environment without knowing its game.

Adapters to other libraries need the library and are imported from ``stammtisch.wrappers.libraries``.
"""

from stammtisch.wrappers.mill_rewards import MillRewards
from stammtisch.wrappers.observation_choice import ObservationChoice, VectorObservationChoice
from stammtisch.wrappers.random_symmetry import RandomSymmetry, VectorRandomSymmetry
from stammtisch.wrappers.record_games import RecordGames, VectorRecordGames
from stammtisch.wrappers.reward_shaping import RewardShaping, VectorRewardShaping
from stammtisch.wrappers.seat_rotation import SeatRotation, VectorSeatRotation

__all__ = [
    "MillRewards",
    "ObservationChoice",
    "RandomSymmetry",
    "RecordGames",
    "RewardShaping",
    "SeatRotation",
    "VectorObservationChoice",
    "VectorRandomSymmetry",
    "VectorRecordGames",
    "VectorRewardShaping",
    "VectorSeatRotation",
]

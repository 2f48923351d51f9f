"""Bots of OpenSpiel, on the games that it has too; they run in this process."""

from typing import Any

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.plugins import resolve

BOTS = ("mcts", "random")
_EXPLORATION = 2.0
_MEMORY_MB = 1000


class SpielBot:
    """A bot of OpenSpiel that plays along.

    Args:
        game: a game that OpenSpiel has too.
        bot: ``mcts``, ``random``, or ``package.module:function``, which is called with OpenSpiel's game, the seat and a
            seed and returns a bot.
        level: simulations of ``mcts``.
        seed: decides what it draws.
    """

    def __init__(self, game: Game, bot: str, level: int, seed: int):
        twin = game.spiel_twin()
        if twin is None:
            raise ValueError(
                f"OpenSpiel has no game like {game.id} with these options; try reversi-8x8, muehle, einstein-5x5"
            )
        try:
            import pyspiel
        except ImportError:
            raise ValueError('engine:spiel needs OpenSpiel: pip install "open_spiel"') from None
        self._ours, self._twin = game, twin
        self._spiel, self._game, self._name, self._level = pyspiel, pyspiel.load_game(twin.name), bot, level or 1000
        self._seed = seed
        self._bots: dict[int, Any] = {}

    def choose(self, actions: tuple[int, ...], player: int) -> int:
        """Return the bot's action after these."""
        state, ours = self._game.new_initial_state(), self._ours.new_state(seed=0)
        for number in self._twin.opening:
            state.apply_action(number)
        for action in actions:
            state.apply_action(self._twin.number(ours, action))
            ours.apply(action)
        if player not in self._bots:
            self._bots[player] = self._made(self._twin.seats[player])
        chosen = self._bots[player].step(state)
        return next((action for action in ours.legal_actions() if self._twin.number(ours, action) == chosen), -1)

    def _made(self, player: int) -> Any:
        spiel = self._spiel
        if self._name == "random":
            return spiel.make_uniform_random_bot(player, self._seed)
        if self._name == "mcts":
            evaluator = spiel.RandomRolloutEvaluator(1, self._seed)
            return spiel.MCTSBot(self._game, evaluator, _EXPLORATION, self._level, _MEMORY_MB, False, self._seed, False)
        return resolve(self._name, "cannot make a bot of OpenSpiel")(self._game, player, self._seed)

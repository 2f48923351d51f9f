"""``Game``: one variant of one game with its options, and the facts about it."""

import functools
import importlib
import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.direct import Direct
from stammtisch.envs.core.facts import FactTable, facts_text
from stammtisch.envs.core.options import Option, OptionTable, read_all
from stammtisch.envs.core.rules import Endgame, Features, Policy, Rules, Solver
from stammtisch.envs.core.spiel import SpielTwin
from stammtisch.envs.core.state import State, View, classes_of
from stammtisch.envs.core.streams import Seed, seed_streams
from stammtisch.errors import BadText

if TYPE_CHECKING:
    from stammtisch.envs.core.drawing import Canvas
    from stammtisch.envs.core.oracle import Oracle
    from stammtisch.envs.core.solution import Solution
    from stammtisch.envs.core.tables import TableSet

__all__ = ["AgentDefaults", "Game", "GameInfo", "Option", "Symmetry", "TrainingDefaults"]

TrainingDefaults = Mapping[str, Mapping[str, Mapping[str, Any]]]  # learner, family or game id, setting
AgentDefaults = Mapping[str, Mapping[str, Any]]  # name of an agent, option


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game.

    Attributes:
        num_players: number of seats.
        teams: team of each seat.
        num_actions: size of the action space.
        chance: ``"none"``, ``"explicit"`` (outcomes can be listed) or ``"sampled"`` (they are too many).
        hidden: whether a player sees less than the whole position.
        utility_range: least and greatest possible return of one player.
        observation_shape: shape of ``State.observation``.
        max_moves: upper bound on the number of player actions in a game.
        zero_sum: whether the returns of the teams always add up to zero.
        points_per_unit: points of the game that one unit of return stands for; None where returns are wins and losses.
    """

    num_players: int
    teams: tuple[int, ...]
    num_actions: int
    chance: str
    hidden: bool
    utility_range: tuple[float, float]
    observation_shape: tuple[int, ...]
    max_moves: int
    zero_sum: bool = True
    points_per_unit: int | None = None


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A renaming of cells under which the rules stay the same, for learners that want every position several times.

    Playing ``action[a]`` in the transformed position gives the transformed position of playing ``a``.

    Attributes:
        observation: int64[observation length]; the transformed flat observation is ``flat[observation]``.
        action: int64[num_actions]; action ``a`` becomes ``action[a]``.
    """

    observation: NDArray[np.int64]
    action: NDArray[np.int64]


class Game:
    """One variant of a game with its options fixed; hands out states.

    A subclass per room names its ``RULES`` source, its ``OPTIONS``, translates both into the integers of ``CONFIG``,
    and gives the text forms. What else players and learners want to know of a game, it declares: its reference
    policies, what n-tuples look at, an exact solver, phases, milestones and what suits it in trainings and searches.
    Everything else is written here once.
    """

    FAMILY: ClassVar[str] = ""  # games that are alike, for defaults
    RULES: ClassVar[str]  # sources, by their dotted names
    HEURISTIC: ClassVar[str] = "stammtisch.envs.kernels.no_policies"
    FEATURES: ClassVar[str | None] = None
    SOLVER: ClassVar[str | None] = None
    SOLUTIONS: ClassVar[str | None] = None  # module with ``solve(state, every, nodes, tables)``
    ORACLE: ClassVar[str | None] = None  # module with ``oracle(game, **options)``
    REACH: ClassVar[tuple[str, int] | None] = None  # the oracle's option how far from the end it looks; what is quick
    TABLES: ClassVar[str | None] = None  # module with ``tables(game, folder)``
    RENDER: ClassVar[str] = "stammtisch.envs.core.board_text"  # ``picture(state)``, perhaps ``way``, ``picture_from``
    CELL_IN_TEXT: ClassVar[str] = ""  # how a cell looks in ``to_text``; cells and spots come in the same order
    CODINGS: ClassVar[int] = 0  # ways in which FEATURES can tell a position
    POLICIES: ClassVar[tuple[str, ...]] = ()
    WEIGHTS: ClassVar[Mapping[str, float]] = {}  # of features in HEURISTIC, which players may change
    MILESTONE: ClassVar[str] = ""  # what ``milestones`` counts
    TRAINING: ClassVar[TrainingDefaults] = {}
    AGENTS: ClassVar[AgentDefaults] = {}  # what suits this game better than an agent's own defaults
    OPTIONS: ClassVar[OptionTable] = {}  # see ``stammtisch.envs.core.options``
    FACTS: ClassVar[FactTable] = {}  # what positions tell by name
    GGF: ClassVar[str | None] = None  # module that writes positions for NBoard programs
    COLORS: ClassVar[tuple[str, ...]] = ()  # what the sides are called, by seat
    PROTOCOLS: ClassVar[tuple[str, ...]] = ()  # of outside engines, beside our own
    NEUTRAL_OPTIONS: ClassVar[tuple[str, ...]] = ()  # a network of the game's positions serves whatever these say
    CHANCE_KIND: ClassVar[str] = "none"
    HIDDEN: ClassVar[bool] = False
    view_class: ClassVar[type[View]] = View

    def __init__(self, game_id: str, variant: Mapping[str, int], options: Mapping[str, Any]):
        self.id = game_id
        self.variant = dict(variant)
        self.options = read_all(self.OPTIONS, options, owner=game_id)
        given = loader.load(self.RULES, game_id, CONFIG=self._config())
        rules = self.rules = cast(Rules, loader.load("stammtisch.envs.kernels.complete", game_id, GIVEN=given))
        self._families: dict[str, loader.KernelModule] = {}
        self.own_state_class, self.own_view_class = classes_of(type(self))
        self.info = GameInfo(
            num_players=rules.N_PLAYERS,
            teams=rules.TEAMS,
            num_actions=rules.N_ACTIONS,
            chance=self.CHANCE_KIND,
            hidden=self.HIDDEN,
            utility_range=rules.UTILITY,
            observation_shape=rules.OBS_SHAPE,
            max_moves=rules.MAX_MOVES,
            zero_sum=rules.ZERO_SUM,
            points_per_unit=rules.POINTS_PER_UNIT,
        )

    def _config(self) -> dict[str, int]:
        """Translate variant and options into the integers that the rules read.

        By default the variant as it is, numbers and flags among the options likewise, and of choices among texts the
        place of the chosen one.
        """
        found = dict(self.variant)
        for name, value in self.options.items():
            found[name] = self.OPTIONS[name].choices.index(value) if isinstance(value, str) else int(value)
        return found

    def __repr__(self) -> str:
        changed = "".join(f", {k}={v!r}" for k, v in self.changed_options().items())
        return f"load_game({self.id!r}{changed})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.id, self.options) == (other.id, other.options)

    def __hash__(self) -> int:
        return hash((self.id, *self.options.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        from stammtisch.envs.core.games import GAMES, restore_game

        return restore_game, (self.id, self.changed_options(), GAMES[self.id])

    def changed_options(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return {k: v for k, v in self.options.items() if v != self.OPTIONS[k].default}

    @property
    def symmetries(self) -> list[Symmetry]:
        """Symmetries of the game, the identity first."""
        length = int(np.prod(self.info.observation_shape))
        return [Symmetry(np.arange(length), np.arange(self.info.num_actions))]

    def spiel_twin(self) -> SpielTwin | None:
        """Return the same game in OpenSpiel, None where it has none."""
        return None

    @classmethod
    def manual(cls) -> str:
        """Return the manual page: rules, actions, observation plane by plane, rewards, options, accessors."""
        page = inspect.getdoc(cls) or ""
        return f"{page}\n\n{facts_text(cls.FACTS)}" if cls.FACTS else page

    # Kernels

    def kernels(self, family: str) -> loader.KernelModule:
        """Return a kernel family of stepping (``"step"``, ``"playouts"``, ``"perft"``) for this game."""
        if family not in self._families:
            source = f"stammtisch.envs.kernels.{family}"
            self._families[family] = loader.load(source, self.id, RULES=self.rules)
        return self._families[family]

    @functools.cached_property
    def stepping(self) -> Direct:
        """The kernels on one row, for callers that keep to one kind of arguments."""
        return Direct(self.kernels("step"))

    def lane_kernels(self, policies: Sequence[str] = ()) -> loader.KernelModule:
        """Return the lane kernels with up to two named policies compiled in (kinds 1 and 2)."""
        return loader.load(
            "stammtisch.envs.kernels.lanes",
            self.id,
            RULES=self.rules,
            POLICIES=tuple(self.policy_module(name) for name in policies),
        )

    def policy_module(
        self, policy: str = "random", evaluation: str = "evaluate", weights: Mapping[str, float] | None = None
    ) -> Policy:
        """Return a reference policy of this game, by name, and its evaluation.

        Args:
            policy: the policy.
            evaluation: another evaluation of the game's heuristic source, where it has one of that name.
            weights: other weights of features, of those that the game declares.

        Raises:
            ValueError: the game has no such policy, or no such weight.
        """
        for name in weights or ():
            if name not in self.WEIGHTS:
                raise ValueError(f'the evaluation of {self.id} has no weight "{name}"')
        chosen = {**self.WEIGHTS, **(weights or {})}
        bindings = {"WEIGHTS": tuple(map(float, chosen.values()))} if chosen else {}
        given = loader.load(self.HEURISTIC, self.id, RULES=self.rules, **bindings)
        if policy != "random" and policy not in given.contents():
            known = ", ".join(("random", *self.POLICIES))
            raise ValueError(f'{self.id} has no policy "{policy}"; reference players there: {known}')
        source = "stammtisch.envs.kernels.policy"
        return cast(Policy, loader.load(source, self.id, GIVEN=given, POLICY=policy, EVALUATION=evaluation))

    def most_positions(self) -> int:
        """Return an upper bound of the positions of the board, by a formula of the game.

        Raises:
            ValueError: the game has none.
        """
        raise ValueError(f"there is no formula for the number of positions of {self.id}")

    def features(self, coding: int) -> Features:
        """Return what n-tuples see of this game in one of its codings.

        Raises:
            ValueError: n-tuples cannot play this game, or it has no such coding.
        """
        if self.FEATURES is None:
            why = "cards are hidden" if self.HIDDEN else "it has no features, which say what they look at"
            raise ValueError(f"n-tuples cannot play {self.id}: {why}")
        if not 0 <= coding < self.CODINGS:
            raise ValueError(f"{self.id} has codings 0..{self.CODINGS - 1}, not {coding}")
        return cast(Features, loader.load(self.FEATURES, self.id, RULES=self.rules, CODING=coding))

    def solver(self) -> Solver:
        """Return the exact solver of this game's positions with open cards."""
        if self.SOLVER is None:
            raise ValueError(f"no double-dummy solver for {self.id}; there is one for Schieber Jass")
        return cast(Solver, loader.load(self.SOLVER, self.id, RULES=self.rules))

    def endgame(self) -> Endgame | None:
        """Return the exact solver of positions with few empty cells, if this variant has one."""
        if self.SOLUTIONS is None or not self.rules.FILLS_BOARD:
            return None
        try:
            return cast(Endgame, importlib.import_module(self.SOLUTIONS).solver_of(self))
        except ValueError:
            return None

    def solve(
        self, state: State, every: bool = False, nodes: int = 0, tables: str | os.PathLike[str] | None = None
    ) -> "Solution":
        """Return what perfect play makes of a position.

        Args:
            state: a position of this game.
            every: work out every action, not only which are best.
            nodes: give up after so many positions; 0 never does.
            tables: folder of tables, for games that are solved by them; by default the user's.

        Raises:
            ValueError: the position cannot be solved, or not within the budget.
        """
        if self.SOLUTIONS is None:
            from stammtisch.envs.core.solution import solved_by

            if self.ORACLE is None:
                raise ValueError(f"{self.id} cannot be solved: it has no exact solver")
            oracle = self.oracle(**({"tables": tables} if tables else {}))
            if nodes and oracle.SEARCHES:
                raise ValueError(f"the solver of {self.id} takes no budget of positions, but nodes={nodes} was given")
            return solved_by(oracle, state, every)
        solution: Solution = importlib.import_module(self.SOLUTIONS).solve(state, every, nodes, tables)
        return solution

    def oracle(self, **options: Any) -> "Oracle":
        """Return who knows the exact value of positions of this game: ``covers``, ``value`` and ``values``.

        Args:
            **options: what its module takes, such as ``tables``, the folder of endgame tables.

        Raises:
            ValueError: nobody does.
        """
        if self.ORACLE is None:
            raise ValueError(f"{self.id} has no oracle: none of its positions is solved; see the page on exact play")
        make = importlib.import_module(self.ORACLE).oracle
        known = list(inspect.signature(make).parameters)[1:]
        if strange := [name for name in options if name not in known]:
            raise ValueError(f"the oracle of {self.id} takes no {strange[0]}; it takes {', '.join(known) or 'nothing'}")
        oracle: Oracle = make(self, **options)
        oracle.game = self
        return oracle

    def tables(self, folder: str | os.PathLike[str] | None = None) -> "TableSet":
        """Return the tables of solved positions of this game, built or not.

        Args:
            folder: where they are; by default the user's.

        Raises:
            ValueError: there can be none.
        """
        if self.TABLES is None:
            raise ValueError(f"{self.id} has no tables; see the page on exact play for the games that have")
        found: TableSet = importlib.import_module(self.TABLES).tables(self, folder)
        return found

    # What learners ask

    @classmethod
    def training_defaults(cls, learner: str, game_id: str) -> dict[str, Any]:
        """Return what suits a game in a training by ``learner``: what suits its family, then what suits itself."""
        rows = cls.TRAINING.get(learner, {})
        return {**rows.get(cls.FAMILY, {}), **rows.get(game_id, {})}

    @property
    def phases(self) -> tuple[str, ...]:
        """Names of the parts of a game that may have networks of their own; observations tell them apart."""
        return ("all",)

    def phases_of(self, observations: NDArray[Any]) -> NDArray[np.int64]:
        """Return the phase of the observer in each flat observation, ``int64[n]``, as an index into ``phases``."""
        return np.zeros(len(observations), np.int64)

    def stage(self, state: State) -> str:
        """Say in which part of a game a decision falls, for tables; by default its phase."""
        return self.phases[int(self.phases_of(state.observation(state.player).reshape(1, -1))[0])]

    def phase_actions(self) -> list[NDArray[np.int64]]:
        """Return the actions that can ever be legal in each of the ``phases``, ascending."""
        return [np.arange(self.info.num_actions)]

    def milestones(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count what rewards on the way may be paid for, ``int64[n, players]``, in each of ``rows`` [n, STATE_LEN]."""
        return np.zeros((len(rows), self.info.num_players), np.int64)

    # States

    def new_state(self, seed: Seed = None) -> State:
        """Return the start position, before any chance event; ``seed`` decides a random layout if there is one."""
        state = self.own_state_class(self, np.zeros(self.rules.STATE_LEN, np.int64))
        state._begin(int(seed_streams(seed, 1)[0] >> np.uint64(1)))
        return state

    def from_row(self, row: NDArray[np.int64]) -> State:
        """Return a state on a copy of a row that came from this game."""
        return self.own_state_class(self, np.array(row, np.int64, order="C"))

    def from_text(self, text: str) -> State:
        """Read what ``State.to_text`` wrote."""
        raise NotImplementedError

    def to_text(self, state: State) -> str:
        """Write a state as an exact record."""
        raise NotImplementedError

    def cell_symbols(self) -> tuple[str, ...]:
        """Return what may stand on a cell in the text of a position, for those who set one up by pointing."""
        return ()

    def board_text(self, state: State) -> str:
        """Draw a state for people; the record itself unless the game has something nicer."""
        return self.to_text(state)

    def action_text(self, state: State, action: int) -> str:
        """Say an action (at a chance node, an outcome) as a person would."""
        raise NotImplementedError

    def parse_action(self, state: State, text: str) -> int:
        """Read what ``action_text`` says, among the legal actions of ``state``."""
        wanted = " ".join(text.lower().split())
        legal = {self.action_text(state, a): a for a in state.legal_actions()}
        for legal_text, action in legal.items():
            if legal_text.lower() == wanted:
                return action
        raise BadText(
            f'cannot read "{text}" as a move in {self.id}; legal: {", ".join(legal) or "none, the game is over"}'
        )

    def picture(self, state: State, near: int | None = None) -> "Canvas":
        """Draw a state; where players sit around a table, the seat ``near`` sits below."""
        room = importlib.import_module(self.RENDER)
        seated = near is not None and hasattr(room, "picture_from")
        picture: Canvas = room.picture_from(state, near) if seated else room.picture(state)
        return picture

    def way(self, state: State, action: int) -> tuple[str, ...]:
        """Return the spots of the picture that a person points at to take a legal action, in their order.

        Several actions may share a way, as when something is still to be chosen; what is only said has none.
        """
        way = getattr(importlib.import_module(self.RENDER), "way", None)
        return () if way is None else tuple(way(state, action))

    def draw(self, state: State) -> NDArray[np.uint8]:
        """Draw a state as an RGB picture, ``uint8[height, width, 3]``."""
        return self.picture(state).to_array()

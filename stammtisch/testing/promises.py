"""The promises of Game, State and View, asked of any game."""

import copy
import pickle

import numpy as np

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import load_game
from stammtisch.envs.core.spaces import observation_box
from stammtisch.envs.core.state import State
from stammtisch.errors import BadText, IllegalAction
from stammtisch.testing.playing import (
    BrokenPromise,
    expect,
    expect_error,
    random_move,
    random_state,
    random_states,
    sampled_states,
)

_EQUAL = 1e-6
_SAMPLES = 25
_STRANGE = "abWxX.-#0 9\n"


def _is_listed_chance(state: State) -> bool:
    return state.player == CHANCE and state.game.info.chance == "explicit"


def legal_actions(game: Game) -> None:
    """Legal actions are ascending, never empty before the end, and what the mask says."""
    for state in random_states(game, seed=1, games=20):
        mask = state.legal_mask()
        shape = (game.info.num_actions,)
        expect(
            mask.dtype == np.int8 and mask.shape == shape, f"legal_mask() is {mask.dtype}{mask.shape}, not int8{shape}"
        )
        if state.player < 0:
            expect(not mask.any(), "legal_mask() has ones although no player is to move", state)
        else:
            expect(
                state.player < game.info.num_players, f"player {state.player} is to move: there is no such seat", state
            )
            legal = state.legal_actions()
            expect(bool(legal), f"player {state.player} is to move and has no legal action", state)
            expect(legal == sorted(set(legal)), f"legal actions are not ascending and different: {legal}", state)
            masked = np.flatnonzero(mask).tolist()
            expect(masked == legal, f"the mask allows {masked}, the list of legal actions {legal}", state)
        if state.player == TERMINAL:
            expect(state.legal_actions() == [], "there are legal actions after the end", state)


def seats(game: Game) -> None:
    """Every seat decides something: the environments deal again until their learner does."""
    deciding = {state.player for state in random_states(game, seed=12, games=50)}
    for player in range(game.info.num_players):
        expect(player in deciding, f"player {player} never decides in 50 random games")


def utilities(game: Game) -> None:
    """Returns stay in their range, are zero before the end, and equal within a team."""
    low, high = game.info.utility_range
    for state in random_states(game, seed=6, games=20):
        returns = state.returns()
        inside = bool(np.all((returns >= low) & (returns <= high)))
        expect(inside, f"returns {returns.tolist()} are outside {low:g}..{high:g}", state)
        if state.player != TERMINAL:
            expect(not returns.any(), f"returns {returns.tolist()} before the end are not zero", state)
            continue
        by_team: dict[int, set[float]] = {}
        for team, value in zip(game.info.teams, returns.tolist(), strict=True):
            by_team.setdefault(team, set()).add(value)
        equal = all(len(values) == 1 for values in by_team.values())
        expect(equal, f"partners have different returns: {returns.tolist()}, teams {game.info.teams}", state)
        if game.info.zero_sum:
            total = sum(next(iter(values)) for values in by_team.values())
            expect(abs(total) < _EQUAL, f"returns of the teams add up to {total:g}, not to zero", state)


def chance(game: Game) -> None:
    """Chance comes where the game says so; listed outcomes have probabilities that add up to one."""
    seen = False
    for state in random_states(game, seed=5, games=3):
        seen |= state.player == CHANCE
        if _is_listed_chance(state):
            outcomes = state.chance_outcomes()
            listed = [outcome for outcome, _ in outcomes]
            expect(listed == state.legal_actions(), f"chance_outcomes() lists {listed}, not the legal outcomes", state)
            shares = [probability for _, probability in outcomes]
            expect(abs(sum(shares) - 1) < _EQUAL, f"probabilities add up to {sum(shares):g}", state)
            expect(min(shares) > 0, f"an outcome has probability {min(shares):g}; leave it out", state)
    kind = game.info.chance
    expect(seen == (kind != "none"), f'CHANCE_KIND is "{kind}", but chance was {"seen" if seen else "never seen"}')


def observations(game: Game) -> None:
    """Observations lie in their space; views show the same and know whose turn it is."""
    space = observation_box(game)
    for state in random_states(game, seed=2, games=2):
        for player in range(game.info.num_players):
            seen = state.observation(player)
            expect(space.contains(seen), f"the observation of player {player} is not in {space}", state)
            view = state.view(player)
            expect(np.array_equal(view.observation(), seen), f"the view of player {player} shows something else", state)
            acts = bool(view.legal_actions())
            expect(acts == (state.player == player), f"the view of player {player} is wrong about its turn", state)
            masked = np.flatnonzero(view.legal_mask()).tolist()
            expect(masked == view.legal_actions(), f"mask and actions of the view of player {player} differ", state)


def records(game: Game) -> None:
    """``from_text`` is the exact inverse of ``to_text``."""
    for state in random_states(game, seed=3, games=5):
        text = state.to_text()
        try:
            again = game.from_text(text)
        except Exception as error:
            raise BrokenPromise(f"from_text() refuses what to_text() wrote: {error}\n{text}") from error
        same = again == state and hash(again) == hash(state)
        expect(same, f"from_text(to_text()) gives another position, rows {again.row} and {state.row}", state)
        expect(again.to_text() == text, "a record that was read is written differently", state)
        expect(isinstance(str(state), str), "str(state) is no text")


def damaged_records(game: Game) -> None:
    """Records that are not whole are refused with ``BadText``, or read exactly."""
    for text in ("", " ", "no such record", "\n\n", "0", "x" * 80):
        expect(not read_exactly_or_refused(game, text), f"from_text({text!r}) must raise BadText")
    rng = np.random.default_rng(13)
    for number in range(8 * _SAMPLES):
        record = random_state(game, number % 50, 12).to_text()
        cut = int(rng.integers(len(record)))
        read_exactly_or_refused(game, record[:cut] + _STRANGE[rng.integers(len(_STRANGE))] + record[cut + 1 :])


def read_exactly_or_refused(game: Game, text: str) -> bool:
    """Whether a text is read as a position, which it must then be exactly; refusing is done with ``BadText``."""
    try:
        state = game.from_text(text)
    except BadText:
        return False
    except Exception as error:
        said = f"from_text({text!r}) must raise BadText or read it, not {type(error).__name__}: {error}"
        raise BrokenPromise(said) from error
    expect(game.from_text(state.to_text()) == state, f"from_text({text!r}) is read, but not exactly")
    return True


def said_moves(game: Game) -> None:
    """What ``action_text`` says, ``parse_action`` reads; no two actions are called the same."""
    for state in random_states(game, seed=4, games=2):
        if state.player >= 0 or _is_listed_chance(state):
            legal = state.legal_actions()
            said = [state.action_text(a) for a in legal]
            expect(len(set(said)) == len(said), f"several actions are called the same: {said}", state)
            read = [state.parse_action(text) for text in said]
            expect(read == legal, f"actions {legal} are said as {said} and read as {read}", state)


def length(game: Game) -> None:
    """Games end within ``max_moves``."""
    rng = np.random.default_rng(7)
    for number in range(20):
        state = game.new_state(seed=number)
        moves = 0
        while state.player != TERMINAL:
            moves += state.player >= 0
            expect(moves <= game.info.max_moves, f"a game takes more than MAX_MOVES = {game.info.max_moves}", state)
            random_move(state, rng)


def copies(game: Game) -> None:
    """Playing on with a clone, a copy, a pickle or a child leaves the original alone."""
    for number, state in enumerate(sampled_states(game, _SAMPLES)):
        before = state.to_text()
        rng = np.random.default_rng(number)
        for other in (state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            expect(other == state, "a copy is not equal to its original", state)
            if other.player != TERMINAL:
                random_move(other, rng)
            expect(state.to_text() == before, "playing on with a copy changed the original", state)
        if state.player >= 0:
            state.child(state.legal_actions()[-1])
            expect(state.to_text() == before, "child() changed the position it came from", state)


def seeds(game: Game) -> None:
    """The same seed gives the same game."""
    for seed in range(10):
        first, second = ([state.to_text() for state in random_states(game, seed)] for _ in range(2))
        expect(first == second, f"seed {seed} gave two different games")


def illegal_actions(game: Game) -> None:
    """Illegal actions are refused in one line, and nothing is half done."""
    rng = np.random.default_rng(11)
    for state in sampled_states(game, 2 * _SAMPLES, seed=11):
        if state.player == CHANCE and game.info.chance == "sampled":
            continue
        legal = set(state.legal_actions())
        before = state.row
        for action in {-1, game.info.num_actions, 1 << 70, *rng.integers(-5, 2000, 4).tolist()} - legal:
            with expect_error(IllegalAction, str(action), f"apply({action})"):
                state.apply(action)
            expect(np.array_equal(state.row, before), f"the illegal action {action} changed the position", state)


def wrong_arguments(game: Game) -> None:
    """Seats that do not exist, words instead of actions and unknown options are refused in one line."""
    state = random_state(game, 1, 3)
    for player in (-1, game.info.num_players):
        with expect_error(ValueError, "seats are 0", f"observation({player})"):
            state.observation(player)
        with expect_error(ValueError, "seats are 0", f"view({player})"):
            state.view(player)
    with expect_error(IllegalAction, "integer", 'apply("d3")'):
        state.apply("d3")  # type: ignore[arg-type]
    with expect_error(ValueError, "cannot read", 'parse_action("no such move")'):
        state.parse_action("no such move")
    if state.player != CHANCE:
        with expect_error(ValueError, "no chance node", "sample_chance() at a player's turn"):
            state.sample_chance(np.random.default_rng(0))
        with expect_error(ValueError, "no chance node", "chance_outcomes() at a player's turn"):
            state.chance_outcomes()
    with expect_error(ValueError, "no option for", "an unknown option"):
        load_game(game.id, colour="red")
    for name in game.OPTIONS:
        with expect_error(ValueError, f"option {name}=", f'{name}="nonsense"'):
            load_game(game.id, **{name: "nonsense"})


def views(game: Game) -> None:
    """A view of a game without hidden information is the position; planning on any view leaves the position alone."""
    rng = np.random.default_rng(2024)
    if not game.info.hidden:
        for state in random_states(game, seed=8):
            for player in range(game.info.num_players):
                expect(state.view(player).sample_state(rng) == state, "a view is not the position itself", state)
    state = random_state(game, 9, 4)
    before = state.row
    for player in range(game.info.num_players):
        sampled = state.view(player).sample_state(rng)
        while sampled.player != TERMINAL:
            random_move(sampled, rng)
    expect(np.array_equal(state.row, before), "playing on from a view changed the position", state)


def leaks(game: Game) -> None:
    """Nothing hidden reaches a player: whatever lies hidden, its observation, view and actions are the same."""
    rng = np.random.default_rng(17)
    differs = False
    for state in random_states(game, seed=17, games=3):
        for player in range(game.info.num_players):
            if state.player == CHANCE:
                continue
            view = state.view(player)
            other = view.sample_state(rng)
            differs |= other != state
            where = f"although player {player} cannot tell the two positions apart"
            seen = np.array_equal(other.observation(player), state.observation(player))
            expect(seen, f"observations differ {where}", state)
            expect(np.array_equal(other.view(player).row, view.row), f"the rows of views differ {where}", state)
            same = other.view(player).legal_actions() == view.legal_actions()
            expect(same, f"legal actions differ {where}", state)
            expect(other.player == state.player, f"another seat is to move {where}", state)
    if game.info.hidden:
        expect(differs, "sample_state() always gives the true position: it tells what is hidden")


def identity(game: Game) -> None:
    """Games are equal by id and options, and pickle."""
    again = load_game(game.id, **game.changed_options())
    expect(again == game and hash(again) == hash(game), "the same game loaded twice is not equal")
    expect(pickle.loads(pickle.dumps(game)) == game, "a pickled game is not equal")
    expect(repr(game).startswith(f"load_game({game.id!r}"), f"repr is {game!r}")


def symmetries(game: Game) -> None:
    """Symmetries rename observations and actions one to one, the identity first."""
    numbers = {"observation": int(np.prod(game.info.observation_shape)), "action": game.info.num_actions}
    for which, symmetry in enumerate(game.symmetries):
        for name, size in numbers.items():
            renaming = getattr(symmetry, name)
            if which == 0:
                expect(np.array_equal(renaming, np.arange(size)), f"symmetries[0].{name} is not the identity")
            once = np.array_equal(np.sort(renaming), np.arange(size))
            expect(once, f"symmetries[{which}].{name} is no renaming of 0..{size - 1}")


def pictures(game: Game) -> None:
    """Positions are drawn."""
    for moves in (0, 7, 1000):
        state = random_state(game, 10, moves)
        picture = game.draw(state)
        is_picture = picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
        expect(is_picture, f"draw() gives {picture.dtype}{picture.shape}, not uint8[height, width, 3]", state)
        colours = len(np.unique(picture.reshape(-1, 3), axis=0))
        expect(colours > 10, f"the picture has only {colours} colours", state)

"""The conformance suite finds every broken promise, and says which one it is."""

import subprocess
import sys

import pytest

import stammtisch
from stammtisch.testing import CHECKS, BrokenPromise, check_game
from tests.conftest import forget_games

WITHOUT_PROCESSES = [name for name in CHECKS if name != "cache"]


@pytest.fixture(scope="module", autouse=True)
def _registered():
    names = []
    for name, faults in (("Nim", 9), ("HighCard", 4)):
        for fault in range(faults):
            names.append(f"{name.lower()}-{fault}")
            stammtisch.register_game(names[-1], f"{name}{fault}", f"tests.testing.small_games:{name}", {"fault": fault})
    yield
    forget_games(names)


@pytest.mark.parametrize("game_id", ["nim-0", "highcard-0"])
def test_a_game_of_rules_and_text_alone_passes(game_id):
    told = []
    check_game(game_id, skip=["cache"], tell=told.append)
    assert told == [f"{game_id}: {name}" for name in WITHOUT_PROCESSES]


@pytest.mark.parametrize("game_id", ["nim-0", "einstein-3x3"])
def test_two_processes_share_what_was_compiled(game_id):
    check_game(game_id, only=["cache"])


@pytest.mark.parametrize(
    ("game_id", "check", "said"),
    [
        ("nim-1", "legal_actions", "legal actions are not ascending and different: [2, 1, 0]"),
        ("nim-2", "legal_actions", "has no legal action"),
        ("nim-3", "utilities", "are outside -1..1"),
        ("nim-4", "length", "a game takes more than MAX_MOVES = 4"),
        ("nim-5", "seeds", "gave two different games"),
        ("nim-6", "observations", "the observation of player 0 is not in Box"),
        ("nim-7", "records", "from_text() refuses what to_text() wrote"),
        ("nim-8", "said_moves", "several actions are called the same: ['some', 'some', 'some']"),
        ("highcard-1", "leaks", "observations differ although player"),
        ("highcard-2", "leaks", "the rows of views differ although player"),
        ("highcard-3", "seats", "player 1 never decides in 50 random games"),
    ],
)
def test_a_broken_promise_is_named(game_id, check, said):
    with pytest.raises(BrokenPromise) as caught:
        check_game(game_id, only=[check])
    message = str(caught.value)
    assert message.startswith(f"{game_id} breaks a promise of a game:\n\n{check} (")
    assert said in message


def test_all_that_is_broken_is_told_at_once():
    with pytest.raises(BrokenPromise, match="nim-1 breaks 2 promises of a game") as caught:
        check_game("nim-1", only=["legal_actions", "said_moves", "observations", "views", "batched_twin"])
    message = str(caught.value)
    assert "legal_actions (" in message
    assert "observations (" in message
    assert "batched_twin (" not in message
    assert message.endswith("Environments and cache are checked when these promises are kept.")


def test_unknown_checks_are_refused():
    with pytest.raises(ValueError, match='no check "legal"; did you mean'):
        check_game("nim-0", only=["legal"])
    with pytest.raises(ValueError, match="no game"):
        check_game("nimm")


def test_it_needs_no_test_library():
    code = "import sys; sys.modules['pytest'] = sys.modules['hypothesis'] = None\n"
    code += "from stammtisch.testing import check_game\n"
    code += "check_game('einstein-3x3', only=['legal_actions', 'pettingzoo_api', 'pettingzoo_seeds'])"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_players_and_trainings_do_without_a_reference_player():
    """Searches play on to the end, those that need an evaluation refuse, and a training is measured against random."""
    from stammtisch.benchmarks import play_match
    from stammtisch.training.sb3.settings import SB3Settings

    assert play_match("nim-0", ["mcts:iterations=200", "random"], games=20).score > 0.7
    with pytest.raises(ValueError, match='cannot play nim-0: it has no evaluation; try "mcts"'):
        stammtisch.load_agent("alphabeta", "nim-0")
    with pytest.raises(ValueError, match='agent "heuristic" cannot play nim-0'):
        stammtisch.load_agent("heuristic", "nim-0")
    with pytest.raises(ValueError, match='nim-0 has no policy "heuristic"'):
        stammtisch.load_agent("mcts:rollout=heuristic", "nim-0")
    assert SB3Settings.for_game("nim-0").ladder == ["random"]
    assert SB3Settings.for_game("muehle").ladder != ["random"]

"""Training an n-tuple network with everything around it: checkpoints, win rates on the way, curves."""

import dataclasses
import os
import pathlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from stammtisch.arena.match import MatchResult, play_match
from stammtisch.baselines.learned.ntuple.agent import NTupleAgent
from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.files import check_writable
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.ntuple.learner import NTupleTraining, described
from stammtisch.training.ntuple.probcut import fit_probcut
from stammtisch.training.ntuple.settings import NTupleRunSettings
from stammtisch.training.progress import Show
from stammtisch.training.scalars import Scalars

_CHUNK_S = 0.5
_FIRST_CHUNK = 16  # episodes
_LONGEST_TRIAL_S, _TRIAL_SHARE = 8.0, 0.05  # of measuring how many episodes fit in some minutes
_ENDLESS = 10**12  # episodes
_OPENING = 4  # first moves drawn at random in games without chance


@dataclass(frozen=True)
class Watch:
    """What is measured on the way, and where it goes.

    Attributes:
        opponents: agent specs; with more than two seats the partners are of the opponent's type.
        every: episodes between two measurements; 0 measures at the end only.
        games: games per measurement and opponent.
        opening: first moves of these games that are drawn at random; games without chance would repeat themselves.
        plies: turns that the measured player looks ahead.
        tensorboard: folder for TensorBoard's scalars, or None.
    """

    opponents: Sequence[str] = ("random",)
    every: int = 0
    games: int = 200
    opening: int = 0
    plies: int = 0
    tensorboard: pathlib.Path | None = None


def run_ntuple(
    settings: NTupleRunSettings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Train as ``Learner.train`` tells; ``out`` is the file of the network, with which the training can go on."""
    game = load_game(settings.game, **settings.options)
    if settings.minutes:
        settings = dataclasses.replace(settings, minutes=0.0, episodes=_episodes_in(settings, game, out, resume))
    start = (game, settings.layout, settings.learning, settings.seed, settings.threads)
    training = NTupleTraining.resume(out, *start) if resume and os.path.exists(out) else NTupleTraining(*start)
    opening = settings.eval_opening
    watch = Watch(
        opponents=settings.opponents,
        every=settings.episodes // 10 if settings.eval_every is None else settings.eval_every,
        games=settings.eval_games,
        opening=(0 if game.info.chance != "none" else 4) if opening is None else opening,
        plies=settings.eval_plies,
        tensorboard=pathlib.Path(settings.tensorboard) if settings.tensorboard else None,
    )
    if show is not None:
        show(training.done, "", None, curve_points(training, watch))
    run_training(training, out, watch, show, settings.checkpoint_s, settings.until)
    if settings.probcut and game.info.chance == "none":
        training.probcut = fit_probcut(training.network, settings.probcut, settings.seed)
        training.save(out)
    if settings.compact:
        training.network.save_compact(settings.compact, settings.compact_steps)
    curve = [asdict(point) for point in curve_points(training, watch)]
    about = {"unit": "episodes", "curve": curve, "network": described(training.network)}
    return {"file": str(out), **training.network.facts, **about}


def _episodes_in(settings: NTupleRunSettings, game: Game, out: str | os.PathLike[str], resume: bool) -> int:
    """Return how many episodes the minutes allow, by the speed of the first ones; a resumed training keeps its number.

    A player that knows nothing does not play as one that has learned something, so a short training is watched.
    """
    if resume and os.path.exists(out):
        facts = Network.load(out, game).facts
        return int(facts.get("settings", {}).get("episodes", settings.episodes))
    trial = NTupleTraining(game, settings.layout, dataclasses.replace(settings.learning, episodes=_ENDLESS), 0)
    trial.run(_FIRST_CHUNK)  # compiles
    begun = time.process_time()
    seconds = min(_LONGEST_TRIAL_S, _TRIAL_SHARE * 60 * settings.minutes)
    chunk, speed, now = _FIRST_CHUNK, 0.0, begun
    while now - begun < seconds:
        before = now
        trial.run(chunk)
        now = time.process_time()
        speed = chunk / max(now - before, 1e-9)
        chunk = max(_FIRST_CHUNK, min(8 * chunk, int(speed * _CHUNK_S)))
    return max(1, int(speed * 60 * settings.minutes))


def run_training(
    training: NTupleTraining,
    out: str | os.PathLike[str] | None,
    watch: Watch,
    show: Show | None = None,
    checkpoint_s: float = 60.0,
    until: int = 0,
) -> None:
    """Train to the last episode, or until ``show`` asks to stop.

    Args:
        training: a new or a resumed one.
        out: file of the network; written every ``checkpoint_s`` seconds, and at the end.
        watch: what is measured on the way.
        show: told about the episodes; it may ask to stop.
        checkpoint_s: seconds between two checkpoints.
        until: stop after so many episodes, although rates are scheduled for all; 0 never does.
    """
    if out is not None:
        check_writable(out)
    total = min(training.settings.episodes, until or training.settings.episodes)
    scalars = Scalars(watch.tensorboard)
    saved = begun = time.perf_counter()
    at_start = training.done
    chunk = _FIRST_CHUNK
    try:
        while training.done < total:
            stops = [every for every in (watch.every, training.settings.keep) if every]
            goal = min([total, *((training.done // every + 1) * every for every in stops)])
            before, now = training.done, time.perf_counter()
            training.run(min(chunk, goal - training.done))
            played, spent = training.done - before, time.perf_counter() - now
            chunk = max(_FIRST_CHUNK, min(8 * chunk, int(played / max(spent, 1e-9) * _CHUNK_S)))
            known = len(training.curve)
            if training.settings.keep and training.done % training.settings.keep == 0:
                keep_the_better(training)
            is_due = training.done == total or (watch.every and training.done % watch.every == 0)
            if is_due and watch.opponents:
                measure(training, watch)
                for point in training.curve[known:]:
                    scalars.add(f"score/{point['opponent']}", point["score"], training.done)
            speed = (training.done - at_start) / (time.perf_counter() - begun)
            for name, value in training.report().items():
                scalars.add(f"training/{name}", value, training.done)
            scalars.add("training/games per second", played / max(spent, 1e-9), training.done)
            if show is not None and show(
                played, _line(training, speed), _figures(training), curve_points(training, watch)[known:]
            ):
                break
            if out is not None and time.perf_counter() - saved > checkpoint_s and training.done < total:
                training.save(out)
                saved = time.perf_counter()
        if out is not None:
            training.save(out)
    finally:
        scalars.close()


def curve_points(training: NTupleTraining, watch: Watch) -> list[CurvePoint]:
    """Return what has been measured on the way."""
    return [
        CurvePoint(at["episodes"], at["opponent"], at["score"], (at["low"], at["high"]), watch.games)
        for at in training.curve
    ]


def measure(training: NTupleTraining, watch: Watch) -> list[MatchResult]:
    """Play the network as it is against every opponent and add the scores to the curve."""
    results = []
    for opponent in watch.opponents:
        agent = NTupleAgent(training.game, network=training.network, plies=watch.plies)
        results.append(play_against(training.game, agent, opponent, watch.games, 0, watch.opening))
        low, high = results[-1].ci95
        training.curve.append(
            {"episodes": training.done, "opponent": opponent, "score": results[-1].score, "low": low, "high": high}
        )
    return results


def keep_the_better(training: NTupleTraining) -> bool:
    """Let the weights play those that won last; the losers give way, so that learning goes on from the better ones.

    Returns:
        Whether the present weights won.
    """
    game, weights, kept = training.game, training.network.net.weights, training.kept
    rival = Network(game, training.network.layout, training.network.tuples, kept)
    players = [NTupleAgent(game, network=network) for network in (training.network, rival)]
    opening = 0 if game.info.chance != "none" else _OPENING
    match = play_match(game, players, training.settings.keep_games, training.done, opening=opening)
    won = match.score > 0.5
    loser, winner = (kept, weights) if won else (weights, kept)
    loser[:] = winner
    return won


def play_against(
    game: Game, agent: "NTupleAgent | str", opponent: str, games: int, seed: int = 0, opening: int = 0
) -> MatchResult:
    """Play an agent against others that are all of one type, its partner included."""
    others = game.info.num_players - 1
    return play_match(game, [agent, *[opponent] * others], games, seed, opening=opening)


def _figures(training: NTupleTraining) -> dict[str, float]:
    told, chosen = training.report(), training.settings
    share = min(1.0, training.done / max(1, chosen.episodes))
    return {
        "error": told["mean error"],
        "moves": told["moves per game"],
        "epsilon": _scheduled(chosen.epsilon, chosen.epsilon_final, share),
        "rate": _scheduled(chosen.alpha, chosen.alpha_final, share),
    }


def _scheduled(first: float, last: float, share: float) -> float:
    """Return what the kernel uses at a share of the episodes."""
    return first * (last / first) ** share if first > 0 and last > 0 else first + (last - first) * share


def _line(training: NTupleTraining, speed: float) -> str:
    line = f"{speed:,.0f} games/s, error {training.report()['mean error']:.3f}"
    latest = {point["opponent"]: point["score"] for point in training.curve}
    return line + "".join(f", {score:.1%} against {opponent}" for opponent, score in latest.items())

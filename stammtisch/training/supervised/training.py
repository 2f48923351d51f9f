"""``run_supervised``: from files of deals to a file of networks."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.arena.match import play_match
from stammtisch.baselines.learned.jass.agent import SupervisedJass
from stammtisch.baselines.learned.jass.encodings import SIGHTS, check_game
from stammtisch.baselines.learned.jass.network import (
    DenseNetwork,
    JassNetworks,
    named_suits,
    network_from,
    on_sights,
)
from stammtisch.baselines.learned.tensor_files import named, read_tensors, under, write_tensors
from stammtisch.envs import load_game
from stammtisch.files.documents import fits
from stammtisch.files.reading import reading
from stammtisch.training.checkpoints import checkpoint_path, goes_on
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.jass.deals import Deals, read_deals, read_header, split_games
from stammtisch.training.jass.samples import CardSamples, TrumpSamples
from stammtisch.training.progress import Show
from stammtisch.training.settings import check_same_settings
from stammtisch.training.supervised.board import Board
from stammtisch.training.supervised.course import Course
from stammtisch.training.supervised.measuring import measure
from stammtisch.training.supervised.settings import Plan, SupervisedSettings, card_plan, plan_facts, trump_plan

KIND = "supervised checkpoint"
_FREE = ("threads", "tensorboard", "checkpoint_s", "eval_games", "opponent", "most_tests")
_LARGEST = (1 << 63) - 1
_SPLIT_SEED = 0  # the same games are for the test in every training on a file


def run_supervised(
    settings: SupervisedSettings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Train as ``Learner.train`` tells; ``out`` is a file, beside which a checkpoint lies from the first epoch on."""
    return SupervisedTraining(settings, out, resume, show).run()


class SupervisedTraining:
    """A training of the card network, then of the trump network."""

    def __init__(
        self,
        settings: SupervisedSettings,
        out: str | os.PathLike[str],
        resume: bool = False,
        show: Show | None = None,
    ):
        self.settings, self.out, self.show = settings, out, show
        if not settings.data:
            raise ValueError("a training needs deals: --data FILE, made by jass-data or jass-import")
        plans: dict[str, Plan | None] = {"card": card_plan(settings), "trump": trump_plan(settings)}
        self.plans = {name: plan for name, plan in plans.items() if plan is not None}
        self.game = load_game(settings.game, **settings.options)
        check_game(self.game, self.plans["card"].encoding)
        torch.set_num_threads(settings.threads)
        self.start = JassNetworks.load(settings.start) if settings.start else None
        self.deals = joined_files(settings.data)
        self.networks: dict[str, DenseNetwork] = {}
        self.history: list[dict[str, Any]] = []
        self.reports: dict[str, Any] = {}
        self.samples_seen, self.cpu_seconds = 0, 0.0
        self._resumed: tuple[str, dict[str, NDArray[Any]], dict[str, Any]] | None = None
        if goes_on(out, resume):
            self._restore()

    def run(self) -> dict[str, Any]:
        """Train to the end, or until ``show`` asks to stop."""
        board = Board(self.settings.tensorboard)
        done = sum(1 for row in self.history if row["network"] == "card")
        if done and self.show is not None:
            self.show(done, None, None, self._points())
        stopped = False
        for name in self.plans:
            if name in self.networks or stopped:
                continue
            stopped = not self._train(name, board)
        board.close()
        return self._facts(stopped)

    def _train(self, name: str, board: Board) -> bool:
        """Train one network; return whether it came to its end."""
        plan = self.plans[name]
        train, test = self._split(name, plan)
        start = None if self.start is None else self.start.parts().get(name)
        start = None if start is None else named_suits(start)
        course = Course(plan, train, self.settings.seed, start)
        if self._resumed is not None and self._resumed[0] == name:
            with reading(checkpoint_path(self.out), KIND):
                course.restore(*self._resumed[1:])
            self._resumed = None
        rng = np.random.default_rng(self.settings.seed)
        some = np.sort(rng.permutation(len(test))[: self.settings.most_tests])
        saved = time.monotonic()
        told = saved
        while not course.is_done:
            begun = time.process_time()
            course.learn()
            self.samples_seen += plan.batch
            self.cpu_seconds += time.process_time() - begun
            board.watch(name, course)
            over = course.step >= course.steps
            if over:
                board.look(name, course)
                trained = course.trained()
                loss = course.end_epoch()
                found = measure(course.network(), test, some)
                row = {"network": name, "epoch": course.epoch, "train_loss": loss, **trained}
                keys = ("loss", "mse", "accuracy", "masked", "masked_interval", "unforced", "illegal", "card_accuracy")
                row |= {key: found[key] for key in keys}
                row["test_samples"] = found["samples"]
                self.history.append(row)
                board.tell(name, row)
            now = time.monotonic()
            wants_stop = False
            is_due = over or now - saved >= self.settings.checkpoint_s
            if self.show is not None and (is_due or now - told > 1):
                told = now
                wants_stop = bool(self._tell(name, course, over))
            if is_due or wants_stop:
                saved = now
                self._save(name, course)
            if wants_stop and not course.is_done:
                self._write(name, course.network())
                return False
        network = course.network()
        self.reports[name] = {**measure(network, test, np.arange(len(test))), "train_samples": len(train)}
        self.networks[name] = network
        self._write(name, network)
        self._save(name, None)
        return True

    def _split(self, name: str, plan: Plan) -> tuple[CardSamples | TrumpSamples, CardSamples | TrumpSamples]:
        """Return samples to learn from and to be tested on; no game gives both."""
        learned, kept = split_games(self.deals, plan.test, _SPLIT_SEED)
        made: list[CardSamples | TrumpSamples] = []
        for deals, passes in ((self.deals[learned], self.settings.passes), (self.deals[kept], "all")):
            if name == "card":
                made.append(CardSamples(deals, plan.encoding))
            else:
                made.append(TrumpSamples(deals, plan.encoding, passes))
        if not len(made[1]):
            games = len(np.unique(self.deals.game))
            raise ValueError(f"of {games} games none is left for the test of the {name} network; bring more games")
        return made[0], made[1]

    def _tell(self, name: str, course: Course, over: bool) -> bool | None:
        assert self.show is not None
        share = course.step / course.steps
        line = f"{name} network, epoch {course.epoch + share:.2f} of {course.plan.epochs}"
        figures = {"loss": float(np.mean(course.losses[-200:]))} if course.losses else {}
        if self.history:
            last = self.history[-1]
            figures.setdefault("loss", last["train_loss"])
            line += f", {last['masked']:.1%} right in the test"
        points = self._points()[-1:] if over and name == "card" else []
        return self.show(1 if over and name == "card" else 0, line, figures, points)

    def _points(self) -> list[CurvePoint]:
        """Return the learning curve of the card network: how often it played the card of the test."""
        return [
            CurvePoint(
                row["epoch"], "cards of the test", row["masked"], tuple(row["masked_interval"]), row["test_samples"]
            )
            for row in self.history
            if row["network"] == "card"
        ]

    def _write(self, name: str, network: DenseNetwork) -> None:
        """Write what can play so far."""
        parts = {**self.networks, name: network}
        if "card" in parts and "trump" in parts and parts["card"].encoding == SIGHTS["card"]:
            parts["trump"] = on_sights(parts["trump"])
        if "card" in parts:
            about = {
                "settings": self.settings.to_dict(),
                "plans": {key: plan_facts(plan) for key, plan in self.plans.items()},
                "data": [_about(path) for path in self.settings.data],
                "reports": {
                    key: {k: v for k, v in report.items() if k not in ("confusion", "calibration")}
                    for key, report in self.reports.items()
                },
            }
            JassNetworks(**parts, facts=about).save(self.out)

    def _save(self, name: str, course: Course | None) -> None:
        """Write a checkpoint: what is done, and the network under way."""
        arrays: dict[str, NDArray[Any]] = {"nothing": np.zeros(1)}
        values: dict[str, Any] = {}
        if course is not None:
            found, values = course.saved()
            arrays |= named("course/", found)
        for done, network in self.networks.items():
            for place, (weight, bias) in enumerate(network.weights):
                arrays |= {f"done/{done}/{place}/weight": weight, f"done/{done}/{place}/bias": bias}
        header = {
            "kind": KIND,
            "settings": self.settings.to_dict(),
            "under_way": name if course is not None else "",
            "values": values,
            "done": {done: network.facts() for done, network in self.networks.items()},
            "history": self.history,
            "reports": self.reports,
            "seen": [self.samples_seen, self.cpu_seconds],
        }
        write_tensors(checkpoint_path(self.out), arrays, header)

    def _restore(self) -> None:
        arrays, header = read_tensors(checkpoint_path(self.out), KIND)
        with reading(checkpoint_path(self.out), KIND):
            check_same_settings(header["settings"], self.settings.to_dict(), _FREE)
            for done, told in header["done"].items():
                network = network_from(done, told, under("done/", arrays))
                plan = self.plans[done]
                if network.layers != tuple(plan.layers):
                    raise ValueError(f"its network for the {done} is another one than is asked for")
                self.networks[done] = network
            self.history = [_checked_row(row, self.plans) for row in header["history"]]
            self.reports = _checked_reports(header["reports"], self.networks)
            self.samples_seen, self.cpu_seconds = header["seen"]
            if not fits(self.samples_seen, int) or not fits(self.cpu_seconds, float):
                raise ValueError("its counts are something else")
            if header["under_way"]:
                if header["under_way"] not in self.plans or header["under_way"] in self.networks:
                    raise ValueError(f"it was learning {header['under_way']!r}")
                self._resumed = header["under_way"], under("course/", arrays), header["values"]

    def _facts(self, stopped: bool) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "file": str(self.out),
            "stopped": stopped,
            "deals": len(self.deals),
            "networks": {name: network.facts() for name, network in self.networks.items()},
            "reports": self.reports,
            "history": self.history,
            "samples_per_cpu_second": self.samples_seen / max(self.cpu_seconds, 1e-9),
            "cpu_seconds": self.cpu_seconds,
            "unit": "epochs",
            "curve": [asdict(point) for point in self._points()],
        }
        if self.settings.eval_games and not stopped:
            facts["match"] = self._match()
        return facts

    def _match(self) -> dict[str, Any]:
        """Play against the opponent, every deal twice with seats exchanged."""
        networks = JassNetworks(self.networks["card"], self.networks.get("trump"))
        agent = SupervisedJass.of(self.game, networks, seed=0)
        played = play_match(self.game, [agent, self.settings.opponent], self.settings.eval_games, self.settings.seed)
        return {
            "opponent": self.settings.opponent,
            "games": played.games,
            "score": played.score,
            "points": played.mean_return * 100,
            "points_interval": [edge * 100 for edge in played.return_ci95],
        }


def joined_files(paths: Sequence[str]) -> Deals:
    """Read deals of several files; games keep apart.

    Raises:
        BadFile: one of them cannot be read.
    """
    parts: list[Deals] = []
    begin = 0
    for path in paths:
        deals = read_deals(path)
        shifted = deals.game.astype(np.uint64) + np.uint64(begin)  # numbers may be as large as there are
        deals.game[:] = (shifted & np.uint64(_LARGEST)).astype(np.int64)
        begin = (int(deals.game.max()) + 1) & _LARGEST if len(deals) else begin
        parts.append(deals)
    return Deals.joined(parts)


_ROW: dict[str, Any] = {"epoch": int, "train_loss": float, "masked": float, "masked_interval": list[float]}
_ROW |= {"test_samples": int}


def _checked_row(row: Any, plans: Mapping[str, Plan]) -> dict[str, Any]:
    """Return an epoch that a checkpoint tells of, if it is one."""
    if (
        not isinstance(row, dict)
        or row.get("network") not in plans
        or not all(fits(row.get(name), kind) for name, kind in _ROW.items())
        or len(row["masked_interval"]) != 2
    ):
        raise ValueError("it tells of an epoch that there cannot be")
    return row


def _checked_reports(reports: Any, networks: Mapping[str, DenseNetwork]) -> dict[str, Any]:
    """Return what a checkpoint tells of networks that are done."""
    if not fits(reports, dict[str, dict[str, Any]]) or set(reports) != set(networks):
        raise ValueError("it does not tell of the networks that are done")
    found: dict[str, Any] = reports
    return found


def _about(path: str) -> dict[str, Any]:
    """Return what a file says about its deals, without what it takes long to read."""
    header = read_header(path)
    return {"file": os.path.basename(path), **{k: header.get(k) for k in ("deals", "teacher", "seed", "synthetic")}}

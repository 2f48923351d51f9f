"""A results file as a suite: what was played, whoever played it, with the ratings and the report of any suite."""

import json
from dataclasses import replace

from stammtisch.arena.match import MatchResult, Progress, count, groups_of
from stammtisch.arena.ratings import Rating, fit_elo
from stammtisch.arena.store import Store
from stammtisch.benchmarks.suites.entries import TournamentEntry
from stammtisch.benchmarks.suites.run import SuiteResult
from stammtisch.benchmarks.suites.suite import Suite


def stored_suite(store: Store, name: str, progress: Progress | None = None) -> SuiteResult:
    """Return all matches of a results file, those of one game and its options rated together.

    Args:
        store: the file.
        name: title of the report.
        progress: called with the number of games read since the last call.
    """
    by_game: dict[str, list[MatchResult]] = {}
    for plan in store.plans():
        if len(set(plan.agents)) > 1:
            records = store.games_of(plan)
            if not len(records):
                continue
            played = replace(plan, games=len(records))
            key = json.dumps([plan.game, plan.options], sort_keys=True)
            seconds = sum(sum(record.seconds) for record in records)
            by_game.setdefault(key, []).append(count(played, records, seconds))
            if progress is not None:
                progress(len(records))
    if not by_game:
        raise ValueError(f"{store.path} holds no games between different agents")
    tournaments = [_rated(matches) for matches in by_game.values()]
    seconds = sum(match.seconds for _, matches, _ in tournaments for match in matches)
    about = f"Every match in {store.path.name}."
    suite = Suite(name, name, about, 0, tuple(tournament for tournament, _, _ in tournaments))
    return SuiteResult(suite, tournaments, [], [], seconds)


def _rated(matches: list[MatchResult]) -> tuple[TournamentEntry, list[MatchResult], list[Rating]]:
    agents = tuple(dict.fromkeys(name for match in matches for name in match.agents))
    games = sum(match.games for match in matches)
    tournament = TournamentEntry(matches[0].game, agents, games, options=matches[0].options)
    played = {name: sum(match.games for match in matches if name in match.agents) for name in agents}
    ratings = [replace(rating, games=played[rating.name]) for rating in fit_elo(groups_of(matches))]
    return tournament, matches, ratings

"""One game of a match in words, with what the agents thought."""

from collections.abc import Iterator

from stammtisch.arena.match import MatchResult
from stammtisch.arena.plan import game_streams, seatings
from stammtisch.arena.play import states_of
from stammtisch.baselines import load_agent
from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game

_SHOWN_ACTIONS = 4


def narrate(game: Game, result: MatchResult) -> Iterator[str]:
    """Tell the first game of a match move by move; search agents are asked again and explain themselves."""
    record = result.records[0]
    group = len(seatings(game, len(result.agents)))
    streams = game_streams(result.seed, group, game.info.num_players, [record.number])[0]
    agents = [load_agent(result.agents[who], game) for who in record.seating]
    for seat, agent in enumerate(agents):
        agent.take_stream(streams, seat)
    before = None
    for state, text in states_of(game, record, result.seed, len(result.agents)):
        if before is not None and before.player != CHANCE:
            agent = agents[before.player]
            thought = ""
            if isinstance(agent, SearchAgent) and not agent.CHEATS:
                found = agent.act(before.view(before.player), explain=True)
                ranked = sorted(range(len(found.actions)), key=lambda i: -found.visits[i])[:_SHOWN_ACTIONS]
                thought = "; ".join(
                    f"{before.action_text(int(found.actions[i]))} {found.values[i]:+z.2f} ({found.visits[i]})"
                    for i in ranked
                )
            yield f"{text} [{agent.spec}] {thought}".rstrip()
        elif text:
            yield text
        before = state
        if state.player == TERMINAL:
            yield str(state)
            yield "returns " + " ".join(f"{value:+g}" for value in state.returns())

"""Players: those of this package by name."""

from stammtisch.envs.core.agents import AGENTS, MODELS, AgentEntry, agent_class, load_agent

__all__ = ["AGENTS", "AgentEntry", "agent_class", "load_agent"]

_POLICY = "stammtisch.baselines.policy:PolicyAgent"

AGENTS.update(
    {
        "champion": AgentEntry(
            "stammtisch.baselines.frozen:Champion", "the strongest player that ships with each game; needs no file"
        ),
        "ladder": AgentEntry(
            "stammtisch.baselines.frozen:LadderPlayer",
            "a rung of the frozen ladder of each game, by rating: ladder-1, ladder-2, …",
            is_numbered=True,
        ),
        "random": AgentEntry(_POLICY, "plays a legal action at random", {"policy": "random"}),
        "heuristic": AgentEntry(_POLICY, "the reference bot of each game", {"policy": "heuristic"}),
        "greedy": AgentEntry(
            _POLICY, "Jass: takes the trick when it can, leaves it where points are unwanted", {"policy": "greedy"}
        ),
        "strong": AgentEntry(_POLICY, "Mühle: the reference bot with more features", {"policy": "strong"}),
        "minimax": AgentEntry(
            "stammtisch.baselines.search.minimax:Minimax", "plain minimax to a fixed depth, expectimax at dice"
        ),
        "alphabeta": AgentEntry(
            "stammtisch.baselines.search.alphabeta:AlphaBeta", "alpha-beta search, with the Star cuts at dice"
        ),
        "maxn": AgentEntry(
            "stammtisch.baselines.search.maxn:MaxN", "max^n search: everyone for itself, for more than two players"
        ),
        "rote": AgentEntry(
            "stammtisch.baselines.search.rote:Rote", "alpha-beta search with a table learned by self-play"
        ),
        "ntuple": AgentEntry(
            "stammtisch.baselines.learned.ntuple.agent:NTupleAgent", "plays by a learned n-tuple network"
        ),
        "mc": AgentEntry(
            "stammtisch.baselines.search.mc:FlatMonteCarlo", "flat Monte Carlo: simulates every legal action"
        ),
        "mcts": AgentEntry("stammtisch.baselines.search.mcts:TreeSearch", "Monte Carlo tree search (UCT)"),
        "mctse": AgentEntry(
            "stammtisch.baselines.search.mctse:ExpectimaxTreeSearch", "Monte Carlo tree search for dice games"
        ),
        "pimc": AgentEntry(
            "stammtisch.baselines.search.pimc:WorldSampling", "hidden cards: votes over many deals of them"
        ),
        "ismcts": AgentEntry(
            "stammtisch.baselines.search.ismcts:InformationSetSearch",
            "hidden cards: tree search with a new deal every time",
        ),
        "perfect": AgentEntry(
            "stammtisch.baselines.search.perfect:Perfect", "plays by the oracle wherever a game is solved"
        ),
        "cheater": AgentEntry(
            "stammtisch.baselines.search.cheater:Cheater", "Jass: sees all cards; the upper limit, only for measuring"
        ),
        "engine": AgentEntry(
            "stammtisch.baselines.engines.agent:EngineAgent",
            "an outside engine: engine:gtp,command=…, also nboard, mill, spiel and text",
        ),
        "dqn": AgentEntry(
            "stammtisch.baselines.learned.dqn:DeepQ", "deep Q-learning, in Mühle with a network per phase: dqn:FILE"
        ),
        "alphazero": AgentEntry(
            "stammtisch.baselines.learned.alphazero.agent:AlphaZero",
            "tree search by a policy and value network: alphazero:FILE",
        ),
        "rl-jass": AgentEntry(
            "stammtisch.baselines.learned.jass.sighted:SightedPlayer",
            "Schieber Jass: networks that learned by playing, those that ship or rl-jass:FILE",
        ),
        "supervised": AgentEntry(
            "stammtisch.baselines.learned.jass.agent:SupervisedJass",
            "Schieber Jass: networks that learned from deals: supervised:FILE",
        ),
        "sb3": AgentEntry(
            "stammtisch.baselines.learned.sb3:SavedModelAgent", "a model trained with Stable-Baselines3: sb3:FILE"
        ),
    }
)
MODELS["stable_baselines3.common.base_class:BaseAlgorithm"] = "stammtisch.baselines.learned.sb3:ModelAgent"

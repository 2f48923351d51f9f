"""Players by a policy and value network with tree search: the networks, their back ends, files and the agent."""

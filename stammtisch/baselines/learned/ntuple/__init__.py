"""N-tuple networks: tuple sets, the network and its file, and the agent."""

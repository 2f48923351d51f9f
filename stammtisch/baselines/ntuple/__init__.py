"""TD n-tuple learning: tuple sets, the network and its file, training, and the agent."""

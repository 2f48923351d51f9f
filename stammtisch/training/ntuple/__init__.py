"""TD learning of n-tuple networks by self-play."""

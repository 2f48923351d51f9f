"""Deep Q-learning by self-play."""

"""Training of players: Stable-Baselines3 with masks and self-play, and the deep-Q learner of Mühle."""

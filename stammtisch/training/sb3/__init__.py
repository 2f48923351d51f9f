"""Self-play with Stable-Baselines3."""

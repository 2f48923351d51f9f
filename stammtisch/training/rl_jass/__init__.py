"""Schieber Jass by reinforcement: a strong learner from nothing, hybrids, and the experiments of the JassBot thesis."""

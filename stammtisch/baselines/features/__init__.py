"""What value learners look at: one source per room, executed by the loader on the rules of a game."""

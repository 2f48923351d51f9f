"""Players that look ahead: they need a game's rules and at most an evaluation."""

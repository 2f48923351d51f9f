"""How Jass players play, beyond their results."""

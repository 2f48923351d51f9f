"""Bridges: outside engines as agents, and our agents as engines in other people's arenas."""

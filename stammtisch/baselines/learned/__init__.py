"""Players that were trained: what they have learned is in a file."""

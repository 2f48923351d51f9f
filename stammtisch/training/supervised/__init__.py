"""``train supervised``: networks of Schieber from deals that others played."""

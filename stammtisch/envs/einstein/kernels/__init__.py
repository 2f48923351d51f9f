"""Kernel sources of this room: the loader executes them once per variant."""

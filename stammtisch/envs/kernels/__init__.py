"""Kernel families of stepping; each file is executed once per game by the loader, never imported."""

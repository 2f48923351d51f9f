"""Kernel families of search and learning; each file is executed once per game by the loader, never imported."""

"""Wrappers that change an environment without knowing its game; one wrapper per file."""

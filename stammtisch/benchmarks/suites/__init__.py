"""Suites: the shipped TOML files, how they are read, and how they are run."""

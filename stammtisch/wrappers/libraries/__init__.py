"""Adapters to other libraries, each with its masked networks; they need the library."""

"""Tianshou."""

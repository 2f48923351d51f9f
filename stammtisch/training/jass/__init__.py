"""Deals of Schieber to learn from: their file, where they come from, and what is made of them."""

"""Coiffeur Jass."""

"""Differenzler and Molotow, in which everyone plays alone."""

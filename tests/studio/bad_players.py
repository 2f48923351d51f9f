"""Players that no program should have to live with."""

import os
import time

import stammtisch


class Crashing(stammtisch.Agent):
    """Takes its whole process along."""

    def __init__(self, game, seed=None, spec="", **options):
        os._exit(3)


class Hanging(stammtisch.Agent):
    """Never comes back."""

    def __init__(self, game, seed=None, spec="", **options):
        while True:
            time.sleep(1)


class Raising(stammtisch.Agent):
    """Breaks off with an error of its own."""

    def __init__(self, game, seed=None, spec="", **options):
        raise ZeroDivisionError("nothing to share")

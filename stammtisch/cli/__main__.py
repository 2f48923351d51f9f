"""``python -m stammtisch.cli``."""

from stammtisch.cli import main

main()

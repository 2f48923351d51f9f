"""Connect Four, a game that stammtisch can play. Nothing here is imported before the game is used."""

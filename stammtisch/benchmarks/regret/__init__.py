"""How much value players lose against perfect play, where the oracle of a game knows it."""

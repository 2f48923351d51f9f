"""Players of Schieber by networks that look at cards: one for the mode, one for the cards."""

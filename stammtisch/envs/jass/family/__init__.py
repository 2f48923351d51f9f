"""What all Jass games share: cards, tricks, melds, views, text and pictures."""

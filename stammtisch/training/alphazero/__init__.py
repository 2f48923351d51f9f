"""AlphaZero: self-play by tree search, and a network that learns what the search found."""

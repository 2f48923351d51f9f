"""Games between players: plans, engines that play them, records, ratings, and results that last."""

"""Mühle: nine men's morris, and its relatives with three, six and twelve men."""

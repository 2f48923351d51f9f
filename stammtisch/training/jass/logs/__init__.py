"""Logs of Schieber in the formats of others: read, checked card by card, and written."""

"""The promise every game keeps: ``Game``, ``State``, ``View``, random streams and the kernel loader."""

"""Sources that the loader executes for learners."""

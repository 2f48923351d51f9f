"""How fast everything is, in races against other packages."""

"""Play: the page of the tables."""

from stammtisch.studio.desk import Page

PAGE = Page("play", order=10)

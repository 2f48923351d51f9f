"""The page that validates models against each other: all it asks for are jobs."""

from stammtisch.studio.desk import Page

PAGE = Page("validate", order=45)

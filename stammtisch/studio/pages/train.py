"""The page that trains models, with live charts: all it asks for are jobs."""

from stammtisch.studio.desk import Page

PAGE = Page("train", order=40)

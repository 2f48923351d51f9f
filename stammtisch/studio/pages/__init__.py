"""The pages of the studio: every module here that has a ``PAGE`` is one."""

import importlib
import pkgutil

from stammtisch.studio.desk import Page


def all_pages() -> list[Page]:
    """Return the pages in the order of the navigation."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        page = getattr(importlib.import_module(f"{__name__}.{module.name}"), "PAGE", None)
        if isinstance(page, Page):
            found.append(page)
    return sorted(found, key=lambda page: (page.order, page.name))

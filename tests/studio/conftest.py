"""One studio and one browser for all tests that only need some."""

from collections.abc import Iterator

import pytest

from tests.studio.browser import Browser, find_chromium
from tests.studio.serving import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    studio = Served(tmp_path_factory.mktemp("studio") / "data")
    yield studio
    studio.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine; Debian has it in the package chromium")
    made = Browser()
    yield made
    made.close()

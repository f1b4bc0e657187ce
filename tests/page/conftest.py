"""What the tests in a real browser share: the service as a process, and Chromiums that are watched.

Whatever a test does, at its end no page or worker has asked another host for anything, and the console holds no error,
no uncaught exception and no violation of the page's policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.browser.chromium import Chromium, missing_programs
from scripts.browser.served import Service

AXE = Path(__file__).parents[2] / ".venv/page-tools/node_modules/axe-core/axe.min.js"
"""The rules of accessibility, which scripts/page-tools installs."""
VIOLATIONS = """
return axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))
"""

ServiceMaker = Callable[..., Service]
BrowserMaker = Callable[..., Chromium]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[ServiceMaker]:
    """Return a function that starts a service with these settings on a database of the test's own."""
    made: list[Service] = []

    def make(**settings: object) -> Service:
        made.append(Service(tmp_path, **settings))
        return made[-1]

    yield make
    for service in made:
        service.kill()


@pytest.fixture
def service(make_service: ServiceMaker) -> Service:
    """Return a service with the settings of a shop that has set nothing."""
    return make_service()


@pytest.fixture
def make_unwatched(tmp_path: Path) -> Iterator[BrowserMaker]:
    """Return a function that starts a Chromium with more flags, as one of several devices; each keeps its profile."""
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    made: list[Chromium] = []

    def make(*flags: str, language: str = "en-GB", device: str = "device") -> Chromium:
        made.append(Chromium(tmp_path / device, *flags, language=language))
        return made[-1]

    yield make
    for browser in made:
        browser.close()


@pytest.fixture
def make_browser(make_unwatched: BrowserMaker) -> Iterator[BrowserMaker]:
    """Return the function that starts a Chromium, which is watched to its end."""
    made: list[Chromium] = []

    def make(*flags: str, **options: str) -> Chromium:
        made.append(make_unwatched(*flags, **options))
        return made[-1]

    yield make
    for browser in made:
        browser.close()
        assert_faultless(browser)


@pytest.fixture
def browser(make_browser: BrowserMaker) -> Chromium:
    """Return a Chromium in English."""
    return make_browser()


@pytest.fixture
def inaccessible() -> Callable[[Chromium], list[Any]]:
    """Return a function that returns what axe finds wrong with the view that a browser shows: each rule, and where."""
    if not AXE.is_file():
        pytest.skip("axe is not installed; run scripts/page-tools")
    rules = AXE.read_text("utf-8")

    def found(browser: Chromium) -> list[Any]:
        browser.run(rules)
        violations: list[Any] = browser.run(VIOLATIONS)
        return violations

    return found


def assert_faultless(browser: Chromium) -> None:
    """Assert that a browser that was closed asked only the pages' own origins, and that their console is clean."""
    foreign = [
        request
        for request in browser.net_log().requests
        if request.initiator and not request.url.startswith((f"{request.initiator}/", "blob:", "data:"))
    ]
    assert foreign == []
    assert browser.faults() == []

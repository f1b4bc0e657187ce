"""Fixtures of the tests in a real browser: the service in a separate process, and Chromiums that are watched.

At the end of every test, no page or worker has sent a request to another host, and the console contains no error, no
uncaught exception and no violation of the page's policy.
"""

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts import page_packages
from tests.browser.chromium import CHROMIUM, HEADLESS_SHELL, Chromium, SharedChromium, missing_programs, started
from tests.browser.kept_settings import keep_settings
from tests.page.scanning import made
from tests.served import Service
from tests.servers.label_printer import LabelPrinter

AXE = Path(__file__).parents[2] / ".venv/page-tools/node_modules/axe-core/axe.min.js"
"""The rules of accessibility, which scripts/node-tools installs."""
VIOLATIONS = """
return axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))
"""

PEN = "4006381333931"


@pytest.fixture(scope="session", autouse=True)
def _library() -> None:
    """Fetch the web app's packages if those of this checkout are of other releases, as `scripts/setup` would."""
    page_packages.fetch()


ServiceMaker = Callable[..., Service]
BrowserMaker = Callable[..., Chromium]
Findings = Callable[[Chromium], list[Any]]


@pytest.fixture
def make_service(tmp_path: Path, migrated_file: Path) -> Iterator[ServiceMaker]:
    """Return a function that starts a service with these settings on a database without products."""
    made: list[Service] = []
    shutil.copy(migrated_file, tmp_path / "shop.db")

    def make(**settings: object) -> Service:
        made.append(Service(tmp_path, **settings))
        return made[-1]

    yield make
    for service in made:
        service.kill()


@pytest.fixture
def service(make_service: ServiceMaker) -> Service:
    """Return a service with default settings."""
    return make_service()


@pytest.fixture
def printer() -> Iterator[LabelPrinter]:
    """Return a simulated printer, which runs in a thread."""
    simulated, begun, ended = LabelPrinter(), threading.Event(), threading.Event()

    async def run() -> None:
        async with simulated.running():
            begun.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert begun.wait(10)
    yield simulated
    ended.set()
    thread.join(10)


@pytest.fixture
def shop(make_service: ServiceMaker, printer: LabelPrinter) -> Service:
    """Return a service with a printer, `zebra`, and a product, `PEN`."""
    service = make_service(printers=f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203")
    made(service, PEN)
    return service


@pytest.fixture(scope="module")
def lasting_service(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> Iterator[Service]:
    """Return a service for all tests of a module, which assert only about their own products; it has no limits."""
    folder = tmp_path_factory.mktemp("shop")
    shutil.copy(migrated_file, folder / "shop.db")
    service = Service(folder, rate_limit="off")
    yield service
    service.kill()


@pytest.fixture(scope="session")
def shared_chromiums(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], SharedChromium]]:
    """Return a function that returns the process of a program that has the fresh contexts of a language."""
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    made: dict[tuple[str, str], SharedChromium] = {}

    def shared(language: str, program: str) -> SharedChromium:
        if (language, program) not in made:
            made[language, program] = SharedChromium(tmp_path_factory.mktemp("chromium"), language, program)
        return made[language, program]

    yield shared
    for chromium in made.values():
        chromium.close()


@pytest.fixture
def program(request: pytest.FixtureRequest) -> str:
    """Return the browser of fresh contexts: Chromium itself for a test that is marked `whole_chromium`."""
    return CHROMIUM if request.node.get_closest_marker("whole_chromium") else HEADLESS_SHELL


@pytest.fixture
def make_unwatched(
    tmp_path: Path, program: str, shared_chromiums: Callable[[str, str], SharedChromium]
) -> Iterator[BrowserMaker]:
    """Return a function that returns a fresh browser context, or starts a Chromium where its options need one.

    Those are flags, preferences, and the name of a device, which keeps its profile. The page of an `author` has this
    name, and does not ask for it.
    """
    made: list[Chromium] = []

    def make(*flags: str, language: str = "en-GB", device: str = "", author: str = "Ann", **options: Any) -> Chromium:
        if flags or device or options:
            made.append(started(tmp_path / (device or "device"), *flags, language=language, **options))
        else:
            made.append(shared_chromiums(language, program).fresh())
        if author:
            keep_settings(made[-1], author=author)
        return made[-1]

    yield make
    for browser in made:
        browser.close()


@pytest.fixture
def make_browser(make_unwatched: BrowserMaker) -> Iterator[BrowserMaker]:
    """Return the same function for browsers that are watched to their end."""
    made: list[Chromium] = []

    def make(*flags: str, **options: Any) -> Chromium:
        made.append(make_unwatched(*flags, **options))
        return made[-1]

    yield make
    for browser in made:
        browser.close()
        assert_faultless(browser)


@pytest.fixture
def browser(make_browser: BrowserMaker) -> Chromium:
    """Return a fresh browser in English."""
    return make_browser()


@pytest.fixture
def inaccessible() -> Findings:
    """Return a function that returns axe's findings for the view in a browser: each rule, and where."""
    if not AXE.is_file():
        pytest.skip("axe is not installed; run scripts/node-tools")
    rules = AXE.read_text("utf-8")

    def found(browser: Chromium) -> list[Any]:
        browser.run(rules)
        violations: list[Any] = browser.run(VIOLATIONS)
        return violations

    return found


def assert_faultless(browser: Chromium) -> None:
    """Assert that a closed browser sent requests only to the pages' own origins, and that its console is clean."""
    foreign = [
        request
        for request in browser.net_log().requests
        if request.initiator and not request.url.startswith((f"{request.initiator}/", "blob:", "data:"))
    ]
    assert foreign == []
    assert browser.faults() == []

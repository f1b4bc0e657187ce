"""Fixtures for all tests: settings, a clock that tests control, the database, a client over real HTTP."""

import asyncio
import gc
import os
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from barcodesvc.api.keys import API_DOCUMENT, SETTINGS
from barcodesvc.api.server import ServiceRunner
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from tests import properties
from tests.api.described import DescribedResponse
from tests.engines import ENGINES, GIVEN_SERVER, FilePlaces, Place, Places, ServerPlaces, in_thread, migrated
from tests.fixture_types import Client, ClientMaker
from tests.servers.closing import ClosingServer
from tests.servers.postgres import programs, running_postgres

JSON_HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"
"""The head fields of a JSON request on a bare socket, except its length."""
NOON = 1_700_000_000.0
"""2023-11-14T22:13:20Z, the start of the tests' clock."""
MEASURED_CASES = 2
"""Cases of each test for which coverage is measured; further ones sweep the same lines."""
MEASURED_TWICE = ("tests/store/", "tests/replicas/")
"""Tests that are measured on PostgreSQL too; the others would run the lines of the API again."""
UNMEASURED = ("tests/page/", "tests/process/", "tests/examples/")
"""Tests whose service is a separate process, which coverage does not see."""


class Server(ClosingServer):
    """A test server whose handlers continue after a disconnect, as in production, unless a test overrides it."""

    handler_cancellation = False

    async def _make_runner(self, **options: Any) -> web.BaseRunner:
        # the time in which the rest of a refused body is discarded: the end of a test waits for it
        changed = {"handler_cancellation": self.handler_cancellation, "lingering_time": 0.5}
        runner = ServiceRunner if SETTINGS in self.app else web.AppRunner
        return runner(self.app, **{**options, **changed})


@pytest.fixture
def handler_cancellation() -> bool:
    """Return whether a handler is cancelled with its client; a test may request either."""
    return False


@pytest.fixture
def aiohttp_client_cls(handler_cancellation: bool) -> Callable[..., Client]:  # noqa: FBT001 - fixtures have no keywords
    """Return the class of pytest-aiohttp's clients."""

    def make(server: TestServer, **options: Any) -> Client:
        served = Server(server.app)
        served.handler_cancellation = handler_cancellation
        checked: dict[str, Any] = {"response_class": DescribedResponse} if API_DOCUMENT in server.app else {}
        return TestClient(served, **{**checked, **options})

    return make


@dataclass
class StandingClock:
    """A clock that a test advances by hand; both of its readings are in seconds."""

    now: float = NOON

    def clock(self) -> Clock:
        """Return the Clock to pass to the code under test."""
        return Clock(wall=lambda: self.now, steady=lambda: self.now)

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds


@pytest.fixture
def standing_clock() -> StandingClock:
    """Return the clock that the client's service reads."""
    return StandingClock()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of engines."""
    described = "where the tests keep their databases; with `each`, those marked each_engine run on both"
    parser.addoption("--engine", choices=(*ENGINES, "each"), default="sqlite", help=described)
    extents = [each.name.lower() for each in properties.Extent]
    further = "with `full`, properties draw all examples, and tests marked full_run are not skipped"
    parser.addoption("--extent", choices=extents, default="brief", help=further)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the number of examples before any test is imported."""
    properties.choose(properties.Extent[config.getoption("extent").upper()])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on the chosen engines: on PostgreSQL only if it is marked, and uses no SQLite file."""
    chosen = metafunc.config.getoption("engine")
    names = metafunc.fixturenames
    is_marked = metafunc.definition.get_closest_marker("each_engine") is not None
    if chosen == "sqlite" or not is_marked or "engine" not in names or "database_file" in names:
        return
    on_postgres = pytest.param("postgres", marks=pytest.mark.on_postgres)
    metafunc.parametrize("engine", ["sqlite", on_postgres] if chosen == "each" else [on_postgres], scope="session")


@pytest.hookimpl(trylast=True)  # after hypothesis's hook, which marks its tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the tests that run on the engine, and those of them that are measured."""
    if config.getoption("engine") == "postgres":
        config.hook.pytest_deselected(items=[item for item in items if not item.get_closest_marker("on_postgres")])
        items[:] = [item for item in items if item.get_closest_marker("on_postgres")]
    if config.getoption("extent") == "brief":
        _skip_full_run(items, {Path(argument.partition("::")[0]).resolve() for argument in config.args})
    _measure_first_cases(items)


def _skip_full_run(items: list[pytest.Item], named: set[Path]) -> None:
    """Leave to the full run what is slow and rarely affected or covered otherwise, unless its file is named."""
    skipped = pytest.mark.skip(reason="belongs to the full run: --extent=full, or name its file")
    for item in items:
        if item.get_closest_marker("full_run") and item.path not in named:
            item.add_marker(skipped)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collections, which take a tenth of the time otherwise."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print where the time of all processes went: seconds and cases by folder of tests/."""
    cases: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for report in chain(*terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport) and not report.skipped:
            folder = report.nodeid.partition("::")[0].rpartition("/")[0]
            cases[folder] += report.when == "call"
            seconds[folder] += report.duration  # type: ignore[assignment]  # seconds count in fractions
    terminalreporter.section("time by folder")
    for folder, spent in seconds.most_common():
        terminalreporter.write_line(f"{spent:8.1f} s {cases[folder]:6} cases  {folder}")


def _measure_first_cases(items: list[pytest.Item]) -> None:
    """Measure coverage only where it can grow: measuring nearly doubles the time."""
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        is_again = item.get_closest_marker("on_postgres") is not None and not test.startswith(MEASURED_TWICE)
        if cases[test] > MEASURED_CASES or is_again or "hypothesis" in item.keywords or test.startswith(UNMEASURED):
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def engine() -> str:
    """Return the name of the test's engine, unless pytest_generate_tests has chosen one."""
    return "sqlite"


@pytest.fixture(scope="session")
def postgres() -> Iterator[ServerPlaces]:
    """Return places on a PostgreSQL server, or skip if none is configured or installed."""
    if not GIVEN_SERVER and programs() is None:
        pytest.skip("PostgreSQL is not installed; install it, or name a server in BARCODESVC_TEST_POSTGRES")
    with ExitStack() as running:
        address = GIVEN_SERVER or running.enter_context(running_postgres()).address()
        places = ServerPlaces(address)
        running.enter_context(places.migrated())
        yield places


@pytest.fixture(scope="session")
def file_places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """Return a factory of SQLite files."""
    return FilePlaces(tmp_path_factory.mktemp("places"))


@pytest.fixture
def places(engine: str, request: pytest.FixtureRequest) -> Places:
    """Return a factory of databases on the test's engine, in addition to the test's own.

    It is chosen anew for each test, because tests of both engines alternate.
    """
    made: Places = request.getfixturevalue("postgres" if engine == "postgres" else "file_places")
    return made


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a migrated database without products; a copy of it costs half of a new one."""
    file = tmp_path_factory.mktemp("migrated") / "template.db"
    in_thread(migrated(file))
    return file


@pytest.fixture
def place(engine: str, places: Places, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return the place of the test's own database, which is migrated unless the test asks for the file itself."""
    file = tmp_path / "test.db"
    if engine == "sqlite":
        if "database_file" not in request.fixturenames:
            shutil.copy(request.getfixturevalue("migrated_file"), file)
        yield file
        return
    with places.one() as made:
        yield made


@pytest.fixture
def database_file(engine: str, tmp_path: Path) -> Path:
    """Return the path of the database's file, for features of SQLite; opening the database creates it."""
    assert engine == "sqlite"
    return tmp_path / "test.db"


@pytest.fixture
def settings(place: Place) -> Settings:
    """Return settings with the test's own database and without rate limits."""
    return Settings(database=place, rate_limit=None, upload_rate_limit=None)


@pytest.fixture
async def make_client(
    aiohttp_client: Callable[[web.Application], Awaitable[Client]], settings: Settings, standing_clock: StandingClock
) -> ClientMaker:
    """Return a function that starts the service with changed settings and returns a client."""

    async def make(**changes: Any) -> Client:
        changed = Settings(**{**settings.model_dump(), **changes})
        return await aiohttp_client(make_app(changed, standing_clock.clock()))

    return make


@pytest.fixture
async def client(make_client: ClientMaker) -> Client:
    """Return a client of the service with the test's settings."""
    return await make_client()


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    """Return the open database without a service."""
    async with open_database(settings.database) as opened:
        yield opened


@pytest.fixture
async def threads() -> AsyncIterator[WorkerThreads]:
    """Return two threads for work on files."""
    threads = WorkerThreads("files", 2)
    yield threads
    await threads.close()


@pytest.fixture(scope="session")
def catalogue_data() -> Path:
    """Return the folder with the real catalogues, or skip if it is missing."""
    shared = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CATALOGUE_DATA", shared))
    if not (folder / "catalogue.xlsx").exists():
        pytest.skip("the real catalogues are not here; name their folder in CATALOGUE_DATA")
    return folder


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Return a function that waits for a condition, at most ten seconds."""

    async def wait(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10.0):
            while not condition():  # noqa: ASYNC110 - what is waited for lies in the service, which sends no event
                await asyncio.sleep(0.001)

    return wait

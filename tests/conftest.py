"""What every test may ask for: settings, a clock that stands still, the database, a client over real HTTP."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from barcodesvc.api.connections import ServiceRunner
from barcodesvc.api.keys import API_DOCUMENT, SETTINGS
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from scripts.servers.postgres import programs, running_postgres
from tests.api.described import DescribedResponse
from tests.engines import ENGINES, GIVEN_SERVER, FilePlaces, Place, Places, ServerPlaces

Client = TestClient[web.Request, web.Application]
ClientMaker = Callable[..., Awaitable[Client]]

JSON_HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"
"""What a request with a JSON body says on a bare socket, beside its length."""
NOON = 1_700_000_000.0
"""2023-11-14T22:13:20Z, where the tests' clock begins."""
MEASURED_CASES = 10
"""Cases of each test under which coverage is measured; behind them come sweeps of the same lines."""


class Server(TestServer):
    """A test server whose handlers go on when their client has left, as served for real, unless a test asks."""

    handler_cancellation = False

    async def _make_runner(self, **options: Any) -> web.BaseRunner:
        # for how long the rest of a refused body is thrown away: a test's end waits for it
        changed = {"handler_cancellation": self.handler_cancellation, "lingering_time": 0.5}
        runner = ServiceRunner if SETTINGS in self.app else web.AppRunner
        return runner(self.app, **{**options, **changed})


@pytest.fixture
def handler_cancellation() -> bool:
    """Return whether a handler ends with its client; a test may ask for both."""
    return False


@pytest.fixture
def aiohttp_client_cls(handler_cancellation: bool) -> Callable[..., Client]:  # noqa: FBT001 - fixtures have no keywords
    """Return what pytest-aiohttp makes clients with."""

    def make(server: TestServer, **options: Any) -> Client:
        served = Server(server.app)
        served.handler_cancellation = handler_cancellation
        checked: dict[str, Any] = {"response_class": DescribedResponse} if API_DOCUMENT in server.app else {}
        return TestClient(served, **{**checked, **options})

    return make


@dataclass
class StandingClock:
    """A clock that a test sets forward by hand; both of its readings are in seconds."""

    now: float = NOON

    def clock(self) -> Clock:
        """Return the Clock to hand in."""
        return Clock(wall=lambda: self.now, steady=lambda: self.now)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


@pytest.fixture
def standing_clock() -> StandingClock:
    """Return the clock that the client's service reads."""
    return StandingClock()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch between the engines."""
    parser.addoption("--engine", choices=ENGINES, default=ENGINES[0], help="where the tests keep their databases")


@pytest.hookimpl(trylast=True)  # behind the one of hypothesis, which marks its tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose what runs on the engine, and what of that is measured."""
    if config.getoption("engine") != ENGINES[0]:
        _leave_out_what_asks_for_no_database(config, items)
    _measure_first_cases(items)


def _leave_out_what_asks_for_no_database(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run on another engine only what asks for a database: everything else is the same on each, and runs on SQLite."""
    asking = [item for item in items if "engine" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=[*set(items).difference(asking)])
    items[:] = asking


def _measure_first_cases(items: list[pytest.Item]) -> None:
    """Measure coverage by the first cases of each test alone: what is measured takes nearly twice the time."""
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        if cases[test] > MEASURED_CASES or "hypothesis" in item.keywords:
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> str:
    """Return the name of the engine that the tests run on."""
    return str(request.config.getoption("engine"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[ServerPlaces]:
    """Return places on a PostgreSQL server, or skip where none is named and none installed."""
    if not GIVEN_SERVER and programs() is None:
        pytest.skip("PostgreSQL is not installed; install it, or name a server in BARCODESVC_TEST_POSTGRES")
    with ExitStack() as running:
        address = GIVEN_SERVER or running.enter_context(running_postgres()).address()
        places = ServerPlaces(address)
        running.enter_context(places.migrated())
        yield places


@pytest.fixture(scope="session")
def places(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Places:
    """Return what makes databases on the engine of the tests, beside that of the test's own."""
    if engine == "postgres":
        server: ServerPlaces = request.getfixturevalue("postgres")
        return server
    return FilePlaces(tmp_path_factory.mktemp("places"))


@pytest.fixture
def place(engine: str, places: Places, tmp_path: Path) -> Iterator[Place]:
    """Return where the database of the test's own is."""
    if engine == "sqlite":
        yield tmp_path / "test.db"
        return
    with places.one() as made:
        yield made


@pytest.fixture
def database_file(engine: str, tmp_path: Path) -> Path:
    """Return the path of the database's file, for what only SQLite has; it is made when the database is opened."""
    if engine != "sqlite":
        pytest.skip("about SQLite alone: its file, its connections, or what a single process may remember")
    return tmp_path / "test.db"


@pytest.fixture
def settings(place: Place) -> Settings:
    """Return settings with a database of the test's own, without rate limits, and for requests to a host `x`."""
    return Settings(database=place, rate_limit=None, upload_rate_limit=None, allowed_hosts=("x",))


@pytest.fixture
async def make_client(
    aiohttp_client: Callable[[web.Application], Awaitable[Client]], settings: Settings, standing_clock: StandingClock
) -> ClientMaker:
    """Return a function that starts the service with changed settings and returns a client of it."""

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
    """Return the open database without a service around it."""
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
    """Return the folder with the real catalogues, or skip where it is not at hand."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CATALOGUE_DATA", beside))
    if not (folder / "catalogue.xlsx").exists():
        pytest.skip("the real catalogues are not here; name their folder in CATALOGUE_DATA")
    return folder


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Return a function that lets the event loop run until a condition holds, which it has to within ten seconds."""

    async def wait(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10.0):
            while not condition():  # noqa: ASYNC110 - what is waited for lies in the service, which sends no event
                await asyncio.sleep(0.001)

    return wait

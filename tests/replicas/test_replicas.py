"""Two services with one PostgreSQL database: sessions of the web app, and a printer that both print to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from barcodesvc.print_jobs import JobState, PrinterState
from barcodesvc.printers import printers, queue
from barcodesvc.store import print_jobs
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.print_jobs import HeldPrinter, LeaseLostError
from tests.api.sessions import PATH, asked, logged_in, status
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.engines import Place, ServerPlaces
from tests.fixture_types import Client, ClientMaker
from tests.printers.queued import NOON, free_port, queued, shop, zebra
from tests.servers.label_printer import Behaviour, LabelPrinter

KEY = "correct-horse-battery-staple"

Replicas = Callable[[], Awaitable[tuple[Client, Client]]]


@pytest.fixture
def shared(postgres: ServerPlaces) -> Iterator[Place]:
    """Return a database that replicas share."""
    with postgres.one() as place:
        yield place


@pytest.fixture
def replicas(make_client: ClientMaker, shared: Place) -> Replicas:
    """Return a function that starts two services at once."""

    async def start() -> tuple[Client, Client]:
        settings: dict[str, Any] = {"database": shared, "api_key": KEY}
        one, two = await asyncio.gather(make_client(**settings), make_client(**settings))
        return one, two

    return start


async def test_replicas_that_start_at_once_on_an_empty_database_sign_with_one_key(
    make_client: ClientMaker, postgres: ServerPlaces
) -> None:
    """Whichever made it."""
    with postgres.empty() as place:
        started = await asyncio.gather(*(make_client(database=place, api_key=KEY) for _ in range(4)))
        cookie = await logged_in(started[0], KEY)
        assert [await status(client, cookie) for client in started] == [200] * 4
        for client in started:
            await client.close()


async def test_a_log_out_holds_on_every_replica(replicas: Replicas, standing_clock: StandingClock) -> None:
    """At once on its own, after at most a minute on others; other sessions go on."""
    one, two = await replicas()
    cookie, other = await logged_in(one, KEY), await logged_in(two, KEY)
    assert [await status(client, each) for client in (one, two) for each in (cookie, other)] == [200] * 4
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    assert [await status(client, cookie) for client in (one, two)] == [401, 200]
    standing_clock.advance(60)
    assert [await status(client, cookie) for client in (one, two)] == [401, 401]
    assert [await status(client, other) for client in (one, two)] == [200, 200]


async def test_a_failure_ends_no_session(replicas: Replicas, shared: Place, standing_clock: StandingClock) -> None:
    """A replica that cannot read what was logged out goes on, and looks again later."""
    one, two = await replicas()
    cookie = await logged_in(one, KEY)
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE ended_sessions RENAME TO elsewhere")
    assert await status(two, cookie) == 200
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE elsewhere RENAME TO ended_sessions")
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    standing_clock.advance(60)
    assert await status(two, cookie) == 401


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have replicas look for jobs often."""
    monkeypatch.setattr(printers, "POLL_PAUSE", 0.05)


@pytest.fixture
async def two(postgres: ServerPlaces) -> AsyncIterator[tuple[Database, Database]]:
    """Return one database, opened twice."""
    with postgres.one() as place:
        async with open_database(place) as one, open_database(place) as other:
            yield one, other


async def test_one_replica_sends_at_a_time(two: tuple[Database, Database]) -> None:
    """Jobs that come to both are printed once each, over one connection at a time."""
    one, other = two
    async with LabelPrinter(Behaviour(label_seconds=0.005)).running() as printer:
        address = zebra(printer.port)
        async with shop(one, address) as first, shop(other, address) as second:
            ids = [await shop_.queue(12) for shop_ in (first, second) * 3]
            ended = [await first.over(job_id) for job_id in ids]
            assert await first.state() is await second.state() is PrinterState.READY
    assert {job.state for job in ended} == {JobState.PRINTED}
    assert len(printer.printed) == 6 * 12
    assert printer.most_connections == 1


async def test_a_replica_that_holds_a_printer_looks_for_the_others(
    two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question to one of them is enough for the other, which has a job that waits for its next try."""
    monkeypatch.setattr(queue, "FIRST_PAUSE", 1000.0)
    monkeypatch.setattr(queue, "LONGEST_PAUSE", 1000.0)
    one, other = two
    port = free_port()
    async with shop(one, zebra(port)) as first, shop(other, zebra(port)) as second:
        job_id = await first.queue(3)
        await first.when(job_id, lambda job: bool(job.message))
        assert await second.state() is PrinterState.NOT_REACHABLE
        async with LabelPrinter(Behaviour(head_open=True)).running(port):
            await second.until_state(PrinterState.HEAD_OPEN)
        assert (await first.job(job_id)).state is JobState.WAITING


async def test_another_replica_takes_over(two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a replica was sending when it died is in doubt, and the next job is printed."""
    monkeypatch.setattr(print_jobs, "LEASE", 0.5)
    one, other = two
    first, second = await queued(one, 12), await queued(one, 2)
    dead = HeldPrinter(one, "zebra", "a dead replica")
    assert await dead.claim(NOON) == []
    assert await dead.begin_document(first.id, 10, NOON)
    async with LabelPrinter().running() as printer, shop(other, zebra(printer.port)) as alive:
        doubted, printed = await alive.over(first.id), await alive.over(second.id)
    assert (doubted.state, doubted.labels_unsure, printed.state) == (JobState.IN_DOUBT, 10, JobState.PRINTED)
    with pytest.raises(LeaseLostError):
        await dead.confirm_documents(first.id, 10, NOON)


async def test_a_lease_is_held_by_one(two: tuple[Database, Database]) -> None:
    """Of two that claim a printer at once one has it, until it gives it back."""
    held = [HeldPrinter(database, "zebra", name) for database, name in zip(two, "ab", strict=True)]
    claims = await asyncio.gather(*(each.claim(NOON) for each in held))
    assert sorted(claim is None for claim in claims) == [False, True]
    holder, waiting = held if claims[0] is not None else held[::-1]
    await holder.release()
    assert await waiting.claim(NOON) == []

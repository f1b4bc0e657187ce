"""Imports that stream events: their progress, and their result or error."""

import json
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from tests.api.imported import IMPORT, MANY
from tests.fixture_types import Client

pytestmark = pytest.mark.usefixtures("folder")


EVENTS = {"Accept": "text/event-stream"}


@pytest.fixture
async def ticking_client(aiohttp_client: Any, settings: Any) -> Client:
    """Return a client of a service whose clock advances by a second at each reading."""
    seconds = count(1_700_000_000)
    clock = Clock(wall=lambda: float(next(seconds)), steady=lambda: float(next(seconds)))
    client: Client = await aiohttp_client(make_app(settings, clock))
    return client


async def _events(response: ClientResponse) -> AsyncIterator[tuple[str, Any]]:
    """Yield the name and data of each event, as they arrive."""
    assert (response.status, response.content_type) == (200, "text/event-stream")
    while kind := (await response.content.readline()).decode():
        data = (await response.content.readline()).decode()
        assert (kind[:7], data[:6], await response.content.readline()) == ("event: ", "data: ", b"\n")
        yield kind[7:-1], json.loads(data[6:])


@pytest.mark.parametrize("query", [{}, {"mode": "update"}, {"dry_run": "true"}])
async def test_progress_is_reported_event_by_event(
    ticking_client: Client, upload: Any, workbook: Any, query: dict[str, str]
) -> None:
    """The counts grow, and the last event equals the data of the plain response."""
    form = upload(workbook([*MANY, (None, "x")]))
    async with ticking_client.post(IMPORT, data=form, headers=EVENTS, params=query) as response:
        assert response.headers["Cache-Control"] == "no-store"
        reply = [event async for event in _events(response)]
    assert [name for name, _ in reply] == ["progress"] * (len(reply) - 1) + ["result"]
    for field in ("rows_read", "imported", "skipped", "errors"):
        counts = [data[field] for _, data in reply[:-1]]
        assert counts == sorted(counts)
    assert ("updated" in reply[0][1]) == ("mode" in query)
    result = reply[-1][1]
    assert (result["imported"], result["errors_count"], "preview" in result) == (1200, 1, "dry_run" in query)


async def test_events_keep_their_distance(client: Client, upload: Any, workbook: Any) -> None:
    """While the clock does not advance, there is at most one event of progress."""
    async with client.post(IMPORT, data=upload(workbook(MANY)), headers=EVENTS) as response:
        names = [name async for name, _ in _events(response)]
    assert names in (["progress", "result"], ["result"])


async def test_a_refusal_before_the_first_event_is_plain(
    client: Client, upload: Any, workbook: Any, refused: Any
) -> None:
    """An unreadable file is an envelope with its status, even if the client asked for events."""
    await refused(await client.post(IMPORT, data=upload(b"x"), headers=EVENTS), 400, "INVALID_FILE_FORMAT")
    form = upload(workbook([("x", "y")]))
    await refused(await client.post(IMPORT, data=form, headers=EVENTS), 400, "VALIDATION_ERROR")


async def test_a_failure_after_the_first_event_is_an_event(
    ticking_client: Client, upload: Any, workbook: Any, break_database: Any
) -> None:
    """The last event contains the error's envelope."""
    await break_database(ticking_client)
    async with ticking_client.post(IMPORT, data=upload(workbook(MANY)), headers=EVENTS) as response:
        reply = [event async for event in _events(response)]
    assert [name for name, _ in reply][-1] == "error"
    assert (reply[-1][1]["error"], reply[-1][1]["code"]) == (True, "DATABASE_ERROR")

"""A day in a shop on both engines: the same requests get the same responses, byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.routes import ROUTES
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.shop_day import API_KEY, DAY_IN_A_SHOP, Step
from tests.conftest import StandingClock
from tests.engines import ServerPlaces
from tests.fixture_types import Client
from tests.printers.ipp_printer import IppPrinter

LATER = 60.0
COMPARED = ("Content-Type", "Content-Disposition", "ETag", "Idempotency-Replayed", "Location", "Retry-After")
NOT_PLAYED = {
    ("GET", "/health"): "tells of the memory of the process",
    ("GET", "/metrics"): "tells of the times and the memory of the process",
}
"""Routes of the API that no two services answer alike."""


@pytest.fixture
async def clients(
    aiohttp_client: Callable[..., Awaitable[Client]],
    postgres: ServerPlaces,
    standing_clock: StandingClock,
    tmp_path: Path,
) -> AsyncIterator[list[Client]]:
    """Return clients of a service on SQLite and of one on PostgreSQL; both have the same two printers."""
    async with IppPrinter().running() as office, IppPrinter(is_stopped=True).running() as stopped:
        printers = (
            f"office=ipp://127.0.0.1:{office.port}/?sheet=L7160",
            f"stopped=ipp://127.0.0.1:{stopped.port}/?sheet=L7160",
        )
        options: dict[str, Any] = {"rate_limit": None, "upload_rate_limit": None, "api_key": API_KEY}
        with postgres.one() as place:
            made = []
            for where in (tmp_path / "test.db", place):
                app = make_app(Settings(database=where, printers=printers, **options), standing_clock.clock())
                made.append(await aiohttp_client(app, headers={"X-API-Key": API_KEY}))
            yield made
            for client in made:
                await client.close()


async def response(client: Client, step: Step) -> tuple[int, list[str | None], bytes]:
    """Return the status, some headers and the body of a response."""
    body = step.body() if callable(step.body) else step.body
    sent = {"json": body} if isinstance(body, dict) else {"data": body}
    async with client.request(step.method, step.path, headers=step.headers, **sent) as got:
        return got.status, [got.headers.get(name) for name in COMPARED], await got.read()


async def last_response(client: Client, step: Step) -> tuple[int, list[str | None], bytes]:
    """Return the first response that has what is waited for."""
    async with asyncio.timeout(20.0):
        while step.until not in (got := await response(client, step))[2]:  # noqa: ASYNC110 - the service sends no event
            await asyncio.sleep(0.01)
    return got


async def test_a_day_is_answered_the_same_by_either_engine(
    clients: list[Client], standing_clock: StandingClock
) -> None:
    """Each route is asked, with refusals and repeats."""
    differing, statuses = [], set()
    for steps in DAY_IN_A_SHOP:
        standing_clock.advance(LATER)
        of_sqlite, of_postgres = [[await last_response(client, step) for step in steps] for client in clients]
        differing += [each for each in zip(steps, of_sqlite, of_postgres, strict=True) if each[1] != each[2]]
        statuses |= {status for status, _, _ in of_sqlite}
    assert not differing
    assert statuses == {200, 201, 202, 400, 401, 404, 409}


async def test_each_route_is_played() -> None:
    """A new route of the API becomes a part of the day, or tells why it cannot."""
    router = make_app(Settings()).router
    played = set()
    for step in (step for steps in DAY_IN_A_SHOP for step in steps):
        route = (await router.resolve(make_mocked_request(step.method, step.path))).route
        played.add((step.method, route.resource and route.resource.canonical))
    assert {(route.method, route.path) for route in ROUTES} - played == set(NOT_PLAYED)

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import psutil
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

from barcodesvc.api.keys import DATABASE
from barcodesvc.store.queries import QUERIES

Client = TestClient[Request, Application]


async def test_health_is_reported_without_envelope(client: Client, standing_clock: Any) -> None:
    """The report has the specified fields and nothing around them."""
    standing_clock.advance(90.25)
    answer = await client.get("/health")
    report = await answer.json()
    memory = report.pop("memory")
    assert answer.status == 200
    assert report == {
        "status": "OK",
        "timestamp": "2023-11-14T22:14:50.250Z",
        "uptime": 90.25,
        "version": f"Python {platform.python_version()}",
    }
    assert set(memory) == {"rss", "heapTotal", "heapUsed", "external"}


async def test_memory_is_that_of_the_process_in_bytes(client: Client) -> None:
    """All four values are integers, and what is resident adds up."""
    memory = (await (await client.get("/health")).json())["memory"]
    assert all(type(value) is int and value > 0 for value in memory.values())
    assert memory["heapUsed"] + memory["external"] == memory["rss"]
    assert abs(memory["rss"] - psutil.Process().memory_info().rss) < 50_000_000


async def test_a_failed_database_is_an_error_503(client: Client, break_database: Callable[[Client], Any]) -> None:
    """Without its database the service says so with 503 and ERROR, and still tells the rest."""
    await break_database(client)
    answer = await client.get("/health")
    report = await answer.json()
    assert answer.status == 503
    assert report["status"] == "ERROR"
    assert set(report) == {"status", "timestamp", "uptime", "memory", "version"}


async def test_health_waits_for_the_database_only_so_long(client: Client, monkeypatch: Any) -> None:
    """A database that does not answer in time counts as failed (here at once)."""
    monkeypatch.setattr("barcodesvc.api.health.DATABASE_WAIT", 0)
    assert (await client.get("/health")).status == 503
    assert await client.app[DATABASE].row(QUERIES["ping"]) is not None

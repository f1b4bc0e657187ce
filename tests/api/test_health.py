import asyncio
import platform
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from barcodesvc.api.keys import SERVICE
from barcodesvc.store.script import Script
from tests.conftest import StandingClock
from tests.fixture_types import Client


async def test_health_is_reported_without_envelope(client: Client, standing_clock: StandingClock) -> None:
    """The memory is that of the process in bytes: positive integers, of which heap and external ones add up to all."""
    standing_clock.advance(90.25)
    response = await client.get("/health")
    report = await response.json()
    memory = report.pop("memory")
    assert response.status == 200
    assert report == {
        "status": "OK",
        "timestamp": "2023-11-14T22:14:50.250Z",
        "uptime": 90.25,
        "version": f"Python {platform.python_version()}",
    }
    assert set(memory) == {"rss", "heapTotal", "heapUsed", "external"}
    assert all(type(value) is int and value > 0 for value in memory.values())
    assert memory["heapUsed"] + memory["external"] == memory["rss"]
    assert abs(memory["rss"] - psutil.Process().memory_info().rss) < 50_000_000


@pytest.mark.each_engine
async def test_a_failed_database_is_an_error_503(client: Client, break_database: Callable[[Client], Any]) -> None:
    """Without its database the service reports 503 and ERROR, and all other values."""
    await break_database(client)
    response = await client.get("/health")
    report = await response.json()
    assert response.status == 503
    assert report["status"] == "ERROR"
    assert set(report) == {"status", "timestamp", "uptime", "memory", "version"}


@pytest.mark.each_engine
async def test_health_waits_for_the_database_only_so_long(client: Client, engine: str, monkeypatch: Any) -> None:
    """A database that does not respond in time counts as failed (at once here)."""
    monkeypatch.setattr(f"barcodesvc.store.{engine}.database.HEALTH_WAIT", 0)
    assert (await client.get("/health")).status == 503
    assert await client.app[SERVICE].database.row("ping") is not None


async def test_a_failed_change_is_reported_until_one_is_possible_again(make_client: Any, database_file: Path) -> None:
    """While another process locks the database, the service is unhealthy though it reads; it recovers by itself."""
    client = await make_client(busy_timeout=0.05)
    product = {"product_code": "A-1", "description": "Pen", "initial_level": 1}
    with closing(sqlite3.connect(database_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert (await client.post("/api/products", json=product)).status == 500
        assert (await client.get("/health")).status == 503
        assert (await client.get("/api/products")).status == 200
    async with asyncio.timeout(10.0):
        while (await client.get("/health")).status != 200:  # noqa: ASYNC110 - the service sends no event
            await asyncio.sleep(0.01)
    assert (await client.post("/api/products", json=product)).status == 201


@pytest.mark.usefixtures("database_file")  # a script that waits in the writer's thread
async def test_health_does_not_wait_behind_a_long_change(client: Client) -> None:
    """A transaction in progress is not a fault, and the report does not need the writer."""
    begun, gate = threading.Event(), threading.Event()

    def long() -> Script[None]:
        begun.set()
        gate.wait()
        yield from ()

    changing = asyncio.create_task(client.app[SERVICE].database.change(long))
    await asyncio.to_thread(begun.wait)
    assert (await client.get("/health")).status == 200
    gate.set()
    await changing


async def test_a_process_that_can_open_no_file_says_so(client: Client, monkeypatch: Any) -> None:
    """Out of file descriptors, the memory is unknown and the service is unhealthy (only memory is replaced here)."""

    def fail(_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(psutil.Process, "memory_info", fail)
    response = await client.get("/health")
    report = await response.json()
    assert (response.status, report["status"]) == (503, "ERROR")
    assert report["memory"] == {"rss": 0, "heapTotal": 0, "heapUsed": 0, "external": 0}

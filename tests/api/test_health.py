import platform
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from barcodesvc.api.keys import SERVICE
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


async def test_a_process_that_can_open_no_file_says_so(client: Client, monkeypatch: Any) -> None:
    """Out of file descriptors, the memory is unknown and the service is unhealthy (only memory is replaced here)."""

    def fail(_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(psutil.Process, "memory_info", fail)
    response = await client.get("/health")
    report = await response.json()
    assert (response.status, report["status"]) == (503, "ERROR")
    assert report["memory"] == {"rss": 0, "heapTotal": 0, "heapUsed": 0, "external": 0}

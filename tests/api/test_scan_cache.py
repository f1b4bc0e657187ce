import asyncio
from collections.abc import Callable

import pytest
from aiohttp import FormData

from barcodesvc.api.resources.scan_cache import LONGEST
from tests.api.drawn_codes import drawn
from tests.api.scanned import GTIN, created, scanned, scanned_level
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Client


@pytest.mark.each_engine
async def test_a_scan_is_never_stale(client: Client) -> None:
    """Two clients alternate: after each acknowledged change of one, the other's repeated scan shows it."""
    [number] = await created(client, "A-1")
    for level in range(20):
        await client.put(f"/api/inventory/{number}", json={"new_level": level})
        assert [await scanned_level(client, "A-1") for _ in range(2)] == [level] * 2
    await client.put(f"/api/products/{number}", json={"description": "new"})
    assert (await drawn(client, "decode", code_data="A-1"))["product"]["description"] == "new"
    await client.delete(f"/api/products/{number}")
    assert "error" in await scanned(client, "A-1")


async def test_a_scan_is_never_stale_under_load(client: Client) -> None:
    """While others scan constantly, a client that has changed a level sees it in its next scan."""
    [number] = await created(client, "A-1")
    scanning = [asyncio.create_task(_scan_forever(client)) for _ in range(4)]
    for level in range(1, 60):
        await client.put(f"/api/inventory/{number}", json={"new_level": level})
        assert await scanned_level(client, "A-1") == level
    for task in scanning:
        task.cancel()
    await asyncio.wait(scanning)
    assert all(task.cancelled() for task in scanning)


async def _scan_forever(client: Client) -> None:
    while True:
        await scanned_level(client, "A-1")


async def test_a_better_fit_replaces_a_remembered_one(client: Client, upload: Callable[..., FormData]) -> None:
    """A product that matches a scan better is found at once, created singly or by an import."""
    await created(client, f"0{GTIN}")
    assert (await drawn(client, "decode", code_data=GTIN))["match"] == "gtin"
    await created(client, GTIN)
    assert (await drawn(client, "decode", code_data=GTIN))["match"] == "exact"
    assert "error" in await scanned(client, "P-1")
    assert (await client.post("/api/products/import", data=upload())).status == 200


@pytest.mark.each_engine
async def test_another_process_makes_results_stale_too(client: Client, place: Place) -> None:
    """The next response has what a second connection commits, here from within the same process."""
    await created(client, "A-1")
    assert await scanned_level(client, "A-1") == 0
    run_sql(place, "UPDATE levels SET current_level = 7")
    assert await scanned_level(client, "A-1") == 7


@pytest.mark.usefixtures("database_file")  # where responses are cached
async def test_repeated_scans_are_answered_from_memory(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is not queried again for an earlier scan (reading is disabled to prove it)."""
    await created(client, "A-1")
    first = await scanned(client, "A-1")
    assert await scanned(client, "A-1") == first
    monkeypatch.setattr("barcodesvc.scanning.resolver.candidates_of", None)
    assert await scanned(client, "A-1") == first


async def test_a_new_year_makes_results_stale(client: Client, standing_clock: StandingClock) -> None:
    """In 2023 an expiry in 74 was in 1974, in 2024 it is in 2074 (GS1 General Specifications 7.12)."""
    await created(client, GTIN)
    text = f"(01)0{GTIN}(17)740131"
    assert [(await scanned(client, text))["data"]["gs1"]["expiry"] for _ in range(3)] == ["1974-01-31"] * 3
    standing_clock.advance(365 * 86400)
    assert (await scanned(client, text))["data"]["gs1"]["expiry"] == "2074-01-31"


async def test_the_memory_of_responses_is_bounded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long texts are not cached."""
    await created(client, "A-1")
    text = "A-1" + " " * LONGEST
    assert "data" in await scanned(client, text)
    assert "data" in await scanned(client, text)
    monkeypatch.setattr("barcodesvc.scanning.resolver.candidates_of", None)
    assert (await scanned(client, text))["code"] == "DATABASE_ERROR"

"""Scans over HTTP: one of each shape of response, with a product and without one, and that none is ever stale."""

import asyncio
from typing import Any

import pytest

from barcodesvc.api.resources.scan_cache import LONGEST
from tests.api.drawn_codes import drawn
from tests.api.replies import refused
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Client

DECODE = "/api/codes/decode"
GTIN = "4006381333931"


async def created(client: Client, *codes: str) -> list[int]:
    """Create products and return their ids."""
    responses = [await client.post("/api/products", json={"product_code": code, "description": "x"}) for code in codes]
    return [(await response.json())["data"]["id"] for response in responses]


async def scanned(client: Client, code_data: str) -> Any:
    """Return the whole response to a scan."""
    return await (await client.post(DECODE, json={"code_data": code_data})).json()


async def scanned_level(client: Client, code_data: str) -> int:
    """Return the level that a scan shows."""
    level: int = (await drawn(client, "decode", code_data=code_data))["inventory"]["current_level"]
    return level


async def unknown(client: Client, code_data: str) -> dict[str, Any]:
    """Return the error of a scan without a product."""
    return await refused(await client.post(DECODE, json={"code_data": code_data}), 404, "PRODUCT_NOT_FOUND")


async def test_gs1_data_are_next_to_the_product(client: Client) -> None:
    """Lot and expiry of a symbol are returned in usable form; other scans have no such field."""
    await created(client, GTIN)
    reply = await drawn(client, "decode", code_data=f"]C1010{GTIN}17270200310300125010L7\x1d21S")
    assert reply["gs1"] == {
        "gtin": f"0{GTIN}",
        "lot": "L7",
        "serial": "S",
        "expiry": "2027-02-28",
        "net_weight_kg": 1.25,
        "elements": {"01": f"0{GTIN}", "17": "270200", "3103": "001250", "10": "L7", "21": "S"},
    }
    assert "gs1" not in await drawn(client, "decode", code_data=GTIN)


async def test_what_the_code_of_a_pack_says_is_next_to_the_product(client: Client) -> None:
    """Lot, expiry, serial number and quantity, whatever the code is."""
    await created(client, "+EHWD3551419G", "PZN-04987629")
    hibc = await drawn(client, "decode", code_data="+EHWD3551419/$$900100F")
    assert (hibc["match"], hibc["quantity"]) == ("hibc", 100)
    ppn = await drawn(client, "decode", code_data="[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1dD270600\x1dS17\x1e\x04")
    assert ppn.items() >= {"match": "pzn", "lot": "LOT7", "expiry": "2027-06-30", "serial": "17"}.items()


async def test_a_hint_names_the_symbology(client: Client) -> None:
    """Both readings of the scan are products; `code_type` puts one first."""
    await created(client, "CODE39", "code39w")
    for hint, found in (("", "code39w"), ("Code 39", "CODE39")):
        data = await drawn(client, "decode", code_data="CODE39W", code_type=hint)
        assert data["product"]["product_code"] == found


async def test_an_unknown_scan_offers_to_create_its_product(client: Client) -> None:
    """The offer contains all that the scan says; its body creates a product that the same scan finds."""
    text = '{"product_code":"N-1","description":"Nut","category":"Metal"}'
    offered = (await unknown(client, text))["details"]["new_product"]
    assert offered == {"product_code": "N-1", "description": "Nut", "category": "Metal"}
    assert (await client.post("/api/products", json=offered)).status == 201
    assert (await drawn(client, "decode", code_data=text))["product"]["product_code"] == "N-1"


async def test_an_unknown_scan_tells_its_data(client: Client) -> None:
    """Text, symbology and elements, or the lot alone, are reported; without a number no product is offered."""
    assert (await unknown(client, f"\r]C1010{GTIN}10L7\n"))["details"]["understood"] == {
        "text": f"010{GTIN}10L7",
        "symbology": "GS1-128",
        "gs1": {"gtin": f"0{GTIN}", "lot": "L7", "elements": {"01": f"0{GTIN}", "10": "L7"}},
    }
    details = (await unknown(client, "+$$8053290331260301104+$"))["details"]
    said = {"lot": "260301104", "expiry": "2029-03-31", "quantity": 5}
    assert details["understood"].items() >= said.items()
    assert details["new_product"] is None


async def test_products_that_fit_alike_are_named(client: Client) -> None:
    """An ambiguous scan is a 404 that lists the products by id, code and description."""
    first, second = await created(client, "036000291452", "0036000291452")
    reply = await unknown(client, "00036000291452")
    assert reply["message"] == ("the scanned code matches 2 products equally; ask for one of them by its product code")
    assert reply["details"]["match"] == "gtin"
    assert reply["details"]["candidates"] == [
        {"id": first, "product_code": "036000291452", "description": "x"},
        {"id": second, "product_code": "0036000291452", "description": "x"},
    ]


async def test_of_many_alike_the_first_ten_are_named(client: Client) -> None:
    """The list is limited, and says so."""
    letters = [f"{a}{b}{c}{d}" for a in "aA" for b in "bB" for c in "cC" for d in "dD"]
    ids = await created(client, *letters[1:])
    reply = await unknown(client, "abcd")
    assert [named["id"] for named in reply["details"]["candidates"]] == ids[:10]
    assert "10 or more products" in reply["message"]


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

    async def scan_forever() -> None:
        while True:
            await scanned_level(client, "A-1")

    [number] = await created(client, "A-1")
    scanning = [asyncio.create_task(scan_forever()) for _ in range(4)]
    for level in range(1, 60):
        await client.put(f"/api/inventory/{number}", json={"new_level": level})
        assert await scanned_level(client, "A-1") == level
    for task in scanning:
        task.cancel()
    await asyncio.wait(scanning)
    assert all(task.cancelled() for task in scanning)


@pytest.mark.each_engine
async def test_another_process_makes_results_stale_too(client: Client, place: Place) -> None:
    """The next response has what a second connection commits, here from within the same process."""
    await created(client, "A-1")
    assert await scanned_level(client, "A-1") == 0
    run_sql(place, "UPDATE levels SET current_level = 7")
    assert await scanned_level(client, "A-1") == 7


async def test_a_new_year_makes_results_stale(client: Client, standing_clock: StandingClock) -> None:
    """In 2023 an expiry in 74 was in 1974, in 2024 it is in 2074 (GS1 General Specifications 7.12)."""
    await created(client, GTIN)
    text = f"(01)0{GTIN}(17)740131"
    assert [(await scanned(client, text))["data"]["gs1"]["expiry"] for _ in range(3)] == ["1974-01-31"] * 3
    standing_clock.advance(365 * 86400)
    assert (await scanned(client, text))["data"]["gs1"]["expiry"] == "2074-01-31"


@pytest.mark.usefixtures("database_file")  # where responses are cached
async def test_repeated_scans_are_answered_from_memory(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is not queried again for an earlier scan (reading is disabled to prove it), unless it is long."""
    await created(client, "A-1")
    first, long = await scanned(client, "A-1"), "A-1" + " " * LONGEST
    assert await scanned(client, "A-1") == first == await scanned(client, long) == await scanned(client, long)
    monkeypatch.setattr("barcodesvc.scanning.resolver.candidates_of", None)
    assert await scanned(client, "A-1") == first
    assert (await scanned(client, long))["code"] == "DATABASE_ERROR"

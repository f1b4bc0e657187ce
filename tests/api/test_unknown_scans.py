"""Unknown scans: kept after the response, listed, assigned to products, deleted."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.scanning.unknown_scans import LONGEST_TEXT, MOST_NOTED
from barcodesvc.store import unknown_scans
from tests.api.conftest import PRODUCT
from tests.api.drawn_codes import drawn
from tests.api.replies import problems, refused
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Client, ClientMaker

pytestmark = pytest.mark.each_engine

UNKNOWN = "/api/scans/unknown"
NOON = "2023-11-14T22:13:20.000Z"


async def scan(client: Client, *texts: str) -> None:
    """Scan texts that name no product."""
    for text in texts:
        assert (await client.post("/api/codes/decode", json={"code_data": text})).status == 404


async def kept(client: Client) -> list[dict[str, Any]]:
    """Return the unknown scans of the first page."""
    found: list[dict[str, Any]] = (await (await client.get(UNKNOWN)).json())["data"]
    return found


async def test_an_unknown_scan_is_kept_and_explained(client: Client) -> None:
    """The newest first, with what would make a product of it; control characters stay."""
    await scan(client, "]E04006381333948", "\x1dA\x00B")
    newest, first = await kept(client)
    assert first == {
        "id": first["id"],
        "text": "]E04006381333948",
        "count": 1,
        "first_seen": NOON,
        "last_seen": NOON,
        "understood": {"text": "4006381333948", "symbology": "EAN13", "gs1": None},
        "new_product": {"product_code": "4006381333948", "description": "4006381333948"},
    }
    assert (newest["text"], newest["new_product"]) == ("\x1dA\x00B", None)


async def test_an_unknown_scan_becomes_a_code_of_a_product(shop: Client) -> None:
    """The same scan finds it from then on, and the list is one shorter."""
    await scan(shop, "]E04006381333948")
    [unknown] = await kept(shop)
    assign = f"{UNKNOWN}/{unknown['id']}/assign"
    code = (await (await shop.post(assign, json={"product_id": 1, "pack_quantity": 6})).json())["data"]
    assert (code["product_id"], code["code"], code["pack_quantity"]) == (1, "4006381333948", 6)
    assert (await drawn(shop, "decode", code_data="]E04006381333948"))["code"]["pack_quantity"] == 6
    assert (await (await shop.get(UNKNOWN)).json())["pagination"]["total"] == 0
    await refused(await shop.post(assign, json={"product_id": 1}), 404, "VALIDATION_ERROR")


async def test_a_scan_that_names_a_product_by_now_leaves_the_list(shop: Client) -> None:
    """Whether the code became that of a new product or of one that was there."""
    await scan(shop, "BOX", "]E04006381333948", "C")
    await shop.post("/api/products", json={"product_code": "4006381333948", "description": "x"})
    await shop.post("/api/products/1/codes", json={"code": "BOX"})
    assert [one["text"] for one in await kept(shop)] == ["C"]


async def test_what_no_product_can_have_is_not_assigned(shop: Client) -> None:
    """A text with a control character is no code."""
    await scan(shop, "A\x00B")
    [unknown] = await kept(shop)
    response = await shop.post(f"{UNKNOWN}/{unknown['id']}/assign", json={"product_id": 1})
    assert list(await problems(response)) == ["id"]


async def test_unknown_scans_are_deleted(client: Client) -> None:
    """One, and all of them."""
    await scan(client, "A", "B", "C")
    found = await kept(client)
    one = f"{UNKNOWN}/{found[0]['id']}"
    assert (await (await client.delete(one)).json())["message"] == "deleted 1 unknown scan"
    await refused(await client.delete(one), 404, "VALIDATION_ERROR")
    assert (await (await client.delete(UNKNOWN)).json())["message"] == "deleted 2 unknown scans"


async def test_a_scan_that_comes_again_is_counted(client: Client, standing_clock: StandingClock) -> None:
    """Its first and its last time are kept; a long text is cut."""
    await scan(client, "A" * 600)
    await kept(client)
    standing_clock.now += 60
    await scan(client, "A" * 600, "A" * 600)
    [found] = await kept(client)
    assert (found["text"], found["count"], found["first_seen"]) == ("A" * LONGEST_TEXT, 3, NOON)
    assert found["last_seen"] == "2023-11-14T22:14:20.000Z"


async def test_no_scan_waits_for_a_database_that_takes_no_changes(
    make_client: ClientMaker, database_file: Path
) -> None:
    """What is noted meanwhile is written afterwards, or dropped; scans are found or refused as always."""
    client = await make_client(busy_timeout=0.05)
    assert (await client.post("/api/products", json=PRODUCT)).status == 201
    with closing(sqlite3.connect(database_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for number in range(3 * MOST_NOTED):
            await scan(client, f"noted {number}")
        assert (await drawn(client, "decode", code_data="A-1"))["product"]["id"] == 1
        assert await kept(client) == []
    await scan(client, "after")
    assert "after" in [one["text"] for one in await kept(client)]


async def test_a_broken_table_costs_no_scan(shop: Client, place: Place) -> None:
    """What was noted is dropped, and once the table is back, the next ones are kept."""
    run_sql(place, "ALTER TABLE unknown_scans RENAME TO broken")
    await scan(shop, "dropped")
    assert (await shop.get(UNKNOWN)).status == 500
    assert (await drawn(shop, "decode", code_data="A-1"))["product"]["id"] == 1
    run_sql(place, "ALTER TABLE broken RENAME TO unknown_scans")
    await scan(shop, "kept")
    assert [one["text"] for one in await kept(shop)] == ["kept"]


async def test_the_longest_unseen_scans_go(client: Client, place: Place) -> None:
    """A thousand are kept, whatever is scanned, and a flood between two writes is bounded, too."""
    stamp = "2020-01-01T00:00:00.000Z"
    values = ",".join(f"('\"{number}\"', 1, '{stamp}', '{stamp}')" for number in range(unknown_scans.MOST_KEPT))
    run_sql(place, f"INSERT INTO unknown_scans (text, scans, first_seen, last_seen) VALUES {values}")  # noqa: S608 - numbers
    await scan(client, *(f"new {number}" for number in range(2 * MOST_NOTED)))
    page = await (await client.get(f"{UNKNOWN}?limit=1")).json()
    assert page["pagination"]["total"] == unknown_scans.MOST_KEPT
    assert page["data"][0]["text"].startswith("new ")

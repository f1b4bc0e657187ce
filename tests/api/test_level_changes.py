"""Changes of levels over HTTP: set, adjusted, counted by a scan, and undone. The store's tests have the rules."""

import asyncio
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc.api.keys import SERVICE
from barcodesvc.scanning.resolver import Resolved, Resolver
from tests.api.calls import SCANNED_PEN
from tests.api.replies import problems, refused
from tests.api.scanned import level
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client
from tests.stock import delete_product
from tests.sweeps import sweep

MAX_LEVEL = 2**53 - 1
NOON, LATER = "2023-11-14T22:13:20.000Z", "2023-11-14T22:13:21.000Z"
SET, ADJUST, SCAN = "/api/inventory/1", "/api/inventory/1/adjust", "/api/codes/scan"
SOLD = {"change_reason": " sold\n2 ", "updated_by": " Ann "}
CHANGE = {
    "product_id": 1,
    "old_level": 5,
    "new_level": 3,
    "change_reason": "sold 2",
    "updated_by": "Ann",
    "updated_at": LATER,
}
OF_PEN = {"product_code": "A-1", "unit_of_measure": "box"}
STANDING = {"scanned_at": None, "undoes": None, "undone_by": None, "import_id": None}
"""Further fields in the history of a manual change that was not undone."""


async def history(client: Client) -> list[dict[str, Any]]:
    """Return the history of A-1, newest first."""
    return list((await (await client.get(f"{SET}/history")).json())["data"])


async def undo(client: Client, change_id: object, **fields: object) -> ClientResponse:
    """Request the undo of a change."""
    return await client.post(f"/api/inventory/changes/{change_id}/undo", json=fields)


@pytest.mark.parametrize(("method", "path", "asked"), [("PUT", SET, {"new_level": 3}), ("POST", ADJUST, {"delta": -2})])
async def test_a_change_is_the_newest_of_the_history(
    shop: Client, standing_clock: Any, method: str, path: str, asked: dict[str, int]
) -> None:
    """Its texts are cleaned; the response names its product, and the record has its level, author and time."""
    standing_clock.advance(1)
    response = await shop.request(method, path, json={**asked, **SOLD})
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert await response.json() == {"success": True, "data": {**CHANGE, **OF_PEN}}
    assert (await history(shop))[0] == {"id": 2, **CHANGE, **STANDING}
    record = (await (await shop.get(SET)).json())["data"]
    assert (record["current_level"], record["updated_by"], record["last_updated"]) == (3, "Ann", LATER)


async def test_a_counted_scan_is_the_decoded_one_with_the_change(shop: Client, standing_clock: Any) -> None:
    """The response has the new level, as the next decode does, and the history entry with its product."""
    standing_clock.advance(1)
    told = (await (await shop.post(SCAN, json={"code_data": "A-1", "delta": -2, **SOLD})).json())["data"]
    assert told == {
        "product": SCANNED_PEN,
        "code": {"code": "A-1", "pack_quantity": 1},
        "inventory": {"current_level": 3, "minimum_level": 2, "last_updated": LATER},
        "match": "exact",
        "change": {"id": 2, **CHANGE, **STANDING, **OF_PEN, "delta": -2, "packs": -2},
    }
    decoded = (await (await shop.post("/api/codes/decode", json={"code_data": "A-1"})).json())["data"]
    assert decoded == {name: value for name, value in told.items() if name != "change"}


async def test_a_level_out_of_range_is_a_409(shop: Client) -> None:
    """The details contain the current level and the possible differences."""
    reply = await refused(await shop.post(ADJUST, json={"delta": -6}), 409, "VALIDATION_ERROR")
    assert reply["details"] == {
        "reason": "level_out_of_range",
        "product_id": 1,
        "product_code": "A-1",
        "description": "Blue pen",
        "current_level": 5,
        "least_delta": -5,
        "greatest_delta": MAX_LEVEL - 5,
        "pack_quantity": 1,
    }


@sweep(
    ("method", "path", "body", "named"),
    [
        *(("POST", ADJUST, {"delta": wrong}, {"delta"}) for wrong in (0, 2**53, -(2**53), 1.0, "1", True, None, [1])),
        ("POST", ADJUST, {"delta": 1, "expected_level": 5}, {"expected_level"}),
        ("POST", ADJUST, {"delta": 1, "idempotency_key": "é"}, {"idempotency_key"}),
        ("POST", "/api/inventory/x/adjust", {"by": 1, "updated_by": 1}, {"productId", "delta", "by", "updated_by"}),
        ("PUT", SET, {}, {"new_level"}),
        ("PUT", SET, {"new_level": 1, "expected_level": 5.0}, {"expected_level"}),
        ("PUT", "/api/inventory/x", {"newLevel": 1}, {"productId", "newLevel", "new_level"}),
        ("POST", SCAN, {"delta": "0", "change_reason": "\0"}, {"code_data", "delta", "change_reason"}),
        ("POST", SCAN, {"code_data": "x" * 8193, "delta": 1}, {"code_data"}),
        *(("POST", f"/api/inventory/changes/{x}/undo", {}, {"changeId"}) for x in ("0", "1.0", str(2**53), "{1}")),
        (
            "POST",
            "/api/inventory/changes/x/undo",
            {"change_reason": "x" * 201, "updated_by": None, "delta": 1, "updated_at": "noon"},
            {"changeId", "change_reason", "updated_by", "delta", "updated_at"},
        ),
    ],
)
async def test_all_that_is_wrong_with_a_change_is_named(
    shop: Client, method: str, path: str, body: Any, named: set[str]
) -> None:
    """Problems of path and body are reported together, and nothing is changed."""
    assert set(await problems(await shop.request(method, path, json=body))) == named
    assert len(await history(shop)) == 1


async def test_a_difference_of_nothing_is_told_what_to_do(shop: Client) -> None:
    """A confirmed level is set."""
    told = await problems(await shop.post(ADJUST, json={"delta": 0}))
    assert told == {"delta": "0 changes nothing; to confirm a level, set it with PUT"}


@pytest.mark.each_engine
async def test_a_product_that_goes_while_it_is_scanned_is_a_404(shop: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product deleted between resolving and counting (here by the resolver) is not found; the key stays free."""
    real, scan = Resolver.resolve, {"code_data": "A-1", "delta": 1, "idempotency_key": "K"}

    async def resolve_and_delete(resolver: Resolver, *sent: str) -> Resolved:
        resolved = await real(resolver, *sent)
        await delete_product(shop.app[SERVICE].database, resolved.product.id)
        return resolved

    monkeypatch.setattr(Resolver, "resolve", resolve_and_delete)
    await refused(await shop.post(SCAN, json=scan), 404, "PRODUCT_NOT_FOUND")
    monkeypatch.undo()
    await shop.post("/api/products", json={"product_code": "A-1", "description": "x"})
    assert (await shop.post(SCAN, json={**scan, "delta": 2})).status == 200


async def test_a_key_of_a_scan_belongs_to_its_text(shop: Client) -> None:
    """A replay outlives its product, and does not count on the next one with the code; another text is refused."""
    scan = {"code_data": "A-1", "delta": 1, "idempotency_key": "K"}
    first = await (await shop.post(SCAN, json=scan)).read()
    await shop.delete("/api/products/1")
    assert await (await shop.post(SCAN, json=scan)).read() == first
    await shop.post("/api/products", json={"product_code": "A-1", "description": "another pen"})
    assert await (await shop.post(SCAN, json=scan)).read() == first
    for other in ("a-1", "B-1"):
        await refused(await shop.post(SCAN, json={**scan, "code_data": other}), 409, "VALIDATION_ERROR")
    assert await level(shop) == 0


@pytest.mark.each_engine
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_and_sends_again_counts_once(shop: Client) -> None:
    """Whatever became of the abandoned request, the retry under its key succeeds, and counts once."""
    body = b'{"delta":1}'
    head = b"POST /api/inventory/1/adjust HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n" % len(body)
    for number in range(30):
        _, writer = await asyncio.open_connection(shop.host, shop.port)
        writer.write(head + b"Idempotency-Key: K%d\r\n\r\n" % number + body)
        await writer.drain()
        await asyncio.sleep(number % 6 / 2000)
        writer.transport.abort()
        again = await shop.post(ADJUST, json={"delta": 1}, headers={"Idempotency-Key": f"K{number}"})
        assert again.status == 200
    assert await level(shop) == 35


async def test_an_undo_is_a_change_that_names_the_undone_one(shop: Client) -> None:
    """The undone one names it, too, in the history and in the list of all changes."""
    await shop.post(ADJUST, json={"delta": -2})
    response = await undo(
        shop, 2, change_reason="wrong\nproduct", updated_by="Ann", updated_at="2023-11-14T23:13:20+01:00"
    )
    told = (await response.json())["data"]
    assert told == {
        "id": 3,
        "product_id": 1,
        "old_level": 3,
        "new_level": 5,
        "change_reason": "wrong product",
        "updated_by": "Ann",
        "updated_at": NOON,
        **STANDING,
        "undoes": 2,
        **OF_PEN,
    }
    newest, undone, _ = await history(shop)
    assert newest.items() <= told.items()
    listed = (await (await shop.get("/api/inventory/changes")).json())["data"]
    assert [undone["undone_by"], listed[1]["undone_by"]] == [3, 3]


async def test_an_undo_that_cannot_be_is_refused(shop: Client) -> None:
    """The change is undone already, would lead below zero, does not exist, or was written at another time."""
    for change_id, fields in ((99, {}), (1, {"updated_at": LATER})):
        told = await refused(await undo(shop, change_id, **fields), 404, "VALIDATION_ERROR")
        assert told["details"] == {"reason": "not_found", "resource": "movement", "id": change_id}
    await shop.put(SET, json={"new_level": 4})
    told = await refused(await undo(shop, 1), 409, "VALIDATION_ERROR")
    assert (told["details"]["current_level"], told["details"]["least_delta"]) == (4, -4)
    assert (await undo(shop, 2)).status == 200
    told = await refused(await undo(shop, 2), 409, "VALIDATION_ERROR")
    assert told["details"] == {"reason": "already_undone", "id": 2, "undone_by": 3}


async def test_a_product_is_never_called_changes(shop: Client) -> None:
    """The word is not an id: another method there is a 405."""
    assert (await shop.put("/api/inventory/changes", json={"new_level": 1})).status == 405

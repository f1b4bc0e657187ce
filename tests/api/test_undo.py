"""Undo: each change can be undone once, by a change that can itself be undone."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from aiohttp import ClientResponse

from tests.api.scanned import level
from tests.fixture_types import Client, Problems, Refused

NOON = "2023-11-14T22:13:20.000Z"


async def undo(client: Client, change_id: object, **fields: object) -> ClientResponse:
    """Request the undo of a change."""
    return await client.post(f"/api/inventory/changes/{change_id}/undo", json=fields)


async def undone(client: Client, change_id: int, **fields: object) -> dict[str, Any]:
    """Undo a change, and return the undoing change."""
    response = await undo(client, change_id, **fields)
    assert response.status == 200, await response.text()
    change: dict[str, Any] = (await response.json())["data"]
    return change


async def scanned(client: Client, **fields: object) -> int:
    """Count a scan, and return the id of its change."""
    response = await client.post("/api/codes/scan", json={"code_data": "A-1", **fields})
    return int((await response.json())["data"]["change"]["id"])


async def history(client: Client) -> list[dict[str, Any]]:
    """Return the history of A-1, newest first."""
    return list((await (await client.get("/api/inventory/1/history")).json())["data"])


async def test_an_undo_takes_the_amount_back(shop: Client) -> None:
    """It is a normal change, which names the one that it undoes; the other one names the one that undid it."""
    taken = await scanned(shop, delta=-2)
    await scanned(shop, delta=10)
    told = await undone(shop, taken, change_reason=" wrong\nproduct ", updated_by="Ann")
    assert told == {
        "id": 4,
        "product_id": 1,
        "old_level": 13,
        "new_level": 15,
        "change_reason": "wrong product",
        "updated_by": "Ann",
        "updated_at": NOON,
        "scanned_at": None,
        "undoes": taken,
        "undone_by": None,
        "import_id": None,
        "product_code": "A-1",
        "unit_of_measure": "box",
    }
    newest, _, first, _ = await history(shop)
    assert newest.items() <= told.items()
    assert (first["id"], first["undone_by"]) == (taken, newest["id"])
    record = (await (await shop.get("/api/inventory")).json())["data"][0]
    assert (record["current_level"], record["updated_by"]) == (15, "Ann")


@pytest.mark.parametrize("make", ["delta", "new_level", "put", "adjust", "first"])
async def test_every_kind_of_change_can_be_undone(shop: Client, make: str) -> None:
    """A count is undone by the amount that it changed, and so is the first level."""
    if make == "put":
        await shop.put("/api/inventory/1", json={"new_level": 8})
    elif make == "adjust":
        await shop.post("/api/inventory/1/adjust", json={"delta": 3})
    elif make != "first":
        await scanned(shop, **{make: {"delta": 3, "new_level": 8}[make]})
    before, (newest, *_) = await level(shop), await history(shop)
    change = await undone(shop, newest["id"])
    assert change["new_level"] == before - (newest["new_level"] - newest["old_level"])
    assert await level(shop) == change["new_level"]


async def test_a_count_that_confirmed_a_level_can_be_undone(shop: Client) -> None:
    """The level stays, and the history records it."""
    change = await undone(shop, await scanned(shop, new_level=5))
    assert (change["old_level"], change["new_level"], change["undoes"]) == (5, 5, 2)


async def test_a_change_is_undone_once(shop: Client, refused: Refused) -> None:
    """Later attempts name the undoing change; nothing is changed."""
    taken = await scanned(shop, delta=-2)
    change = await undone(shop, taken)
    told = await refused(await undo(shop, taken), 409, "VALIDATION_ERROR")
    assert told["details"] == {"reason": "already_undone", "id": taken, "undone_by": change["id"]}
    assert await level(shop) == 5


async def test_an_undo_can_itself_be_undone_once(shop: Client, refused: Refused) -> None:
    """And that one again, alternately."""
    change_id = await scanned(shop, delta=-2)
    for expected in (5, 3, 5, 3):
        change = await undone(shop, change_id)
        assert (change["undoes"], change["new_level"]) == (change_id, expected)
        await refused(await undo(shop, change_id), 409, "VALIDATION_ERROR")
        change_id = change["id"]
    assert [change["undone_by"] for change in await history(shop)] == [None, 6, 5, 4, 3, None]


async def test_an_undo_never_leads_below_zero(shop: Client, refused: Refused) -> None:
    """Stock that has been sold since cannot be removed; the response contains the level, and the change is kept."""
    brought = await scanned(shop, delta=10)
    await scanned(shop, new_level=4)
    told = await refused(await undo(shop, brought), 409, "VALIDATION_ERROR")
    assert (told["details"]["current_level"], told["details"]["least_delta"]) == (4, -4)
    assert "not -10;" in told["message"]
    assert [change["undone_by"] for change in await history(shop)] == [None, None, None]
    await scanned(shop, delta=6)
    assert (await undone(shop, brought))["new_level"] == 0


@pytest.mark.each_engine
async def test_of_undos_at_the_same_moment_one_counts(shop: Client) -> None:
    """The others get the refusal that it has already been undone."""
    taken = await scanned(shop, delta=-2)
    responses = await asyncio.gather(*(undo(shop, taken) for _ in range(20)))
    assert Counter(response.status for response in responses) == {200: 1, 409: 19}
    assert await level(shop) == 5


@pytest.mark.each_engine
async def test_an_undo_sent_twice_at_the_same_moment_is_answered_twice(shop: Client) -> None:
    """With one key the later send gets the earlier one's result, and no refusal."""
    taken = await scanned(shop, delta=-2)
    responses = await asyncio.gather(*(undo(shop, taken, idempotency_key="K") for _ in range(20)))
    assert {(response.status, await response.read()) for response in responses} == {(200, await responses[0].read())}
    assert await level(shop) == 5


async def test_a_change_that_is_not_there_is_a_404(shop: Client, refused: Refused) -> None:
    """Whether it never existed, or was deleted with its product."""
    told = await refused(await undo(shop, 99), 404, "VALIDATION_ERROR")
    assert told["details"] == {"reason": "not_found", "resource": "movement", "id": 99}
    await undone(shop, await scanned(shop, delta=1))
    await shop.delete("/api/products/1")
    for change_id in (1, 2, 3):
        await refused(await undo(shop, change_id), 404, "VALIDATION_ERROR")


async def test_an_undo_of_a_change_that_was_written_at_another_time_is_refused(shop: Client, refused: Refused) -> None:
    """A restored database assigns the ids of lost changes again."""
    taken = await scanned(shop, delta=-2)
    told = await refused(await undo(shop, taken, updated_at="2023-11-14T22:13:19.999Z"), 404, "VALIDATION_ERROR")
    assert told["details"] == {"reason": "not_found", "resource": "movement", "id": taken}
    assert await level(shop) == 3
    await undone(shop, taken, updated_at="2023-11-14T23:13:20+01:00")
    assert await level(shop) == 5


async def test_all_problems_of_an_undo_are_listed(shop: Client, problems: Problems) -> None:
    """Those of path, body and header come in one response."""
    path = "/api/inventory/changes/x/undo"
    body = {"change_reason": "x" * 201, "updated_by": None, "delta": 1, "updated_at": "noon"}
    response = await shop.post(path, json=body, headers={"Idempotency-Key": ""})
    assert set(await problems(response)) == {
        "changeId",
        "change_reason",
        "updated_by",
        "updated_at",
        "delta",
        "Idempotency-Key",
    }
    for wrong in ("0", "-1", "1.0", str(2**53), "{1}"):
        assert set(await problems(await undo(shop, wrong))) == {"changeId"}


async def test_a_product_is_never_called_changes(shop: Client) -> None:
    """The word is not an id: another method there is a 405."""
    assert (await shop.put("/api/inventory/changes", json={"new_level": 1})).status == 405

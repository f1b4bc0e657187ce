"""Idempotency keys on all routes: each changing route accepts one, refuses it, or needs none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc.api.routes import ROUTES
from tests.api.calls import Call, call_id
from tests.conftest import Client
from tests.sweeps import sweep

Problems = Callable[[ClientResponse], Awaitable[dict[str, str]]]
Refused = Callable[[ClientResponse, int, str], Awaitable[dict[str, Any]]]

KEY = {"Idempotency-Key": "till-2/4711"}
LONGEST_KEPT = 3072
"""The size of the longest stored product response in bytes; docs/api.md names it."""

TAKEN = {
    ("POST", "/api/products"): Call("POST", "/api/products", {"product_code": "B-1", "description": "x"}),
    ("PUT", "/api/products/{id}"): Call("PUT", "/api/products/1", {"description": "y"}),
    ("DELETE", "/api/products/{id}"): Call("DELETE", "/api/products/1"),
    ("PUT", "/api/inventory/{productId}"): Call("PUT", "/api/inventory/1", {"new_level": 8}),
    ("POST", "/api/inventory/{productId}/adjust"): Call("POST", "/api/inventory/1/adjust", {"delta": -1}),
    ("POST", "/api/inventory/changes/{changeId}/undo"): Call("POST", "/api/inventory/changes/1/undo", {}),
    ("POST", "/api/codes/scan"): Call("POST", "/api/codes/scan", {"code_data": "A-1", "delta": -1}),
}
"""Changes that are made once per key."""
REFUSED = {
    ("POST", "/api/products/import"): Call("POST", "/api/products/import"),
    ("POST", "/api/codes/scans"): Call("POST", "/api/codes/scans", {"scans": [{"code_data": "A-1", "delta": -1}]}),
}
"""Requests for many changes, which accept no key as a whole."""
NOT_NEEDED = {
    ("POST", "/api/codes/barcode"): Call("POST", "/api/codes/barcode", {"product_code": "A-1"}),
    ("POST", "/api/codes/qrcode"): Call("POST", "/api/codes/qrcode", {"product_code": "A-1"}),
    ("POST", "/api/codes/batch"): Call(
        "POST", "/api/codes/batch", {"requests": [{"kind": "barcode", "product_code": "A-1"}]}
    ),
    ("POST", "/api/codes/printable"): Call("POST", "/api/codes/printable", {"products": ["A-1"]}),
    ("POST", "/api/codes/decode"): Call("POST", "/api/codes/decode", {"code_data": "A-1"}),
    ("POST", "/api/page/session"): Call("POST", "/api/page/session", {"api_key": "any"}),
    ("DELETE", "/api/page/session"): Call("DELETE", "/api/page/session"),
}
"""Requests that change no product and no level: retries do no harm."""
NAMED = {
    ("PUT", "/api/codes/layouts/{name}"),
    ("DELETE", "/api/codes/layouts/{name}"),
    ("PUT", "/api/codes/images/{name}"),
    ("DELETE", "/api/codes/images/{name}"),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/cancel"),
}
"""The same, for what the path names."""
PRINTED = {
    ("POST", "/api/printers/{printer}/jobs"),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/resend"),
}
"""New print jobs, which are made once per key too; they need a printer, which test_printers.py has."""
OTHERS = {
    ("POST", "/api/products"): Call("POST", "/api/products", {"product_code": "B-2", "description": "x"}),
    ("PUT", "/api/products/{id}"): Call("PUT", "/api/products/1", {"description": "z"}),
    ("DELETE", "/api/products/{id}"): Call("DELETE", "/api/products/2"),
    ("PUT", "/api/inventory/{productId}"): Call("PUT", "/api/inventory/1", {"new_level": 9}),
    ("POST", "/api/inventory/{productId}/adjust"): Call("POST", "/api/inventory/1/adjust", {"delta": -2}),
    ("POST", "/api/inventory/changes/{changeId}/undo"): Call(
        "POST", "/api/inventory/changes/1/undo", {"updated_by": "Ann"}
    ),
    ("POST", "/api/codes/scan"): Call("POST", "/api/codes/scan", {"code_data": "A-1", "delta": -2}),
}
"""A different request for each of the routes in TAKEN."""

each_that_takes = pytest.mark.parametrize("call", TAKEN.values(), ids=call_id)


async def described(response: ClientResponse) -> tuple[int, str | None, bytes, str | None]:
    """Return what a client sees of a response."""
    headers = response.headers
    return response.status, headers.get("Content-Type"), await response.read(), headers.get("Idempotency-Replayed")


async def state(client: Client) -> list[Any]:
    """Return all products, levels and changes."""
    paths = ("/api/products", "/api/inventory", "/api/inventory/changes")
    return [await (await client.get(path)).json() for path in paths]


def test_each_route_that_is_no_get_says_what_a_key_does() -> None:
    """A new route cannot be forgotten, and the document matches the lists above."""
    routes = {(route.method, route.path): route for route in ROUTES if route.method != "GET"}
    assert sorted(routes) == sorted([*TAKEN, *REFUSED, *NOT_NEEDED, *NAMED, *PRINTED])
    assert {route for route in routes if "Idempotency-Key" in routes[route].signature.headers} == {*TAKEN, *PRINTED}
    assert {route for route in routes if "Idempotency-Replayed" in routes[route].signature.response_headers} == {
        *TAKEN,
        *PRINTED,
    }
    for refusing in REFUSED:
        assert "`Idempotency-Key`" in routes[refusing].description


@each_that_takes
async def test_a_change_that_is_sent_again_is_made_once(shop: Client, standing_clock: Any, call: Call) -> None:
    """The retry gets the first response, status and body, marked as a replay, although time has passed."""
    first = await described(await call.send(shop, headers=KEY))
    before = await state(shop)
    standing_clock.advance(60)
    assert first[0] in {200, 201}
    assert await described(await call.send(shop, headers=KEY)) == (*first[:3], "true")
    assert await state(shop) == before


@pytest.mark.parametrize("route", TAKEN, ids=" ".join)
async def test_a_key_belongs_to_one_request(shop: Client, refused: Refused, route: tuple[str, str]) -> None:
    """Another request with it is a 409, and changes nothing."""
    await TAKEN[route].send(shop, headers=KEY)
    before = await state(shop)
    told = await refused(await OTHERS[route].send(shop, headers=KEY), 409, "VALIDATION_ERROR")
    assert told["details"]["idempotency_key"] == KEY["Idempotency-Key"]
    assert await state(shop) == before


@each_that_takes
async def test_without_a_key_each_request_is_a_new_one(shop: Client, call: Call) -> None:
    """No response is stored for it."""
    responses = [await call.send(shop), await call.send(shop)]
    assert not [response for response in responses if "Idempotency-Replayed" in response.headers]


@sweep("call", TAKEN.values())
@sweep("key", ["", "k" * 256, "\N{LATIN SMALL LETTER E WITH ACUTE}"])
async def test_a_wrong_key_is_refused(shop: Client, problems: Problems, call: Call, key: str) -> None:
    """The change is not made."""
    before = await state(shop)
    assert list(await problems(await call.send(shop, headers={"Idempotency-Key": key}))) == ["Idempotency-Key"]
    assert await state(shop) == before


@pytest.mark.each_engine
async def test_a_change_that_failed_leaves_its_key_free(shop: Client, refused: Refused) -> None:
    """A code that was taken can be created with the same key once it is free."""
    draft = {"product_code": "A-1", "description": "Blue pen"}
    create = Call("POST", "/api/products", draft)
    await refused(await create.send(shop, headers=KEY), 409, "DUPLICATE_PRODUCT_CODE")
    await shop.delete("/api/products/1")
    assert (await create.send(shop, headers=KEY)).status == 201


async def test_a_product_that_is_gone_is_answered_as_it_was_created(shop: Client) -> None:
    """A key outlives its product: a retry must not create it again."""
    create = TAKEN["POST", "/api/products"]
    first = await described(await create.send(shop, headers=KEY))
    await shop.delete("/api/products/2")
    assert await described(await create.send(shop, headers=KEY)) == (*first[:3], "true")


@pytest.mark.parametrize("call", REFUSED.values(), ids=call_id)
async def test_a_request_of_many_changes_refuses_a_key(shop: Client, problems: Problems, call: Call) -> None:
    """The message says what to do instead, and nothing is changed."""
    before = await state(shop)
    told = await problems(await call.send(shop, headers=KEY))
    assert list(told) == ["Idempotency-Key"]
    assert "not possible here; " in told["Idempotency-Key"]
    assert await state(shop) == before


@sweep(
    ("call", "names"),
    [
        (Call("POST", "/api/products/import?mode=all&x=1"), {"mode", "x"}),
        (Call("POST", "/api/codes/scans", {"scans": [], "x": 1}), {"scans", "x"}),
        (Call("POST", "/api/codes/scans?y=1", {"scans": []}), {"scans", "y"}),
    ],
)
async def test_a_refused_key_is_reported_with_other_problems(
    shop: Client, problems: Problems, call: Call, names: set[str]
) -> None:
    """All problems are reported at once."""
    assert set(await problems(await call.send(shop, headers=KEY))) == {"Idempotency-Key", *names}


@sweep("call", NOT_NEEDED.values())
async def test_a_request_that_changes_nothing_ignores_a_key(shop: Client, call: Call) -> None:
    """Each request is executed again, and no response is stored."""
    before = await state(shop)
    responses = [await call.send(shop, headers=KEY) for _ in range(2)]
    assert [(response.status, response.headers.get("Idempotency-Replayed")) for response in responses] == [
        (200, None)
    ] * 2
    assert await state(shop) == before


@pytest.mark.each_engine
async def test_what_is_kept_of_a_product_has_a_bound(client: Client) -> None:
    """The longest product takes four times the bytes of a usual scan."""
    wide = "\N{GRINNING FACE}"
    longest = {
        "product_code": "\\" * 64,
        "description": wide * 500,
        "category": wide * 64,
        "unit_of_measure": wide * 64,
        **dict.fromkeys(("minimum_level", "maximum_level", "initial_level"), 2**53 - 1),
    }
    response = await client.post("/api/products", json=longest, headers=KEY)
    assert response.status == 201
    assert len(await response.read()) <= LONGEST_KEPT

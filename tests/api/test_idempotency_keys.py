"""Idempotency keys on all routes: each changing route accepts one, or refuses it."""

import json
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientResponse
from multidict import CIMultiDict
from PIL import Image

from barcodesvc.api.routes import ROUTES
from tests.api.calls import NOON, Call
from tests.api.replies import problems, refused
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep
from tests.workbooks import xlsx

KEY, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
SENT = {KEY: "till-2/4711"}
UNKNOWN = "/api/scans/unknown"
JOBS, IMPORT = "/api/printers/office/jobs", "/api/products/import"
RECEIVED = {"mode": "receive"}
PRINTER = "office=zpl://127.0.0.1:9?label=50x30mm"
"""It is off, so its jobs wait."""
LONGEST_KEPT = 3072
"""The size of the longest stored product response in bytes; docs/api.md names it."""


def png(width: int) -> bytes:
    """Return a small picture."""
    file = BytesIO()
    Image.new("1", (width, 1)).save(file, "png")
    return file.getvalue()


def two(method: str, path: str, first: Any, second: Any) -> tuple[Call, Call]:
    """Return two requests of one path."""
    return Call(method, path, first), Call(method, path, second)


TAKEN = {
    ("POST", "/api/products"): two(
        "POST", "/api/products", *({"product_code": code, "description": "x"} for code in ("B-1", "B-2"))
    ),
    ("POST", "/api/products/import"): (
        Call("POST", IMPORT, {}, RECEIVED, workbook=xlsx([("SKU", "Qty"), ("A-1", 3), ("X", 1)])),
        Call("POST", IMPORT, {}, RECEIVED, workbook=xlsx([("SKU", "Qty"), ("A-1", 4), ("X", 1)])),
    ),
    ("PUT", "/api/products/{id}"): two("PUT", "/api/products/1", {"description": "y"}, {"description": "z"}),
    ("DELETE", "/api/products/{id}"): (Call("DELETE", "/api/products/1"), Call("DELETE", "/api/products/2")),
    ("PUT", "/api/inventory/{productId}"): two("PUT", "/api/inventory/1", {"new_level": 8}, {"new_level": 9}),
    ("POST", "/api/inventory/{productId}/adjust"): two("POST", "/api/inventory/1/adjust", {"delta": -1}, {"delta": -2}),
    ("POST", "/api/inventory/changes/{changeId}/undo"): two(
        "POST", "/api/inventory/changes/1/undo", {}, {"updated_by": "Ann"}
    ),
    ("POST", "/api/codes/scan"): two(
        "POST", "/api/codes/scan", *({"code_data": "A-1", "delta": delta} for delta in (-1, -2))
    ),
    ("PUT", "/api/codes/layouts/{name}"): two("PUT", "/api/codes/layouts/new", {"sheet": "L7160"}, {"sheet": "L7163"}),
    ("DELETE", "/api/codes/layouts/{name}"): (
        Call("DELETE", "/api/codes/layouts/old"),
        Call("DELETE", "/api/codes/layouts/new"),
    ),
    ("PUT", "/api/codes/images/{name}"): (
        Call("PUT", "/api/codes/images/new", png=png(1)),
        Call("PUT", "/api/codes/images/new", png=png(2)),
    ),
    ("DELETE", "/api/codes/images/{name}"): (
        Call("DELETE", "/api/codes/images/old"),
        Call("DELETE", "/api/codes/images/new"),
    ),
    ("POST", "/api/products/{id}/codes"): two("POST", "/api/products/1/codes", {"code": "B-1"}, {"code": "B-2"}),
    ("DELETE", "/api/products/{id}/codes/{codeId}"): (
        Call("DELETE", "/api/products/1/codes/2"),
        Call("DELETE", "/api/products/1/codes/3"),
    ),
    ("POST", "/api/codes/made"): two("POST", "/api/codes/made", {"count": 1}, {"count": 2}),
    ("POST", "/api/scans/unknown/{id}/assign"): two(
        "POST", f"{UNKNOWN}/1/assign", {"product_id": 1}, {"product_id": 1, "pack_quantity": 2}
    ),
    ("DELETE", "/api/scans/unknown/{id}"): (Call("DELETE", f"{UNKNOWN}/1"), Call("DELETE", f"{UNKNOWN}/2")),
    ("DELETE", "/api/scans/unknown"): (Call("DELETE", UNKNOWN), Call("DELETE", f"{UNKNOWN}/2")),
    ("POST", "/api/printers/{printer}/jobs"): two("POST", JOBS, {"products": ["A-1"]}, {"products": ["B-1"]}),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/cancel"): (
        Call("POST", f"{JOBS}/2/cancel"),
        Call("POST", f"{JOBS}/1/cancel"),
    ),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/settle"): (
        Call("POST", f"{JOBS}/1/settle"),
        Call("POST", f"{JOBS}/2/settle"),
    ),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/resend"): two(
        "POST", f"{JOBS}/1/resend", {"from_label": 1}, {"from_label": 2}
    ),
}
"""Changes that are made once per key, and a different request for each of their routes."""
REFUSED = {
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
"""Requests that change nothing which is kept: retries do no harm."""


@pytest.fixture
async def shop(make_client: ClientMaker) -> Client:
    """Return a client of a service with a product, a layout, an image, a job that is over and one that waits."""
    client = await make_client(printers=(PRINTER,))
    for call in (
        Call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 5}),
        Call("PUT", "/api/codes/layouts/old", {"sheet": "L7160"}),
        Call("PUT", "/api/codes/images/old", png=png(3)),
        Call("POST", JOBS, {"products": ["A-1", "B-1"]}),
        Call("POST", f"{JOBS}/1/cancel"),
        Call("POST", JOBS, {"products": ["A-1"]}),
        Call("POST", "/api/products/1/codes", {"code": "BOX"}),
        Call("POST", "/api/products/1/codes", {"code": "BAG"}),
    ):
        assert (await call.send(client)).ok, call
    for text in ("unknown 1", "unknown 2"):
        assert (await Call("POST", "/api/codes/decode", {"code_data": text}).send(client)).status == 404
    assert (await client.get(UNKNOWN)).ok  # they are written
    return client


async def described(response: ClientResponse) -> tuple[int, str | None, bytes, str | None]:
    """Return what a client sees of a response."""
    headers = response.headers
    return response.status, headers.get("Content-Type"), await response.read(), headers.get("Idempotency-Replayed")


async def state(client: Client) -> list[Any]:
    """Return all products, levels, changes, layouts and images, and how far each job is."""
    paths = (
        "/api/products",
        "/api/products/1/codes",
        UNKNOWN,
        "/api/inventory",
        "/api/inventory/changes",
        "/api/codes/layouts",
        "/api/codes/images",
    )
    jobs = (await (await client.get(JOBS)).json())["data"]
    kept = [await (await client.get(path)).json() for path in paths]
    return [*kept, *((job["id"], job["state"], job["settled_at"]) for job in jobs)]


def test_each_route_that_is_no_get_says_what_a_key_does() -> None:
    """A new route cannot be forgotten, and the document matches the lists above."""
    routes = {(route.method, route.path): route for route in ROUTES if route.method != "GET"}
    assert sorted(routes) == sorted([*TAKEN, *REFUSED, *NOT_NEEDED])
    for name in ("headers", "response_headers"):
        keyed = {route for route in routes if {KEY, REPLAYED} & set(getattr(routes[route].signature, name))}
        assert keyed == TAKEN.keys()
    for refusing in REFUSED:
        assert "`Idempotency-Key`" in routes[refusing].description


@pytest.mark.parametrize("route", TAKEN, ids=" ".join)
async def test_a_change_is_made_once_for_its_key(shop: Client, standing_clock: Any, route: tuple[str, str]) -> None:
    """The retry gets the first response, marked as a replay, wherever the key is; another request with it is a 409."""
    call, other = TAKEN[route]
    of_body = [] if call.json is None else [replace(call, json={**call.json, "idempotency_key": SENT[KEY]})]
    before = await state(shop)
    for keyed in of_body:
        told = await problems(await keyed.send(shop, headers={KEY: "till-2/4712"}))
        assert told == {"idempotency_key": "differs from the key in the header Idempotency-Key; send only one"}
    assert await state(shop) == before
    first = await described(await call.send(shop, headers=SENT))
    assert first[0] in {200, 201, 202}
    before = await state(shop)
    standing_clock.advance(60)
    assert await described(await call.send(shop, headers=SENT)) == (*first[:3], "true")
    for keyed in of_body:
        for headers in ({}, SENT):
            assert await described(await keyed.send(shop, headers=headers)) == (*first[:3], "true")
    reused = await refused(await other.send(shop, headers=SENT), 409, "VALIDATION_ERROR")
    assert reused["details"] == {
        "reason": "idempotency_key_reused",
        "idempotency_key": SENT[KEY],
        "used_for": f"{call.method} {call.path}",
        "used_at": NOON,
    }
    assert await state(shop) == before


@sweep("call", [call for call, _ in TAKEN.values()])
async def test_a_wrong_key_is_refused(shop: Client, call: Call) -> None:
    """A key is 1 to 255 printable ASCII characters; otherwise the change is not made."""
    before = await state(shop)
    for wrong in ("", "k" * 256, "\N{LATIN SMALL LETTER E WITH ACUTE}"):
        told = await problems(await call.send(shop, headers={KEY: wrong}))
        assert told == {KEY: "a key is 1 to 255 printable ASCII characters"}
    assert await state(shop) == before


async def test_a_key_is_sent_once(shop: Client) -> None:
    """Neither of two is used."""
    twice = CIMultiDict([(KEY, "K"), (KEY, "K")])
    response = await shop.post("/api/inventory/1/adjust", json={"delta": 1}, headers=twice)
    assert await problems(response) == {KEY: "given more than once"}


async def test_a_dry_run_leaves_its_key_free(shop: Client) -> None:
    """The import after it is no repeat."""
    call, _ = TAKEN["POST", IMPORT]
    tried = await replace(call, params={**RECEIVED, "dry_run": "true"}).send(shop, headers=SENT)
    made = await call.send(shop, headers=SENT)
    assert [(one.status, one.headers.get(REPLAYED)) for one in (tried, made)] == [(200, None)] * 2


async def test_an_import_that_is_sent_again_ends_with_its_first_result(shop: Client) -> None:
    """A client that reads events gets it as the only one."""
    call, _ = TAKEN["POST", IMPORT]
    first = (await (await call.send(shop, headers=SENT)).json())["data"]
    again = await call.send(shop, headers={**SENT, "Accept": "text/event-stream"})
    assert await again.text() == f"event: result\ndata: {json.dumps(first, separators=(',', ':'))}\n\n"


@pytest.mark.each_engine
async def test_a_change_that_failed_leaves_its_key_free(shop: Client) -> None:
    """A code that was taken can be created with the same key once it is free."""
    draft = {"product_code": "A-1", "description": "Blue pen"}
    create = Call("POST", "/api/products", draft)
    await refused(await create.send(shop, headers=SENT), 409, "DUPLICATE_PRODUCT_CODE")
    await shop.delete("/api/products/1")
    assert (await create.send(shop, headers=SENT)).status == 201


async def test_a_request_of_many_changes_refuses_a_key(shop: Client) -> None:
    """The message says what to do instead, together with all other problems, and nothing is changed."""
    before = await state(shop)
    for call, others in (
        (REFUSED["POST", "/api/codes/scans"], set()),
        (Call("POST", "/api/codes/scans?y=1", {"scans": [], "x": 1}), {"scans", "x", "y"}),
    ):
        told = await problems(await call.send(shop, headers=SENT))
        assert "not possible here; " in told.pop(KEY)
        assert told.keys() == others
    assert await state(shop) == before


@sweep("call", NOT_NEEDED.values())
async def test_a_request_that_changes_nothing_ignores_a_key(shop: Client, call: Call) -> None:
    """Each request is executed again, and no response is stored."""
    before = await state(shop)
    responses = [await call.send(shop, headers=SENT) for _ in range(2)]
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
    response = await client.post("/api/products", json=longest, headers=SENT)
    assert response.status == 201
    assert len(await response.read()) <= LONGEST_KEPT

"""Every route with a success, responses compared as a whole; see also test_reasons and test_failures."""

from typing import Any

import pytest

from tests.api.calls import NOON, PEN, SCANNED_PEN, Call
from tests.api.conftest import ROWS
from tests.fixture_types import Client
from tests.forms import form_data
from tests.workbooks import xlsx

LEVEL = {
    "id": 1,
    "product_id": 1,
    "product_code": "A-1",
    "description": "Blue pen",
    "current_level": 5,
    "minimum_level": 2,
    "maximum_level": 9,
    "last_updated": NOON,
    "updated_by": "system",
}


CHANGE = {
    "product_id": 1,
    "old_level": 5,
    "new_level": 7,
    "change_reason": "count",
    "updated_by": "Ann",
    "updated_at": NOON,
    "product_code": "A-1",
    "unit_of_measure": "box",
}


BOOK = xlsx(ROWS)


ADDED = {"scanned_at": None, "undoes": None, "undone_by": None, "import_id": None}
"""Fields of a history entry in addition to the specified ones."""


BIRTH = {
    "id": 1,
    "product_id": 1,
    "old_level": 0,
    "new_level": 5,
    "change_reason": "initial level",
    "updated_by": "system",
    "updated_at": NOON,
}


SCANNED = {
    "product": SCANNED_PEN,
    "code": {"code": "A-1", "pack_quantity": 1},
    "inventory": {"current_level": 5, "minimum_level": 2, "last_updated": NOON},
    "match": "exact",
}


ADJUSTED = {**CHANGE, "new_level": 3}


COUNTED = {
    **SCANNED,
    "inventory": {"current_level": 3, "minimum_level": 2, "last_updated": NOON},
    "change": {"id": 2, **ADJUSTED, **ADDED, "delta": -2, "packs": -2},
}


PAGE = {"page": 1, "limit": 50, "total": 1, "pages": 1}


SUCCESSES = (
    (Call("GET", "/api/products"), {"success": True, "data": [PEN], "pagination": PAGE}),
    (Call("GET", "/api/products/1"), {"success": True, "data": PEN}),
    (Call("PUT", "/api/products/1", {"category": ""}), {"success": True, "data": {**PEN, "category": ""}}),
    (
        Call("DELETE", "/api/products/1"),
        {"success": True, "message": "deleted product 'A-1' with its level and history"},
    ),
    (Call("GET", "/api/inventory"), {"success": True, "data": [LEVEL]}),
    (
        Call("PUT", "/api/inventory/1", {"new_level": 7, "change_reason": "count", "updated_by": "Ann"}),
        {"success": True, "data": CHANGE},
    ),
    (Call("GET", "/api/inventory/1/history"), {"success": True, "data": [{**BIRTH, **ADDED}]}),
    (
        Call("POST", "/api/codes/decode", {"code_data": "A-1", "code_type": "CODE128"}),
        {"success": True, "data": SCANNED},
    ),
    (
        Call("POST", "/api/inventory/1/adjust", {"delta": -2, "change_reason": "count", "updated_by": "Ann"}),
        {"success": True, "data": ADJUSTED},
    ),
    (
        Call(
            "POST", "/api/codes/scan", {"code_data": "A-1", "delta": -2, "change_reason": "count", "updated_by": "Ann"}
        ),
        {"success": True, "data": COUNTED},
    ),
)


@pytest.mark.parametrize(("call", "response"), SUCCESSES, ids=[str(call) for call, _ in SUCCESSES])
async def test_a_success_is_exactly_what_is_specified(shop: Client, call: Call, response: dict[str, Any]) -> None:
    """The response has the specified fields with the right values, and status 200."""
    given = await call.send(shop)
    assert (given.status, given.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert await given.json() == response


async def test_only_creating_answers_201(client: Client) -> None:
    """A created product is returned completely, with the fields that the service adds."""
    draft = {name: PEN[name] for name in ("product_code", "description", "category", "unit_of_measure")}
    response = await client.post("/api/products", json=draft)
    assert response.status == 201
    assert await response.json() == {"success": True, "data": PEN}


async def test_an_import_answers_its_counts(shop: Client) -> None:
    """The import result is in the envelope, status 200."""
    response = await shop.post("/api/products/import", data=form_data(BOOK))
    assert response.status == 200
    counts = {"imported": 2, "skipped": 0, "levels_ignored": 0, "import_id": 1, "new_products": [2, 3]}
    errors = {"errors": [], "errors_count": 0, "errors_truncated": False}
    assert await response.json() == {"success": True, "data": {**counts, **errors}}


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("barcode", ["product_code", "format", "barcode_svg", "barcode_base64"]),
        ("qrcode", ["product_code", "qr_code_svg", "qr_code_base64"]),
    ],
)
async def test_a_rendered_code_is_in_the_envelope(client: Client, path: str, names: list[str]) -> None:
    """The response has both pictures and their parameters, status 200."""
    response = await client.post(f"/api/codes/{path}", json={"product_code": "A-1"})
    reply = await response.json()
    assert (response.status, list(reply), list(reply["data"])) == (200, ["success", "data"], names)
    assert reply["data"][names[-2]].startswith("<svg")
    assert reply["data"][names[-1]].startswith("data:image/png;base64,")


async def test_a_file_comes_as_an_attachment(shop: Client) -> None:
    """A download has its content type and a file name, and no envelope."""
    response = await shop.post("/api/codes/printable", json={"products": ["A-1"]})
    assert (response.status, response.headers["Content-Type"]) == (200, "application/pdf")
    assert response.headers["Content-Disposition"] == 'attachment; filename="labels.pdf"'
    assert (await response.read()).startswith(b"%PDF-")

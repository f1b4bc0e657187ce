"""A day in a shop on both engines: the same requests get the same responses, byte for byte.

The clocks of both services are fixed, and ids begin at 1, so that the contract allows no difference.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from aiohttp import FormData, web
from openpyxl import Workbook

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.conftest import Client, StandingClock
from tests.engines import ServerPlaces

PEN, INK, CABLE = "4006381333931", "INK-4711", "A1234567B"
JSON, LATER = "application/json", 60.0
SCANNED = "2023-11-14T22:10:00.000Z"

Step = tuple[str, str, Any]
"""A request: method, path, and its JSON body, or None."""

PRODUCTS: list[Step] = [
    ("POST", "/api/products", {"product_code": PEN, "description": "Blue pen", "category": "Pens", "initial_level": 5}),
    ("POST", "/api/products", {"product_code": INK, "description": "Tinte für Füller", "minimum_level": 3}),
    ("POST", "/api/products", {"product_code": CABLE, "description": "100 % _copper_ \\ Kabel 牛", "category": "Pens"}),
    ("POST", "/api/products", {"product_code": PEN, "description": "another"}),
    ("POST", "/api/products", {"product_code": "x" * 65, "description": ""}),
    ("PUT", "/api/products/2", {"description": "Ink", "minimum_level": 4}),
    ("PUT", "/api/products/2", {"maximum_level": 1}),
    ("PUT", "/api/products/99", {"description": "nothing"}),
]
CHANGES: list[Step] = [
    ("PUT", "/api/inventory/1", {"new_level": 8, "change_reason": "count", "updated_by": "Ann", "expected_level": 5}),
    ("PUT", "/api/inventory/1", {"new_level": 9, "expected_level": 5}),
    ("PUT", "/api/inventory/99", {"new_level": 9}),
    ("POST", "/api/inventory/1/adjust", {"delta": -2, "updated_by": "Ben", "idempotency_key": "adjust-1"}),
    ("POST", "/api/inventory/1/adjust", {"delta": -2, "updated_by": "Ben", "idempotency_key": "adjust-1"}),
    ("POST", "/api/inventory/1/adjust", {"delta": -3, "updated_by": "Ben", "idempotency_key": "adjust-1"}),
    ("POST", "/api/inventory/1/adjust", {"delta": -99}),
    ("POST", "/api/codes/scan", {"code_data": f"]E0{PEN}", "delta": 3, "idempotency_key": "scan-1"}),
    ("POST", "/api/codes/scan", {"code_data": PEN, "new_level": 4, "scanned_at": SCANNED}),
    ("POST", "/api/codes/scan", {"code_data": CABLE, "new_level": 4, "scanned_at": SCANNED}),
    (
        "POST",
        "/api/codes/scans",
        {
            "scans": [
                {"code_data": PEN, "delta": 1, "idempotency_key": "batch-1"},
                {"code_data": "unknown", "delta": 1, "idempotency_key": "batch-2"},
                {"code_data": INK, "delta": 7, "idempotency_key": "batch-3"},
                {"code_data": PEN, "delta": 1, "idempotency_key": "batch-1"},
                {"code_data": INK},
            ]
        },
    ),
    ("POST", "/api/inventory/changes/2/undo", {"updated_by": "Ann", "idempotency_key": "undo-1"}),
    ("POST", "/api/inventory/changes/2/undo", {"updated_by": "Ann"}),
    ("POST", "/api/inventory/changes/999/undo", {}),
]
LOOKS: list[Step] = [
    ("POST", "/api/codes/decode", {"code_data": "1234567"}),
    ("POST", "/api/codes/decode", {"code_data": f"(01)0{PEN}(10)LOT"}),
    ("POST", "/api/codes/decode", {"code_data": "ink-4711"}),
    ("POST", "/api/codes/decode", {"code_data": "A"}),
    *[
        ("GET", path, None)
        for path in (
            "/api/products",
            "/api/products?page=2&limit=2",
            "/api/products?page=9",
            "/api/products?search=E",
            "/api/products?search=TINTE",
            "/api/products?search=%25",
            "/api/products?search=_cop&include_levels=true",
            "/api/products?category=Pens&search=kab",
            "/api/products?category=Pens&limit=1",
            "/api/products?sort=-description&limit=2",
            "/api/products?sort=current_level&include_levels=true",
            "/api/products?moved_since=2023-11-01&category=Pens&sort=-product_code",
            "/api/products/1",
            "/api/products/99",
            "/api/inventory",
            "/api/inventory?page=1&limit=2",
            "/api/inventory?low_stock=true",
            "/api/inventory/1/history",
            "/api/inventory/1/history?limit=1&before=3",
            "/api/inventory/99/history",
            "/api/inventory/changes",
            "/api/inventory/changes?limit=2&before=5",
            "/api/inventory/changes?updated_by=Ben",
            "/api/inventory/changes?product_id=2",
            "/api/inventory/changes?after=3&limit=4",
            "/api/inventory/export?format=csv&include_history=true",
            "/api/products/export?format=csv",
        )
    ],
    ("POST", "/api/codes/printable", {"products": [PEN, "unknown"]}),
]
END: list[Step] = [
    ("DELETE", "/api/products/1", None),
    ("DELETE", "/api/products/1", None),
    ("POST", "/api/products", {"product_code": PEN, "description": "a new one"}),
    ("GET", "/api/inventory/changes", None),
    ("POST", "/api/inventory/4/adjust", {"delta": 1}),
]


def workbook() -> FormData:
    """Return an upload that creates two products and changes one."""
    book = Workbook()
    for row in (
        ("product_code", "description", "category", "initial_level", "minimum_level"),
        (INK, "Ink, blue", None, 3, 2),
        ("NEW-1", "tab\tand \\ backslash", "Misc", 7, None),
        ("NEW-2", "plain", None, None, None),
    ):
        book.worksheets[0].append(row)
    file = BytesIO()
    book.save(file)
    form = FormData()
    form.add_field("file", file.getvalue(), filename="catalogue.xlsx")
    return form


async def response(client: Client, step: Step) -> tuple[int, str, bytes]:
    """Return status, type and body of a response."""
    method, path, body = step
    async with client.request(method, path, json=body) if body is not None else client.request(method, path) as got:
        return got.status, got.headers.get("Content-Type", ""), await got.read()


async def test_a_day_is_answered_the_same_by_either_engine(
    aiohttp_client: Callable[[web.Application], Awaitable[Client]],
    postgres: ServerPlaces,
    standing_clock: StandingClock,
    tmp_path: Path,
) -> None:
    """Products, counts, batches, undos, an import, lists, searches and exports, including refusals."""
    off: dict[str, Any] = {"rate_limit": None, "upload_rate_limit": None}
    with postgres.one() as place:
        clients = [
            await aiohttp_client(make_app(Settings(database=where, **off), standing_clock.clock()))
            for where in (tmp_path / "test.db", place)
        ]
        responses: dict[int, list[tuple[int, str, bytes]]] = {0: [], 1: []}
        for steps in (PRODUCTS, CHANGES, LOOKS, None, LOOKS, END, LOOKS):
            standing_clock.advance(LATER)
            for number, client in enumerate(clients):
                if steps is None:
                    async with client.post("/api/products/import?mode=update", data=workbook()) as got:
                        assert got.status == 200
                        responses[number].append((got.status, "", await got.read()))
                    continue
                responses[number] += [await response(client, step) for step in steps]
        assert responses[1] == responses[0]
        assert {status for status, _, _ in responses[0]} == {200, 201, 400, 404, 409}
        for client in clients:
            await client.close()

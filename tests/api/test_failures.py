"""Failures of the service itself: 500 and 503, reported without cause."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from barcodesvc import service
from barcodesvc.api.keys import SERVICE
from barcodesvc.codes.rendering import BarcodeKey
from tests.api.calls import Call
from tests.fixture_types import Client, ClientMaker, Refused, Until
from tests.workbooks import xlsx

NEED_DATABASE: tuple[Call, ...] = (
    Call("GET", "/api/products"),
    Call("GET", "/api/products/1"),
    Call("POST", "/api/products", {"product_code": "B-1", "description": "x"}),
    Call("POST", "/api/products/import", {}, workbook=xlsx([("SKU", "Name"), ("B-1", "Red pen")])),
    Call("PUT", "/api/products/1", {"category": ""}),
    Call("DELETE", "/api/products/1"),
    Call("GET", "/api/inventory"),
    Call("GET", "/api/inventory", params={"low_stock": "1"}),
    Call("GET", "/api/inventory", params={"product_id": "1"}),
    Call("PUT", "/api/inventory/1", {"new_level": 7}),
    Call("POST", "/api/inventory/1/adjust", {"delta": 1, "idempotency_key": "K"}),
    Call("GET", "/api/inventory/1/history"),
    Call("GET", "/api/inventory/export"),
    Call("POST", "/api/codes/scan", {"code_data": "A-1", "delta": 1}),
    Call("POST", "/api/codes/qrcode", {"product_code": "A-1", "include_product_info": True}),
    Call("POST", "/api/codes/printable", {"products": ["A-1"], "layout": {"include_description": True}}),
)


@pytest.mark.each_engine
async def test_a_database_failure_is_a_500(
    shop: Client, refused: Refused, break_database: Callable[[Client], Awaitable[None]]
) -> None:
    """A failed statement is reported without its cause: no SQL, no path, no traceback."""
    await break_database(shop)
    for call in NEED_DATABASE:
        reply = await refused(await call.send(shop), 500, "DATABASE_ERROR")
        assert reply["message"] == "the database could not carry out the operation; nothing was changed", call
        assert reply["details"] == {"reason": "failed"}, call


@pytest.mark.parametrize(
    ("path", "broken"),
    [
        ("barcode", "barcodesvc.codes.rendering.png"),
        ("qrcode", "barcodesvc.codes.rendering.png"),
        ("printable", "barcodesvc.labels.writers.pdf.write_pdf"),
    ],
)
async def test_a_rendering_failure_is_a_500(
    client: Client, refused: Refused, monkeypatch: pytest.MonkeyPatch, path: str, broken: str
) -> None:
    """A writer that fails on valid input is reported without its cause (replaced here: no such input is known)."""

    def fail(*_: object) -> bytes:
        raise MemoryError("/secret/path")

    monkeypatch.setattr(broken, fail)
    body = {"products": ["A-1"]} if path == "printable" else {"product_code": "A-1"}
    response = await client.post(f"/api/codes/{path}", json=body)
    assert "secret" not in str(await refused(response, 500, "GENERATION_ERROR"))


async def test_a_full_render_queue_is_a_503(
    make_client: ClientMaker, refused: Refused, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a render waits in a queue of one, the next one is refused; afterwards it succeeds.

    Rendering is blocked in its thread, because a real render is too fast to overlap reliably.
    """
    gate, real = threading.Event(), BarcodeKey.render
    monkeypatch.setattr(BarcodeKey, "render", lambda key: gate.wait() and real(key))
    monkeypatch.setattr(service, "RENDER_QUEUE", 1)
    client = await make_client()
    waiting = asyncio.create_task(client.post("/api/codes/barcode", json={"product_code": "A-1"}))
    await until(lambda: client.app[SERVICE].renderer.under_way > 0)
    response = await client.post("/api/codes/barcode", json={"product_code": "A-2"})
    gate.set()
    await refused(response, 503, "GENERATION_ERROR")
    assert response.headers["Retry-After"] == "1"
    assert (await waiting).status == 200
    assert (await client.post("/api/codes/barcode", json={"product_code": "A-2"})).status == 200


@pytest.mark.parametrize("form", ["xlsx", "csv"])
async def test_an_export_failure_is_a_500(
    shop: Client, refused: Refused, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """An unexpected failure before the first byte is an EXPORT_ERROR (the writers are replaced to provoke it)."""

    def fail(*_: object) -> bytes:
        raise RuntimeError("/secret/path")

    monkeypatch.setattr("barcodesvc.catalogue.exporting.XlsxFile", fail)
    monkeypatch.setattr("barcodesvc.catalogue.exporting.csv_bytes", fail)
    reply = await refused(await shop.get("/api/inventory/export", params={"format": form}), 500, "EXPORT_ERROR")
    assert "secret" not in str(reply)

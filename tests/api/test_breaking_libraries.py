"""Libraries that raise unexpected exceptions: one request fails, and the service continues.

The library's call at the edge is replaced, because no input is known that makes one fail this way.
"""

import pkgutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from tests.fixture_types import Client, Refused
from tests.forms import form_data
from tests.scanning.symbol_images import file_of, symbol

pytestmark = pytest.mark.usefixtures("folder")


class PanicError(BaseException):
    """What a library written in Rust raises: a BaseException that is not an Exception."""


@dataclass(frozen=True)
class Work:
    """Work outside the event loop: the library's call, the request that leads to it, its failure."""

    broken: str
    method: str
    path: str
    body: Any = None
    code: str = "GENERATION_ERROR"

    async def ask(self, client: Client, upload: Callable[..., FormData]) -> ClientResponse:
        """Send the request."""
        if self.body == "workbook":
            return await client.request(self.method, self.path, data=upload())
        if self.body == "image":
            form = form_data(file_of(symbol(content="A-1")), "image")
            return await client.request(self.method, self.path, data=form)
        return await client.request(self.method, self.path, json=self.body)


EXPORT = "/api/inventory/export"
OFF_THE_LOOP = {
    "barcode": Work("barcodesvc.codes.rendering.png", "POST", "/api/codes/barcode", {"product_code": "A-1"}),
    "qrcode": Work("barcodesvc.codes.rendering.svg", "POST", "/api/codes/qrcode", {"product_code": "A-1"}),
    "picture": Work("barcodesvc.codes.rendering.png", "GET", "/api/codes/barcode/A-1.png"),
    "printable": Work("barcodesvc.labels.writers.pdf.write_pdf", "POST", "/api/codes/printable", {"products": ["A-1"]}),
    "image": Work("barcodesvc.scanning.images.reader.codes_from_json", "POST", "/api/codes/decode", "image"),
    "import": Work(
        "barcodesvc.catalogue.importing.is_held_in_memory", "POST", "/api/products/import", "workbook", "DATABASE_ERROR"
    ),
    "csv": Work("barcodesvc.catalogue.exporting.csv_bytes", "GET", f"{EXPORT}?format=csv", None, "EXPORT_ERROR"),
    "xlsx": Work(
        "barcodesvc.catalogue.exporting.XlsxFile.append", "GET", f"{EXPORT}?format=xlsx", None, "EXPORT_ERROR"
    ),
    "template": Work(
        "barcodesvc.api.resources.exports.catalogue_template",
        "GET",
        "/api/products/import/template",
        None,
        "EXPORT_ERROR",
    ),
    "large body": Work(
        "barcodesvc.api.bodies.model_in", "POST", "/api/codes/printable", {"products": ["A-1"] * 10_000}
    ),
}


@pytest.fixture(params=OFF_THE_LOOP)
def work(request: pytest.FixtureRequest) -> Work:
    """Return each piece of work in turn."""
    return OFF_THE_LOOP[request.param]


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RecursionError(), SystemExit(1), KeyboardInterrupt(), StopIteration(), PanicError()],
    ids=repr,
)
async def test_a_library_that_breaks_off_is_one_500(  # noqa: PLR0913, PLR0917 - a piece of work, what breaks, who sees it
    shop: Client,
    work: Work,
    refused: Refused,
    upload: Any,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Any exception becomes the route's error, is logged once with its cause, and the next request works."""
    real = pkgutil.resolve_name(work.broken)

    def fail(*given: object) -> Any:
        if threading.current_thread() is threading.main_thread():
            return real(*given)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(work.broken, fail)
        await refused(await work.ask(shop, upload), 500, work.code)
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.exc_info
    cause = record.exc_info[1]
    assert error in (cause, cause and cause.__cause__)
    assert (await work.ask(shop, upload)).status == 200


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), PanicError(), SystemExit(1)], ids=repr)
@pytest.mark.parametrize(
    "broken",
    [
        "barcodesvc.api.bodies.model_in",
        "barcodesvc.api.bodies.json_body",
        "barcodesvc.api.endpoint.reply_response",
    ],
)
async def test_what_breaks_off_in_the_event_loop_is_one_500(  # noqa: PLR0913, PLR0917 - as above
    shop: Client,
    refused: Refused,
    error: BaseException,
    broken: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Reading or parsing a body, or building a response: the client gets an envelope, the log has the cause once."""

    def fail(*_: object, **__: object) -> Any:
        raise error

    body = {"product_code": "B-1", "description": "x"}
    with monkeypatch.context() as patched:
        patched.setattr(broken, fail)
        await refused(await shop.post("/api/products", json=body), 500, "DATABASE_ERROR")
    assert [record.exc_info and record.exc_info[1] for record in caplog.records] == [error]
    assert (await shop.post("/api/products", json={**body, "product_code": "B-2"})).status == 201

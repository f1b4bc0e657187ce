"""Failures of the service: a request gets an envelope without the cause, the log has it once, the service goes on.

For unforeseen ones a library's call at the edge is replaced, because no input is known that makes one fail this way.
"""

import asyncio
import gc
import logging
import pkgutil
import threading
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientResponse, web
from aiohttp.typedefs import Handler

from barcodesvc import service
from barcodesvc.api.endpoint import Route
from barcodesvc.api.keys import SERVED, SERVICE, ServedRoute
from barcodesvc.app import make_app
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.config import Settings
from barcodesvc.errors import ExportFailure, InvalidInput
from tests.api.calls import Call
from tests.api.described import OTHER_PATH
from tests.api.replies import refused
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import form_data
from tests.scanning.symbol_images import file_of, symbol
from tests.workbooks import xlsx

Serve = Callable[..., Awaitable[Client]]

NEED_DATABASE: tuple[Call, ...] = (
    Call("GET", "/api/products"),
    Call("POST", "/api/products", {"product_code": "B-1", "description": "x"}),
    Call("POST", "/api/products/import", {}, workbook=xlsx([("SKU", "Name"), ("B-1", "Red pen")])),
    Call("POST", "/api/inventory/1/adjust", {"delta": 1, "idempotency_key": "K"}),
    Call("GET", "/api/inventory/export"),
    Call("POST", "/api/codes/scan", {"code_data": "A-1", "delta": 1}),
    Call("POST", "/api/codes/qrcode", {"product_code": "A-1", "include_product_info": True}),
    Call("POST", "/api/codes/printable", {"products": ["A-1"], "layout": {"include_description": True}}),
)
"""A read, a change, an import, a change with a key, a stream, a scan, and what is drawn with a product's texts."""

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def serve(aiohttp_client: Any, settings: Settings) -> Serve:
    """Return a function that serves a handler, as one of the route table or next to it, and returns a client."""

    async def make(handler: Handler, *, is_known: bool = False) -> Client:
        app = make_app(settings)
        app.router.add_get(OTHER_PATH, handler)
        if is_known:
            route: ServedRoute = Route("GET", OTHER_PATH, handler, failure=ExportFailure)
            served = app[SERVED]
            app[SERVED] = {**served, handler: route}
        client: Client = await aiohttp_client(app)
        return client

    return make


def failing(error: BaseException) -> Handler:
    """Return a handler that raises."""

    async def handler(_request: web.Request) -> web.Response:
        raise error

    return handler


@pytest.mark.parametrize(("is_known", "code"), [(True, "EXPORT_ERROR"), (False, "GENERATION_ERROR")])
async def test_an_unforeseen_failure_is_reported_without_detail(
    serve: Serve, caplog: pytest.LogCaptureFixture, code: str, *, is_known: bool
) -> None:
    """The response has the code of the route's failure, or of all, and no cause; the log has it with its traceback."""
    error = RuntimeError("/secret")
    client = await serve(failing(error), is_known=is_known)
    reply = await refused(await client.get(OTHER_PATH), 500, code)
    assert (reply["message"], reply["details"]) == ("the service failed; the log says why", {"reason": "failed"})
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.getMessage() == f"unexpected failure in GET {OTHER_PATH}"
    assert record.exc_info
    assert record.exc_info[1] is error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (web.HTTPBadRequest(reason="Invalid X header"), "Invalid X header"),
        (web.HTTPForbidden(text="no entry"), "no entry"),
        (web.HTTPNotAcceptable(), "Not Acceptable"),
    ],
    ids=["reason", "text", "neither"],
)
async def test_an_error_of_the_framework_becomes_invalid_input(
    serve: Serve, error: web.HTTPException, message: str
) -> None:
    """Only the statuses of the specification occur: a refusal by aiohttp becomes a 400 with its reason."""
    reply = await refused(await (await serve(failing(error))).get(OTHER_PATH), 400, "VALIDATION_ERROR")
    assert reply["message"] == message


class Held:
    """An object that a request holds, such as its body."""


@pytest.mark.parametrize("kind", [lambda: InvalidInput("no"), web.HTTPNotFound], ids=["ours", "aiohttp's"])
async def test_a_refusal_leaves_nothing_to_the_garbage_collector(serve: Serve, kind: Callable[[], Exception]) -> None:
    """The frames of refusing calls are freed with the response, not by the next full garbage collection."""
    held: list[weakref.ref[Held]] = []

    def cause(what: Held) -> None:
        held.append(weakref.ref(what))
        error = KeyError("held by the call that it was raised in")
        raise error

    async def handler(_request: web.Request) -> web.Response:
        error = kind()
        try:
            cause(Held())
        except KeyError as found:
            raise error from found
        return web.Response()

    client = await serve(handler)
    gc.disable()
    try:
        assert (await client.get(OTHER_PATH)).status in (400, 404)
        assert [one() for one in held] == [None]
    finally:
        gc.enable()


@pytest.mark.each_engine
async def test_a_database_failure_is_a_500(shop: Client, break_database: Callable[[Client], Awaitable[None]]) -> None:
    """A failed statement is reported without its cause: no SQL, no path, no traceback."""
    await break_database(shop)
    for call in NEED_DATABASE:
        reply = await refused(await call.send(shop), 500, "DATABASE_ERROR")
        assert reply["message"] == "the database could not carry out the operation; nothing was changed", call
        assert reply["details"] == {"reason": "failed"}, call


async def test_a_full_render_queue_is_a_503(
    make_client: ClientMaker, until: Until, monkeypatch: pytest.MonkeyPatch
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


class PanicError(BaseException):
    """What a library written in Rust raises: a BaseException that is not an Exception."""


@dataclass(frozen=True)
class Work:
    """Work that a library does: its call, the request that leads to it, the code of its failure.

    The body of the request is JSON, or the name and the bytes of a file in a form.
    """

    broken: str
    target: str
    body: Any = None
    code: str = "GENERATION_ERROR"

    async def ask(self, client: Client) -> ClientResponse:
        """Send the request."""
        if isinstance(self.body, tuple):
            name, content = self.body
            return await client.request(*self.target.split(), data=form_data(content, name))
        return await client.request(*self.target.split(), json=self.body)


LABEL = {"products": ["A-1"]}
CODE = {"product_code": "A-1"}
BOOK = ("file", xlsx((("SKU", "Name"), ("C-1", "Red pen"))))
PICTURE = ("image", file_of(symbol(content="A-1")))
OFF_THE_LOOP = {
    "barcode": Work("barcodesvc.codes.rendering.png", "POST /api/codes/barcode", CODE),
    "qrcode": Work("barcodesvc.codes.rendering.svg", "POST /api/codes/qrcode", CODE),
    "picture": Work("barcodesvc.codes.rendering.png", "GET /api/codes/barcode/A-1.png"),
    "printable": Work("barcodesvc.labels.writers.pdf.write_pdf", "POST /api/codes/printable", LABEL),
    "image": Work("barcodesvc.scanning.images.reader.codes_from_json", "POST /api/codes/decode", PICTURE),
    "import": Work(
        "barcodesvc.catalogue.importing.is_held_in_memory", "POST /api/products/import", BOOK, "DATABASE_ERROR"
    ),
    "csv": Work(
        "barcodesvc.catalogue.exporting.csv_bytes", "GET /api/inventory/export?format=csv", code="EXPORT_ERROR"
    ),
    "xlsx": Work("barcodesvc.catalogue.exporting.XlsxFile.append", "GET /api/inventory/export", code="EXPORT_ERROR"),
    "template": Work(
        "barcodesvc.api.resources.exports.catalogue_template", "GET /api/products/import/template", code="EXPORT_ERROR"
    ),
    "large body": Work("barcodesvc.api.bodies.model_in", "POST /api/codes/printable", {"products": ["A-1"] * 10_000}),
}
"""Work outside the event loop."""


@pytest.mark.parametrize("error", [MemoryError(), PanicError()], ids=repr)
@pytest.mark.parametrize("work", OFF_THE_LOOP.values(), ids=OFF_THE_LOOP)
async def test_a_library_that_breaks_off_is_one_500(
    shop: Client, work: Work, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """Any exception becomes the route's error, is logged once with its cause, and the next request works."""
    real = pkgutil.resolve_name(work.broken)

    def fail(*given: object) -> Any:
        if threading.current_thread() is threading.main_thread():
            return real(*given)
        raise error

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(work.broken, fail)
        await refused(await work.ask(shop), 500, work.code)
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.exc_info
    cause = record.exc_info[1]
    assert error in (cause, cause and cause.__cause__)
    assert (await work.ask(shop)).status == 200


@pytest.mark.parametrize("error", [MemoryError(), PanicError()], ids=repr)
@pytest.mark.parametrize(
    "broken",
    ["barcodesvc.api.bodies.model_in", "barcodesvc.api.bodies.json_body", "barcodesvc.api.endpoint.reply_response"],
)
async def test_what_breaks_off_in_the_event_loop_is_one_500(
    shop: Client, error: BaseException, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Reading or parsing a body, or building a response: the client gets an envelope, the log has the cause once."""

    def fail(*_: object, **__: object) -> Any:
        raise error

    body = {"product_code": "B-1", "description": "x"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(broken, fail)
        await refused(await shop.post("/api/products", json=body), 500, "DATABASE_ERROR")
    assert [record.exc_info and record.exc_info[1] for record in caplog.records] == [error]
    assert (await shop.post("/api/products", json={**body, "product_code": "B-2"})).status == 201

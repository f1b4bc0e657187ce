"""Libraries that hang or break off in a thread: one failure, and the service goes on.

The library's call at the edge is replaced, because none is known that does so.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

from barcodesvc.api.keys import FILE_THREADS, PHOTO_READER, PRINTER, RENDERER
from barcodesvc.runtime.threads import MOST_HUNG, WorkerThreads
from tests.scanning.photographs import file_of, symbol

Client = TestClient[Request, Application]
Impatient = Callable[[pytest.MonkeyPatch], None]
Refused = Callable[[ClientResponse, int, str], Awaitable[dict[str, Any]]]

MOMENT = 0.3
"""Seconds after which work counts as hung here."""


pytestmark = pytest.mark.usefixtures("folder")


class PanicError(BaseException):
    """What a library written in Rust raises, which is no Exception."""


@dataclass(frozen=True)
class Place:
    """A place where work leaves the event loop: the library's call, the request that leads to it, its failure."""

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
            form = FormData()
            form.add_field("image", file_of(symbol(content="A-1")), filename="photo.png")
            return await client.request(self.method, self.path, data=form)
        return await client.request(self.method, self.path, json=self.body)


EXPORT = "/api/inventory/export"
PLACES = {
    "barcode": Place("barcodesvc.render.rendering.png", "POST", "/api/codes/barcode", {"product_code": "A-1"}),
    "qrcode": Place("barcodesvc.render.rendering.svg", "POST", "/api/codes/qrcode", {"product_code": "A-1"}),
    "picture": Place("barcodesvc.render.rendering.png", "GET", "/api/codes/barcode/A-1.png"),
    "printable": Place(
        "barcodesvc.labels.writers.pdf.write_pdf", "POST", "/api/codes/printable", {"products": ["A-1"]}
    ),
    "image": Place("barcodesvc.scanning.images.read_photo", "POST", "/api/codes/decode", "image"),
    "import": Place(
        "barcodesvc.catalogue.importing.draw", "POST", "/api/products/import", "workbook", "DATABASE_ERROR"
    ),
    "csv": Place("barcodesvc.catalogue.exporting._append_csv", "GET", f"{EXPORT}?format=csv", None, "EXPORT_ERROR"),
    "xlsx": Place(
        "barcodesvc.catalogue.exporting.XlsxFile.append", "GET", f"{EXPORT}?format=xlsx", None, "EXPORT_ERROR"
    ),
    "template": Place(
        "barcodesvc.api.resources.exports.catalogue_template",
        "GET",
        "/api/products/import/template",
        None,
        "EXPORT_ERROR",
    ),
    "large body": Place(
        "barcodesvc.api.requests.model_in", "POST", "/api/codes/printable", {"products": ["A-1"] * 3000}
    ),
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Return one place after the other."""
    return PLACES[request.param]


@pytest.fixture
def impatient() -> Callable[[pytest.MonkeyPatch], None]:
    """Return a function that has work taken for hung after a moment, whatever the settings say."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        real: Any = WorkerThreads._begun  # noqa: SLF001 - settings hold for all of a service's life
        monkeypatch.setattr(WorkerThreads, "_begun", lambda pool, work, _: real(pool, work, MOMENT))

    return patch


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Return a gate that is opened at the end, so that no thread stays behind it."""
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RecursionError(), SystemExit(1), KeyboardInterrupt(), StopIteration(), PanicError()],
    ids=repr,
)
async def test_a_library_that_breaks_off_is_one_500(  # noqa: PLR0913, PLR0917 - a place, what breaks, who sees it
    shop: Client,
    place: Place,
    refused: Refused,
    upload: Any,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever it raises, the client gets the failure of its route, the log the cause once; the next is answered."""

    def fail(*_: object) -> Any:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(place.broken, fail)
        await refused(await place.ask(shop, upload), 500, place.code)
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.exc_info
    cause = record.exc_info[1]
    assert error in (cause, cause and cause.__cause__)
    assert (await place.ask(shop, upload)).status == 200


async def test_a_library_that_hangs_is_one_500(  # noqa: PLR0913, PLR0917 - as above
    shop: Client,
    place: Place,
    refused: Refused,
    upload: Any,
    gate: threading.Event,
    until: Any,
    impatient: Impatient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its client gets the failure of its route in time, the log the place; while it hangs on, the next is answered."""
    with monkeypatch.context() as patched:
        impatient(patched)
        patched.setattr(place.broken, lambda *_: gate.wait())
        await refused(await place.ask(shop, upload), 500, place.code)
    (record,) = caplog.records
    assert ", in wait" in str(record.exc_info and record.exc_info[1])
    assert (await place.ask(shop, upload)).status == 200
    assert (await shop.get("/health")).status == 200
    gate.set()
    pools = (shop.app[RENDERER].threads, shop.app[PHOTO_READER].threads, shop.app[FILE_THREADS])
    await until(lambda: not any(pool.hung for pool in (*pools, *shop.app[PRINTER].threads)))
    await until(lambda: "in-use" not in {thread.name for thread in threading.enumerate()})


async def test_all_who_wait_for_a_render_that_hangs_are_told(
    shop: Client, refused: Refused, gate: threading.Event, impatient: Impatient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One hang is one thread and one line in the log, however many wait; neither flight nor cache keeps it."""
    calls: list[object] = []
    body = {"product_code": "A-1"}

    def hang(*_: object) -> None:
        calls.append(_)
        gate.wait()

    with monkeypatch.context() as patched:
        impatient(patched)
        patched.setattr("barcodesvc.render.rendering.png", hang)
        answers = await asyncio.gather(*(shop.post("/api/codes/barcode", json=body) for _ in range(20)))
    for answer in answers:
        await refused(answer, 500, "GENERATION_ERROR")
    assert (len(calls), shop.app[RENDERER].threads.hung) == (1, 1)
    gate.set()
    assert (await shop.post("/api/codes/barcode", json=body)).status == 200


async def test_a_service_whose_threads_all_hang_says_so(  # noqa: PLR0913, PLR0917 - as above
    shop: Client,
    refused: Refused,
    gate: threading.Event,
    until: Any,
    impatient: Impatient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then renders are refused at once and /health is an error, scans go on; all is well when one comes back."""
    with monkeypatch.context() as patched:
        impatient(patched)
        patched.setattr("barcodesvc.render.rendering.png", lambda *_: gate.wait())
        for number in range(MOST_HUNG):
            body = {"product_code": f"A-{number}"}
            await refused(await shop.post("/api/codes/barcode", json=body), 500, "GENERATION_ERROR")
    answer = await shop.post("/api/codes/barcode", json={"product_code": "B"})
    await refused(answer, 503, "GENERATION_ERROR")
    assert answer.headers["Retry-After"] == "60"
    health = await shop.get("/health")
    assert (health.status, (await health.json())["status"]) == (503, "ERROR")
    assert (await shop.post("/api/codes/decode", json={"code_data": "A-1"})).status == 200
    gate.set()
    await until(lambda: not shop.app[RENDERER].threads.hung)
    assert (await shop.post("/api/codes/barcode", json={"product_code": "B"})).status == 200
    assert (await shop.get("/health")).status == 200


async def test_a_disk_that_hangs_is_one_500(  # noqa: PLR0913, PLR0917 - as above
    shop: Client,
    refused: Refused,
    upload: Any,
    gate: threading.Event,
    until: Any,
    impatient: Impatient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An upload that cannot be written is given up, and its file is gone when the disk goes on."""
    real = tempfile.NamedTemporaryFile

    def stuck(**options: Any) -> Any:
        file = real(**options)
        file.write = lambda _: gate.wait()  # type: ignore[method-assign]  # a disk that hangs
        return file

    with monkeypatch.context() as patched:
        impatient(patched)
        patched.setattr(tempfile, "NamedTemporaryFile", stuck)
        await refused(await shop.post("/api/products/import", data=upload()), 500, "DATABASE_ERROR")
    assert (await shop.post("/api/products/import", data=upload())).status == 200
    gate.set()
    await until(lambda: not shop.app[FILE_THREADS].hung)
    await until(lambda: "in-use" not in {thread.name for thread in threading.enumerate()})


@pytest.mark.parametrize(
    ("setting", "name"), [("render_timeout", "barcode"), ("render_timeout", "printable"), ("file_timeout", "template")]
)
async def test_the_times_are_settings(  # noqa: PLR0913, PLR0917 - as above
    make_client: Any,
    refused: Refused,
    upload: Any,
    gate: threading.Event,
    setting: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is set is the time after which work counts as hung."""
    client = await make_client(**{setting: MOMENT})
    monkeypatch.setattr(PLACES[name].broken, lambda *_: gate.wait())
    await refused(await PLACES[name].ask(client, upload), 500, PLACES[name].code)


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), PanicError(), SystemExit(1)], ids=repr)
@pytest.mark.parametrize(
    "broken",
    [
        "barcodesvc.api.requests.model_in",
        "barcodesvc.api.requests.json_body",
        "barcodesvc.api.resources.products.success",
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
    """A body that is read or parsed, or an answer that is made: the client gets an envelope, the log the cause once."""

    def fail(*_: object, **__: object) -> Any:
        raise error

    body = {"product_code": "B-1", "description": "x"}
    with monkeypatch.context() as patched:
        patched.setattr(broken, fail)
        await refused(await shop.post("/api/products", json=body), 500, "DATABASE_ERROR")
    assert [record.exc_info and record.exc_info[1] for record in caplog.records] == [error]
    assert (await shop.post("/api/products", json={**body, "product_code": "B-2"})).status == 201

"""How the service begins and ends: it finishes requests in flight, and aborts uploads that still arrive or are read.

It ends hard where threads hang, and where signals cannot wait.
"""

import http.client
import json
import select
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import psutil
import pytest

from tests.forms import KIND, form, part
from tests.process.in_flight import (
    ENDED_WELL,
    assert_closed,
    begin,
    long_print,
    response_of,
    serving_with,
    wait_for_the_end_of_listening,
    workbook,
)
from tests.scanning.symbol_images import finder_patterns
from tests.served import WAIT, Service, StartError

STARTING_FOREVER = serving_with("""
async def hook(_):
    signal.raise_signal(int(sys.argv[1]))
    await asyncio.Event().wait()
""")

HANGING_RENDER = """
import sys, threading
from barcodesvc import __main__ as service
from barcodesvc.codes import rendering
rendering.png = lambda *_: threading.Event().wait()
sys.exit(service.main())
"""

HANGING_AT_THE_END = serving_with("""
async def hook(_):
    threading.Thread(target=threading.Event().wait).start()
""")

HANGING_DISK = serving_with("""
from barcodesvc.store.sqlite.connection import Statements
async def hook(_):
    Statements.result = lambda *_: threading.Event().wait()
""")

HANGING_FOREVER = serving_with("""
hanging = []
async def hook(_):
    hanging.append(asyncio.create_task(asyncio.to_thread(threading.Event().wait)))
""")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_start_that_takes_long(start: Callable[..., Service], tmp_path: Path, number: int) -> None:
    """A signal before it listens stops it at once, and everything it opened is closed."""
    with pytest.raises(StartError) as ended:
        start(sys.executable, "-c", STARTING_FOREVER, str(int(number)))
    assert ended.value.end == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=0)


def test_what_a_killed_service_left_behind_is_removed(
    start: Callable[..., Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary files of a service that was killed in the middle of an upload are gone when the next one serves."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    service = start()
    body = form(part("file", bytes(1000)))
    with begin(service, "POST", "/api/products/import", body, KIND) as connection:
        connection.sendall(body[:-10])
        before = time.monotonic()
        while not (left := list((tmp_path / "temporary").glob("*/barcodesvc-upload-*"))):
            assert time.monotonic() < before + WAIT
        service.kill()
    assert left[0].exists()
    service = start()
    assert not left[0].exists()
    assert service.stop() == ENDED_WELL
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_with_status_0(start: Callable[..., Service], tmp_path: Path, number: int) -> None:
    """It has printed only its address, and it leaves a closed database, even after making a PDF."""
    service = start()
    assert service.exchange("POST", "/api/products", {"product_code": "A-1", "description": "x"})[0] == 201
    assert service.exchange("POST", "/api/codes/printable", {"products": ["A-1"] * 200})[1].startswith(b"%PDF")
    assert service.stop(number) == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=1)


def test_a_signal_lets_finish_what_is_in_flight(start: Callable[..., Service], tmp_path: Path) -> None:
    """Requests being handled at SIGTERM are all answered, a PDF among them."""
    service = start()
    service.exchange("POST", "/api/products", {"product_code": "A-1", "description": "x"})
    labels = json.dumps({"products": [f"C-{number}" for number in range(3000)]}).encode()
    calls = [
        ("POST", "/api/codes/printable", labels, "application/json"),
        ("PUT", "/api/inventory/1", b'{"new_level":7}', "application/json"),
        ("POST", "/api/codes/barcode", b'{"product_code":"A-1"}', "application/json"),
    ]
    connections = [begin(service, *call) for call in calls]
    for connection, (_, _, body, _) in zip(connections, calls, strict=True):
        connection.sendall(body)
    for _ in range(3):
        assert service.exchange("GET", "/health")[0] == 200
    assert select.select(connections[:1], [], [], 0)[0] == [], "the PDF must still be in the making"
    service.process.send_signal(signal.SIGTERM)
    assert [response_of(connection)[0] for connection in connections] == [200, 200, 200]
    assert service.ended() == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=1)


def _packed_workbook(rows: int) -> bytes:
    """Return a workbook of this many equal rows, which take next to no bytes."""
    more = b'<row><c t="inlineStr"><is><t>B-1</t></is></c></row>' * rows
    file = BytesIO()
    with ZipFile(BytesIO(workbook(1))) as archive, ZipFile(file, "w", ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            packed.writestr(name, archive.read(name).replace(b"</sheetData>", more + b"</sheetData>"))
    return file.getvalue()


def test_a_signal_ends_the_reading_of_an_import(start: Callable[..., Service], tmp_path: Path) -> None:
    """However well a file of many rows is packed, its client learns of the shutdown, and nothing is stored."""
    service = start()
    body = form(part("file", _packed_workbook(90_000)))
    connection = begin(service, "POST", "/api/products/import", body, KIND)
    connection.sendall(body)
    for _ in range(3):
        assert service.exchange("GET", "/health")[0] == 200
    service.process.send_signal(signal.SIGTERM)
    status, response = response_of(connection)
    assert (status, json.loads(response)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=0)


def test_a_signal_ends_the_reading_of_an_image(start: Callable[..., Service], tmp_path: Path) -> None:
    """However long a hostile image would take, its client learns of the shutdown, and the service ends."""
    service = start()
    body = form(part("effort", b"thorough"), part("image", finder_patterns(2500)))
    connection = begin(service, "POST", "/api/codes/decode", body, KIND)
    connection.sendall(body)
    _wait_for_child(service)
    service.process.send_signal(signal.SIGTERM)
    status, response = response_of(connection)
    assert (status, json.loads(response)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=0)


def _wait_for_child(service: Service) -> None:
    """Wait until the service has a process at work for it."""
    before = time.monotonic()
    while not psutil.Process(service.process.pid).children():
        assert time.monotonic() < before + WAIT


def test_a_signal_ends_the_wait_for_bodies(start: Callable[..., Service], tmp_path: Path) -> None:
    """At shutdown, a request whose body is still arriving is refused at once; nothing of it is stored."""
    service = start()
    calls = [
        ("POST", "/api/products/import", form(part("file", workbook(10))), KIND),
        ("POST", "/api/products", b'{"product_code":"A-1","description":"x"}', "application/json"),
    ]
    connections = [begin(service, *call) for call in calls]
    for connection, (_, _, body, _) in zip(connections, calls, strict=True):
        connection.sendall(body[:-10])
    service.process.send_signal(signal.SIGTERM)
    for connection in connections:
        status, body = response_of(connection)
        assert (status, json.loads(body)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=0)


def test_a_stop_waits_for_a_client_that_reads_slowly(start: Callable[..., Service]) -> None:
    """A finished response is sent to its end."""
    service = start()
    with long_print(service, 1000) as connection:
        assert select.select([connection], [], [], WAIT)[0]
        service.process.send_signal(signal.SIGTERM)
        wait_for_the_end_of_listening(service)
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.read().rstrip().endswith(b"%%EOF")
    assert service.ended() == ENDED_WELL


def test_a_signal_under_load_cuts_no_response(start: Callable[..., Service], tmp_path: Path) -> None:
    """Responses are true: every product with a 201 is stored, and no response is truncated."""
    service = start()
    created: list[str] = []

    def create(worker: int) -> None:
        for number in range(10_000):
            code = f"{worker}-{number}"
            try:
                status, body = service.exchange("POST", "/api/products", {"product_code": code, "description": "x"})
            except (OSError, http.client.BadStatusLine):
                return
            assert (status, json.loads(body)["success"]) == (201, True)
            created.append(code)

    workers = [threading.Thread(target=create, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    while len(created) < 50:
        workers[0].join(0.01)
    assert service.stop() == ENDED_WELL
    for worker in workers:
        worker.join()
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        stored = {code for (code,) in connection.execute("SELECT product_code FROM products")}
    assert set(created) <= stored


def test_a_stop_answers_what_a_kept_connection_brings_meanwhile(start: Callable[..., Service]) -> None:
    """A balancer that sends a request together with the signal gets its response, and learns of the shutdown."""
    service = start()
    connections = [http.client.HTTPConnection("127.0.0.1", service.port, timeout=WAIT) for _ in range(2)]
    for connection in connections:
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert (response.status, response.read()[:1]) == (200, b"{")
    service.process.send_signal(signal.SIGTERM)
    wait_for_the_end_of_listening(service)
    responses = []
    for connection, path in zip(connections, ("/health", "/api/products"), strict=True):
        connection.request("GET", path)
        response = connection.getresponse()
        responses.append((response.status, response.getheader("Connection"), response.read()[:1]))
        connection.close()
    assert responses == [(503, "close", b"{"), (200, "close", b"{")]
    assert service.ended() == ENDED_WELL


def test_a_stop_does_not_wait_for_connections_that_bring_nothing(start: Callable[..., Service]) -> None:
    """Idle connections are closed after a moment."""
    service = start()
    with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=WAIT)) as connection:
        connection.request("GET", "/health")
        connection.getresponse().read()
        assert service.stop() == ENDED_WELL


def test_a_render_that_hangs_ends_the_service_hard(start: Callable[..., Service], tmp_path: Path) -> None:
    """Others are answered meanwhile; a stop waits twice its timeout for the thread, and dumps where it was."""
    service = start(sys.executable, "-c", HANGING_RENDER, stop_timeout=0.5)
    body = b'{"product_code":"A-1"}'
    with begin(service, "POST", "/api/codes/barcode", body, "application/json") as connection:
        connection.sendall(body)
        assert service.exchange("POST", "/api/products", {"product_code": "A-1", "description": "x"})[0] == 201
        status, _, errors = service.stop()
    assert (status, "barcodesvc/codes/" in errors) == (1, True)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        assert connection.execute("SELECT product_code FROM products").fetchall() == [("A-1",)]


@pytest.mark.parametrize("hanging", [HANGING_AT_THE_END, HANGING_FOREVER], ids=["own", "asyncio's"])
def test_a_thread_that_hangs_ends_the_service_hard(start: Callable[..., Service], tmp_path: Path, hanging: str) -> None:
    """Everything is closed first; neither Python nor the event loop waits for the thread."""
    service = start(sys.executable, "-c", hanging, stop_timeout=0.5)
    assert service.exchange("GET", "/health")[0] == 200
    status, _, errors = service.stop()
    assert (status, "threading.py" in errors) == (1, True)
    assert_closed(tmp_path / "shop.db", products=0)


def test_a_disk_that_hangs_is_reported_and_ends_the_service_hard(start: Callable[..., Service]) -> None:
    """A supervisor sees it, and a stop does not wait for the threads of the database without end."""
    service = start(sys.executable, "-c", HANGING_DISK, stop_timeout=0.5)
    assert service.exchange("GET", "/health")[0] == 503
    status, _, errors = service.stop()
    assert (status, "aiosqlite" in errors) == (1, True)


def test_a_second_signal_ends_the_service_at_once(start: Callable[..., Service]) -> None:
    """A second signal ends the process without waiting for requests in flight."""
    service = start()
    with long_print(service, 10_000):
        service.process.send_signal(signal.SIGTERM)
        wait_for_the_end_of_listening(service)
        assert service.stop()[0] == -signal.SIGTERM


def test_a_stop_that_takes_too_long_ends_hard(start: Callable[..., Service]) -> None:
    """After twice the stop timeout the process is gone, and has dumped where every thread was."""
    service = start(stop_timeout=0.2)
    with long_print(service, 10_000):
        status, _, errors = service.stop()
        assert (status, "barcodesvc/labels/" in errors) == (1, True)

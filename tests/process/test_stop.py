"""How the service stops: it finishes requests in flight, and aborts uploads that are still arriving or being read."""

import http.client
import json
import select
import signal
import sqlite3
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
    wait_for_the_end_of_listening,
    workbook,
)
from tests.scanning.symbol_images import finder_patterns
from tests.served import WAIT, Service


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


@pytest.mark.parametrize("side", [1090, 2500], ids=["small", "large"])
def test_a_signal_ends_the_reading_of_an_image(start: Callable[..., Service], tmp_path: Path, side: int) -> None:
    """However long a hostile image would take, its client learns of the shutdown, and the service ends."""
    service = start()
    body = form(part("effort", b"thorough"), part("image", finder_patterns(side)))
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

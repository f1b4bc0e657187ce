"""Requests in flight while a service starts or stops, and what it has to leave behind."""

import http.client
import json
import socket
import sqlite3
import time
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import psutil

from tests.served import WAIT, End, Service
from tests.workbooks import xlsx

ENDED_WELL = End(0, "", "")

Response = tuple[int, bytes]


def serving_with(hook: str) -> str:
    """Return a program that serves with a `hook` at its start: the source of an async function of that name."""
    return f"""
import asyncio, signal, sys, threading
from barcodesvc import __main__ as service
make_app = service.make_app
{hook}
def make_app_with_hook(settings):
    app = make_app(settings)
    app.on_startup.append(hook)
    return app
service.make_app = make_app_with_hook
sys.exit(service.main())
"""


def begin(service: Service, method: str, path: str, body: bytes, kind: str) -> socket.socket:
    """Send a request without its body, and return once the service is handling it."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=WAIT)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nExpect: 100-continue\r\n"
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
    assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    return connection


@cache
def workbook(rows: int) -> bytes:
    """Return an .xlsx of this many products."""
    return xlsx([("SKU", "Name"), *((f"B-{number}", "Red pen") for number in range(rows))])


def assert_closed(path: Path, products: int) -> None:
    """Assert that the database was closed: no write-ahead log is left, and the file is intact."""
    assert [file.name for file in path.parent.glob("shop.db*")] == ["shop.db"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT COUNT(*) FROM products").fetchone() == (products,)


def response_of(connection: socket.socket) -> Response:
    """Read a whole response."""
    with connection:
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, response.read()


_CPU_BEFORE_PRINTING = 0.2
"""Seconds of processor time after which the largest job has been read, and is printed."""


def long_print(service: Service, labels: int) -> socket.socket:
    """Begin a print job that takes seconds, over a connection that receives slowly; return once it is under way."""
    body = {"products": [f"C-{number}" for number in range(labels)], "code_type": "qrcode"}
    sent = json.dumps(body).encode()
    connection = begin(service, "POST", "/api/codes/printable", sent, "application/json")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    process, before = psutil.Process(service.process.pid), time.monotonic()
    begun = process.cpu_times().user
    connection.sendall(sent)
    while process.cpu_times().user < begun + _CPU_BEFORE_PRINTING:
        assert time.monotonic() < before + WAIT
    return connection


def wait_for_the_end_of_listening(service: Service) -> None:
    """Return once connections are refused."""
    before = time.monotonic()
    with suppress(ConnectionRefusedError):
        while time.monotonic() < before + WAIT:
            socket.create_connection(("127.0.0.1", service.port), timeout=WAIT).close()
            time.sleep(0.01)

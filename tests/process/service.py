"""A service in a separate process, and the requests and checks that its tests share."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import psutil

from barcodesvc.addresses import ServerAddress

START = re.compile(r"======== Running on http://127\.0\.0\.1:(\d+) ========\n")
WAIT = 20.0
"""Seconds after which a test gives up on a process."""
ENDED_WELL = (0, "", "")
"""Status, further output and errors of a service that exited normally."""

Response = tuple[int, bytes]


def serving_with(hook: str) -> str:
    """Return a program that serves with a `hook` at its start: the source of an async function of that name."""
    return f"""
import asyncio, sys, threading
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


def _text(value: object) -> str:
    """Return a setting as the environment has it: `str()` of an address leaves out its options."""
    return value.url if isinstance(value, ServerAddress) else str(value)


class Service:
    """A running service; `port` is the free port it got."""

    def __init__(self, *command: str, python: object = sys.executable, **settings: object) -> None:
        environment = os.environ | {f"BARCODESVC_{name.upper()}": _text(value) for name, value in settings.items()}
        self.process = subprocess.Popen(  # noqa: S603 - an interpreter of this machine, and fixed text
            [str(python), *(command or ("-m", "barcodesvc"))],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.first_line = self.process.stdout.readline()
        started = START.fullmatch(self.first_line)
        self.port = int(started[1]) if started else 0
        if started:
            assert self.process.stdout.readline() == "(Press CTRL+C to quit)\n"

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Response:
        """Send one request and return status and body."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)) as connection:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
            connection.request(method, path, sent, {"Content-Type": "application/json"} | headers)
            response = connection.getresponse()
            return response.status, response.read()

    def begin(self, method: str, path: str, body: bytes, kind: str) -> socket.socket:
        """Send a request without its body, and return once the service is handling it."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nExpect: 100-continue\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        return connection

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal and return status, remaining output and errors."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str, str]:
        """Wait for the exit and return status, remaining output and errors."""
        output, errors = self.process.communicate(timeout=WAIT)
        return self.process.returncode, output, errors


@cache
def workbook(rows: int) -> bytes:
    """Return an .xlsx of this many products."""
    book, file = openpyxl.Workbook(), BytesIO()
    for row in [("SKU", "Name"), *((f"B-{number}", "Red pen") for number in range(rows))]:
        book.worksheets[0].append(row)
    book.save(file)
    return file.getvalue()


def form(content: bytes, part: str = "file") -> tuple[bytes, str]:
    """Return the body of an upload and its content type."""
    head = f'--XX\r\nContent-Disposition: form-data; name="{part}"\r\n\r\n'.encode()
    return head + content + b"\r\n--XX--\r\n", "multipart/form-data; boundary=XX"


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
    connection = service.begin("POST", "/api/codes/printable", sent, "application/json")
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

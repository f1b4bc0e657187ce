"""The service as a process of its own: how it starts, how it ends, and that it talks to nobody else."""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import os
import re
import runpy
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import psutil
import pytest

from barcodesvc import __main__ as main_module
from barcodesvc.__main__ import main
from barcodesvc.store.sqlite.database import open_database
from tests.scanning.symbol_images import finder_patterns

START = re.compile(r"======== Running on http://127\.0\.0\.1:(\d+) ========\n")
WAIT = 20.0
"""Seconds after which a test gives up on a process."""
WATCH = """
import atexit, json, runpy, sys
if {hidden}: sys.modules["uvloop"] = None
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "subprocess.Popen"):
        seen.append([event, *(str(argument) for argument in arguments[-2 if event == "socket.connect" else 0:])])
sys.addaudithook(watch)
atexit.register(lambda: open({report!r}, "w").write(json.dumps(seen)))
sys.exit(runpy.run_module("barcodesvc", run_name="__main__"))
"""

HANGING_RENDER = """
import sys, threading
from barcodesvc import __main__ as service
from barcodesvc.render import rendering
rendering.png = lambda *_: threading.Event().wait()
sys.exit(service.main())
"""

HANGING_AT_THE_END = """
import sys, threading
from barcodesvc import __main__ as service
make_app = service.make_app
async def hang(_):
    threading.Thread(target=threading.Event().wait).start()
def make_app_that_hangs(settings):
    app = make_app(settings)
    app.on_startup.append(hang)
    return app
service.make_app = make_app_that_hangs
sys.exit(service.main())
"""

HANGING_FOR_EVER = """
import asyncio, sys, threading
from barcodesvc import __main__ as service
make_app, hanging = service.make_app, []
async def hang(_):
    hanging.append(asyncio.create_task(asyncio.to_thread(threading.Event().wait)))
def make_app_that_hangs(settings):
    app = make_app(settings)
    app.on_startup.append(hang)
    return app
service.make_app = make_app_that_hangs
sys.exit(service.main())
"""

STARTING_FOR_EVER = """
import asyncio, sys
from barcodesvc import __main__ as service
make_app = service.make_app
async def start_for_ever(_):
    print("starting", flush=True)
    await asyncio.Event().wait()
def make_slow_app(settings):
    app = make_app(settings)
    app.on_startup.append(start_for_ever)
    return app
service.make_app = make_slow_app
sys.exit(service.main())
"""

ENDED_WELL = (0, "", "")
"""Status, further output and errors of a service that ended as it should."""

Answer = tuple[int, bytes]


class Service:
    """A running service; `port` is the free one that it took."""

    def __init__(self, *command: str, **settings: object) -> None:
        environment = {**os.environ, **{f"BARCODESVC_{name.upper()}": str(value) for name, value in settings.items()}}
        self.process = subprocess.Popen(  # noqa: S603 - the interpreter that runs this test, and fixed text
            [sys.executable, *(command or ("-m", "barcodesvc"))],
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

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send one request and return status and body."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)) as connection:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
            connection.request(method, path, sent, {"Content-Type": "application/json"} | headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

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
        """Wait for the end and return status, remaining output and errors."""
        output, errors = self.process.communicate(timeout=WAIT)
        return self.process.returncode, output, errors


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Return a function that starts a service on a free port with a database of the test's own."""
    started: list[Service] = []

    def run(*command: str, **settings: object) -> Service:
        settings = {"port": 0, "database": tmp_path / "shop.db", "rate_limit": "off", **settings}
        started.append(Service(*command, **settings))
        return started[-1]

    yield run
    for service in started:
        if service.process.poll() is None:
            service.process.kill()
        service.process.communicate()


def _workbook(rows: int) -> bytes:
    book, file = openpyxl.Workbook(), BytesIO()
    for row in [("SKU", "Name"), *((f"B-{number}", "Red pen") for number in range(rows))]:
        book.worksheets[0].append(row)
    book.save(file)
    return file.getvalue()


def _packed_workbook(rows: int) -> bytes:
    """Return a workbook of so many equal rows, which take next to no bytes."""
    more = b'<row><c t="inlineStr"><is><t>B-1</t></is></c></row>' * rows
    file = BytesIO()
    with ZipFile(BytesIO(_workbook(1))) as archive, ZipFile(file, "w", ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            packed.writestr(name, archive.read(name).replace(b"</sheetData>", more + b"</sheetData>"))
    return file.getvalue()


def _form(content: bytes, part: str = "file") -> tuple[bytes, str]:
    head = f'--XX\r\nContent-Disposition: form-data; name="{part}"\r\n\r\n'.encode()
    return head + content + b"\r\n--XX--\r\n", "multipart/form-data; boundary=XX"


def _assert_closed(path: Path, products: int) -> None:
    """Assert that the database was closed: no write-ahead log is left, and the file is whole."""
    assert [file.name for file in path.parent.glob("shop.db*")] == ["shop.db"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT COUNT(*) FROM products").fetchone() == (products,)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_with_status_0(start: Callable[..., Service], tmp_path: Path, number: int) -> None:
    """It has said where it listens and nothing else, and it leaves a closed database, also after a PDF was made."""
    service = start()
    assert service.call("POST", "/api/products", {"product_code": "A-1", "description": "x"})[0] == 201
    assert service.call("POST", "/api/codes/printable", {"products": ["A-1"] * 200})[1].startswith(b"%PDF")
    assert service.stop(number) == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=1)


def test_a_render_that_hangs_ends_the_service_hard(start: Callable[..., Service], tmp_path: Path) -> None:
    """Others are answered meanwhile; a stop waits twice its time for the thread, and tells where it was."""
    service = start("-c", HANGING_RENDER, stop_timeout=0.5)
    body = b'{"product_code":"A-1"}'
    with service.begin("POST", "/api/codes/barcode", body, "application/json") as connection:
        connection.sendall(body)
        assert service.call("POST", "/api/products", {"product_code": "A-1", "description": "x"})[0] == 201
        status, _, errors = service.stop()
    assert (status, "barcodesvc/render/" in errors) == (1, True)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        assert connection.execute("SELECT product_code FROM products").fetchall() == [("A-1",)]


def test_a_thread_that_outlives_the_service_ends_it_hard(start: Callable[..., Service], tmp_path: Path) -> None:
    """Everything is closed before, and Python does not wait for the thread for ever."""
    service = start("-c", HANGING_AT_THE_END, stop_timeout=0.5)
    assert service.call("GET", "/health")[0] == 200
    status, _, errors = service.stop()
    assert (status, "threading.py" in errors) == (1, True)
    _assert_closed(tmp_path / "shop.db", products=0)


def test_a_thread_that_the_event_loop_waits_for_is_no_way_to_go_on_for_ever(start: Callable[..., Service]) -> None:
    """One of asyncio's own threads that hangs ends the process hard, everything else being closed."""
    service = start("-c", HANGING_FOR_EVER, stop_timeout=0.5)
    assert service.call("GET", "/health")[0] == 200
    status, _, errors = service.stop()
    assert (status, "threading.py" in errors) == (1, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_start_that_takes_long(start: Callable[..., Service], tmp_path: Path, number: int) -> None:
    """Nobody has to wait until it listens; what was opened is closed."""
    service = start("-c", STARTING_FOR_EVER)
    assert service.first_line == "starting\n"
    assert service.stop(number) == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=0)


def test_what_a_killed_service_left_behind_is_removed(
    start: Callable[..., Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary files of a service that was killed in the middle of an upload are gone when the next one serves."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    service = start()
    body, kind = _form(bytes(1000))
    with service.begin("POST", "/api/products/import", body, kind) as connection:
        connection.sendall(body[:-10])
        before = time.monotonic()
        while not (left := list((tmp_path / "temporary").glob("*/barcodesvc-upload-*"))):
            assert time.monotonic() < before + WAIT
        service.process.kill()
    service.process.wait()
    assert left[0].exists()
    service = start()
    assert not left[0].exists()
    assert service.stop() == ENDED_WELL
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_signal_lets_finish_what_is_in_flight(start: Callable[..., Service], tmp_path: Path) -> None:
    """Requests that were being handled when SIGTERM came are all answered, a PDF among them."""
    service = start()
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "x"})
    labels = json.dumps({"products": [f"C-{number}" for number in range(3000)]}).encode()
    calls = [
        ("POST", "/api/codes/printable", labels, "application/json"),
        ("PUT", "/api/inventory/1", b'{"new_level":7}', "application/json"),
        ("POST", "/api/codes/barcode", b'{"product_code":"A-1"}', "application/json"),
    ]
    connections = [service.begin(*call) for call in calls]
    for connection, (_, _, body, _) in zip(connections, calls, strict=True):
        connection.sendall(body)
    for _ in range(3):
        assert service.call("GET", "/health")[0] == 200
    assert select.select(connections[:1], [], [], 0)[0] == [], "the PDF must still be in the making"
    service.process.send_signal(signal.SIGTERM)
    assert [_answer(connection)[0] for connection in connections] == [200, 200, 200]
    assert service.ended() == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=1)


@pytest.mark.parametrize("rows", [20_000, 90_000], ids=["in a thread", "in a process"])
def test_a_signal_ends_the_reading_of_an_import(start: Callable[..., Service], tmp_path: Path, rows: int) -> None:
    """However well a file of many rows is packed, its import is told of the shutdown and stores nothing."""
    service = start()
    body, kind = _form(_packed_workbook(rows))
    connection = service.begin("POST", "/api/products/import", body, kind)
    connection.sendall(body)
    for _ in range(3):
        assert service.call("GET", "/health")[0] == 200
    service.process.send_signal(signal.SIGTERM)
    status, answer = _answer(connection)
    assert (status, json.loads(answer)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=0)


def test_a_signal_ends_the_reading_of_an_image(start: Callable[..., Service], tmp_path: Path) -> None:
    """However long a hostile image would take, its client is told of the shutdown, and the service ends."""
    service = start()
    body, kind = _form(finder_patterns(2500), "image")
    connection = service.begin("POST", "/api/codes/decode", body, kind)
    connection.sendall(body)
    _wait_for_child(service)
    service.process.send_signal(signal.SIGTERM)
    status, answer = _answer(connection)
    assert (status, json.loads(answer)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=0)


def _wait_for_child(service: Service) -> None:
    """Wait until the service has a process at work for it."""
    before = time.monotonic()
    while not psutil.Process(service.process.pid).children():
        assert time.monotonic() < before + WAIT


def test_a_signal_ends_the_wait_for_bodies(start: Callable[..., Service], tmp_path: Path) -> None:
    """A request whose body is still arriving is told at once that the service shuts down; nothing of it is kept."""
    service = start()
    calls = [
        ("POST", "/api/products/import", *_form(_workbook(10))),
        ("POST", "/api/products", b'{"product_code":"A-1","description":"x"}', "application/json"),
    ]
    connections = [service.begin(*call) for call in calls]
    for connection, (_, _, body, _) in zip(connections, calls, strict=True):
        connection.sendall(body[:-10])
    service.process.send_signal(signal.SIGTERM)
    for connection in connections:
        status, body = _answer(connection)
        assert (status, json.loads(body)["message"]) == (503, "the service is shutting down")
    assert service.ended() == ENDED_WELL
    _assert_closed(tmp_path / "shop.db", products=0)


_CPU_BEFORE_PRINTING = 0.2
"""Seconds of processor time after which the largest job has been read, and is printed."""


def _long_print(service: Service, labels: int) -> socket.socket:
    """Begin a print job that takes seconds, over a connection that takes in little; return once it is under way."""
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


def _wait_for_the_end_of_listening(service: Service) -> None:
    before = time.monotonic()
    with suppress(ConnectionRefusedError):
        while time.monotonic() < before + WAIT:
            socket.create_connection(("127.0.0.1", service.port), timeout=WAIT).close()
            time.sleep(0.01)


def test_a_second_signal_ends_the_service_at_once(start: Callable[..., Service]) -> None:
    """Whoever does not want to wait for what is in flight need not."""
    service = start()
    with _long_print(service, 10_000):
        service.process.send_signal(signal.SIGTERM)
        _wait_for_the_end_of_listening(service)
        assert service.stop()[0] == -signal.SIGTERM


def test_a_stop_that_takes_too_long_ends_hard(start: Callable[..., Service]) -> None:
    """After twice the time of a stop the process is gone, and has told what every thread was at."""
    service = start(stop_timeout=0.2)
    with _long_print(service, 10_000):
        status, _, errors = service.stop()
        assert (status, "barcodesvc/labels/" in errors) == (1, True)


def test_a_stop_waits_for_a_client_that_reads_slowly(start: Callable[..., Service]) -> None:
    """An answer that is made is sent to its end."""
    service = start()
    with _long_print(service, 1000) as connection:
        assert select.select([connection], [], [], WAIT)[0]
        service.process.send_signal(signal.SIGTERM)
        _wait_for_the_end_of_listening(service)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.read().rstrip().endswith(b"%%EOF")
    assert service.ended() == ENDED_WELL


def test_a_signal_under_load_cuts_no_answer(start: Callable[..., Service], tmp_path: Path) -> None:
    """Whatever a client was told is true: every product that was answered 201 is there, and no answer is half."""
    service = start()
    created: list[str] = []

    def create(worker: int) -> None:
        for number in range(10_000):
            code = f"{worker}-{number}"
            try:
                status, body = service.call("POST", "/api/products", {"product_code": code, "description": "x"})
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


def _answer(connection: socket.socket) -> Answer:
    """Read a whole answer."""
    with connection:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_no_socket_is_opened_to_anybody(start: Callable[..., Service], tmp_path: Path, loop: str) -> None:
    """While every kind of endpoint is used, the process connects nowhere, resolves no name and starts no program.

    uvloop opens sockets where Python's audit events do not reach, hence both loops and a look at the connections.
    """
    report = tmp_path / "seen.json"
    service = start("-c", WATCH.format(hidden=loop == "asyncio", report=str(report)))
    for method, path, body in _one_call_of_each_kind():
        assert service.call(method, path, body)[0] in (200, 201), path
    upload, kind = _form(_workbook(3))
    assert service.call("POST", "/api/products/import", upload, **{"Content-Type": kind})[0] == 200
    for connection in psutil.Process(service.process.pid).net_connections():
        assert connection.laddr.port == service.port
    assert service.stop()[0] == 0
    assert [event for event in json.loads(report.read_text()) if event[:2] != ["socket.getaddrinfo", "127.0.0.1"]] == []


def _one_call_of_each_kind() -> list[tuple[str, str, Any]]:
    printed = {"products": ["A-1"] * 70, "layout": {"include_description": True}}
    pages = [("POST", "/api/codes/printable", {"products": ["A-1"], "code_type": "qrcode"})] * 70
    return [
        ("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"}),
        ("PUT", "/api/products/1", {"category": "Pens"}),
        ("GET", "/api/products", None),
        ("PUT", "/api/inventory/1", {"new_level": 3}),
        ("GET", "/api/inventory", None),
        ("GET", "/api/inventory/1/history", None),
        ("GET", "/api/inventory/export?format=csv", None),
        ("GET", "/api/inventory/export?include_history=1", None),
        ("POST", "/api/codes/barcode", {"product_code": "A-1"}),
        ("POST", "/api/codes/qrcode", {"product_code": "A-1", "include_product_info": True}),
        ("POST", "/api/codes/decode", {"code_data": "A-1"}),
        ("POST", "/api/codes/printable", printed),
        *pages,
        ("GET", "/health", None),
        ("DELETE", "/api/products/1", None),
    ]


def test_a_start_that_is_impossible_ends_with_status_2(start: Callable[..., Service]) -> None:
    """The process says why on standard error, and shows no trace."""
    service = start(port="many", colour="red")
    status, output, errors = service.ended()
    assert (status, service.first_line + output) == (2, "")
    assert errors.splitlines()[0] == "barcodesvc cannot start:"
    assert {line.partition(":")[0] for line in errors.splitlines()[1:]} == {"BARCODESVC_PORT", "BARCODESVC_COLOUR"}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """Return a way to set variables for a `main` inside of the test process, and undo what it changes there."""
    interval = sys.getswitchinterval()
    monkeypatch.setenv("BARCODESVC_DATABASE", str(tmp_path / "shop.db"))
    monkeypatch.setenv("BARCODESVC_PORT", "0")
    yield monkeypatch
    sys.setswitchinterval(interval)


def test_the_status_is_that_of_the_process(environment: pytest.MonkeyPatch) -> None:
    """Run as a program, the module ends with what `main` returns."""
    environment.setenv("BARCODESVC_PORT", "many")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(main_module.__file__), run_name="__main__")
    assert end.value.code == 2


def test_a_port_that_is_taken_is_told(environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names address and port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        environment.setenv("BARCODESVC_PORT", str(port))
        assert main() == 2
    told = capsys.readouterr().err
    assert told.startswith(f"barcodesvc cannot start:\ncannot listen on 127.0.0.1:{port}: ")
    assert "address already in use" in told


def test_a_host_that_is_not_here_is_told(environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An address of another machine cannot be listened on."""
    environment.setenv("BARCODESVC_HOST", "192.0.2.1")
    assert main() == 2
    assert "cannot listen on 192.0.2.1:0: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE schema_version SET version = 99", "schema version 99"),
        ("CREATE TABLE other (x)", "belongs to another program"),
    ],
)
@pytest.mark.usefixtures("environment")
def test_a_database_that_is_not_ours_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str, told: str
) -> None:
    """A newer one, or one of another program, stops the start and stays as it is."""
    path = tmp_path / "shop.db"
    if statement.startswith("UPDATE"):
        asyncio.run(_made(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    before = _dump(path)
    assert main() == 2
    assert told in capsys.readouterr().err
    assert _dump(path) == before


async def _made(path: Path) -> None:
    async with open_database(path):
        pass


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.fixture
def garbage_collection() -> Iterator[None]:
    """Put the garbage collector back to what it was."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.enable()
    gc.unfreeze()


@pytest.mark.usefixtures("garbage_collection")
@pytest.mark.parametrize("uvloop", [True, False])
@pytest.mark.parametrize("access_log", ["true", "false"])
def test_main_serves_until_a_signal(
    environment: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    uvloop: bool,  # noqa: FBT001 - a parameter of the test
    access_log: str,
) -> None:
    """With uvloop or without, `main` returns 0 after a signal, and the access log is written only on demand."""
    environment.setenv("BARCODESVC_ACCESS_LOG", access_log)
    if not uvloop:
        environment.setitem(sys.modules, "uvloop", None)
    ask = threading.Thread(target=_ask_and_end, args=(capfd,))
    ask.start()
    assert main() == 0
    ask.join()
    assert ('"route":"/health","status":200' in capfd.readouterr().out) is (access_log == "true")
    assert sys.getswitchinterval() == pytest.approx(main_module.SWITCH_INTERVAL)
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == main_module.GARBAGE_THRESHOLDS


def _ask_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    """Wait until the service listens, ask it once, and send this process the signal that it waits for."""
    told = ""
    while not (started := START.search(told)):
        told += capsys.readouterr().out
        threading.Event().wait(0.01)
    with closing(http.client.HTTPConnection("127.0.0.1", int(started[1]), timeout=WAIT)) as connection:
        connection.request("GET", "/health")
        connection.getresponse().read()
    os.kill(os.getpid(), signal.SIGTERM)

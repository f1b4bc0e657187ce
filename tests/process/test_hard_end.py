"""How the service exits when it cannot stop normally: threads that hang, and signals that cannot wait."""

import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.process.in_flight import assert_closed, begin, long_print, serving_with, wait_for_the_end_of_listening
from tests.served import Service

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


def test_a_thread_that_outlives_the_service_ends_it_hard(start: Callable[..., Service], tmp_path: Path) -> None:
    """Everything is closed first, and Python does not wait for the thread."""
    service = start(sys.executable, "-c", HANGING_AT_THE_END, stop_timeout=0.5)
    assert service.exchange("GET", "/health")[0] == 200
    status, _, errors = service.stop()
    assert (status, "threading.py" in errors) == (1, True)
    assert_closed(tmp_path / "shop.db", products=0)


def test_a_thread_that_the_event_loop_waits_for_is_no_way_to_go_on_forever(start: Callable[..., Service]) -> None:
    """One of asyncio's own threads that hangs ends the process forcibly, after everything else is closed."""
    service = start(sys.executable, "-c", HANGING_FOREVER, stop_timeout=0.5)
    assert service.exchange("GET", "/health")[0] == 200
    status, _, errors = service.stop()
    assert (status, "threading.py" in errors) == (1, True)


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

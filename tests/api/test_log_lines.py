"""The lines of the log: nothing that a client sends forges one, and each names the request that it belongs to."""

import asyncio
import io
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request
from hypothesis import given, strategies as st

from barcodesvc.api.observe.request_ids import REQUEST_CONTEXT, RequestIdFilter, begin
from barcodesvc.catalogue.importing import Importer
from barcodesvc.runtime.log_lines import FORMAT, NO_REQUEST, LineFormatter, log_to_standard_error, visible
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker, Logged
from tests.forms import MULTIPART, form, part
from tests.sweeps import sweep

LINE = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) [\w.]+ \[[\w.-]+\]: [^\x00-\x1f\x7f-\x9f]*|    .*"
)
"""Lines that a log may consist of: a record's line, and indented ones below it."""
FORGED = "\r\n2026-01-01 00:00:00,000 INFO root: forged\x1b[2J\x9b31m\u2028\u202e"

HARMLESS = ["1", "a" * 128, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "Root=1-5759e988:x/y~z@shop+1"]
HARMFUL = ["", "a" * 129, "a b", "ä", '"', "<script>", "a\tb", "{}", "a,b", "%0d%0a", "\x1b[31m"]
HOSTILE_FORM = form(part("file", b"x", b"Content-Type: \x1b[2J", filename="\x1b[2J\x0b\u2028.xlsx"))


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Return what is logged, at every level by every logger, as the service formats it."""
    stream, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    handler.setFormatter(LineFormatter(FORMAT))
    handler.addFilter(RequestIdFilter())
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
async def logging_client(access_log: Callable[[], bytes], make_client: ClientMaker) -> Client:
    """Return a client of a service that writes its access log."""
    assert access_log() == b""
    return await make_client(access_log=True)


def _assert_lines(written: io.StringIO) -> None:
    *lines, rest = written.getvalue().split("\n")
    assert rest == ""
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert not [line for line in lines if line.startswith("2026-01-01")]


@pytest.mark.parametrize("name", ["barcodesvc.x", "aiohttp.server", "asyncio"])
def test_a_record_is_one_line(written: io.StringIO, name: str) -> None:
    """Line breaks, escape sequences and direction marks are escaped, in the message and in its arguments."""
    logging.getLogger(name).warning(f"sent %s %r{FORGED}", FORGED, "x\ty")  # noqa: G004 - a careless caller
    [text] = [line for line in written.getvalue().splitlines() if f" {name} [" in line]
    assert r"\x0d\x0a2026-01-01" in text
    assert r"\x1b[2J\x9b31m\u2028\u202e" in text
    _assert_lines(written)


def test_a_traceback_stays_readable_and_forges_nothing(written: io.StringIO) -> None:
    """It has separate lines, all indented, whatever the text of the exception is."""
    try:
        int(FORGED)
    except ValueError as error:
        error.add_note(FORGED)
        logging.getLogger("x").exception("failed", stack_info=True)
    _assert_lines(written)
    text = written.getvalue()
    assert "\n    Traceback (most recent call last):\n" in text
    assert "\n    Stack (most recent call last):\n" in text
    assert "int(FORGED)\n" in text
    assert "\n    2026-01-01 00:00:00,000 INFO root: forged\\x1b[2J" in text


def test_text_that_shows_is_left_alone() -> None:
    """Letters of every script, emoji and backslashes are written unchanged."""
    text = "Überraschung 商品 منتج 🏷 C:\\x1b \N{NO-BREAK SPACE}"
    assert visible(text) == text


@given(st.text())
def test_no_text_at_all_breaks_a_line(text: str) -> None:
    """The result is one line by every definition of line ends, and can be encoded."""
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    shown.encode()
    assert visible(shown) == shown


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /api/%0d%0a2026-01-01%20forged HTTP/1.1\r\nHost: x\r\n",
        b"GET /api/products?search=%0a2026-01-01%1b[2J HTTP/1.1\r\nHost: x\r\n",
        b"GET /api/%E2%80%A8%E2%80%AE HTTP/1.1\r\nHost: x\r\n",
        b"GET /\x1b[2J\x0b HTTP/1.1\r\nHost: x\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n",
        b"G\x1bT / HTTP/1.1\r\nHost: x\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[2J\x9b\r\nReferer: \x1b]0;x\x07\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\x1b[2J\r\nX-Forwarded-For: \x1b[2J\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nX: a\r\n 2026-01-01 forged\r\n",
    ],
)
async def test_no_request_forges_a_line(
    logging_client: Client, written: io.StringIO, logged: Logged, sent: bytes
) -> None:
    """Hostile paths, methods and headers, valid HTTP or not, with the access log on and at every level."""
    assert (await raw(logging_client, sent + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.")
    _assert_lines(written)
    [line] = await logged(1)
    assert line["status"] in {200, 400, 404}


async def test_no_body_forges_a_line(
    logging_client: Client, written: io.StringIO, break_database: Callable[[Client], Awaitable[None]]
) -> None:
    """Neither do contents of scans, products or file names, even if the service fails and logs why."""
    await break_database(logging_client)
    responses = [
        await logging_client.post("/api/codes/decode", json={"code_data": FORGED, "code_type": FORGED}),
        await logging_client.post("/api/codes/decode", json={"code_data": "A", "code_type": FORGED}),
        await logging_client.post("/api/products", json={"product_code": "A", "description": FORGED}),
        await logging_client.post("/api/codes/barcode", json={"product_code": FORGED, FORGED: 1}),
        await logging_client.post("/api/products/import", data=HOSTILE_FORM, headers=MULTIPART),
        await logging_client.get("/api/products", params={"search": FORGED}),
    ]
    assert [response.status for response in responses] == [404, 500, 400, 400, 400, 400]
    assert written.getvalue().count(" ERROR ") >= 1
    _assert_lines(written)


def test_every_logger_writes_such_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process's only handler, at the root logger, has the formatter and the configured level."""
    root = logging.RootLogger(logging.WARNING)
    monkeypatch.setattr(logging, "root", root)
    log_to_standard_error("DEBUG")
    [handler] = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    assert (type(handler.formatter), root.level) == (LineFormatter, logging.DEBUG)


@sweep("sent", HARMLESS)
async def test_a_harmless_id_is_taken_over(client: Client, sent: str) -> None:
    """A proxy's id is returned as it was sent."""
    assert (await client.get("/health", headers={"X-Request-ID": sent})).headers["X-Request-ID"] == sent


@sweep("sent", HARMFUL)
async def test_another_id_is_replaced(client: Client, sent: str) -> None:
    """An id that is empty, too long, or dangerous in a header or a log is replaced, and the request succeeds."""
    request = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: " + sent.encode() + b"\r\n\r\n"
    assert re.search(rb"\r\nX-Request-ID: [0-9a-f]{24}\r\n", await raw(client, request))


async def test_what_goes_wrong_is_logged_under_its_id(
    make_client: ClientMaker, break_database: Callable[[Client], Awaitable[None]], written: io.StringIO
) -> None:
    """A slow query, and the cause of a failure, name the request that waited for it; other lines name none."""
    client = await make_client(slow_query=1e-9)
    assert (await client.get("/api/products/1", headers={"X-Request-ID": "till-2/7"})).status == 404
    await break_database(client)
    assert (await client.get("/api/products/1", headers={"X-Request-ID": "till-2/8"})).status == 500
    logging.getLogger("barcodesvc").warning("alone")
    assert "[till-2/7]: slow query " in written.getvalue()
    assert "[till-2/8]: database failure in " in written.getvalue()
    assert f"[{NO_REQUEST}]: alone" in written.getvalue()


async def test_work_in_a_thread_belongs_to_its_request(written: io.StringIO) -> None:
    """A line logged by a pool's thread has the id of the work's request, and the next work has another."""

    async def logged(request_id: str) -> None:
        begin(make_mocked_request("GET", "/", headers={"X-Request-ID": request_id}))
        await run_to_end(threads, logging.getLogger("barcodesvc").warning, "at work")

    threads = WorkerThreads("test", 1)
    await asyncio.gather(logged("one"), logged("two"))
    await threads.close()
    for request_id in ("one", "two"):
        assert written.getvalue().count(f"[{request_id}]: at work") == 1


async def test_requests_at_the_same_time_keep_their_ids(client: Client) -> None:
    """Each of many concurrent responses has the id of its request; nothing is left of them in this task."""

    async def reply(number: int) -> str:
        response = await client.get("/api/products", headers={"X-Request-ID": f"n{number}"})
        return response.headers["X-Request-ID"]

    assert await asyncio.gather(*map(reply, range(20))) == [f"n{number}" for number in range(20)]
    assert REQUEST_CONTEXT.get(None) is None


async def test_an_import_that_goes_on_keeps_its_id(
    client: Client, upload: Callable[..., Any], written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work in a separate task, such as an import, logs under the request that started it."""

    async def fail(*_: object) -> None:
        logging.getLogger("barcodesvc").warning("on its way")
        raise RuntimeError

    monkeypatch.setattr(Importer, "run", fail)
    response = await client.post("/api/products/import", data=upload(), headers={"X-Request-ID": "till-2/7"})
    assert response.status == 500
    assert "[till-2/7]: on its way" in written.getvalue()
    assert "[till-2/7]: unexpected failure in " in written.getvalue()

import io
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient
from hypothesis import given, strategies as st

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.runtime.log_lines import FORMAT, LineFormatter, log_to_standard_error, visible
from tests.conftest import Server
from tests.fixture_types import Client, Raw
from tests.forms import MULTIPART, form, part

LINE = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) [\w.]+ \[[\w.-]+\]: [^\x00-\x1f\x7f-\x9f]*|    .*"
)
"""Lines that a log may consist of: a record's line, and indented ones below it."""
FORGED = "\r\n2026-01-01 00:00:00,000 INFO root: forged\x1b[2J\x9b31m\u2028\u202e"

HOSTILE_FORM = form(part("file", b"x", b"Content-Type: \x1b[2J", filename="\x1b[2J\x0b\u2028.xlsx"))


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Return what is logged, at every level by every logger, as the service formats it."""
    stream, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    handler.setFormatter(LineFormatter(FORMAT))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Redirect the service's standard output to a file, and return a function that reads it: the access log."""
    with (tmp_path / "access.log").open("ab") as file:
        monkeypatch.setattr("barcodesvc.app.STANDARD_OUTPUT", file.fileno())
        yield (tmp_path / "access.log").read_text


@pytest.fixture
def access_line(reply: Callable[[], str], until: Any) -> Callable[[], Awaitable[str]]:
    """Return a function that waits for the only line of the access log."""

    async def wait() -> str:
        await until(lambda: reply().endswith("\n"))
        [line] = reply().splitlines()
        return line

    return wait


@pytest.fixture
async def logging_client(settings: Settings, reply: Callable[[], str]) -> AsyncIterator[Client]:
    """Return a client of a service that writes its access log."""
    assert reply() == ""
    async with TestClient(Server(make_app(settings.model_copy(update={"access_log": True})))) as client:
        yield client


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
    logging_client: Client, raw: Raw, written: io.StringIO, access_line: Callable[[], Awaitable[str]], sent: bytes
) -> None:
    """Hostile paths, methods and headers, valid HTTP or not, with the access log on and at every level."""
    assert (await raw(logging_client, sent + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.")
    _assert_lines(written)
    line = await access_line()
    assert json.loads(line)["status"] in {200, 400, 404}
    assert (line.isascii(), line.isprintable()) == (True, True)


async def test_a_forged_address_is_in_no_line(
    logging_client: Client, access_line: Callable[[], Awaitable[str]], written: io.StringIO
) -> None:
    """Without trusted proxies the access log names the peer, whatever the request's headers say."""
    forged = {"X-Forwarded-For": "6.6.6.6", "Forwarded": "for=6.6.6.6", "X-Real-IP": "6.6.6.6"}
    assert (await logging_client.get("/health", headers=forged)).status == 200
    line = await access_line()
    assert json.loads(line)["client"] == "127.0.0.1"
    assert "6.6.6.6" not in line + written.getvalue()


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

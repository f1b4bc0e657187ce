import asyncio
import itertools
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.access_log import AccessLog, AccessLogLine
from tests.api.sockets import raw, reset
from tests.conftest import NOON
from tests.fixture_types import Client, ClientMaker, Logged, Until

LINE = AccessLogLine(NOON, "id", "10.0.0.1", "GET", "/", "/health", 200, 3, 0.0, "", left=False)


@pytest.fixture
async def watched(access_log: Callable[[], bytes], make_client: ClientMaker) -> Client:
    """Return a client of a service with an access log."""
    assert access_log() == b""
    return await make_client(access_log=True)


@pytest.mark.parametrize("connection", ["keep-alive", "close"], ids=["in one piece", "the usual way"])
async def test_a_request_is_one_line_of_json(watched: Client, logged: Logged, connection: str) -> None:
    """With time, client, request, status, duration and the bytes of head and body, whichever way they are written."""
    headers = {"X-Request-ID": "till-2/7", "User-Agent": "Scanner/3.1", "Connection": connection}
    response = await watched.post("/api/codes/barcode", json={"product_code": "A-1"}, headers=headers)
    body = await response.read()
    [line] = await logged(1)
    assert len(body) < line.pop("bytes") < len(body) + 1000
    assert line == {
        "time": "2023-11-14T22:13:20.000Z",
        "id": "till-2/7",
        "client": "127.0.0.1",
        "method": "POST",
        "path": "/api/codes/barcode",
        "route": "/api/codes/barcode",
        "status": 200,
        "ms": 0.0,
        "agent": "Scanner/3.1",
    }


@pytest.mark.parametrize(("trusted", "client"), [("127.0.0.1/32", "203.0.113.9"), ("", "127.0.0.1")])
async def test_the_client_behind_a_trusted_proxy_is_logged(
    make_client: ClientMaker, logged: Logged, trusted: str, client: str
) -> None:
    """The address is the one that the proxy reports; whatever others claim is ignored."""
    claims = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9", "X-Real-IP": "203.0.113.9"}
    await (await make_client(access_log=True, trusted_proxies=trusted)).get("/api/products", headers=claims)
    assert [line["client"] for line in await logged(1)] == [client]


async def test_no_client_forges_a_line(watched: Client, logged: Logged, access_log: Callable[[], bytes]) -> None:
    """Quotes, escapes, invalid UTF-8 and great lengths in path, method and agent stay within one line."""
    head = b'GET /"},%0a{"x?' + b"a" * 2000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    await raw(watched, head + b'User-Agent: "\\\xff\xe2\x80\xa8"},{' + b"b" * 2000 + b"\r\n\r\n")
    await raw(watched, b"A" * 100 + b" / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    first, second = await logged(2)
    assert (len(first["path"]), first["path"][:8], len(first["agent"])) == (512, '/"},%0a{', 200)
    assert (second["method"], second["path"]) == ("UNKNOWN", "/")
    assert access_log().isascii()


async def test_a_client_that_leaves_is_logged(
    watched: Client, logged: Logged, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    """Its line says that the client had disconnected before the response ended."""
    began, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> bool:
        began.set()
        await go_on.wait()
        return True

    monkeypatch.setattr(watched.app[SERVICE].database, "is_well", wait)
    _, writer = await asyncio.open_connection(watched.host, watched.port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    await began.wait()
    reset(writer)
    await until(lambda: watched.app[ADMISSION].connections == 0)
    go_on.set()
    [line] = await logged(1)
    assert line["left"] is True


async def test_lines_are_written_to_the_end(tmp_path: Path) -> None:
    """Lines that are queued when the service ends are all written, in order."""
    path = tmp_path / "log"
    with path.open("wb") as opened:
        log = AccessLog(opened.fileno(), lambda: NOON)
        async with log.opened():
            for number in range(1200):
                log.add(LINE._replace(sent=number))
    assert [json.loads(line)["bytes"] for line in path.read_text().splitlines()] == list(range(1200))
    assert log.dropped == 0


async def test_a_reader_that_stops_holds_no_one_up() -> None:
    """With a full pipe, lines beyond the limit are dropped, counted and reported, and the stop does not wait."""
    reading, writing = os.pipe()
    log = AccessLog(writing, lambda: NOON, most_lines=50)
    async with log.opened(0.05):
        while log.dropped < 10:
            log.add(LINE._replace(agent="x" * 200))
            await asyncio.sleep(0)
    with os.fdopen(reading, "rb") as reader:
        lines = map(json.loads, iter(reader.readline, b""))
        reports = (line for line in lines if "dropped" in line)
        reported = itertools.accumulate(report["dropped"] for report in reports)
        assert any(total == log.dropped for total in reported)
        os.close(writing)


def test_a_reader_that_has_stopped_does_not_keep_the_process() -> None:
    """The process ends although a thread still waits for the full pipe."""
    program = """
import asyncio, os
from barcodesvc.api.observe.access_log import AccessLog, AccessLogLine

async def write():
    reading, writing = os.pipe()
    log = AccessLog(writing, lambda: 0.0)
    async with log.opened(0.05):
        for _ in range(2000):
            log.add(AccessLogLine(0.0, "id", "10.0.0.1", "GET", "/", "/health", 200, 3, 0.0, "x" * 200, left=False))
        await asyncio.sleep(0.3)

asyncio.run(write())
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)  # noqa: S603 - the program above


async def test_a_log_that_cannot_be_written_warns_once_and_comes_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, until: Until
) -> None:
    """Lines that cannot be written are counted; one warning says why; once there is space, lines are complete again."""
    path = tmp_path / "log"
    path.touch()
    descriptor = os.open(path, os.O_RDONLY)
    log = AccessLog(descriptor, lambda: NOON)
    async with log.opened():
        for count in (1, 2):
            log.add(LINE)
            await until(lambda count=count: log.dropped == count)  # type: ignore[misc]  # the count of this round
        with path.open("ab") as opened:
            os.dup2(opened.fileno(), descriptor)
        log.add(LINE)
        await until(lambda: path.read_bytes().count(b"}\n") == 2)
    os.close(descriptor)
    [warning] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert warning.getMessage() == "the access log cannot be written: Bad file descriptor"
    lines = [json.loads(line) for line in path.read_text().splitlines() if line]
    assert [line.get("dropped") for line in lines] == [None, 2]

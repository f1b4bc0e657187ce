"""Fixtures of the API tests: a stocked shop, workbooks to upload, checks of envelopes, raw sockets."""

import asyncio
import hmac
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from barcodesvc.api.keys import SERVICE
from tests.direct_sql import drop_tables
from tests.fixture_types import Client, Logged, Problems, Raw, Refused, Until
from tests.forms import form_data
from tests.workbooks import xlsx

PRODUCT = {
    "product_code": "A-1",
    "description": "Blue pen",
    "category": "Pens",
    "unit_of_measure": "box",
    "minimum_level": 2,
    "maximum_level": 9,
    "initial_level": 5,
}
ROWS = (("SKU", "Name", "Qty"), ("B-1", "Red pen", 3), ("B-2", "Green pen", 0))
BRIEF_WAIT = 10.0
"""Seconds after which a test stops waiting for an event that must happen."""


@pytest.fixture
async def shop(client: Client) -> Client:
    """Return a client of a service whose only product, id 1, is A-1 with a level of 5."""
    response = await client.post("/api/products", json=PRODUCT)
    assert response.status == 201
    return client


@pytest.fixture
def workbook() -> Callable[..., bytes]:
    """Return a function that makes an .xlsx workbook of rows."""

    def make(rows: Sequence[tuple[Any, ...]] = ROWS) -> bytes:
        return xlsx(rows)

    return make


@pytest.fixture
def upload(workbook: Callable[..., bytes]) -> Callable[..., FormData]:
    """Return a function that builds the form of an import, with a small workbook unless other content is given."""

    def make(content: bytes | None = None, part: str = "file") -> FormData:
        return form_data(workbook() if content is None else content, part)

    return make


@pytest.fixture
def refused() -> Refused:
    """Return a function that checks an error envelope and returns its message and details."""

    async def check(response: ClientResponse, status: int, code: str) -> dict[str, Any]:
        reply: dict[str, Any] = await response.json()
        assert (response.status, response.content_type, reply.get("code")) == (status, "application/json", code), reply
        assert set(reply) == {"error", "message", "code", "details"}
        assert reply["error"] is True
        assert reply["message"]
        assert isinstance(reply["details"], dict)
        return reply

    return check


@pytest.fixture
def problems(refused: Refused) -> Problems:
    """Return a function that checks a validation error and returns its messages by field."""

    async def check(response: ClientResponse) -> dict[str, str]:
        reply = await refused(response, 400, "VALIDATION_ERROR")
        return {problem["field"]: problem["message"] for problem in reply["details"]["errors"]}

    return check


@pytest.fixture
def raw() -> Raw:
    """Return a function that sends bytes over a new connection and returns everything it receives, up to `end`."""

    async def exchange(client: Client, sent: bytes, end: bytes = b"") -> bytes:
        reader, writer = await asyncio.open_connection(client.host, client.port)
        try:
            writer.write(sent)
            return await asyncio.wait_for(reader.readuntil(end) if end else reader.read(), BRIEF_WAIT)
        finally:
            writer.transport.abort()

    return exchange


@pytest.fixture
def break_database() -> Callable[[Client], Awaitable[None]]:
    """Return a function that removes the tables under the running service, so that every statement fails."""

    async def drop_meanwhile(client: Client) -> None:
        # in a thread: the service, in this loop, may have to finish a transaction first
        await asyncio.to_thread(drop_tables, client.app[SERVICE].settings.database)

    return drop_meanwhile


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the service a private temporary folder, and check at the end that it is empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Block the rendering of every code until the event is set."""
    gate = asyncio.Event()

    async def held_up(*_: Any) -> bytes:
        await gate.wait()
        return b"{}"

    monkeypatch.setattr("barcodesvc.api.resources.codes.barcode_response", held_up)
    return gate


@pytest.fixture
def access_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], bytes]]:
    """Redirect the service's standard output to a file, and return a function that reads it."""
    with (tmp_path / "access.log").open("ab") as file:
        monkeypatch.setattr("barcodesvc.app.STANDARD_OUTPUT", file.fileno())
        yield (tmp_path / "access.log").read_bytes


@pytest.fixture
def logged(access_log: Callable[[], bytes], until: Until) -> Logged:
    """Return a function that waits for this many lines of the access log, and returns them."""

    async def wait(count: int) -> list[dict[str, Any]]:
        await until(lambda: access_log().count(b"\n") >= count)
        return [json.loads(line) for line in access_log().decode("ascii").splitlines()]

    return wait


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Record the keys that `hmac.compare_digest` compares from now on, and return them."""
    keys: list[bytes] = []
    compare = hmac.compare_digest

    def counted(sent: bytes, key: bytes) -> bool:
        keys.append(key)
        return compare(sent, key)

    monkeypatch.setattr(hmac, "compare_digest", counted)
    return keys

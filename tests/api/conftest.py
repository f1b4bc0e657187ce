"""Fixtures of the API tests: a stocked shop, workbooks to upload, a broken database, what the service logs."""

import asyncio
import hmac
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from tests.direct_sql import drop_tables
from tests.fixture_types import Client, Logged, Until
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

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.errors import StartError
from tests.conftest import Server
from tests.direct_sql import run_sql
from tests.engines import Place


async def test_nothing_is_opened_before_the_start(settings: Settings, database_file: Path) -> None:
    """Creating the application touches no file."""
    make_app(settings)
    assert not database_file.exists()


@pytest.mark.each_engine
async def test_what_is_stored_is_there_after_a_restart(settings: Settings, database_file: Path) -> None:
    """The database is closed properly, and the next start finds everything."""
    body = {"product_code": "A-1", "description": "x"}
    async with TestClient(Server(make_app(settings))) as client:
        assert (await client.post("/api/products", json=body)).status == 201
    assert not database_file.with_name(database_file.name + "-wal").exists()
    async with TestClient(Server(make_app(settings))) as client:
        assert (await client.get("/api/products/1")).status == 200


@pytest.mark.each_engine
async def test_two_services_share_a_database(settings: Settings) -> None:
    """A second process on the same file sees the first one's writes, and both may write."""
    async with TestClient(Server(make_app(settings))) as one, TestClient(Server(make_app(settings))) as other:
        for number, client in enumerate([one, other, one, other]):
            body = {"product_code": f"A-{number}", "description": "x"}
            assert (await client.post("/api/products", json=body)).status == 201
        assert (await (await one.get("/api/products")).json())["pagination"]["total"] == 4


@pytest.mark.each_engine
async def test_a_database_that_cannot_be_used_stops_the_start(settings: Settings, database_file: Path) -> None:
    """A file with other content is refused and unchanged."""
    database_file.write_bytes(b"no database at all" * 100)
    with pytest.raises(StartError, match="cannot be used"):
        await Server(make_app(settings)).start_server()
    assert database_file.read_bytes() == b"no database at all" * 100


@pytest.mark.each_engine
async def test_a_newer_database_stops_the_start(settings: Settings, place: Place) -> None:
    """A schema from a later release is refused, with both versions named."""
    async with Server(make_app(settings)):
        pass
    run_sql(place, "UPDATE schema_version SET version = 9999")
    with pytest.raises(StartError, match="schema version 9999"):
        await Server(make_app(settings)).start_server()

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.errors import StartError
from tests.conftest import Server
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Client

SHOP = "https://shop.example"
OTHER = "https://other.example"
EXPOSED = {
    "ETag",
    "Content-Disposition",
    "Idempotency-Replayed",
    "Location",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "X-Request-ID",
}


def _preflight(origin: str, method: str = "POST") -> dict[str, str]:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "content-type",
    }


def _cors(response: Any) -> list[str]:
    return [name for name in response.headers if name.lower().startswith("access-control-")]


async def test_no_origin_is_let_in_by_default(client: Client) -> None:
    """Without the setting browsers of other origins get no permission, and a preflight is a wrong method."""
    assert _cors(await client.get("/api/products", headers={"Origin": SHOP})) == []
    response = await client.options("/api/products", headers=_preflight(SHOP))
    assert (response.status, _cors(response)) == (405, [])


async def test_a_set_origin_may_call(make_client: Callable[..., Any]) -> None:
    """An origin in the setting may read responses and the exposed headers; another may not."""
    client = await make_client(cors_origins=f"{SHOP},https://till.example")
    response = await client.get("/api/products", headers={"Origin": SHOP})
    assert response.headers["Access-Control-Allow-Origin"] == SHOP
    assert set(response.headers["Access-Control-Expose-Headers"].split(",")) == EXPOSED
    refused = await client.get("/api/products", headers={"Origin": OTHER})
    assert (refused.status, _cors(refused)) == (200, [])
    assert _cors(await client.get("/api/products")) == []


@pytest.mark.parametrize("origin", [SHOP, OTHER, "null"])
async def test_every_origin_may_call_where_the_setting_says_so(make_client: Callable[..., Any], origin: str) -> None:
    """With `*` any origin may call."""
    client = await make_client(cors_origins="*")
    response = await client.get("/health", headers={"Origin": origin})
    assert response.headers["Access-Control-Allow-Origin"] == origin


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/products"),
        ("PUT", "/api/products/1"),
        ("DELETE", "/api/products/1"),
        ("POST", "/api/products/import"),
        ("PUT", "/api/inventory/1"),
        ("GET", "/api/inventory/1/history"),
        ("GET", "/api/inventory/export"),
        ("POST", "/api/codes/printable"),
    ],
)
async def test_a_preflight_is_answered(make_client: Callable[..., Any], method: str, path: str) -> None:
    """A browser may send preflights for every method of a route and for the header Content-Type."""
    client = await make_client(cors_origins=SHOP)
    response = await client.options(path, headers=_preflight(SHOP, method))
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, SHOP)
    assert method in response.headers["Access-Control-Allow-Methods"]
    assert "content-type" in response.headers["Access-Control-Allow-Headers"].lower()


async def test_a_preflight_of_another_origin_is_refused(make_client: Callable[..., Any]) -> None:
    """It is refused with the envelope, without permission."""
    client = await make_client(cors_origins=SHOP)
    response = await client.options("/api/products", headers=_preflight(OTHER))
    assert (response.status, _cors(response)) == (400, [])
    assert (await response.json())["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/products/1", 404),
        ("GET", "/api/products/x", 400),
        ("POST", "/api/codes/barcode", 400),
        ("GET", "/api/inventory", 200),
        ("GET", "/api/inventory/export", 200),
    ],
)
async def test_errors_and_streams_can_be_read_too(
    make_client: Callable[..., Any], method: str, path: str, status: int
) -> None:
    """A browser can read why it was refused."""
    client = await make_client(cors_origins=SHOP)
    response = await client.request(method, path, headers={"Origin": SHOP})
    assert (response.status, response.headers.get("Access-Control-Allow-Origin")) == (status, SHOP)


async def test_a_rate_limit_can_be_read_by_a_browser(make_client: Callable[..., Any]) -> None:
    """A 429 names the origin and exposes Retry-After, even for streams."""
    client = await make_client(cors_origins=SHOP, rate_limit="1/minute")
    for path, status in (("/api/inventory", 200), ("/api/inventory", 429)):
        response = await client.get(path, headers={"Origin": SHOP})
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (status, SHOP)
        assert response.headers["RateLimit-Remaining"] == "0"


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

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request
from limits import parse

from barcodesvc.api.rate_limit import RateLimiter, WindowTable
from barcodesvc.config import Settings

Client = TestClient[Request, Application]

PREFLIGHT = {"Origin": "https://shop.example", "Access-Control-Request-Method": "GET"}


def _told(answer: ClientResponse) -> tuple[str | None, ...]:
    return tuple(answer.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset"))


async def test_the_limits_are_on_by_default(make_client: Any, upload: Callable[..., FormData]) -> None:
    """100 requests, of them 10 uploads, are possible in 15 minutes."""
    defaults = {name: Settings.model_fields[name].default for name in ("rate_limit", "upload_rate_limit")}
    client = await make_client(**defaults)
    assert _told(await client.get("/api/products")) == ("100", "99", "900")
    assert _told(await client.post("/api/products/import", data=upload())) == ("10", "9", "900")


async def test_a_window_ends_exactly_when_it_says(make_client: Any, standing_clock: Any) -> None:
    """It begins with the first request; the requests after the last allowed one are refused up to its very end."""
    client = await make_client(rate_limit="2/minute")
    assert _told(await client.get("/api/products")) == ("2", "1", "60")
    standing_clock.advance(59.5)
    assert _told(await client.get("/api/products")) == ("2", "0", "1")
    standing_clock.advance(0.4)
    refusal = await client.get("/api/products")
    assert (refusal.status, refusal.headers["Retry-After"], _told(refusal)) == (429, "1", ("2", "0", "1"))
    standing_clock.advance(0.1)
    assert _told(await client.get("/api/products")) == ("2", "1", "60")


async def test_a_refused_request_does_not_lengthen_the_wait(make_client: Any, standing_clock: Any) -> None:
    """Who keeps trying is let in at the same time as who waits."""
    client = await make_client(rate_limit="1/minute")
    await client.get("/api/products")
    for _ in range(20):
        standing_clock.advance(2)
        assert (await client.get("/api/products")).status == 429
    standing_clock.advance(20)
    assert (await client.get("/api/products")).status == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/products", 200),
        ("GET", "/api/products/1", 404),
        ("GET", "/api/products/x", 400),
        ("POST", "/api/products", 400),
        ("GET", "/api/inventory", 200),
        ("GET", "/api/inventory/export", 200),
        ("GET", "/api/nothing", 404),
        ("PATCH", "/api/products", 405),
        ("OPTIONS", "/api/products", 405),
    ],
)
async def test_every_answer_under_api_tells_the_limit(make_client: Any, method: str, path: str, status: int) -> None:
    """Successes, failures, streams and unknown routes count and carry the three headers."""
    client = await make_client(rate_limit="5/minute")
    answer = await client.request(method, path)
    assert (answer.status, _told(answer)) == (status, ("5", "4", "60"))
    assert _told(await client.request(method, path)) == ("5", "3", "60")


async def test_a_failure_of_the_service_tells_the_limit(make_client: Any, break_database: Any) -> None:
    """A 500 carries the headers too."""
    client = await make_client(rate_limit="5/minute")
    await break_database(client)
    answer = await client.get("/api/products")
    assert (answer.status, _told(answer)) == (500, ("5", "4", "60"))


async def test_health_is_exempt(make_client: Any) -> None:
    """A monitor may ask as often as it likes, and is told nothing of limits."""
    client = await make_client(rate_limit="1/minute")
    for _ in range(3):
        answer = await client.get("/health")
        assert (answer.status, _told(answer)) == (200, (None, None, None))
    assert (await client.get("/api/products")).status == 200


async def test_a_limit_that_is_off_leaves_no_headers(make_client: Any, upload: Callable[..., FormData]) -> None:
    """With one of the limits off, the other is told alone; with both off, none."""
    client = await make_client(rate_limit="off", upload_rate_limit="2/minute")
    assert _told(await client.get("/api/products")) == (None, None, None)
    assert _told(await client.post("/api/products/import", data=upload())) == ("2", "1", "60")
    other = await make_client(rate_limit="2/minute", upload_rate_limit="off")
    assert _told(await other.post("/api/products/import", data=upload())) == ("2", "1", "60")


async def test_an_upload_counts_against_both_limits(make_client: Any, upload: Callable[..., FormData]) -> None:
    """Its answer shows whichever has less left."""
    client = await make_client(rate_limit="5/minute", upload_rate_limit="3/hour")
    assert _told(await client.post("/api/products/import", data=upload())) == ("3", "2", "3600")
    for left in ("3", "2", "1"):
        assert _told(await client.get("/api/products")) == ("5", left, "60")
    assert _told(await client.post("/api/products/import", data=upload())) == ("5", "0", "60")


async def test_uploads_beyond_their_limit_leave_other_requests_alone(
    make_client: Any, upload: Callable[..., FormData], standing_clock: Any
) -> None:
    """Only uploads are refused, until the end of their own window."""
    client = await make_client(rate_limit="100/minute", upload_rate_limit="1/hour")
    assert (await client.post("/api/products/import", data=upload())).status == 200
    refusal = await client.post("/api/products/import", data=upload())
    assert (refusal.status, refusal.headers["Retry-After"], _told(refusal)) == (429, "3600", ("1", "0", "3600"))
    assert (await client.get("/api/products")).status == 200
    standing_clock.advance(3600)
    assert (await client.post("/api/products/import", data=upload())).status == 200


async def test_of_two_limits_that_are_exceeded_the_later_end_is_told(
    make_client: Any, upload: Callable[..., FormData]
) -> None:
    """Who comes back after Retry-After is let in."""
    client = await make_client(rate_limit="1/minute", upload_rate_limit="1/hour")
    assert _told(await client.post("/api/products/import", data=upload())) == ("1", "0", "3600")
    refusal = await client.post("/api/products/import", data=upload())
    assert (refusal.status, refusal.headers["Retry-After"]) == (429, "3600")


@pytest.mark.parametrize("path", ["/api/products/%69mport", "/api//products/import", "/api/products/import/"])
async def test_spelling_the_path_otherwise_escapes_nothing(
    make_client: Any, upload: Callable[..., FormData], path: str
) -> None:
    """Another spelling of the upload's path is either an upload that counts as one, or no upload."""
    client = await make_client(rate_limit="off", upload_rate_limit="1/minute")
    answers = [await client.post(path, data=upload()) for _ in range(2)]
    assert [answer.status for answer in answers] in ([200, 429], [404, 404])


async def test_exempt_networks_go_unlimited(make_client: Any) -> None:
    """A kiosk network has neither a limit nor its headers."""
    client = await make_client(rate_limit="1/minute", upload_rate_limit="1/minute", rate_limit_exempt="127.0.0.0/8,::1")
    for _ in range(3):
        answer = await client.get("/api/products")
        assert (answer.status, _told(answer)) == (200, (None, None, None))


async def test_networks_that_are_not_the_clients_exempt_nobody(make_client: Any) -> None:
    """An exempt network elsewhere changes nothing here."""
    client = await make_client(rate_limit="1/minute", rate_limit_exempt="10.0.0.0/8,2001:db8::/32")
    assert [(await client.get("/api/products")).status for _ in range(2)] == [200, 429]


async def test_preflights_do_not_count(make_client: Any) -> None:
    """A browser's question beforehand is free, with CORS or without; a plain OPTIONS is a request."""
    client = await make_client(rate_limit="1/minute", cors_origins="*")
    for _ in range(3):
        assert (await client.options("/api/products", headers=PREFLIGHT)).status == 200
    assert (await client.get("/api/products")).status == 200
    assert (await client.options("/api/products")).status == 429


async def test_a_refused_change_is_not_made(make_client: Any) -> None:
    """The limit stands before everything else."""
    client = await make_client(rate_limit="1/minute", rate_limit_exempt="10.0.0.0/8", trusted_proxies="127.0.0.1")
    body = {"product_code": "A-1", "description": "x"}
    assert (await client.get("/api/products")).status == 200
    assert (await client.post("/api/products", json=body)).status == 429
    kiosk = {"X-Forwarded-For": "10.1.2.3"}
    assert (await (await client.get("/api/products", headers=kiosk)).json())["data"] == []


def test_the_table_of_clients_is_bounded() -> None:
    """The client that was seen longest ago is forgotten when a new one needs its place."""
    table = WindowTable(lambda: 0.0, size=2)
    assert [table.incr(key, 60) for key in ("a", "a", "b", "a", "c", "a", "b")] == [1, 2, 1, 3, 1, 4, 1]
    assert table.reset() == 2
    assert table.reset() == 0


def test_the_table_knows_only_open_windows() -> None:
    """A window that has ended counts nothing, and one can be forgotten before."""
    now = [0.0]
    table = WindowTable(lambda: now[0])
    table.incr("a", 60, amount=5)
    assert (table.get("a"), table.get_expiry("a")) == (5, 60.0)
    now[0] = 60.0
    assert (table.get("a"), table.get_expiry("a")) == (0, 60.0)
    table.incr("a", 60)
    table.clear("a")
    table.clear("a")
    assert (table.get("a"), table.check(), table.base_exceptions) == (0, True, KeyError)


def test_limits_of_different_names_are_counted_apart() -> None:
    """Two limits with the same numbers do not share a window."""
    limiter = RateLimiter(lambda: 0.0)
    rate = parse("2/minute")
    assert [limiter.hit(rate, name, "1.2.3.4").remaining for name in ("requests", "uploads", "requests")] == [1, 1, 0]


def test_counting_needs_no_thread() -> None:
    """The table starts nothing in the background, as the library's own does."""
    before = threading.active_count()
    RateLimiter(lambda: 0.0).hit(parse("2/minute"), "requests", "1.2.3.4")
    assert threading.active_count() == before

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from barcodesvc.api.guard.rate_limit import Windows
from barcodesvc.config import Rate, Settings

PREFLIGHT = {"Origin": "https://shop.example", "Access-Control-Request-Method": "GET"}


def _described(response: ClientResponse) -> tuple[str | None, ...]:
    return tuple(response.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset"))


async def test_the_limits_are_on_by_default(make_client: Any, upload: Callable[..., FormData]) -> None:
    """100 requests, of them 10 uploads, are allowed in 15 minutes."""
    defaults = {name: Settings.model_fields[name].default for name in ("rate_limit", "upload_rate_limit")}
    client = await make_client(**defaults)
    assert _described(await client.get("/api/products")) == ("100", "99", "900")
    assert _described(await client.post("/api/products/import", data=upload())) == ("10", "9", "900")


async def test_a_window_ends_exactly_when_it_says(make_client: Any, standing_clock: Any) -> None:
    """It begins with the first request; requests after the last allowed one are refused up to its very end."""
    client = await make_client(rate_limit="2/minute")
    assert _described(await client.get("/api/products")) == ("2", "1", "60")
    standing_clock.advance(59.5)
    assert _described(await client.get("/api/products")) == ("2", "0", "1")
    standing_clock.advance(0.4)
    refusal = await client.get("/api/products")
    assert (refusal.status, refusal.headers["Retry-After"], _described(refusal)) == (429, "1", ("2", "0", "1"))
    standing_clock.advance(0.1)
    assert _described(await client.get("/api/products")) == ("2", "1", "60")


async def test_a_refusal_names_the_setting_of_its_limit(make_client: Any, upload: Callable[..., FormData]) -> None:
    """An operator who reads the message knows what to raise; imports have another one."""
    client = await make_client(rate_limit="2/minute", upload_rate_limit="1/minute")
    await client.post("/api/products/import", data=upload())
    refused = await client.post("/api/products/import", data=upload())
    assert (await refused.json())["message"].endswith("; BARCODESVC_UPLOAD_RATE_LIMIT sets this limit")
    message = (await (await client.get("/api/products")).json())["message"]
    assert message == "more than 2 requests; try again in 60 seconds; BARCODESVC_RATE_LIMIT sets this limit"


async def test_a_refused_request_does_not_lengthen_the_wait(make_client: Any, standing_clock: Any) -> None:
    """A client that keeps trying is admitted at the same time as one that waits."""
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
async def test_every_response_under_api_tells_the_limit(make_client: Any, method: str, path: str, status: int) -> None:
    """Successes, failures, streams and unknown routes count and have the three headers."""
    client = await make_client(rate_limit="5/minute")
    response = await client.request(method, path)
    assert (response.status, _described(response)) == (status, ("5", "4", "60"))
    assert _described(await client.request(method, path)) == ("5", "3", "60")


async def test_a_failure_of_the_service_tells_the_limit(make_client: Any, break_database: Any) -> None:
    """A 500 has the headers too."""
    client = await make_client(rate_limit="5/minute")
    await break_database(client)
    response = await client.get("/api/products")
    assert (response.status, _described(response)) == (500, ("5", "4", "60"))


async def test_health_is_exempt(make_client: Any) -> None:
    """A monitor may poll as often as it likes, and gets no rate limit headers."""
    client = await make_client(rate_limit="1/minute")
    for _ in range(3):
        response = await client.get("/health")
        assert (response.status, _described(response)) == (200, (None, None, None))
    assert (await client.get("/api/products")).status == 200


async def test_a_limit_that_is_off_leaves_no_headers(make_client: Any, upload: Callable[..., FormData]) -> None:
    """With one of the limits off, only the other is reported; with both off, none."""
    client = await make_client(rate_limit="off", upload_rate_limit="2/minute")
    assert _described(await client.get("/api/products")) == (None, None, None)
    assert _described(await client.post("/api/products/import", data=upload())) == ("2", "1", "60")
    other = await make_client(rate_limit="2/minute", upload_rate_limit="off")
    assert _described(await other.post("/api/products/import", data=upload())) == ("2", "1", "60")


async def test_an_upload_counts_against_both_limits(make_client: Any, upload: Callable[..., FormData]) -> None:
    """Its response shows the one that has less left."""
    client = await make_client(rate_limit="5/minute", upload_rate_limit="3/hour")
    assert _described(await client.post("/api/products/import", data=upload())) == ("3", "2", "3600")
    for left in ("3", "2", "1"):
        assert _described(await client.get("/api/products")) == ("5", left, "60")
    assert _described(await client.post("/api/products/import", data=upload())) == ("5", "0", "60")


async def test_uploads_beyond_their_limit_leave_other_requests_alone(
    make_client: Any, upload: Callable[..., FormData], standing_clock: Any
) -> None:
    """Only uploads are refused, until the end of their own window."""
    client = await make_client(rate_limit="100/minute", upload_rate_limit="1/hour")
    assert (await client.post("/api/products/import", data=upload())).status == 200
    refusal = await client.post("/api/products/import", data=upload())
    assert (refusal.status, refusal.headers["Retry-After"], _described(refusal)) == (429, "3600", ("1", "0", "3600"))
    assert (await client.get("/api/products")).status == 200
    standing_clock.advance(3600)
    assert (await client.post("/api/products/import", data=upload())).status == 200


async def test_of_two_limits_that_are_exceeded_the_later_end_is_reported(
    make_client: Any, upload: Callable[..., FormData]
) -> None:
    """A client that retries after Retry-After succeeds."""
    client = await make_client(rate_limit="1/minute", upload_rate_limit="1/hour")
    assert _described(await client.post("/api/products/import", data=upload())) == ("1", "0", "3600")
    refusal = await client.post("/api/products/import", data=upload())
    assert (refusal.status, refusal.headers["Retry-After"]) == (429, "3600")


@pytest.mark.parametrize("path", ["/api/products/%69mport", "/api//products/import", "/api/products/import/"])
async def test_spelling_the_path_otherwise_escapes_nothing(
    make_client: Any, upload: Callable[..., FormData], path: str
) -> None:
    """Another spelling of the upload's path is either an upload that counts as one, or not an upload."""
    client = await make_client(rate_limit="off", upload_rate_limit="1/minute")
    responses = [await client.post(path, data=upload()) for _ in range(2)]
    assert [response.status for response in responses] in ([200, 429], [404, 404])


async def test_exempt_networks_go_unlimited(make_client: Any) -> None:
    """A kiosk network has neither limits nor their headers."""
    client = await make_client(rate_limit="1/minute", upload_rate_limit="1/minute", rate_limit_exempt="127.0.0.0/8,::1")
    for _ in range(3):
        response = await client.get("/api/products")
        assert (response.status, _described(response)) == (200, (None, None, None))


async def test_networks_that_are_not_the_clients_exempt_no_one(make_client: Any) -> None:
    """An exempt network elsewhere has no effect here."""
    client = await make_client(rate_limit="1/minute", rate_limit_exempt="10.0.0.0/8,2001:db8::/32")
    assert [(await client.get("/api/products")).status for _ in range(2)] == [200, 429]


async def test_preflights_do_not_count(make_client: Any) -> None:
    """A browser's preflight is free, with CORS or without; a plain OPTIONS is a request."""
    client = await make_client(rate_limit="1/minute", cors_origins="*")
    for _ in range(3):
        assert (await client.options("/api/products", headers=PREFLIGHT)).status == 200
    assert (await client.get("/api/products")).status == 200
    assert (await client.options("/api/products")).status == 429


async def test_a_refused_change_is_not_made(make_client: Any) -> None:
    """The limit is checked before everything else."""
    client = await make_client(rate_limit="1/minute", rate_limit_exempt="10.0.0.0/8", trusted_proxies="127.0.0.1")
    body = {"product_code": "A-1", "description": "x"}
    assert (await client.get("/api/products")).status == 200
    assert (await client.post("/api/products", json=body)).status == 429
    kiosk = {"X-Forwarded-For": "10.1.2.3"}
    assert (await (await client.get("/api/products", headers=kiosk)).json())["data"] == []


async def test_any_number_of_addresses_takes_no_more_than_the_table() -> None:
    """The least recently seen client is forgotten when there are too many; one that keeps trying never is."""
    windows, rate = Windows(lambda: 0.0, most=100), Rate(2, 60)
    for client in ("6.6.6.6", "7.7.7.7"):
        await windows.hit(rate, "requests", client)
    for number in range(1_000):
        await windows.hit(rate, "requests", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        if number % 50 == 0:
            count, _ = await windows.hit(rate, "requests", "6.6.6.6")
            assert count == 2 + number // 50
    assert await windows.hit(rate, "requests", "7.7.7.7") == (1, 60.0)


@pytest.mark.parametrize(
    ("after", "status", "reset"),
    [
        (0.0, 429, "60"),
        (0.000001, 429, "60"),
        (59.0, 429, "1"),
        (59.999999, 429, "1"),
        (60.0, 200, "60"),
        (60.1, 200, "60"),
    ],
)
async def test_the_window_is_exact_to_the_microsecond(
    make_client: Any, standing_clock: Any, after: float, status: int, reset: str
) -> None:
    """Up to the last microsecond the limit applies; at the end itself a new window begins."""
    client = await make_client(rate_limit="1/minute")
    await client.get("/api/products")
    standing_clock.advance(after)
    response = await client.get("/api/products")
    assert (response.status, _described(response)) == (status, ("1", "0", reset))


async def test_what_is_reported_fits_together_on_a_clock_that_runs() -> None:
    """A window that ends while a request is counted is either the old one or a new one, never half of each."""
    times = itertools.count(0.0, 0.25)
    windows, rate = Windows(lambda: next(times)), Rate(2, 1)
    assert [await windows.hit(rate, "requests", "1.2.3.4") for _ in range(6)] == [
        (1, 1.0),
        (2, 0.75),
        (3, 0.5),
        (4, 0.25),
        (1, 1.0),
        (2, 0.75),
    ]


async def test_requests_at_the_same_time_are_counted_one_by_one(make_client: Any) -> None:
    """Of fifty at once exactly as many pass as the limit allows, on as many connections as needed."""
    client = await make_client(rate_limit="20/minute")
    responses = await asyncio.gather(*(client.get("/api/products") for _ in range(50)))
    assert sorted(response.status for response in responses) == [200] * 20 + [429] * 30
    left = sorted(int(response.headers["RateLimit-Remaining"]) for response in responses)
    assert left == [0] * 31 + list(range(1, 20))


async def test_a_changed_setting_is_the_limit_of_the_next_start(make_client: Any) -> None:
    """Limits are those of the settings, in requests and in time."""
    for rate, reply in (("3/second", ("3", "2", "1")), ("7 per 2 hours", ("7", "6", "7200")), ("off", (None,) * 3)):
        client = await make_client(rate_limit=rate)
        assert _described(await client.get("/api/products")) == reply


async def test_limits_of_different_names_are_counted_apart() -> None:
    """Two limits with the same numbers do not share a window."""
    windows, rate = Windows(lambda: 0.0), Rate(2, 60)
    hits = [await windows.hit(rate, name, "1.2.3.4") for name in ("requests", "uploads", "requests")]
    assert [count for count, _ in hits] == [1, 1, 2]

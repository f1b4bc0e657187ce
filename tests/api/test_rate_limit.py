"""Rate limits: what counts towards which limit, in one process and in a store that services share."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from barcodesvc.api.guard import rate_limit
from barcodesvc.api.guard.rate_limit import CONNECTIONS, Windows
from barcodesvc.config import Rate, Settings
from tests.api.sessions import PATH, asked, given
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.servers.valkey import program, running_valkey

PREFLIGHT = {"Origin": "https://shop.example", "Access-Control-Request-Method": "GET"}
Upload = Callable[..., FormData]
Services = Callable[..., Awaitable[list[Client]]]
"""Starts one service that counts for itself, or two that share a store."""


def _left(response: ClientResponse) -> str:
    """Return what a response says of its limit."""
    limit, left, _ = _described(response)
    if response.status == 429:
        return f"none of {limit}"
    assert response.status == 200
    return f"{left} of {limit}" if limit else "no limit"


def _described(response: ClientResponse) -> tuple[str | None, ...]:
    return tuple(response.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset"))


@pytest.fixture(params=["memory", "valkey"])
def store(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Return the address of a store, None for the memory of the process."""
    if request.param == "memory":
        yield None
        return
    if program() is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    with running_valkey() as server:
        yield server.address


@pytest.fixture
def services(make_client: ClientMaker, tmp_path: Path, store: str | None, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Return a function that starts what counts in the store; each service has a database of its own."""
    monkeypatch.setattr(rate_limit, "STORE_WAIT", 10.0)  # on a busy machine the store is slow, and is not away

    async def make(**settings: Any) -> list[Client]:
        if store is None:
            return [await make_client(**settings)]
        names = ("one.db", "two.db")
        return [await make_client(database=tmp_path / name, rate_limit_store=store, **settings) for name in names]

    return make


READ, IMPORT = ("GET", "/api/products"), ("POST", "/api/products/import")
REQUESTS = {"read": READ, "import": IMPORT, "page reads": READ, "page imports": IMPORT}
"""What a program and the page may send; the page has a session."""
NO_SESSION = "0" * 108
"""The value of a cookie that does not count, which is no error."""


async def _response(client: Client, request: str, session: str | None, upload: Upload) -> ClientResponse:
    method, path = REQUESTS[request]
    cookie = session if request.startswith("page") else NO_SESSION
    return await asked(client, method, path, cookie, data=upload() if method == "POST" else None)


COUNTED: dict[str, tuple[dict[str, str], list[tuple[str, str]]]] = {
    "requests": (
        {"rate_limit": "2/hour"},
        [("read", "1 of 2"), ("read", "0 of 2"), ("read", "none of 2"), ("read", "none of 2")],
    ),
    "an import counts towards both limits, and shows what has less left": (
        {"rate_limit": "4/hour", "upload_rate_limit": "3/day"},
        [("import", "2 of 3"), ("read", "2 of 4"), ("read", "1 of 4"), ("import", "0 of 4")],
    ),
    "imports beyond their limit leave other requests alone": (
        {"rate_limit": "9/hour", "upload_rate_limit": "1/hour"},
        [("import", "0 of 1"), ("import", "none of 1"), ("read", "6 of 9")],
    ),
    "the limit of requests is off": (
        {"rate_limit": "off", "upload_rate_limit": "2/hour"},
        [("read", "no limit"), ("import", "1 of 2"), ("page reads", "no limit")],
    ),
    "the limit of imports is off": (
        {"rate_limit": "9/hour", "upload_rate_limit": "off"},
        [("import", "8 of 9"), ("page imports", "5999 of 6000")],
    ),
    "the limit of the page is off": (
        {"rate_limit": "2/hour", "page_rate_limit": "off"},
        [("page reads", "no limit"), ("read", "1 of 2")],
    ),
    "the page has its own limit, also where that of programs is used up": (
        {"rate_limit": "1/hour"},
        [("page reads", "5999 of 6000"), ("read", "0 of 1"), ("read", "none of 1"), ("page reads", "5998 of 6000")],
    ),
    "all sessions of an address share the page's limit": (
        {"rate_limit": "9/hour", "page_rate_limit": "2/hour"},
        [("page reads", "1 of 2"), ("page reads", "0 of 2"), ("page reads", "none of 2"), ("read", "8 of 9")],
    ),
    "imports of the page have another limit than those of programs": (
        {"rate_limit": "9/hour", "upload_rate_limit": "1/hour"},
        [
            ("page imports", "59 of 60"),
            ("page imports", "58 of 60"),
            ("page reads", "5997 of 6000"),
            ("import", "0 of 1"),
            ("import", "none of 1"),
        ],
    ),
    "an exempt network": (
        {"rate_limit": "1/hour", "upload_rate_limit": "1/hour", "rate_limit_exempt": "127.0.0.0/8,::1"},
        [("read", "no limit"), ("read", "no limit"), ("page imports", "no limit")],
    ),
    "another exempt network": (
        {"rate_limit": "1/hour", "rate_limit_exempt": "10.0.0.0/8,2001:db8::/32"},
        [("read", "0 of 1"), ("read", "none of 1")],
    ),
}
"""Limits, and requests with what their responses say."""


@pytest.mark.parametrize(("limits", "steps"), COUNTED.values(), ids=COUNTED)
async def test_what_counts_towards_which_limit(
    services: Services, upload: Upload, limits: dict[str, str], steps: list[tuple[str, str]]
) -> None:
    """Of two services that share a store, each continues the other's count."""
    clients = [(client, given(await asked(client, "GET", "/"))) for client in await services(**limits)]
    for (client, session), (request, left) in zip(itertools.cycle(clients), steps, strict=False):
        assert (request, _left(await _response(client, request, session, upload))) == (request, left)


async def test_requests_at_the_same_time_are_counted_one_by_one(services: Services) -> None:
    """Of more at once than there are connections to a store, exactly as many pass as the limit allows."""
    clients = await services(rate_limit="20/hour")
    asked_at_once = [client.get("/api/products") for client in clients for _ in range(3 * CONNECTIONS)]
    responses = await asyncio.gather(*asked_at_once)
    refusals = len(responses) - 20
    assert sorted(response.status for response in responses) == [200] * 20 + [429] * refusals
    left = sorted(int(response.headers["RateLimit-Remaining"]) for response in responses)
    assert left == [0] * (refusals + 1) + list(range(1, 20))


async def test_the_limits_are_on_by_default(make_client: ClientMaker, upload: Upload) -> None:
    """100 requests, of them 10 uploads, are allowed in 15 minutes; a login is a request like others."""
    defaults = {name: Settings.model_fields[name].default for name in ("rate_limit", "upload_rate_limit")}
    client = await make_client(**defaults)
    assert _described(await client.get("/api/products")) == ("100", "99", "900")
    assert _described(await client.request(*IMPORT, data=upload())) == ("10", "9", "900")
    assert _described(await client.post(PATH, json={"api_key": "any"})) == ("100", "97", "900")


async def test_a_window_ends_exactly_when_it_says(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """It begins with the first request; refused ones up to its very end do not lengthen it."""
    client = await make_client(rate_limit="2/minute")
    assert _described(await client.get("/api/products")) == ("2", "1", "60")
    standing_clock.advance(59.5)
    assert _described(await client.get("/api/products")) == ("2", "0", "1")
    for seconds in (0.0, 0.4, 0.099_999):
        standing_clock.advance(seconds)
        refusal = await client.get("/api/products")
        assert (refusal.status, refusal.headers["Retry-After"], _described(refusal)) == (429, "1", ("2", "0", "1"))
    standing_clock.advance(0.000_001)
    assert _described(await client.get("/api/products")) == ("2", "1", "60")


async def test_a_refusal_names_the_setting_of_its_limit(make_client: ClientMaker, upload: Upload) -> None:
    """An operator who reads the message knows what to raise."""
    client = await make_client(rate_limit="2/minute", upload_rate_limit="1/minute", page_rate_limit="1/minute")
    cookie = given(await asked(client, "GET", "/"))
    for request, limit, name in (
        ("import", 1, "UPLOAD_RATE_LIMIT"),
        ("read", 2, "RATE_LIMIT"),
        ("page reads", 1, "PAGE_RATE_LIMIT"),
    ):
        await _response(client, request, cookie, upload)
        refusal = await (await _response(client, request, cookie, upload)).json()
        told = f"more than {limit} requests; try again in 60 seconds; BARCODESVC_{name} sets this limit"
        assert refusal["message"] == told


async def test_of_two_limits_that_are_exceeded_the_later_end_is_reported(
    make_client: ClientMaker, upload: Upload
) -> None:
    """A client that retries after Retry-After succeeds."""
    client = await make_client(rate_limit="1/minute", upload_rate_limit="1/hour")
    assert _described(await client.request(*IMPORT, data=upload())) == ("1", "0", "3600")
    refusal = await client.request(*IMPORT, data=upload())
    assert (refusal.status, refusal.headers["Retry-After"]) == (429, "3600")


async def test_monitors_and_preflights_are_free(make_client: ClientMaker) -> None:
    """A monitor may poll as often as it likes, and a browser ask beforehand; a plain OPTIONS is a request."""
    client = await make_client(rate_limit="1/minute", cors_origins="*")
    for _ in range(3):
        response = await client.get("/health")
        assert (response.status, _described(response)) == (200, (None, None, None))
        assert (await client.options("/api/products", headers=PREFLIGHT)).status == 200
    assert (await client.get("/api/products")).status == 200
    assert (await client.options("/api/products")).status == 429


@pytest.mark.parametrize("path", ["/api/products/%69mport", "/api//products/import", "/api/products/import/"])
async def test_spelling_the_path_otherwise_escapes_nothing(make_client: ClientMaker, upload: Upload, path: str) -> None:
    """Another spelling of the upload's path is either an upload that counts as one, or not an upload."""
    client = await make_client(rate_limit="off", upload_rate_limit="1/minute")
    responses = [await client.post(path, data=upload()) for _ in range(2)]
    assert [response.status for response in responses] in ([200, 429], [404, 404])


async def test_a_refused_change_is_not_made(make_client: ClientMaker) -> None:
    """The limit is checked before everything else."""
    client = await make_client(rate_limit="1/minute", rate_limit_exempt="10.0.0.0/8", trusted_proxies="127.0.0.1")
    assert (await client.get("/api/products")).status == 200
    assert (await client.post("/api/products", json={"product_code": "A-1", "description": "x"})).status == 429
    kiosk = {"X-Forwarded-For": "10.1.2.3"}
    assert (await (await client.get("/api/products", headers=kiosk)).json())["data"] == []


async def test_a_session_has_the_limit_of_the_page_until_it_expires(
    make_client: ClientMaker, standing_clock: StandingClock
) -> None:
    """Without an API key everyone gets a session, so a log-out takes nothing away from a copy of its cookie."""
    client = await make_client(rate_limit="5/minute")
    cookie = given(await asked(client, "GET", "/"))
    await asked(client, "DELETE", PATH, cookie)
    assert _left(await asked(client, "GET", "/api/products", cookie)) == "5998 of 6000"
    standing_clock.advance(30 * 24 * 3600)
    assert _left(await asked(client, "GET", "/api/products", cookie)) == "4 of 5"


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


async def test_what_is_reported_fits_together_on_a_clock_that_runs() -> None:
    """A window that ends while a request is counted is either the old one or a new one, never half of each."""
    times = itertools.count(0.0, 0.25)
    windows, rate = Windows(lambda: next(times)), Rate(2, 1)
    hits = [await windows.hit(rate, "requests", "1.2.3.4") for _ in range(6)]
    assert hits == [(1, 1.0), (2, 0.75), (3, 0.5), (4, 0.25), (1, 1.0), (2, 0.75)]

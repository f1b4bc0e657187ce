"""One limit per client for several services, which count in a store; no limit while it cannot be reached."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.api.guard.rate_limit import STORE_WAIT
from barcodesvc.app import make_app
from barcodesvc.config import load_settings
from barcodesvc.errors import StartError
from tests.fixture_types import Client, ClientMaker
from tests.servers.valkey import ValkeyServer, program, running_valkey
from tests.sweeps import sweep

PASSWORD = "of-the-store-alone"  # noqa: S105 - a test's own
LATER = 10.0
"""Seconds after which a service has noticed that its store is back."""


@pytest.fixture
def store() -> Iterator[ValkeyServer]:
    """Return a running store, or skip the test if no server is installed."""
    if program() is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    with running_valkey() as server:
        yield server


@pytest.fixture
async def make_two(make_client: ClientMaker, tmp_path: Path, store: ValkeyServer) -> Callable[..., Any]:
    """Return a function that starts two services with one store."""

    async def make(**settings: Any) -> tuple[Client, Client]:
        settings = {"rate_limit_store": store.address, **settings}
        one = await make_client(database=tmp_path / "one.db", **settings)
        return one, await make_client(database=tmp_path / "two.db", **settings)

    return make


async def _asked(client: Client) -> tuple[int, str | None, str | None, str | None]:
    response = await client.get("/api/products")
    limit, remaining, reset = (response.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset"))
    return response.status, limit, remaining, reset


async def _is_away(client: Client) -> bool:
    text = await (await client.get("/metrics")).text()
    return "barcodesvc_rate_limit_store_away 1.0" in text


async def _until_back(client: Client) -> None:
    """Send requests until one of them finds that the store is back."""
    async with asyncio.timeout(LATER):
        while await _is_away(client):
            await asyncio.sleep(0.05)
            await _asked(client)


async def test_retry_after_does_not_end_before_the_window(make_two: Callable[..., Any], store: ValkeyServer) -> None:
    """The store rounds the rest of a window that was begun elsewhere, even down."""
    one, two = await make_two(rate_limit="1/hour")
    await _asked(one)
    client_of = pytest.importorskip("valkey.asyncio").Valkey
    async with client_of(unix_socket_path=store.address.removeprefix("valkey+unix://")) as other:
        for key in await other.keys():
            await other.pexpire(key, 100_450)
        refusal = await two.get("/api/products")
        left = max([await other.pttl(key) for key in await other.keys()]) / 1000
    assert refusal.status == 429
    assert int(refusal.headers["Retry-After"]) >= left > 0


async def test_while_the_store_is_away_requests_pass(
    make_two: Callable[..., Any], store: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A metric and a line of the log say so, and both services limit again when the store is back."""
    caplog.set_level(logging.WARNING)
    one, two = await make_two(rate_limit="2/hour")
    assert [(await _asked(client))[0] for client in (one, two, one)] == [200, 200, 429]
    store.kill()
    assert [await _asked(client) for client in (one, two) * 3] == [(200, None, None, None)] * 6
    assert [await _is_away(client) for client in (one, two)] == [True, True]
    assert len([record for record in caplog.records if "cannot be reached" in record.message]) == 2
    store.start()
    for client in (one, two):
        await _until_back(client)
    assert [(await _asked(client))[:3] for client in (one, two)] == [(429, "2", "0"), (429, "2", "0")]
    assert len([record for record in caplog.records if "can be reached" in record.message]) == 2
    assert len(caplog.records) == 4


async def test_a_store_that_hangs_holds_no_request_up(make_two: Callable[..., Any], store: ValkeyServer) -> None:
    """Requests under way wait a quarter of a second, all others not at all; it recovers by itself."""
    one, _ = await make_two(rate_limit="1000/hour")
    await _asked(one)
    store.hang()
    begun = time.monotonic()
    assert {response[0] for response in await asyncio.gather(*(_asked(one) for _ in range(50)))} == {200}
    assert STORE_WAIT <= time.monotonic() - begun < 8 * STORE_WAIT
    begun = time.monotonic()
    for _ in range(50):
        assert (await _asked(one))[0] == 200
    assert time.monotonic() - begun < 50 * STORE_WAIT / 4
    assert await _is_away(one)
    store.go_on()
    await _until_back(one)
    assert (await _asked(one))[0] == 200


@pytest.mark.parametrize("scheme", ["valkey", "redis", "valkeys", "rediss", "redis+unix"])
async def test_a_service_starts_without_its_store(
    make_client: ClientMaker, caplog: pytest.LogCaptureFixture, scheme: str
) -> None:
    """Whatever the scheme of its address, it limits nothing, and says so at the first request."""
    client = await make_client(rate_limit="1/hour", rate_limit_store=f"{scheme}://127.0.0.1:1/0")
    assert [await _asked(client) for _ in range(2)] == [(200, None, None, None)] * 2
    assert await _is_away(client)
    assert caplog.text.count("rate limits are off") == 1


@pytest.mark.parametrize("given", [PASSWORD, "not-the-right-one"])
async def test_the_password_of_a_store_is_shown_nowhere(
    make_client: ClientMaker, caplog: pytest.LogCaptureFixture, given: str
) -> None:
    """Neither if it is right nor if it is wrong, in which case the store counts as down."""
    caplog.set_level(logging.DEBUG)
    if program() is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    with running_valkey("--requirepass", PASSWORD) as store:
        client = await make_client(rate_limit="9/hour", rate_limit_store=store.address.replace("://", f"://:{given}@"))
        assert (await _asked(client))[0] == 200
        assert await _is_away(client) is (given != PASSWORD)
        assert given not in caplog.text + await (await client.get("/metrics")).text()


@sweep("rest", ["store/0?db=first", "store/0?foo=1", "store?protocol=x", "store?max_connections=-1", "store?retry=x"])
@sweep("scheme", ["valkey", "rediss"])
def test_an_address_that_cannot_be_used_stops_the_start(scheme: str, rest: str) -> None:
    """An unknown option, or one with a wrong value; the password is not shown."""
    with pytest.raises(StartError) as refusal:
        make_app(load_settings({"BARCODESVC_RATE_LIMIT_STORE": f"{scheme}://:{PASSWORD}@{rest}"}))
    shown = f"BARCODESVC_RATE_LIMIT_STORE: {scheme}://@{rest.partition('?')[0]}"
    assert str(refusal.value).startswith(shown)
    assert str(refusal.value).endswith(" cannot be used; look at its options")
    assert PASSWORD not in str(refusal.value)


@sweep("place", ["localhost/0", "localhost", "", "/0", ":6379", f":{PASSWORD}@:6379", "[::1]/1", "h:1/"])
@sweep("scheme", ["valkey", "redis", "rediss"])
def test_host_port_and_number_of_a_store_may_be_left_out(scheme: str, place: str) -> None:
    """The defaults are localhost, 6379 and 0."""
    make_app(load_settings({"BARCODESVC_RATE_LIMIT_STORE": f"{scheme}://{place}"}))

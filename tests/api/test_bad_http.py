import logging
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from tests.fixture_types import Client, ClientMaker

LONG_SEARCH = b"GET /api/products?search=" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [LONG_SEARCH, b"FOO\r\n\r\n", b"\x16\x03\x01\r\n\r\n"], ids=["long", "foo", "tls"])
async def test_bad_http_gets_an_envelope_that_repeats_nothing(
    client: Client, raw: Callable[..., Awaitable[bytes]], sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """A request that is malformed or too long gets a 400 envelope, and is not logged."""
    with caplog.at_level(logging.WARNING):
        head, _, body = (await raw(client, sent)).partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert body.startswith(b'{"error":true,"message":"the request is not valid HTTP')
    assert b"aaaa" not in body
    assert caplog.records == []


async def test_a_failure_outside_of_every_middleware_stays_a_500(
    make_client: ClientMaker, raw: Callable[..., Awaitable[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure that is not the client's fault is handled and logged by aiohttp as usual."""
    client = await make_client()

    async def broken(_: object) -> web.Response:
        raise RuntimeError

    assert client.server.runner
    monkeypatch.setattr(client.server.runner.server, "request_handler", broken)
    assert (await raw(client, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")).startswith(b"HTTP/1.1 500 ")

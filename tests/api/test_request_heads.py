"""Heads that are refused whatever the request asks for, and what the others cost."""

from __future__ import annotations

import time
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Client, ClientMaker

Raw = Callable[..., Awaitable[bytes]]
Problems = Callable[[Any], Awaitable[dict[str, str]]]

UNENCODED = {"Content-Encoding": "bodies are not decoded; send this one as it is"}
LAST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
COST_RATIO = 20.0
"""How many times the processor time of a harmless request a hostile one of the same size may take."""


def bomb(megabytes: int) -> bytes:
    """Return a zlib stream that inflates to so many megabytes, at a thousandth of their size."""
    packer = zlib.compressobj()
    block = packer.compress(bytes(1024 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    following = packer.compress(bytes(1024 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block + following * (megabytes - 1)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity", "x-unheard-of", ""])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/health"),
        ("GET", "/metrics"),
        ("GET", "/api/products"),
        ("POST", "/api/products"),
        ("POST", "/api/products/import"),
        ("DELETE", "/nothing"),
    ],
)
async def test_an_encoded_body_is_refused_everywhere(
    client: Client, problems: Problems, method: str, path: str, coding: str
) -> None:
    """Bodies are taken as they are; whoever encodes one is told so, whatever the request is for."""
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    answer = await client.request(method, path, data=b"{}", headers=headers, compress=False)
    assert await problems(answer) == UNENCODED


@pytest.mark.parametrize("coding", [b"gzip", b"deflate", b"br"])
@pytest.mark.parametrize("target", [b"GET /health", b"POST /api/products", b"PUT /nothing"])
async def test_the_rest_of_a_refused_body_is_not_inflated(
    client: Client, raw: Raw, target: bytes, coding: bytes
) -> None:
    """What is no such coding at all breaks nothing: it is thrown away as it is, and the next request is answered."""
    head = b"%b HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: %b\r\nContent-Length: 100000\r\n\r\n"
    answers = await raw(client, head % (target, coding) + b"no such coding" + bytes(99_986) + LAST)
    assert [answer[:3] for answer in answers.split(b"HTTP/1.1 ")[1:]] == [b"400", b"200"]


async def test_a_bomb_costs_what_its_bytes_cost(client: Client) -> None:
    """A megabyte that would inflate to a gigabyte takes no more of the processor than another megabyte."""
    packed = bomb(1000)
    assert len(packed) < 1_100_000

    async def cost(headers: dict[str, str]) -> float:
        began = time.process_time()
        answer = await client.post("/health", data=packed, headers=headers, compress=False)
        assert answer.status in (400, 405)
        assert (await client.get("/health")).status == 200
        return time.process_time() - began

    harmless = min([await cost({}) for _ in range(3)])
    assert min([await cost({"Content-Encoding": "deflate"}) for _ in range(3)]) < COST_RATIO * harmless


async def test_a_page_of_an_allowed_origin_reads_what_is_wrong_with_its_head(make_client: ClientMaker) -> None:
    """A browser lets it, though the refusal is made before the request is routed."""
    client = await make_client(cors_origins="https://kiosk.example")
    headers = {"Content-Encoding": "gzip", "Origin": "https://kiosk.example"}
    answer = await client.post("/api/products", data=b"{}", headers=headers, compress=False)
    assert answer.status == 400
    assert answer.headers["Access-Control-Allow-Origin"] == "https://kiosk.example"
    assert "X-Request-ID" in answer.headers["Access-Control-Expose-Headers"]

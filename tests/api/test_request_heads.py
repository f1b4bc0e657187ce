"""Heads that are refused on every path, and the cost of the others."""

import time
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.fixture_types import Client, ClientMaker, Problems, Raw
from tests.forms import KIND
from tests.sweeps import sweep

Cost = Callable[..., Awaitable[float]]

UNENCODED = {"Content-Encoding": "bodies are not decoded; send this one as it is"}
LAST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
COST_RATIO = 20.0
"""How many times the processor time of a harmless request a hostile one of the same size may take."""


def bomb(megabytes: int) -> bytes:
    """Return a zlib stream that inflates to this many megabytes, at a thousandth of their size."""
    packer = zlib.compressobj()
    block = packer.compress(bytes(1024 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    following = packer.compress(bytes(1024 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block + following * (megabytes - 1)


@sweep("coding", ["gzip", "deflate", "br", "identity", "x-unheard-of", ""])
@sweep(
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
    """Bodies are never decoded: an encoded one is a 400, on every path."""
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    response = await client.request(method, path, data=b"{}", headers=headers, compress=False)
    assert await problems(response) == UNENCODED


@pytest.mark.parametrize("coding", [b"gzip", b"deflate", b"br"])
@pytest.mark.parametrize("target", [b"GET /health", b"POST /api/products", b"PUT /nothing"])
async def test_the_rest_of_a_refused_body_is_not_inflated(
    client: Client, raw: Raw, target: bytes, coding: bytes
) -> None:
    """Invalid encoded data breaks nothing: it is discarded unread, and the next request succeeds."""
    head = b"%b HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: %b\r\nContent-Length: 100000\r\n\r\n"
    responses = await raw(client, head % (target, coding) + b"no such coding" + bytes(99_986) + LAST)
    assert [response[:3] for response in responses.split(b"HTTP/1.1 ")[1:]] == [b"400", b"200"]


async def test_a_bomb_costs_what_its_bytes_cost(client: Client) -> None:
    """A megabyte that would inflate to a gigabyte takes no more processor time than another megabyte."""
    packed = bomb(1000)
    assert len(packed) < 1_100_000

    async def cost(headers: dict[str, str]) -> float:
        began = time.process_time()
        response = await client.post("/health", data=packed, headers=headers, compress=False)
        assert response.status in (400, 405)
        assert (await client.get("/health")).status == 200
        return time.process_time() - began

    harmless = min([await cost({}) for _ in range(3)])
    assert min([await cost({"Content-Encoding": "deflate"}) for _ in range(3)]) < COST_RATIO * harmless


async def test_a_page_of_an_allowed_origin_reads_what_is_wrong_with_its_head(make_client: ClientMaker) -> None:
    """CORS headers are present, although the refusal precedes routing."""
    client = await make_client(cors_origins="https://kiosk.example")
    headers = {"Content-Encoding": "gzip", "Origin": "https://kiosk.example"}
    response = await client.post("/api/products", data=b"{}", headers=headers, compress=False)
    assert response.status == 400
    assert response.headers["Access-Control-Allow-Origin"] == "https://kiosk.example"
    assert "X-Request-ID" in response.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/health"), ("POST", "/api/products"), ("POST", "/api/products/import"), ("POST", "/api/codes/decode")],
)
async def test_a_long_content_type_is_refused_everywhere(
    client: Client, problems: Problems, method: str, path: str
) -> None:
    """A type has at most 200 characters, on every path; real ones are much shorter."""
    kind = "application/json; x="
    responses = [
        await client.request(method, path, data=b"{}", headers={"Content-Type": kind.ljust(length, "a")})
        for length in (201, 8000)
    ]
    assert [await problems(response) for response in responses] == [{"Content-Type": "longer than 200 characters"}] * 2
    response = await client.request(method, path, data=b"{}", headers={"Content-Type": kind.ljust(200, "a")})
    assert "Content-Type" not in await response.text()


FILLERS = (
    *(b';"', b'"', b";", b"; ", b",", b", ", b" ", b"=", b"a=b;", b'a="b";', b'a="\\"', b"a*0=b;", b"(", b"(;", b"\\"),
    *(b'W/"', b'"a",', b'"a" ', b"*", b":", b"[", b"]:", b".", b"1.", b"1,", b"q=0;", b"text/event-stream,", b"\xfc"),
)
"""Input that a parser could rescan repeatedly: separators, quotes and brackets that close nothing."""
LOOKED_AT = [
    ("POST /api/products", "Content-Type Origin X-Forwarded-Host Sec-Fetch-Site Host"),
    ("POST /api/products/import", "Accept Content-Type"),
    ("POST /api/inventory/1/adjust", "Idempotency-Key X-API-Key Authorization X-Request-ID X-Forwarded-For"),
    ("POST /api/codes/decode", "Content-Type Expect Upgrade Accept-Encoding Forwarded"),
    ("GET /api/docs", "If-None-Match If-Modified-Since Range Cookie User-Agent"),
    ("GET /metrics", "Accept"),
    ("OPTIONS /api/products", "Access-Control-Request-Headers Access-Control-Request-Method"),
]
"""Requests, and for each the headers that the service or aiohttp may parse."""
KEY = "0123456789abcdefghijklmn"


@pytest.fixture
async def cost(make_client: ClientMaker, raw: Raw) -> Cost:
    """Return a function that measures the processor time of one request to a service that parses every possible header.

    The given header is added to the usual ones, or replaces one.
    """
    client = await make_client(api_key=KEY, trusted_proxies="127.0.0.1", cors_origins="*")
    usual = {"Host": "localhost", "X-API-Key": KEY, "Origin": "https://kiosk.example", "Connection": "close"}
    usual |= {"Content-Type": "application/json", "Access-Control-Request-Method": "GET"}

    async def measure(target: str, name: str, value: bytes, body: bytes = b"{}") -> float:
        headers = {key: text.encode() for key, text in usual.items()} | {name: value}
        lines = b"".join(b"%b: %b\r\n" % (key.encode(), text) for key, text in headers.items())
        began = time.process_time()
        response = await raw(client, b"%b HTTP/1.1\r\n%b" % (target.encode(), lines) + _length(body) + body)
        spent = time.process_time() - began
        assert int(response.split(b" ", 2)[1]) < 500, response
        return spent

    return measure


def _length(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body)


@pytest.mark.parametrize(("target", "name"), [(target, name) for target, names in LOOKED_AT for name in names.split()])
async def test_no_header_costs_more_than_its_length(cost: Cost, target: str, name: str) -> None:
    """Eight thousand awkward characters take about as long as eight thousand letters."""
    letters = min([await cost(target, name, b"a" * 8000) for _ in range(3)])
    for filler in FILLERS:
        value = (filler * 8000)[:8000]
        assert min([await cost(target, name, value) for _ in range(2)]) < COST_RATIO * letters, filler


@pytest.mark.parametrize("segment", [b"/", b"/a", b"/..", b"/%2F"])
async def test_no_path_costs_more_than_its_length(cost: Cost, segment: bytes) -> None:
    """Thousands of segments take about as long as one of that length."""
    letters = min([await cost("GET /" + "a" * 8000, "Accept", b"*/*") for _ in range(3)])
    path = (segment * 8000)[:8000].decode()
    assert min([await cost(f"GET {path}", "Accept", b"*/*") for _ in range(2)]) < COST_RATIO / 4 * letters


async def test_a_path_with_more_segments_than_any_route_is_not_routed(client: Client, refused: Any) -> None:
    """It is a 404 that states the limit; one with that many segments is looked up as usual."""
    assert "segments" in (await refused(await client.get("/a" * 300), 404, "VALIDATION_ERROR"))["message"]
    assert "there is nothing at" in (await refused(await client.get("/a" * 32), 404, "VALIDATION_ERROR"))["message"]


async def test_many_tags_cost_little_more_than_letters(cost: Cost) -> None:
    """A list of 2,000 ETags is compared, and not parsed."""
    where = "GET /api/codes/barcode/A-1.svg"
    letters = min([await cost(where, "If-None-Match", b"a" * 8000) for _ in range(3)])
    assert min([await cost(where, "If-None-Match", b'"a",' * 2000) for _ in range(3)]) < COST_RATIO / 4 * letters


@pytest.mark.parametrize("path", ["/api/products/import", "/api/codes/decode"])
@pytest.mark.parametrize("start", [b"Content-Disposition: form-data", b"Content-Type: text/plain", b"X: y"])
async def test_no_header_of_a_part_costs_more_than_its_length(cost: Cost, start: bytes, path: str) -> None:
    """The same holds for the headers of a form's parts."""

    async def cost_of(line: bytes) -> float:
        body = b"--XX\r\n" + start + b"; " + line + b"\r\n\r\nx\r\n--XX--\r\n"
        return min([await cost(f"POST {path}", "Content-Type", KIND.encode(), body) for _ in range(2)])

    letters = await cost_of(b'name="' + b"a" * 7900 + b'"')
    for filler in FILLERS:
        assert await cost_of((filler * 8000)[:7900]) < COST_RATIO * letters, filler


@sweep("coding", ["gzip, chunked", "gzip,chunked", "deflate, chunked", ", chunked", "x, chunked"])
@sweep("path", ["/api/products", "/api/products/import", "/health", "/nothing"])
async def test_a_body_in_another_transfer_coding_is_refused(client: Client, raw: Raw, path: str, coding: str) -> None:
    """Its encoded form would be taken for the body, and the service does not decode it."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {coding}\r\nConnection: close\r\n\r\n"
    response = await raw(client, head.encode() + b"2\r\n{}\r\n0\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b'"Transfer-Encoding: bodies are not decoded; send this one as chunked alone"' in response


@pytest.mark.parametrize("coding", [b"chunked", b"Chunked", b" \tchunked "])
async def test_a_chunked_body_is_read_in_any_spelling(client: Client, raw: Raw, coding: bytes) -> None:
    """Names of codings are case-insensitive, and white space around them is ignored."""
    head = b"POST /api/products HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    body = b'1a\r\n{"product_code":"B-1","des\r\ne\r\ncription":"x"}\r\n0\r\n\r\n'
    response = await raw(client, head + b"Transfer-Encoding:" + coding + b"\r\n\r\n" + body)
    assert response.startswith(b"HTTP/1.1 201 ")

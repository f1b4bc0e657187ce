"""What a hostile request costs: no more processor time than a harmless one of its length, give or take a factor."""

import json
import time
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from barcodesvc.errors import InvalidInput
from barcodesvc.labels.label_requests import PrintRequest
from barcodesvc.models import Draft, LevelUpdate, ProductDraft
from barcodesvc.validation import model_in
from tests.api.replies import refused
from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker
from tests.forms import KIND, form
from tests.sweeps import sweep

Cost = Callable[..., Awaitable[float]]

COST_RATIO = 20.0
"""How many times the processor time of a harmless request a hostile one of the same size may take."""
FILLERS = (
    *(b';"', b'"', b";", b"; ", b",", b", ", b" ", b"=", b"a=b;", b'a="b";', b'a="\\"', b"a*0=b;", b"(", b"(;", b"\\"),
    *(b'W/"', b'"a",', b'"a" ', b"*", b":", b"[", b"]:", b".", b"1.", b"1,", b"q=0;", b"text/event-stream,", b"\xfc"),
)
"""Input that a parser could rescan repeatedly: separators, quotes and brackets that close nothing."""
LOOKED_AT = {
    "POST /api/products": "Content-Type Origin X-Forwarded-Host Sec-Fetch-Site Host",
    "POST /api/products/import": "Accept Content-Type",
    "POST /api/inventory/1/adjust": "Idempotency-Key X-API-Key Authorization X-Request-ID X-Forwarded-For",
    "POST /api/codes/decode": "Content-Type Expect Upgrade Accept-Encoding Forwarded",
    "GET /api/docs": "If-None-Match If-Modified-Since Range Cookie User-Agent",
    "GET /api/codes/barcode/A-1.svg": "If-None-Match",
    "GET /metrics": "Accept",
    "OPTIONS /api/products": "Access-Control-Request-Headers Access-Control-Request-Method",
}
"""Requests, and for each the headers that the service or aiohttp may parse."""
KEY = "0123456789abcdefghijklmn"


@pytest.fixture
async def cost(make_client: ClientMaker) -> Cost:
    """Return a function that measures the processor time of one request to a service that parses every possible header.

    The given header is added to the usual ones, or replaces one.
    """
    client = await make_client(api_key=KEY, trusted_proxies="127.0.0.1", cors_origins="*")
    usual = {"Host": "localhost", "X-API-Key": KEY, "Origin": "https://kiosk.example", "Connection": "close"}
    usual |= {"Content-Type": "application/json", "Access-Control-Request-Method": "GET"}

    async def measure(target: str, name: str, value: bytes, body: bytes = b"{}") -> float:
        headers = {key: text.encode() for key, text in usual.items()} | {name: value}
        lines = b"".join(b"%b: %b\r\n" % (key.encode(), text) for key, text in headers.items())
        sent = b"%b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (target.encode(), lines, len(body), body)
        costs = []
        for _ in range(2):
            began = time.process_time()
            response = await raw(client, sent)
            costs.append(time.process_time() - began)
            assert int(response.split(b" ", 2)[1]) < 500, response
        return min(costs)

    return measure


@sweep(("target", "name"), [(target, name) for target, names in LOOKED_AT.items() for name in names.split()])
async def test_no_header_costs_more_than_its_length(cost: Cost, target: str, name: str) -> None:
    """Eight thousand awkward characters take about as long as eight thousand letters."""
    letters = await cost(target, name, b"a" * 8000)
    for filler in FILLERS:
        assert await cost(target, name, (filler * 8000)[:8000]) < COST_RATIO * letters, filler


@sweep("path", ["/api/products/import", "/api/codes/decode"])
@sweep("start", [b"Content-Disposition: form-data", b"Content-Type: text/plain", b"X: y"])
async def test_no_header_of_a_part_costs_more_than_its_length(cost: Cost, start: bytes, path: str) -> None:
    """The same holds for the headers of a form's parts."""

    async def cost_of(line: bytes) -> float:
        body = form(b"--XX\r\n" + start + b"; " + line + b"\r\n\r\nx")
        return await cost(f"POST {path}", "Content-Type", KIND.encode(), body)

    letters = await cost_of(b'name="' + b"a" * 7900 + b'"')
    for filler in FILLERS:
        assert await cost_of((filler * 8000)[:7900]) < COST_RATIO * letters, filler


@sweep("segment", [b"/", b"/a", b"/..", b"/%2F"])
async def test_no_path_costs_more_than_its_length(cost: Cost, segment: bytes) -> None:
    """Thousands of segments take about as long as one of that length."""
    letters = await cost("GET /" + "a" * 8000, "Accept", b"*/*")
    path = (segment * 8000)[:8000].decode()
    assert await cost(f"GET {path}", "Accept", b"*/*") < COST_RATIO / 4 * letters


async def test_a_path_with_more_segments_than_any_route_is_not_routed(client: Client) -> None:
    """It is a 404 that states the limit; one with that many segments is looked up as usual."""
    assert "segments" in (await refused(await client.get("/a" * 300), 404, "VALIDATION_ERROR"))["message"]
    assert "there is nothing at" in (await refused(await client.get("/a" * 32), 404, "VALIDATION_ERROR"))["message"]


def numbered(count: int) -> bytes:
    """Return this many fields."""
    return b",".join(b'"%x":1' % number for number in range(count))


SMALL, LARGE = 64 * 1024, 2 * 1024 * 1024
HOSTILE = [
    (ProductDraft, SMALL, b"{%b}", numbered(7700)),
    (ProductDraft, SMALL, b"{%b}", b'"description":1,'),
    (ProductDraft, SMALL, b'{"x":%b', b"[[],"),
    (ProductDraft, SMALL, b"%b", b"["),
    (ProductDraft, SMALL, b'{"description":"%b"}', b'\\"'),
    (ProductDraft, SMALL, b'{"description":%b', b'\\"'),
    (ProductDraft, SMALL, b'{"initial_level":1e%b}', b"9"),
    (LevelUpdate, SMALL, b'{"change_reason":"%b"}', "\n\u200b\u2028".encode()),
    (PrintRequest, LARGE, b"{%b}", numbered(215_000)),
    (PrintRequest, LARGE, b'{"x":[%b]}', b"{},"),
    (PrintRequest, LARGE, b'{"products":[%b]}', b"1,"),
    (PrintRequest, LARGE, b'{"products":[%b]}', b"{%b}," % numbered(30)),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{"lines":[%b]}}', b"1,"),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{%b}}', numbered(215_000)),
    (PrintRequest, LARGE, b'{"code_type":"%b"}', "\u0130".encode()),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{"lines":["%b"]}}', "a\u2028".encode()),
]
"""Models, the body limits of their routes, and what bodies of that size consist of."""


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of this thread: other work on the machine does not count."""
    costs = []
    for _ in range(3):
        began = time.thread_time()
        work()
        costs.append(time.thread_time() - began)
    return min(costs)


def refused_body(model: type[Draft], body: bytes) -> None:
    """Find the problems of a body."""
    with pytest.raises(InvalidInput):
        model_in(model, body)


@pytest.fixture
def parsing() -> float:
    """Return the seconds in which two MiB of small values are parsed, a cost that a valid body may have, too."""
    return seconds(partial(json.loads, b"{%b}" % numbered(215_000)))


@sweep(("model", "size", "frame", "part"), HOSTILE)
def test_a_hostile_body_costs_no_more_than_parsing_it_twice(
    parsing: float, model: type[Draft], size: int, frame: bytes, part: bytes
) -> None:
    """Finding the problems of the longest body stops at the reported ones, whatever the body contains."""
    body = frame % (part * ((size - len(frame)) // len(part))).rstrip(b",")
    assert size * 0.9 < len(body) <= size
    assert seconds(partial(refused_body, model, body)) < 2 * parsing  # some shapes cost as much, and clocks vary

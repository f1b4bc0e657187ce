"""Malformed bodies: each gets a clear refusal, and nothing is lost or changed."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.bodies import end_arrivals
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import ARRIVING
from tests.api.calls import product_count
from tests.api.sockets import connected, reset
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client
from tests.properties import examples
from tests.sweeps import sweep

JSON = {"Content-Type": "application/json"}
DRAFT = {"product_code": "B-1", "description": "Red pen"}


async def _sent(client: Client, body: Any, **headers: str) -> Any:
    return await client.post("/api/products", data=body, headers={**JSON, **headers})


@pytest.mark.parametrize("path", ["/api/products", "/api/codes/barcode", "/api/codes/scans"])
async def test_problems_of_the_query_and_the_body_are_reported_together(
    client: Client, problems: Any, path: str
) -> None:
    """A route that reads a body has no query, and says so together with what is wrong in the body."""
    reply = await problems(await client.post(f"{path}?wrong=1", data=b'{"other":1}', headers=JSON))
    assert {"wrong", "other"} <= reply.keys()


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null", b"3", b"true", b'[{"product_code":"x"}]'])
async def test_a_body_that_is_no_object_is_refused(client: Client, problems: Any, body: bytes) -> None:
    """Arrays, strings, numbers, booleans and null are refused."""
    assert await problems(await _sent(client, body)) == {"body": "Input should be an object"}


@sweep(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"{'product_code': 'x'}",
        b'{"product_code":"\\ud800","description":"x"}',
        b'{"product_code":"x","description":"\xff"}',
        b'{"product_code":"x","description":"\xed\xa0\x80"}',
        '{"product_code":"x","description":"ü"}'.encode("latin-1"),
        '{"product_code":"x","description":"x"}'.encode("utf-16"),
        b'\xef\xbb\xbf{"product_code":"x","description":"x"}',
        b'{"product_code":"x","description":"a\nb"}',
        b'{"product_code":"x","description":"x"} {}',
        b'{"product_code":"x","description":"x",}',
        b'{"initial_level":' + b"9" * 5000 + b"}",
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b"\x00",
    ],
)
async def test_a_body_that_is_no_json_is_refused(client: Client, problems: Any, body: bytes) -> None:
    """JSON that is cut, wrongly encoded, too deep or otherwise malformed is reported with the position."""
    reply = await problems(await _sent(client, body))
    assert reply["body"].startswith("Invalid JSON: ")
    assert await product_count(client) == 0


@sweep("path", ["/api/products", "/api/codes/barcode", "/api/codes/decode", "/api/codes/printable"])
@sweep("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@sweep("length", [0, 9000])
async def test_a_byte_order_mark_is_refused(
    client: Client, problems: Any, path: str, encoding: str, length: int
) -> None:
    """JSON has none (RFC 8259, clause 8.1), and the message says so, however long the body is."""
    body = json.dumps(DRAFT).ljust(length).encode(encoding)
    reply = await problems(await client.post(path, data=body, headers=JSON))
    what = "Invalid JSON: it begins with a byte order mark; send UTF-8 without one (RFC 8259, clause 8.1)"
    assert reply == {"body": what}


@pytest.mark.parametrize("wrong", [b"NaN", b"1e400", b"-1e400", b"Infinity", b"1" + b"0" * 300])
async def test_a_number_beyond_all_bounds_is_named(client: Client, problems: Any, wrong: bytes) -> None:
    """It is refused with the field's name, and not repeated."""
    body = b'{"product_code":"x","description":"x","initial_level":%b}' % wrong
    assert list(await problems(await _sent(client, body))) == ["initial_level"]


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "json", "a/b;c"],
)
async def test_a_body_of_another_type_is_refused(client: Client, problems: Any, kind: str) -> None:
    """A body with another type is not parsed, even if it is valid JSON."""
    reply = await problems(await _sent(client, json.dumps(DRAFT), **{"Content-Type": kind}))
    assert reply["body"].endswith("cannot be read; send it as application/json")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.shop+json"])
async def test_json_by_any_of_its_names_is_read(client: Client, kind: str) -> None:
    """Parameters, case and structured suffixes are ignored."""
    assert (await _sent(client, json.dumps(DRAFT), **{"Content-Type": kind})).status == 201


@sweep("line", [b"", b"Content-Type:\r\n", b"Content-Type: \r\n", b"Content-Type: ;\r\n"])
@sweep(
    "target",
    [
        b"POST /api/products",
        b"PUT /api/products/1",
        b"PUT /api/inventory/1",
        b"POST /api/inventory/1/adjust",
        b"POST /api/codes/barcode",
        b"POST /api/codes/qrcode",
        b"POST /api/codes/batch",
        b"POST /api/codes/printable",
        b"POST /api/codes/decode",
        b"POST /api/codes/scan",
    ],
)
async def test_a_body_without_a_type_is_refused(client: Client, raw: Any, target: bytes, line: bytes) -> None:
    """A page of any other site can send such a body without a preflight; JSON must say that it is JSON."""
    body = json.dumps(DRAFT).encode()
    head = b"%b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%bContent-Length: %d\r\n\r\n"
    response = await raw(client, head % (target, line, len(body)) + body)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"body: a body without a Content-Type cannot be read; send it as application/json" in response


async def test_a_missing_body_is_named(client: Client, problems: Any) -> None:
    """A client that sends nothing learns what to send."""
    response = await client.post("/api/printers/zebra/jobs/1/resend")
    assert await problems(response) == {"body": "the request has no body; send one as application/json"}


async def test_a_type_that_is_no_text_is_reported_legibly(client: Client, problems: Any) -> None:
    """Header bytes that are not UTF-8 do not prevent a valid envelope."""
    reply = await problems(await _sent(client, b"{}", **{"Content-Type": "text/\udcff\udcfe"}))
    assert reply["body"].startswith("text/")


async def test_a_body_of_exactly_the_limit_is_read(make_client: Any) -> None:
    """The limit itself is allowed, one byte more is not, whichever way it is sent."""
    client = await make_client(max_json_bytes=1024)
    body = json.dumps({**DRAFT, "description": "x"}).ljust(1024).encode()
    assert (await _sent(client, body)).status == 201
    assert (await _sent(client, body + b" ")).status == 400
    assert (await _sent(client, _chunks(body + b" "))).status == 400


async def _chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 7):
        yield body[start : start + 7]


async def test_a_large_body_of_a_code_is_read(client: Client) -> None:
    """A body that is too large for the cache gets the same response as a small one."""
    small = json.dumps({"product_code": "A-1"}).encode()
    responses = [
        await client.post("/api/codes/barcode", data=body, headers=JSON) for body in (small, small.ljust(5000))
    ]
    assert [response.status for response in responses] == [200, 200]
    assert await responses[0].read() == await responses[1].read()


async def test_one_body_means_different_things_on_different_routes(client: Client) -> None:
    """The cached parse of a body belongs to its route."""
    for path, names in (("barcode", "barcode_svg"), ("qrcode", "qr_code_svg")) * 2:
        response = await client.post(f"/api/codes/{path}", json={"product_code": "A-1"})
        assert names in (await response.json())["data"]


async def test_a_chunked_body_is_read(client: Client) -> None:
    """A body without a length works like one with it."""
    assert (await _sent(client, _chunks(json.dumps(DRAFT).encode()))).status == 201


async def test_a_body_that_never_ends_is_refused(client: Client, raw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that stops in the middle of its body times out (quickly here, to spare the test a minute)."""
    monkeypatch.setattr("barcodesvc.api.bodies.BODY_WAIT", 0.01)
    response = await raw(
        client,
        b"PUT /api/products/1 HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 9\r\n\r\n{",
        b"]}}",
    )
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"body: did not arrive within 0.01 seconds" in response


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_in_the_middle_of_its_body_changes_nothing(
    shop: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """A partial body is neither processed nor a failure of the service."""
    body = json.dumps({"category": "gone"}).encode()
    _, writer = await asyncio.open_connection(shop.host, shop.port)
    writer.write(b"PUT /api/products/1 HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 99\r\n\r\n" + body)
    await writer.drain()
    writer.transport.abort()
    assert (await (await shop.get("/api/products/1")).json())["data"]["category"] == "Pens"
    assert "unforeseen" not in caplog.text


async def test_a_shutdown_ends_the_wait_for_a_body(shop: Client, until: Any) -> None:
    """A client that is still sending is asked to retry, and nothing of its partial body is stored."""
    reader, writer = await asyncio.open_connection(shop.host, shop.port)
    writer.write(b"PUT /api/products/1 HTTP/1.1\r\n" + JSON_HEAD + b'Content-Length: 99\r\n\r\n{"category":"x"')
    await until(lambda: bool(shop.app[ARRIVING]))
    await end_arrivals(shop.app)
    response = await reader.readuntil(b"}}")
    assert response.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 5\r\n" in response
    assert not shop.app[ARRIVING]
    assert (await (await shop.get("/api/products/1")).json())["data"]["category"] == "Pens"
    writer.transport.abort()


@pytest.mark.parametrize("expected", ["100-continue", "100-Continue", "anything else"])
async def test_an_expectation_is_met_or_ignored(client: Client, expected: str) -> None:
    """A client may wait for `100 Continue` before its body; other expectations are ignored."""
    assert (await _sent(client, json.dumps(DRAFT), Expect=expected)).status == 201


async def test_leave_to_continue_is_given_once(client: Client, raw: Any) -> None:
    """The interim response precedes the final one."""
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Expect: 100-continue\r\nConnection: close\r\n"
    response = await raw(client, head + b"Content-Length: 2\r\n\r\n{}")
    assert response.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\n")


async def test_who_leaves_before_the_leave_to_continue_is_no_failure(
    client: Client, until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not logged as one, and no 500 is counted."""
    long = b"/api/products?x=" + b"x" * 600  # which has a turn of the loop later, when the client is known to have left
    async with connected(client) as (_, writer):
        writer.write(
            b"POST " + long + b" HTTP/1.1\r\n" + JSON_HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        reset(writer)
    await until(lambda: client.app[ADMISSION].connections == 0 and client.app[ADMISSION].in_flight == 0)
    assert "unexpected failure" not in caplog.text
    assert 'status="500"' not in await (await client.get("/metrics")).text()


async def test_wrong_values_are_repeated_only_where_they_are_short(client: Client, refused: Any) -> None:
    """Long texts, huge numbers, lists and objects are not repeated."""
    body = {
        "product_code": "ä" * 101,
        "description": ["x"],
        "category": {},
        "initial_level": 10**30,
        "unit_of_measure": 5,
    }
    reply = await refused(await _sent(client, json.dumps(body)), 400, "VALIDATION_ERROR")
    repeated = {problem["field"]: problem["value"] for problem in reply["details"]["errors"] if "value" in problem}
    assert repeated == {"unit_of_measure": 5}


async def test_a_wrong_boolean_is_repeated(client: Client, refused: Any) -> None:
    """A boolean in place of a number is repeated as a boolean."""
    reply = await refused(await _sent(client, json.dumps({**DRAFT, "initial_level": True})), 400, "VALIDATION_ERROR")
    assert reply["details"]["errors"][0]["value"] is True


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["product_code", "description", "category", "initial_level", "new_level", "products", "layout", "x"]
)
PATHS = st.sampled_from(
    [
        ("POST", "/api/products"),
        ("PUT", "/api/products/1"),
        ("PUT", "/api/inventory/1"),
        ("POST", "/api/codes/barcode"),
        ("POST", "/api/codes/qrcode"),
        ("POST", "/api/codes/printable"),
        ("POST", "/api/codes/decode"),
    ]
)


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(route=PATHS, body=st.dictionaries(FIELDS | st.text(), JSON_VALUES, max_size=4) | JSON_VALUES)
async def test_no_json_at_all_makes_the_service_fail(client: Client, route: tuple[str, str], body: Any) -> None:
    """Whatever JSON is sent to whichever route, the response is an envelope and never a 5xx."""
    response = await client.request(route[0], route[1], data=json.dumps(body), headers=JSON)
    assert response.status < 500
    if response.status >= 400:
        assert set(await response.json()) == {"error", "message", "code", "details"}


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=200))
async def test_no_bytes_at_all_make_the_service_fail(client: Client, body: bytes) -> None:
    """Whatever bytes are sent, the response blames the input."""
    assert (await _sent(client, body)).status == 400

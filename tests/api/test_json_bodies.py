"""JSON bodies: what is refused of them, in which words, and what happens while they arrive."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.resources.code_batch import MOST_REQUESTS, BatchForm
from barcodesvc.api.routes import ROUTES
from barcodesvc.errors import InvalidInput
from barcodesvc.labels.label_requests import PrintRequest
from barcodesvc.labels.layout_requests import MOST_LABELS, Layout
from barcodesvc.models import Draft, ProductDraft
from barcodesvc.validation import model_in
from tests.api.replies import problems, refused
from tests.api.sockets import POSTED, connected, raw, reset
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until
from tests.properties import examples
from tests.sweeps import sweep

JSON = {"Content-Type": "application/json"}
DRAFT = {"product_code": "B-1", "description": "Red pen"}


def unknown(count: int) -> dict[str, int]:
    """Return this many fields that no model has."""
    return {f"x{number}": 1 for number in range(count)}


def details_of(body: object, model: type[Draft] = ProductDraft) -> dict[str, Any]:
    """Return the details of the refusal of a body."""
    with pytest.raises(InvalidInput) as refusal:
        model_in(model, body if isinstance(body, bytes) else json.dumps(body).encode())
    return refusal.value.details


def problems_of(body: object, model: type[Draft] = ProductDraft) -> dict[str, str]:
    """Return what is wrong with a body, by field."""
    return {problem["field"]: problem["message"] for problem in details_of(body, model)["errors"]}


@sweep("body", [b"[]", b'"x"', b"null", b"3", b"true", b'[{"product_code":"x"}]', b"9" * 1000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    """Arrays, strings, numbers, booleans and null are refused."""
    assert problems_of(body) == {"body": "Input should be an object"}


@sweep(
    "body",
    [
        b"",
        b"{",
        b"\x00",
        b"{'product_code': 'x'}",
        b'{"product_code":"\\ud800","description":"x"}',
        b'{"product_code":"x","description":"' + b"\\ud800" * 1000 + b'"}',
        b'{"product_code":"x","description":"\xff"}',
        b'{"product_code":"x","description":"\xed\xa0\x80"}',
        b'{"product_code":"x","description":"a\nb"}',
        b'{"product_code":"x","description":"x"} {}',
        b'{"product_code":"x","description":"x",}',
        b'{"product_code":"x","description":"x","initial_level":0x10}',
        b'{"initial_level":' + b"9" * 5000 + b"}",
        b"9" * 1_000_000,
        b"[" * 100_000,
        b'{"a":' * 10_000,
        b'{"product_code":"x","description":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'"' + b"\\" * 100_001,
    ],
)
def test_a_body_that_is_no_json_is_refused(body: bytes) -> None:
    """JSON that is cut, wrongly encoded, too deep or otherwise malformed is reported shortly, with the position."""
    [(field, message)] = problems_of(body).items()
    assert field == "body"
    assert message.startswith("Invalid JSON: ")
    assert len(message) < 200


@sweep(
    ("path", "most"),
    [
        ("/api/products", 64 * 1024),
        ("/api/codes/batch", 1024 * 1024),
        ("/api/codes/scans", 1024 * 1024),
        ("/api/codes/printable", 2 * 1024 * 1024),
    ],
)
async def test_a_body_is_as_large_as_its_route_allows(client: Client, path: str, most: int) -> None:
    """64 KiB, a batch 1 MiB and labels 2 MiB: a body of that size is read, and one byte more is refused."""
    largest, larger = [
        await problems(await client.post(path, data=BytesIO(b"{}".ljust(size)), headers=JSON))
        for size in (most, most + 1)
    ]
    assert "body" not in largest
    assert larger == {"body": f"larger than {most} bytes"}


@sweep("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_refused(encoding: str) -> None:
    """JSON has none (RFC 8259, clause 8.1), and the message says so."""
    what = "Invalid JSON: it begins with a byte order mark; send UTF-8 without one (RFC 8259, clause 8.1)"
    assert problems_of(json.dumps(DRAFT).encode(encoding)) == {"body": what}


@sweep("number", [b"NaN", b"1e400", b"-1e400", b"Infinity", b"1e999999999", b"1" + b"0" * 300])
def test_a_number_beyond_all_bounds_is_named(number: bytes) -> None:
    """It is refused with the field's name."""
    body = b'{"product_code":"x","description":"x","initial_level":%b}' % number
    assert list(problems_of(body)) == ["initial_level"]


def test_wrong_values_are_repeated_only_where_they_are_short() -> None:
    """Long texts, huge numbers, lists and objects are not repeated."""
    values = {"product_code": "ä" * 101, "description": ["x"], "category": {}, "initial_level": 10**30}
    errors = details_of({**values, "unit_of_measure": 5, "minimum_level": True})["errors"]
    repeated = {problem["field"]: problem["value"] for problem in errors if "value" in problem}
    assert repeated == {"unit_of_measure": 5, "minimum_level": True}


def test_fifty_are_all_that_are_reported_without_a_word() -> None:
    """`errors_truncated` appears only if there is at least one more."""
    assert details_of({**DRAFT, **unknown(50)}).keys() == {"errors"}
    assert details_of({**DRAFT, **unknown(51)})["errors_truncated"] is True


def test_known_fields_are_reported_first() -> None:
    """Their problems are not lost among thousands of unknown ones, of which no more than fifty are looked at."""
    details = details_of({**unknown(10_001), "product_code": ""})
    fields = [problem["field"] for problem in details["errors"]]
    assert (fields[:4], len(fields)) == (["product_code", "description", "x0", "x1"], 50)
    assert details["errors_truncated"] is True


@sweep(
    ("body", "place"),
    [
        ({"products": ["A"], "layout": unknown(10_001)}, "layout"),
        ({"products": [{"code": "A", **unknown(10_001)}]}, "products.0"),
    ],
)
def test_objects_within_objects_are_cut_in_the_same_way(body: object, place: str) -> None:
    """Of each, the first fifty unknown fields are named."""
    assert list(problems_of(body, PrintRequest))[:2] == [f"{place}.x0", f"{place}.x1"]


def test_a_list_that_is_too_long_is_reported_as_such() -> None:
    """Entries beyond the maximum are not checked one by one."""
    for products in (["A"] * 10_001, [1] * 10_001):
        [message] = problems_of({"products": products}, PrintRequest).values()
        assert message.startswith("List should have at most 10000 items")
    [(field, message)] = problems_of({"products": ["A"], "layout": {"lines": [1] * 20_000}}, PrintRequest).items()
    assert field == "layout.lines"
    assert "at most 5 items" in message


def test_of_a_repeated_field_the_last_one_counts() -> None:
    """As documented, however often it is given: the whole service uses the same value."""
    body = b'{"product_code":"A","description":"x",' + b'"category":"x",' * 1000 + b'"category":"y"}'
    assert model_in(ProductDraft, body).category == "y"


CODE = ',[{\\"}],' * 8
"""A text of characters that begin values elsewhere, and that could be mistaken for the end of a string."""


def most_bytes(path: str) -> int:
    """Return how long a body of a route may be."""
    return next(route.most_bytes for route in ROUTES if (route.method, route.path) == ("POST", path))


def test_the_largest_bodies_fit() -> None:
    """The longest texts in the maximum number of entries, indented, fit the body limit of the route."""
    layout: dict[str, Any] = {name: 1 for name in Layout.model_fields if name.startswith(("margin", "label_", "pitch"))}
    layout["lines"] = [CODE] * 5
    products = [{"code": CODE[:64], "copies": 1}] * MOST_LABELS
    body = json.dumps({"products": products, "code_type": "qrcode", "layout": layout}, indent=1).encode()
    assert len(body) <= most_bytes("/api/codes/printable")
    assert len(model_in(PrintRequest, body).products) == MOST_LABELS
    entry = {"kind": "barcode", "product_code": CODE[:64], "format": "CODE128", "height": 100, "displayValue": True}
    body = json.dumps({"requests": [{**entry, "dpi": 300, "module_mm": 0.3}] * MOST_REQUESTS}, indent=4).encode()
    assert len(body) <= most_bytes("/api/codes/batch")
    assert len(model_in(BatchForm, body).requests) == MOST_REQUESTS


async def chunks(body: bytes, size: int) -> AsyncIterator[bytes]:
    """Yield a body in pieces, whose length is not announced."""
    for start in range(0, len(body), size):
        yield body[start : start + size]


@sweep("path", ["/api/products", "/api/codes/batch", "/api/codes/printable"])
async def test_each_route_takes_as_many_bytes_as_it_states(client: Client, path: str) -> None:
    """One byte more is refused as too large, even without an announced length."""
    most = most_bytes(path)
    assert "body" not in await problems(await client.post(path, data=BytesIO(b"{}".ljust(most)), headers=JSON))
    for beyond in (BytesIO(b"{}".ljust(most + 1)), chunks(b"{}".ljust(most + 1), 60_000)):
        reply = await problems(await client.post(path, data=beyond, headers=JSON))
        assert reply == {"body": f"larger than {most} bytes"}


async def test_the_limit_of_settings_is_the_smaller_one(make_client: ClientMaker) -> None:
    """The limit itself is allowed, one byte more is not, whichever way it is sent."""
    client = await make_client(max_json_bytes=1024)
    body = json.dumps(DRAFT).ljust(1024).encode()
    for sent, status in ((body, 201), (body + b" ", 400), (chunks(body + b" ", 7), 400), (chunks(body, 7), 409)):
        assert (await client.post("/api/products", data=sent, headers=JSON)).status == status


@sweep(
    ("method", "path", "body"),
    [
        ("POST", "/api/products", {**DRAFT, **unknown(5000)}),
        ("PUT", "/api/products/0", unknown(60)),
        ("POST", "/api/codes/printable", {"products": [{"code": "A", **unknown(30)}] * 300}),
        ("GET", "/api/products?" + "&".join([*unknown(600), *unknown(600)]), None),
        ("DELETE", "/api/products/1?" + "&".join(unknown(60)), None),
        ("GET", "/api/codes/barcode/A.svg?" + "&".join(unknown(60)), None),
    ],
)
async def test_the_first_fifty_problems_are_reported(client: Client, method: str, path: str, body: object) -> None:
    """Unknown fields at any depth and unknown parameters are reported up to the fiftieth."""
    reply = await refused(await client.request(method, path, json=body), 400, "VALIDATION_ERROR")
    assert len(reply["details"]["errors"]) == 50
    assert reply["details"]["errors_truncated"] is True
    assert reply["message"].endswith(" (and 49 more)")


async def test_each_entry_of_a_batch_is_reported_so(client: Client) -> None:
    """An entry with many problems does not affect the others."""
    entries = [{"kind": "barcode", "product_code": "A", **unknown(9000)}, {"kind": "barcode", "product_code": "A"}]
    responses = (await (await client.post("/api/codes/batch", json={"requests": entries})).json())["data"]
    assert len(responses[0]["details"]["errors"]) == 50
    assert responses[0]["details"]["errors_truncated"] is True
    assert responses[1]["success"] is True


async def test_parsing_very_many_values_starts_no_collection(client: Client) -> None:
    """Collections would look at each value while all other requests wait, and those after the parser, too."""
    new_objects: list[int] = []
    gc.callbacks.append(count := lambda _, __: new_objects.append(gc.get_count()[0]))
    try:
        body = b'{"products":[%b[]]}' % (b"[]," * 300_000)
        reply = await client.post("/api/codes/printable", data=body, headers=JSON)
    finally:
        gc.callbacks.remove(count)
    assert reply.status == 400
    assert sum(new_objects) < 100_000
    assert gc.isenabled()


@sweep("path", ["/api/products", "/api/codes/barcode", "/api/codes/scans"])
async def test_problems_of_the_query_and_the_body_are_reported_together(client: Client, path: str) -> None:
    """A route that reads a body has no query, and says so together with what is wrong in the body."""
    reply = await problems(await client.post(f"{path}?wrong=1", data=b'{"other":1}', headers=JSON))
    assert {"wrong", "other"} <= reply.keys()


@sweep(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "json", "a/b;c"],
)
async def test_a_body_of_another_type_is_refused(client: Client, kind: str) -> None:
    """A body with another type is not parsed, even if it is valid JSON."""
    reply = await problems(await client.post("/api/products", data=json.dumps(DRAFT), headers={"Content-Type": kind}))
    assert reply["body"].endswith("cannot be read; send it as application/json")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.shop+json"])
async def test_json_by_any_of_its_names_is_read(client: Client, kind: str) -> None:
    """Parameters, case and structured suffixes are ignored."""
    response = await client.post("/api/products", data=json.dumps(DRAFT), headers={"Content-Type": kind})
    assert response.status == 201


async def test_a_missing_body_is_named(client: Client) -> None:
    """A client that sends nothing learns what to send."""
    response = await client.post("/api/printers/zebra/jobs/1/resend")
    assert await problems(response) == {"body": "the request has no body; send one as application/json"}


async def test_one_body_means_different_things_on_different_routes(client: Client) -> None:
    """The cached parse of a body belongs to its route; a body that is too large for the cache has the same meaning."""
    for path, name in (("barcode", "barcode_svg"), ("qrcode", "qr_code_svg")) * 2:
        for length in (0, 5000):
            body = json.dumps({"product_code": "A-1"}).ljust(length)
            response = await client.post(f"/api/codes/{path}", data=body, headers=JSON)
            assert name in (await response.json())["data"]


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_in_the_middle_of_its_body_changes_nothing(
    shop: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """A partial body is neither processed nor a failure of the service."""
    _, writer = await asyncio.open_connection(shop.host, shop.port)
    body = json.dumps({"category": "gone"}).encode()
    writer.write(b"PUT /api/products/1 HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 99\r\n\r\n" + body)
    await writer.drain()
    writer.transport.abort()
    assert (await (await shop.get("/api/products/1")).json())["data"]["category"] == "Pens"
    assert "unforeseen" not in caplog.text


@pytest.mark.parametrize("expected", ["100-Continue", "anything else"])
async def test_an_expectation_is_met_or_ignored(client: Client, expected: str) -> None:
    """A client may wait for `100 Continue` before its body; other expectations are ignored."""
    response = await client.post("/api/products", data=json.dumps(DRAFT), headers={**JSON, "Expect": expected})
    assert response.status == 201


async def test_leave_to_continue_is_given_once(client: Client) -> None:
    """The interim response precedes the final one."""
    sent = (POSTED % (2, b"{}")).replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
    response = await raw(client, sent)
    assert response.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\n")


async def test_who_leaves_before_the_leave_to_continue_is_no_failure(
    client: Client, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not logged as one, and no 500 is counted."""
    long = b"/api/products?x=" + b"x" * 600  # which has a turn of the loop later, when the client is known to have left
    head = b"POST " + long + b" HTTP/1.1\r\n" + JSON_HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    async with connected(client) as (_, writer):
        writer.write(head)
        reset(writer)
    await until(lambda: client.app[ADMISSION].connections == 0 and client.app[ADMISSION].in_flight == 0)
    assert "unexpected failure" not in caplog.text
    assert 'status="500"' not in await (await client.get("/metrics")).text()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["product_code", "description", "initial_level", "new_level", "products", "layout", "x"])
TARGETS = st.sampled_from(
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
BODIES = st.binary(max_size=200) | (st.dictionaries(FIELDS, JSON_VALUES, max_size=4) | JSON_VALUES).map(
    lambda value: json.dumps(value).encode()
)


@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(target=TARGETS, body=BODIES)
async def test_no_body_at_all_makes_the_service_fail(client: Client, target: tuple[str, str], body: bytes) -> None:
    """Whatever is sent to whichever route, the response is an envelope and never a 5xx."""
    response = await client.request(*target, data=body, headers=JSON)
    assert response.status < 500
    if response.status >= 400:
        assert set(await response.json()) == {"error", "message", "code", "details"}

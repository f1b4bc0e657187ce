"""Bodies with very many problems: the first ones are reported, and the others cost little."""

import gc
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from io import BytesIO
from time import thread_time
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from barcodesvc.api.bodies import SHORT
from barcodesvc.api.resources.code_batch import MOST_REQUESTS, BatchForm
from barcodesvc.api.routes import ROUTES
from barcodesvc.errors import InvalidInput
from barcodesvc.labels.label_requests import PrintRequest
from barcodesvc.labels.layout_requests import MOST_LABELS, Layout
from barcodesvc.models import Draft, LevelAdjustment, LevelUpdate, ProductDraft
from barcodesvc.validation import model_in
from tests.fixture_types import Client
from tests.properties import examples

JSON = {"Content-Type": "application/json"}
DRAFT = {"product_code": "B-1", "description": "Red pen"}


def _unknown(count: int) -> dict[str, int]:
    return {f"x{number}": 1 for number in range(count)}


def _refused(model: type[Draft], body: object) -> dict[str, Any]:
    with pytest.raises(InvalidInput) as refusal:
        model_in(model, body if isinstance(body, bytes) else json.dumps(body).encode())
    return refusal.value.details


def _fields(details: dict[str, Any]) -> list[str]:
    return [problem["field"] for problem in details["errors"]]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/products", {**DRAFT, **_unknown(60)}),
        ("POST", "/api/products", {**DRAFT, **_unknown(5000)}),
        ("PUT", "/api/products/0", _unknown(60)),
        ("PUT", "/api/products/1", _unknown(60)),
        ("POST", "/api/inventory/1/adjust", _unknown(60)),
        ("POST", "/api/codes/qrcode", _unknown(4000)),
        ("POST", "/api/codes/decode", _unknown(300)),
        ("POST", "/api/codes/printable", {"products": ["A"], "layout": _unknown(9000)}),
        ("POST", "/api/codes/printable", {"products": [""] * 10_000}),
        ("POST", "/api/codes/printable", {"products": [{"code": "A", **_unknown(30)}] * 300}),
        ("POST", "/api/codes/batch", _unknown(5000)),
        ("GET", "/api/products?" + "&".join(_unknown(900)), None),
        ("GET", "/api/products?" + "&".join([*_unknown(600), *_unknown(600)]), None),
        ("GET", "/api/inventory/0/history?" + "&".join(_unknown(60)), None),
        ("DELETE", "/api/products/1?" + "&".join(_unknown(60)), None),
        ("GET", "/api/codes/barcode/A.svg?" + "&".join(_unknown(60)), None),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_the_first_fifty_problems_are_reported(
    client: Client, refused: Any, method: str, path: str, body: object
) -> None:
    """Unknown fields at any depth, invalid list entries and unknown parameters are reported up to the fiftieth."""
    reply = await refused(await client.request(method, path, json=body), 400, "VALIDATION_ERROR")
    assert len(reply["details"]["errors"]) == 50
    assert reply["details"]["errors_truncated"] is True
    assert reply["message"].endswith(" (and 49 more)")


async def test_each_entry_of_a_batch_is_reported_so(client: Client) -> None:
    """An entry with many problems does not affect the others."""
    entries = [{"kind": "barcode", "product_code": "A", **_unknown(9000)}, {"kind": "barcode", "product_code": "A"}]
    responses = (await (await client.post("/api/codes/batch", json={"requests": entries})).json())["data"]
    assert len(responses[0]["details"]["errors"]) == 50
    assert responses[0]["details"]["errors_truncated"] is True
    assert responses[1]["success"] is True


def test_fifty_are_all_that_are_reported_without_a_word() -> None:
    """`errors_truncated` appears only if there is at least one more."""
    assert _refused(ProductDraft, {**DRAFT, **_unknown(50)}).keys() == {"errors"}
    assert _refused(ProductDraft, {**DRAFT, **_unknown(51)})["errors_truncated"] is True


def test_known_fields_are_reported_first() -> None:
    """Problems of known fields are not lost among unknown ones, even after them."""
    details = _refused(ProductDraft, {**_unknown(100), "product_code": "", "description": "x"})
    assert _fields(details)[:2] == ["product_code", "x0"]


def test_thousands_of_unknown_fields_are_not_checked_one_by_one() -> None:
    """The first fifty are reported, after the problems of known fields and the response says that there are more."""
    details = _refused(ProductDraft, {**_unknown(10_001), "product_code": ""})
    assert _fields(details)[:4] == ["product_code", "description", "x0", "x1"]
    assert (len(details["errors"]), details["errors_truncated"]) == (50, True)


@pytest.mark.parametrize(
    ("model", "body", "place"),
    [
        (PrintRequest, {"products": ["A"], "layout": _unknown(10_001)}, "layout"),
        (PrintRequest, {"products": [{"code": "A", **_unknown(10_001)}]}, "products.0"),
    ],
)
def test_objects_within_objects_are_cut_in_the_same_way(model: type[Draft], body: object, place: str) -> None:
    """Of each, the first fifty unknown fields are named."""
    assert _fields(_refused(model, body))[:2] == [f"{place}.x0", f"{place}.x1"]


def test_a_list_that_is_too_long_is_reported_as_such() -> None:
    """Entries beyond the maximum are not checked one by one."""
    for products in (["A"] * 10_001, ["A"] * 300_000, [1] * 10_001):
        [problem] = _refused(PrintRequest, {"products": products})["errors"]
        assert problem["message"].startswith("List should have at most 10000 items")
    [problem] = _refused(PrintRequest, {"products": ["A"], "layout": {"lines": [1] * 20_000}})["errors"]
    assert problem["field"] == "layout.lines"
    assert "at most 5 items" in problem["message"]


def test_of_a_repeated_field_the_last_one_counts() -> None:
    """As documented, however often it is given."""
    body = b'{"product_code":"A","description":"x",' + b'"category":"x",' * 1000 + b'"category":"y"}'
    assert model_in(ProductDraft, body).category == "y"


CODE = ',[{\\"}],' * 8
"""A text of characters that begin values elsewhere, and that could be mistaken for the end of a string."""


def test_the_largest_bodies_fit() -> None:
    """The longest texts in the maximum number of entries, indented, fit the body limit of the route."""
    layout: dict[str, Any] = {name: 1 for name in Layout.model_fields if name.startswith(("margin", "label_", "pitch"))}
    layout["lines"] = [CODE] * 5
    products = [{"code": CODE[:64], "copies": 1}] * MOST_LABELS
    body = json.dumps({"products": products, "code_type": "qrcode", "layout": layout}, indent=1).encode()
    assert len(body) <= _most_bytes("/api/codes/printable")
    assert len(model_in(PrintRequest, body).products) == MOST_LABELS
    entry = {"kind": "barcode", "product_code": CODE[:64], "format": "CODE128", "height": 100, "displayValue": True}
    body = json.dumps({"requests": [{**entry, "dpi": 300, "module_mm": 0.3}] * MOST_REQUESTS}, indent=4).encode()
    assert len(body) <= _most_bytes("/api/codes/batch")
    assert len(model_in(BatchForm, body).requests) == MOST_REQUESTS


def _most_bytes(path: str) -> int:
    return next(route.most_bytes for route in ROUTES if (route.method, route.path) == ("POST", path))


@pytest.mark.parametrize("path", ["/api/products", "/api/codes/batch", "/api/codes/scans", "/api/codes/printable"])
async def test_each_route_takes_as_many_bytes_as_it_states(client: Client, problems: Any, path: str) -> None:
    """One byte more is refused as too large, even without an announced length."""
    most = _most_bytes(path)
    headers = {"Content-Type": "application/json"}
    assert "body" not in await problems(await client.post(path, data=BytesIO(b"{}".ljust(most)), headers=headers))
    for beyond in (BytesIO(b"{}".ljust(most + 1)), _in_chunks(b"{}".ljust(most + 1))):
        reply = await problems(await client.post(path, data=beyond, headers=headers))
        assert reply == {"body": f"larger than {most} bytes"}


MANY_LISTS = b'{"products":[%b[]]}' % (b"[]," * 300_000)


async def test_parsing_very_many_values_starts_no_collection(client: Client) -> None:
    """Collections would look at each value while all other requests wait, and those after the parser, too."""
    new_objects: list[int] = []
    gc.callbacks.append(count := lambda _, __: new_objects.append(gc.get_count()[0]))
    try:
        reply = await client.post("/api/codes/printable", data=MANY_LISTS, headers=JSON)
    finally:
        gc.callbacks.remove(count)
    assert reply.status == 400
    assert sum(new_objects) < 100_000
    assert gc.isenabled()


def test_no_route_has_a_limit_below_that_of_a_short_body() -> None:
    """The limit is not looked up for a short body."""
    assert min(route.most_bytes for route in ROUTES) >= SHORT


async def _in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 60_000):
        yield body[start : start + 60_000]


def _outcome(read: Callable[[], ProductDraft]) -> ProductDraft | int:
    """Return the parsed value, or the number of problems."""
    try:
        return read()
    except ValidationError as error:
        return error.error_count()
    except InvalidInput as refusal:
        return len(refusal.details["errors"])


JSON_TEXTS = st.text('"\\\\,[{]}:a\u00e4', max_size=12) | st.text(max_size=5)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | JSON_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXTS, inner, max_size=3),
    max_leaves=5,
)


@examples(200)
@given(st.dictionaries(st.sampled_from(sorted(ProductDraft.model_fields)) | JSON_TEXTS, JSON_VALUES, max_size=8))
def test_bodies_are_read_as_pydantic_reads_json(body: dict[str, Any]) -> None:
    """Refusals and their number of problems are the same as when pydantic parses the JSON itself."""
    text = json.dumps(body).encode()
    assert _outcome(lambda: model_in(ProductDraft, text)) == _outcome(lambda: ProductDraft.model_validate_json(text))


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor time of this thread: other work on the machine does not count."""
    begun = thread_time()
    work()
    return thread_time() - begun


def _numbered(count: int) -> bytes:
    return b",".join(b'"%x":1' % number for number in range(count))


SMALL, LARGE = 64 * 1024, 2 * 1024 * 1024
HOSTILE = [
    (ProductDraft, SMALL, b"{%b}", _numbered(7700)),
    (ProductDraft, SMALL, b"{%b}", b'"description":1,'),
    (ProductDraft, SMALL, b'{"x":[%b]}', b"{},"),
    (ProductDraft, SMALL, b'{"description":[%b]}', b"0,"),
    (ProductDraft, SMALL, b'{"x":%b', b"[[],"),
    (ProductDraft, SMALL, b"%b", b"["),
    (ProductDraft, SMALL, b'{"description":"%b"}', b'\\"'),
    (ProductDraft, SMALL, b'{"description":%b', b'\\"'),
    (ProductDraft, SMALL, b'{"initial_level":%b}', b"9"),
    (ProductDraft, SMALL, b'{"initial_level":1e%b}', b"9"),
    (ProductDraft, SMALL, b'{"category":"%b"}', b"a\\n"),
    (LevelUpdate, SMALL, b'{"change_reason":"%b"}', b"\\n"),
    (LevelAdjustment, SMALL, b'{"updated_by":"%b"}', "\u200b\u2028".encode()),
    (PrintRequest, LARGE, b"{%b}", _numbered(215_000)),
    (PrintRequest, LARGE, b'{"x":[%b]}', b"{},"),
    (PrintRequest, LARGE, b'{"x":%b', b"[[],"),
    (PrintRequest, LARGE, b'{"products":[%b]}', b"1,"),
    (PrintRequest, LARGE, b'{"products":[%b]}', b'{"a":1,"b":1,"c":1,"d":1},'),
    (PrintRequest, LARGE, b'{"products":[%b]}', b"{%b}," % _numbered(30)),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{"lines":[%b]}}', b"1,"),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{%b}}', _numbered(215_000)),
    (PrintRequest, LARGE, b'{"code_type":"%b"}', "\u0130".encode()),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{"lines":["%b"]}}', "a\u2028".encode()),
    (PrintRequest, LARGE, b'{"products":["A"],"layout":{"page_size":"%b"}}', "\u0130".encode()),
]
"""Models, the body limits of their routes, and what bodies of that size consist of."""


@pytest.fixture(scope="module")
def parsing() -> float:
    """Return the seconds in which two MiB of small values are parsed, a cost that a valid body may have, too."""
    reference = b"{%b}" % _numbered(215_000)
    return min(_seconds(partial(json.loads, reference)) for _ in range(3))


@pytest.mark.parametrize(("model", "size", "frame", "part"), HOSTILE, ids=lambda value: str(value)[:40])
def test_a_hostile_body_costs_no_more_than_parsing_it_twice(
    parsing: float, model: type[Draft], size: int, frame: bytes, part: bytes
) -> None:
    """Finding the problems of the longest body stops at the reported ones, whatever the body contains."""
    body = frame % (part * ((size - len(frame)) // len(part))).rstrip(b",")
    assert size * 0.9 < len(body) <= size
    looking = min(_seconds(partial(_refused, model, body)) for _ in range(3))
    assert looking < 2 * parsing  # some shapes cost as much as the reference, and clocks are not exact

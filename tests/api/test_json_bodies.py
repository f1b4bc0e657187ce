"""Bodies with very many problems: the first are reported, and what comes behind them costs nobody any time."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import pytest
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request
from hypothesis import given, settings, strategies as st
from pydantic import ValidationError

from barcodesvc.api.json_bodies import model_in
from barcodesvc.api.resources.code_batch import MOST_REQUESTS, BatchForm
from barcodesvc.api.resources.label_requests import MOST_LABELS, Layout, PrintRequest
from barcodesvc.errors import InvalidInput
from barcodesvc.models import Draft, LevelAdjustment, LevelUpdate, ProductDraft

Client = TestClient[Request, Application]

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
        ("POST", "/api/codes/qrcode", _unknown(40_000)),
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
    """Unknown fields at any depth, wrong entries of lists and unknown parameters are reported up to the fiftieth."""
    reply = await refused(await client.request(method, path, json=body), 400, "VALIDATION_ERROR")
    assert len(reply["details"]["errors"]) == 50
    assert reply["details"]["errors_truncated"] is True
    assert reply["message"].endswith(" (and 49 more)")


@pytest.mark.parametrize(
    ("sent", "headers", "fields"),
    [
        ("PUT /api/products/0", {}, ["id", "description"]),
        ("POST /api/inventory/0/adjust", {"Idempotency-Key": "\t"}, ["productId", "description", "Idempotency-Key"]),
    ],
)
async def test_a_body_that_is_not_read_to_its_end_is_reported_so_beside_other_problems(
    client: Client, refused: Any, sent: str, headers: dict[str, str], fields: list[str]
) -> None:
    """What is wrong with the path or a header does not make its few problems all that there are."""
    answer = await client.request(*sent.split(), json={"description": [[]] * 1000}, headers=headers)
    details = (await refused(answer, 400, "VALIDATION_ERROR"))["details"]
    assert _fields(details) == fields
    assert details["errors_truncated"] is True


async def test_each_entry_of_a_batch_is_reported_so(client: Client) -> None:
    """An entry with many problems leaves the others as they are."""
    entries = [{"kind": "barcode", "product_code": "A", **_unknown(10_000)}, {"kind": "barcode", "product_code": "A"}]
    answers = (await (await client.post("/api/codes/batch", json={"requests": entries})).json())["data"]
    assert len(answers[0]["details"]["errors"]) == 50
    assert answers[0]["details"]["errors_truncated"] is True
    assert answers[1]["success"] is True


def test_fifty_are_all_that_are_reported_without_a_word() -> None:
    """Only where there is one more, something is left out."""
    assert _refused(ProductDraft, {**DRAFT, **_unknown(50)}).keys() == {"errors"}
    assert _refused(ProductDraft, {**DRAFT, **_unknown(51)})["errors_truncated"] is True


def test_known_fields_are_reported_first() -> None:
    """What is wrong with a known field does not go under in unknown ones, even behind them."""
    details = _refused(ProductDraft, {**_unknown(100), "product_code": "", "description": "x"})
    assert _fields(details)[:2] == ["product_code", "x0"]


def test_what_comes_too_late_is_not_reported_as_missing() -> None:
    """Of a body that is read only so far, nobody knows what it lacks."""
    details = _refused(ProductDraft, {**_unknown(1000), **DRAFT})
    assert _fields(details) == [f"x{number}" for number in range(50)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({**DRAFT, "x": [0] * 1000}, ["x"]),
        ({**DRAFT, "description": [[]] * 1000}, ["description"]),
        (b'{"product_code":"A","description":"x",' + b'"category":"x",' * 1000 + b'"category":""}', ["body"]),
        (b'{"product_code"' + b'"a",' * 1000, ["body"]),
        (b"[" * 200_000, ["body"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_more_values_than_any_valid_body_has_are_refused(body: object, expected: list[str]) -> None:
    """Lists in a field, fields that are repeated and what is no JSON: reported as far as the body is read."""
    assert _fields(_refused(ProductDraft, body)) == expected


def test_a_list_that_is_too_long_is_reported_as_such() -> None:
    """Entries beyond the most are not looked at one by one."""
    for products in (["A"] * 10_001, ["A"] * 300_000):
        [problem] = _refused(PrintRequest, {"products": products})["errors"]
        assert problem["message"].startswith("List should have at most 10000 items")
    [problem] = _refused(PrintRequest, {"products": ["A"], "layout": {"lines": [1] * 20_000}})["errors"]
    assert problem == {
        "field": "layout.lines",
        "message": "List should have at most 5 items after validation, not 20000",
    }


@pytest.mark.parametrize(
    ("model", "body", "most"),
    [(BatchForm, {"requests": [1] * 500_000}, 500), (PrintRequest, {"products": ["A"] * 500_000}, 10_000)],
)
def test_a_list_that_is_not_read_to_its_end_is_not_counted(model: type[Draft], body: object, most: int) -> None:
    """How far it was read is nothing that the client knows of."""
    [problem] = _refused(model, body)["errors"]
    assert problem["message"] == f"List should have at most {most} items; there are more"


def test_fields_that_are_given_hundreds_of_times_are_reported_as_such() -> None:
    """They are what makes many values of a body in which nothing else is wrong; there is nothing more to report."""
    body = b'{"product_code":"A","description":"x",' + b'"category":"x",' * 1000 + b'"category":""}'
    details = _refused(ProductDraft, body)
    assert "each field once" in details["errors"][0]["message"]
    assert details.keys() == {"errors"}


CODE = ',[{\\"}],' * 8
"""A text of what begins values elsewhere, and of what could be taken for the end of a string."""


def test_the_largest_bodies_are_read() -> None:
    """Nothing that is valid has more values than are read, however its texts look."""
    layout: dict[str, Any] = {name: 1 for name in Layout.model_fields if name.startswith(("margin", "label_", "pitch"))}
    layout["lines"] = [CODE] * 5
    body = {"products": [{"code": CODE[:64], "copies": 1}] * MOST_LABELS, "code_type": "qrcode", "layout": layout}
    assert len(model_in(PrintRequest, json.dumps(body, indent=1).encode()).products) == MOST_LABELS
    entry = {"kind": "barcode", "product_code": CODE[:64], "format": "CODE128", "height": 100, "displayValue": True}
    batch = {"requests": [{**entry, "dpi": 300, "module_mm": 0.3, "width": 2}] * MOST_REQUESTS}
    assert len(model_in(BatchForm, json.dumps(batch).encode()).requests) == MOST_REQUESTS


def _outcome(read: Callable[[], ProductDraft]) -> ProductDraft | int:
    """Return what is read, or the number of problems."""
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


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(ProductDraft.model_fields)) | JSON_TEXTS, JSON_VALUES, max_size=8))
def test_bounds_change_nothing_for_small_bodies(body: dict[str, Any]) -> None:
    """What is refused, and how many problems it has, is as if there were none."""
    text = json.dumps(body).encode()
    assert _outcome(lambda: model_in(ProductDraft, text)) == _outcome(lambda: ProductDraft.model_validate_json(text))


def _seconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (ProductDraft, b"{%b}" % b",".join(b'"%x":1' % number for number in range(300_000))),
        (ProductDraft, b"{%b}" % b",".join([b'"description":1'] * 250_000)),
        (ProductDraft, b'{"x":[%b]}' % b",".join([b"{}"] * 1_300_000)),
        (ProductDraft, b'{"description":[%b]}' % b",".join([b"0"] * 2_000_000)),
        (ProductDraft, b'{"x":%b' % (b"[[]," * 1_000_000)),
        (PrintRequest, b'{"products":[%b]}' % b",".join([b"1"] * 2_000_000)),
        (PrintRequest, b'{"products":["A"],"layout":{"lines":[%b]}}' % b",".join([b"1"] * 2_000_000)),
        (
            PrintRequest,
            b'{"products":["A"],"layout":{%b}}' % b",".join(b'"%x":1' % number for number in range(300_000)),
        ),
        (PrintRequest, b'{"products":[%b]}' % b",".join([b'{"a":1,"b":1,"c":1,"d":1}'] * 150_000)),
        (ProductDraft, b'{"description":"%b"}' % (b'\\"' * 2_000_000)),
        (ProductDraft, b'{"description":%b' % (b'\\"' * 2_000_000)),
        (ProductDraft, b'{"category":"%b"}' % (b"a\\n" * 1_390_000)),
        (LevelUpdate, b'{"change_reason":"%b"}' % (b"\\n" * 2_090_000)),
        (LevelAdjustment, b'{"updated_by":"%b"}' % ("\u200b\u2028" * 695_000).encode()),
        (PrintRequest, b'{"code_type":"%b"}' % ("\u0130" * 2_090_000).encode()),
        (PrintRequest, b'{"products":["A"],"layout":{"lines":["%b"]}}' % ("a\u2028" * 1_000_000).encode()),
        (PrintRequest, b'{"products":["A"],"layout":{"page_size":"%b"}}' % ("\u0130" * 2_090_000).encode()),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_hostile_body_costs_no_more_than_parsing_it_twice(model: type[Draft], body: bytes) -> None:
    """Looking for what is wrong with 4 MiB ends with the problems that are reported, whatever it is made of."""
    looking = min(_seconds(partial(_refused, model, body)) for _ in range(3))
    parsing = min(_seconds(partial(json.loads, REFERENCE)) for _ in range(3))
    assert looking < 2 * parsing  # some shapes cost as much as the reference, and clocks are not exact


REFERENCE = b"{%b}" % b",".join(b'"%x":1' % number for number in range(300_000))
"""Four MiB of small values: what to parse it costs is what has to be borne of a valid body, too."""

"""Every route with each refusal, responses compared as a whole; see also test_failures."""

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.routes import ROUTES
from tests.api.calls import LEVEL, PEN, Call, call_id, filled
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, Refused
from tests.sweeps import sweep

MAX_ID = 2**53 - 1


BAD_IDS = ("0", "-1", str(2**53), "abc", "1.0", "%D9%A3", "9" * 2000, "01", "%20", "1e0", "0x1", "null", "1%2C2")


WITH_ID = ("GET /api/products/{}", "PUT /api/products/{}", "DELETE /api/products/{}", "PUT /api/inventory/{}")


WITH_ID_AND_TAIL = "GET /api/inventory/{}/history"


@pytest.mark.parametrize("route", [*WITH_ID, WITH_ID_AND_TAIL])
async def test_a_bad_id_is_named(shop: Client, problems: Any, route: str) -> None:
    """Anything but a whole number from 1 to 2^53-1 is a 400 that says so, on every route with an id."""
    method, path = route.split()
    parameter = "productId" if "inventory" in path else "id"
    body = {"new_level": 1} if "inventory" in path else {"category": ""}
    for bad in BAD_IDS:
        response = await shop.request(method, path.format(bad), json=body if method == "PUT" else None)
        assert await problems(response) == {parameter: f"an id is a whole number from 1 to {MAX_ID}"}, bad


@pytest.mark.parametrize("route", [*WITH_ID, WITH_ID_AND_TAIL])
@pytest.mark.parametrize("absent", [2, MAX_ID])
async def test_a_missing_product_is_a_404(shop: Client, refused: Refused, route: str, absent: int) -> None:
    """An id without a product is reported with the id."""
    method, path = route.split()
    body = {"new_level": 1} if "inventory" in path else {"category": ""}
    response = await shop.request(method, path.format(absent), json=body if method == "PUT" else None)
    reply = await refused(response, 404, "PRODUCT_NOT_FOUND")
    assert reply["message"] == f"there is no product with id {absent}"
    assert reply["details"] == {"reason": "not_found", "id": absent}


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/products/1/levels", "/api/products/", "/x"])
async def test_an_unknown_route_is_a_404(client: Client, refused: Refused, path: str) -> None:
    """A path without a route is reported as such."""
    reply = await refused(await client.get(path), 404, "VALIDATION_ERROR")
    assert reply["message"] == f"there is nothing at {path}; /api/docs shows every route"


@sweep("path", sorted({route.path for route in ROUTES}))
async def test_a_wrong_method_is_a_405_with_the_possible_ones(client: Client, refused: Refused, path: str) -> None:
    """PATCH is allowed nowhere; `Allow` and the details list the methods that are."""
    allowed = sorted({method for route in ROUTES if route.path == path for method in route.methods})
    response = await client.patch(filled(path))
    reply = await refused(response, 405, "VALIDATION_ERROR")
    assert response.headers["Allow"] == ", ".join(allowed)
    assert reply["details"] == {"reason": "method_not_allowed", "allowed": allowed}


BODIES = tuple(
    Call(method, path)
    for method, path in (
        ("POST", "/api/products"),
        ("PUT", "/api/products/1"),
        ("PUT", "/api/inventory/1"),
        ("POST", "/api/codes/barcode"),
        ("POST", "/api/codes/qrcode"),
        ("POST", "/api/codes/batch"),
        ("POST", "/api/codes/printable"),
        ("POST", "/api/codes/decode"),
        ("POST", "/api/inventory/1/adjust"),
        ("POST", "/api/codes/scan"),
    )
)


@sweep("call", BODIES)
async def test_malformed_json_is_a_400(shop: Client, problems: Any, call: Call) -> None:
    """A body that ends early is refused with the position of its end."""
    response = await shop.request(call.method, call.path, data=b'{"a": ', headers={"Content-Type": "application/json"})
    assert await problems(response) == {"body": "Invalid JSON: EOF while parsing a value at line 1 column 6"}


@pytest.mark.parametrize("call", BODIES, ids=call_id)
async def test_a_body_over_its_limit_is_a_400(make_client: Any, problems: Any, call: Call) -> None:
    """JSON over the limit is a VALIDATION_ERROR that contains the limit."""
    client = await make_client(max_json_bytes=1024)
    response = await client.request(call.method, call.path, json={"x": "a" * 1100})
    assert await problems(response) == {"body": "larger than 1024 bytes"}


async def test_a_body_that_is_announced_over_its_limit_is_refused_before_it_arrives(make_client: Any, raw: Any) -> None:
    """A client that sends slowly need not send what is refused in any case."""
    client = await make_client(max_json_bytes=1024)
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 99999999\r\n\r\n"
    assert (await raw(client, head, b"larger than 1024 bytes")).startswith(b"HTTP/1.1 400 ")


@sweep("call", BODIES)
async def test_an_unknown_field_is_named(shop: Client, problems: Any, call: Call) -> None:
    """An unknown field is refused by name, and the known ones are listed."""
    reply = await problems(await shop.request(call.method, call.path, json={"displayvalue": True}))
    assert reply["displayvalue"].startswith("no such field; there are ")


UNDER_API = [route for route in ROUTES if route.path.startswith("/api/")]


@sweep("route", UNDER_API)
async def test_an_unknown_parameter_is_named(shop: Client, problems: Any, route: Any) -> None:
    """An unknown query parameter is refused by name on every route under /api, and nothing is done."""
    reply = await problems(await shop.request(route.method, filled(route.path), params={"dryrun": "1"}))
    assert reply["dryrun"].startswith("no such parameter")
    assert (await shop.get("/api/products/1")).status == 200


async def test_a_taken_code_is_a_409(shop: Client, refused: Refused) -> None:
    """The second product with a code is refused, and the first one is unchanged."""
    response = await shop.post("/api/products", json={"product_code": "A-1", "description": "other"})
    reply = await refused(response, 409, "DUPLICATE_PRODUCT_CODE")
    assert reply["details"] == {"reason": "duplicate_code", "product_code": "A-1"}
    assert (await (await shop.get("/api/products/1")).json())["data"] == PEN


async def test_an_unexpected_level_is_a_409(shop: Client, refused: Refused) -> None:
    """A level that is not the expected one is reported, and unchanged."""
    response = await shop.put("/api/inventory/1", json={"new_level": 1, "expected_level": 4})
    reply = await refused(response, 409, "VALIDATION_ERROR")
    assert reply["details"] == {"reason": "expected_level_differs", "current_level": 5, "expected_level": 4}
    assert (await (await shop.get("/api/inventory")).json())["data"] == [LEVEL]


async def test_content_that_a_symbology_cannot_hold_is_a_400(client: Client, refused: Refused) -> None:
    """The details contain the rule, the position and what would fit, and name the field."""
    response = await client.post("/api/codes/barcode", json={"product_code": "12A4567", "format": "ean-8"})
    reply = await refused(response, 400, "VALIDATION_ERROR")
    assert reply["message"] == "EAN8: character 'A' at position 3 is not a digit"
    assert reply["details"] == {
        "reason": "bad_content",
        "errors": [{"field": "product_code", "message": reply["message"], "value": "12A4567"}],
        "rule": "alphabet",
        "position": 3,
        "fits": "digits 0-9",
    }


@pytest.mark.parametrize(
    ("path", "body", "details"),
    [
        ("barcode", {"width": 11}, {"rule": "width", "least_width": 88}),
        ("qrcode", {"size": 29, "product_code": "a" * 64}, {"rule": "size", "least_size": 45}),
    ],
)
async def test_a_size_too_small_is_a_400(client: Client, refused: Refused, path: str, body: Any, details: Any) -> None:
    """The details contain the minimum size, and name the field."""
    response = await client.post(f"/api/codes/{path}", json={"product_code": "A-1", **body})
    reply = await refused(response, 400, "VALIDATION_ERROR")
    problem = {"field": details["rule"], "message": reply["message"]}
    assert reply["details"] == {"reason": "bad_content", "errors": [problem], **details}


@pytest.mark.parametrize(
    ("path", "body", "details"),
    [
        (
            "decode",
            {"code_data": "B-1"},
            {
                "reason": "no_product_matches",
                "understood": {"text": "B-1", "symbology": None, "gs1": None},
                "new_product": {"product_code": "B-1", "description": "B-1"},
            },
        ),
        ("qrcode", {"product_code": "B-1", "include_product_info": True}, {"reason": "not_found", "missing": ["B-1"]}),
        (
            "printable",
            {"products": ["C-1", "A-1", "B-1", "C-1"], "layout": {"include_description": True}},
            {"reason": "not_found", "missing": ["C-1", "B-1"]},
        ),
    ],
)
async def test_an_unknown_code_is_a_404(shop: Client, refused: Refused, path: str, body: Any, details: Any) -> None:
    """Where a product is required, every unknown code is listed."""
    reply = await refused(await shop.post(f"/api/codes/{path}", json=body), 404, "PRODUCT_NOT_FOUND")
    assert reply["details"] == details


async def test_an_unreadable_upload_is_a_400(shop: Client, refused: Refused, upload: Callable[..., FormData]) -> None:
    """A file that is not a workbook is recognised by its content."""
    response = await shop.post("/api/products/import", data=upload(b"SKU,Name\nB-1,Red pen\n"))
    await refused(response, 400, "INVALID_FILE_FORMAT")


async def test_an_upload_over_its_limit_is_a_400(make_client: Any, refused: Refused, upload: Any) -> None:
    """The refusal of an oversized file contains the limit."""
    client = await make_client(max_upload_bytes=1024)
    reply = await refused(await client.post("/api/products/import", data=upload(b"x" * 1025)), 400, "FILE_TOO_LARGE")
    assert reply["message"] == "the file is larger than 1024 bytes"
    assert reply["details"] == {"reason": "too_large", "limit": 1024}


async def test_a_fourth_upload_at_once_is_a_429(
    shop: Client, refused: Refused, upload: Callable[..., FormData]
) -> None:
    """While the maximum is under way the next upload is refused at once; after one has ended the next is accepted."""
    capacity = shop.app[SERVICE].uploads
    capacity.acquire_for(None, 3)
    response = await shop.post("/api/products/import", data=upload())
    await refused(response, 429, "RATE_LIMIT_EXCEEDED")
    assert response.headers["Retry-After"] == "5"
    capacity.release_of(None)
    assert (await shop.post("/api/products/import", data=upload())).status == 200


async def test_the_rate_limit_is_a_429(make_client: Any, refused: Refused) -> None:
    """The response to one request too many says when to retry."""
    client = await make_client(rate_limit="1/minute")
    assert (await client.get("/api/products")).status == 200
    response = await client.get("/api/products")
    reply = await refused(response, 429, "RATE_LIMIT_EXCEEDED")
    assert reply["details"] == {"reason": "rate_limited", "limit": 1, "retry_after": 60}
    assert response.headers["Retry-After"] == "60"

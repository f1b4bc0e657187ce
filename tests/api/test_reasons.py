"""Every reason of the closed list: a request that brings it about, and its line in the documentation."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc.api.bodies import end_arrivals
from barcodesvc.api.keys import ARRIVING
from barcodesvc.errors import Reason
from barcodesvc.store.sqlite.connection import Statements
from barcodesvc.store.sqlite.failures import COMMIT, StatementError
from tests.api.calls import Call
from tests.api.conftest import PRODUCT
from tests.api.described import DOCUMENT
from tests.api.image_requests import EMPTY
from tests.api.sockets import POSTED, connected, held_up_barcodes, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import form_data
from tests.pages import code, table

KEY = "correct-horse-battery-staple"
KEYED = {"Idempotency-Key": "till-2/1"}
SCAN = "/api/codes/scan"
DECODE = "/api/codes/decode"
LEVEL = "/api/inventory/1"
PRINT_JOBS = "/api/printers/off/jobs"
UNDO = "/api/inventory/changes/1/undo"


@dataclass(frozen=True)
class Case:
    """A request to a shop with one product, after others that prepare it; `settings` are those of the service.

    `details` are those of its refusal, with its reason.
    """

    call: Call
    details: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    before: tuple[Call, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


def refused_field(name: str, message: str, **more: Any) -> dict[str, Any]:
    """Return the details of a refusal with one problem."""
    return {"errors": [{"field": name, "message": message, **more}]}


CASES = {
    Reason.INVALID_INPUT: Case(
        Call("PUT", LEVEL, {"new_level": -1}),
        refused_field("new_level", "Input should be greater than or equal to 0", value=-1, rule="range"),
    ),
    Reason.BAD_CONTENT: Case(
        Call("POST", "/api/codes/barcode", {"product_code": "12A4567", "format": "ean-8"}),
        refused_field("product_code", "EAN8: character 'A' at position 3 is not a digit", value="12A4567")
        | {"rule": "alphabet", "position": 3, "fits": "digits 0-9"},
    ),
    Reason.FOREIGN_HOST: Case(Call("GET", "/api/products"), headers={"Host": "shop.example"}),
    Reason.FOREIGN_PAGE: Case(Call("DELETE", "/api/products/1"), headers={"Sec-Fetch-Site": "cross-site"}),
    Reason.UNREADABLE_BODY: Case(Call("PUT", LEVEL, {"new_level": 1}), headers={"Content-Type": "text/plain"}),
    Reason.TOO_LARGE: Case(Call("POST", "/api/products", {"product_code": "x" * 100_000})),
    Reason.UNREADABLE_FILE: Case(Call("POST", "/api/products/import", {}, workbook=b"no workbook")),
    Reason.API_KEY_MISSING: Case(Call("GET", "/api/products"), settings={"api_key": (KEY,)}),
    Reason.API_KEY_WRONG: Case(
        Call("GET", "/api/products"), headers={"X-API-Key": "x" * 24}, settings={"api_key": (KEY,)}
    ),
    Reason.UNKNOWN_ROUTE: Case(Call("GET", "/api/nothing")),
    Reason.METHOD_NOT_ALLOWED: Case(Call("PATCH", "/api/products")),
    Reason.NOT_FOUND: Case(
        Call(
            "POST",
            "/api/codes/printable",
            {"products": ["C-1", "A-1", "B-1", "C-1"], "layout": {"include_description": True}},
        ),
        {"missing": ["C-1", "B-1"]},
    ),
    Reason.NO_PRODUCT_MATCHES: Case(
        Call("POST", DECODE, {"code_data": "B-1"}),
        {
            "understood": {"text": "B-1", "symbology": None, "gs1": None},
            "new_product": {"product_code": "B-1", "description": "B-1"},
        },
    ),
    Reason.SEVERAL_PRODUCTS_MATCH: Case(
        Call("POST", SCAN, {"code_data": "00036000291452"}),
        before=tuple(
            Call("POST", "/api/products", {**PRODUCT, "product_code": number})
            for number in ("036000291452", "0036000291452")
        ),
    ),
    Reason.DUPLICATE_CODE: Case(
        Call("POST", "/api/products", PRODUCT),
        {"product_code": "A-1", "owner": {"id": 1, "product_code": "A-1", "description": "Blue pen"}},
    ),
    Reason.EXPECTED_LEVEL_DIFFERS: Case(
        Call("PUT", LEVEL, {"new_level": 1, "expected_level": 4}), {"current_level": 5, "expected_level": 4}
    ),
    Reason.LEVEL_OUT_OF_RANGE: Case(Call("POST", f"{LEVEL}/adjust", {"delta": -6})),
    Reason.COUNT_IS_OUTDATED: Case(
        Call("POST", SCAN, {"code_data": "A-1", "new_level": 1, "scanned_at": "2023-11-14T00:00:00Z"})
    ),
    Reason.ALREADY_UNDONE: Case(
        Call("POST", UNDO.replace("1", "2"), {}),
        before=(Call("PUT", LEVEL, {"new_level": 9}), Call("POST", UNDO.replace("1", "2"), {})),
    ),
    Reason.PRINT_JOB_STATE_DIFFERS: Case(
        Call("POST", f"{PRINT_JOBS}/1/cancel"),
        before=(Call("POST", PRINT_JOBS, {"products": ["A-1"]}), Call("POST", f"{PRINT_JOBS}/1/cancel")),
        settings={"printers": ("off=ipp://127.0.0.1:9?label=50x30mm",)},
    ),
    Reason.IDEMPOTENCY_KEY_REUSED: Case(
        Call("PUT", LEVEL, {"new_level": 9}), headers=KEYED, before=(Call("PUT", LEVEL, {"new_level": 1}),)
    ),
    Reason.RATE_LIMITED: Case(
        Call("GET", "/api/products"), {"limit": 1, "retry_after": 3600}, settings={"rate_limit": "1/hour"}
    ),
}
"""Reasons that follow from one request."""

BROUGHT_ABOUT = set(CASES)


def about(reason: Reason) -> pytest.MarkDecorator:
    """Give a test this reason as its parameter, and note that it brings it about."""
    BROUGHT_ABOUT.add(reason)
    return pytest.mark.parametrize("reason", [reason])


@pytest.mark.parametrize("reason", CASES)
async def test_a_refused_request_has_its_reason(make_client: ClientMaker, reason: Reason) -> None:
    """The request is refused with this reason and its details, and with a status that the documentation lists."""
    case = CASES[reason]
    client = await make_client(**case.settings)
    for before in (Call("POST", "/api/products", PRODUCT), *case.before):
        _ = await before.send(client, case.headers if reason is Reason.IDEMPOTENCY_KEY_REUSED else None)
    response = await case.call.send(client, case.headers)
    await require_reason(response, reason)
    if case.details:
        assert (await response.json())["details"] == {"reason": reason, **case.details}


async def require_reason(response: ClientResponse, reason: Reason) -> None:
    """Check a response that the client has compared with the OpenAPI document."""
    reply = await response.json()
    assert reply["details"]["reason"] == reason, reply
    assert str(response.status) in STATUSES[reason]


def require_raw_reason(response: tuple[int, dict[str, str], bytes], reason: Reason) -> None:
    """Check a response that came over a raw connection."""
    status, _, body = response
    assert json.loads(body)["details"]["reason"] == reason
    assert str(status) in STATUSES[reason]


@about(Reason.INVALID_HTTP)
async def test_a_head_that_is_too_long_has_its_reason(client: Client, reason: Reason) -> None:
    """The response is made once, before any request."""
    async with connected(client) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000)
        require_raw_reason(await response_on(reader), reason)


@about(Reason.INVALID_JSON)
async def test_a_body_that_is_not_json_has_its_reason(client: Client, reason: Reason) -> None:
    """A program that cannot write JSON has another fault than one that sends a wrong field."""
    headers = {"Content-Type": "application/json"}
    await require_reason(await client.post("/api/products", data=b"{", headers=headers), reason)


@about(Reason.TOO_SLOW)
async def test_a_late_body_has_its_reason(client: Client, monkeypatch: pytest.MonkeyPatch, reason: Reason) -> None:
    """Half of a body is not waited for without end: a minute, and a moment here."""
    monkeypatch.setattr("barcodesvc.api.bodies.BODY_WAIT", 0.01)
    async with connected(client) as (reader, writer):
        writer.write(POSTED % (99, b"{"))
        response = await response_on(reader)
        require_raw_reason(response, reason)
        assert b"body: did not arrive within 0.01 seconds" in response[2]


@about(Reason.NO_CODE_ON_IMAGE)
async def test_an_image_without_a_code_has_its_reason(client: Client, reason: Reason) -> None:
    """The person takes another picture."""
    await require_reason(await client.post(DECODE, data=form_data(EMPTY, "image")), reason)


@about(Reason.OVERLOADED)
async def test_a_request_too_many_has_its_reason(
    make_client: ClientMaker, until: Until, gate: asyncio.Event, reason: Reason
) -> None:
    """The response is made once, before any request."""
    client = await make_client(max_requests=1)
    [held_up] = await held_up_barcodes(client, 1, until)
    await require_reason(await client.get("/api/products"), reason)
    gate.set()
    await held_up


@about(Reason.STOPPING)
async def test_a_shutdown_has_its_reason(shop: Client, until: Until, reason: Reason) -> None:
    """A client that is still sending is asked to retry, and nothing of its partial body is stored."""
    async with connected(shop) as (reader, writer):
        writer.write(b"PUT /api/products/1 HTTP/1.1\r\n" + JSON_HEAD + b'Content-Length: 99\r\n\r\n{"category":"x"')
        await until(lambda: bool(shop.app[ARRIVING]))
        await end_arrivals(shop.app)
        response = await response_on(reader)
        require_raw_reason(response, reason)
        assert response[1]["retry-after"] == "5"
    assert not shop.app[ARRIVING]
    assert (await (await shop.get("/api/products/1")).json())["data"]["category"] == "Pens"


@about(Reason.FAILED)
async def test_a_failed_database_has_its_reason(
    shop: Client, break_database: Callable[[Client], Awaitable[None]], reason: Reason
) -> None:
    """The cause is in the log alone."""
    await break_database(shop)
    await require_reason(await shop.get("/api/products"), reason)


@about(Reason.UNCONFIRMED)
async def test_a_commit_that_the_disk_broke_off_has_its_reason(
    shop: Client, monkeypatch: pytest.MonkeyPatch, reason: Reason
) -> None:
    """The change may be there after all (the commit is replaced: no real disk fails on command)."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR

    def fail(_: Statements) -> None:
        raise StatementError(COMMIT, error)

    monkeypatch.setattr(Statements, "commit", fail)
    await require_reason(await shop.put(LEVEL, json={"new_level": 9}), reason)


def test_a_test_brings_about_every_reason() -> None:
    """No word of the list goes without a request."""
    assert set(Reason) == BROUGHT_ABOUT


STATUSES = {Reason(code(row[0])): row[1].split(", ") for row in table("docs/api.md", "Errors")}
"""Documented statuses by reason."""


def reasons_in(schema: dict[str, Any]) -> set[str]:
    """Return the reasons that the schema of an error allows."""
    schemas = DOCUMENT["components"]["schemas"]
    if "anyOf" in schema:
        return set().union(*map(reasons_in, schema["anyOf"]))
    envelope = schemas[schema["$ref"].rpartition("/")[2]]
    details = schemas[envelope["properties"]["details"]["$ref"].rpartition("/")[2]]
    assert "reason" in details["required"]
    reason = details["properties"]["reason"]
    return set(reason.get("enum", [reason.get("const")]))


def test_the_document_lists_reasons_for_each_route_and_status() -> None:
    """Every response of an error has a list, and together they are what the page says of statuses."""
    found: dict[str, set[str]] = {reason: set() for reason in Reason}
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if status >= "400" and "HealthReport" not in str(response):
                    for reason in reasons_in(response["content"]["application/json"]["schema"]):
                        found[reason].add(status)
    found[Reason.METHOD_NOT_ALLOWED].add("405")
    assert found == {reason: set(statuses) for reason, statuses in STATUSES.items()}
    assert DOCUMENT["components"]["schemas"]["Reason"]["enum"] == list(Reason)

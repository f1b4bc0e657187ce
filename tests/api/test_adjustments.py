"""Adjustments over HTTP: by id and by scan, once per idempotency key."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import ClientResponse
from multidict import CIMultiDict

from barcodesvc.api.keys import SERVICE
from barcodesvc.scanning.resolver import Resolved, Resolver
from tests.api.scanned import level
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, Refused
from tests.stock import delete_product

MAX_LEVEL = 2**53 - 1
HOUR = 3600.0
DAY = 24 * HOUR
NOON = "2023-11-14T22:13:20.000Z"
LATER = "2023-11-14T22:13:21.000Z"
CHANGE = {
    "product_id": 1,
    "old_level": 5,
    "new_level": 3,
    "change_reason": "sold",
    "updated_by": "Ann",
    "updated_at": NOON,
}
OF_PEN = {"product_code": "A-1", "unit_of_measure": "box"}
STANDING = {"scanned_at": None, "undoes": None, "undone_by": None, "import_id": None}
"""Further fields in the history of a manual change that was not undone."""
SCANNED = {
    "product": {"id": 1, "product_code": "A-1", "description": "Blue pen", "category": "Pens", "attributes": {}},
    "inventory": {"current_level": 3, "minimum_level": 2, "last_updated": LATER},
    "match": "exact",
    "change": {"id": 2, **CHANGE, "updated_at": LATER, **STANDING, **OF_PEN},
}
SOLD = {"change_reason": "sold", "updated_by": "Ann"}


@dataclass(frozen=True)
class Way:
    """A route that counts, and the fields that its body needs besides the difference."""

    path: str
    named: dict[str, str] = field(default_factory=dict)

    async def count(self, client: Client, delta: object, key: str | None = None, **fields: object) -> ClientResponse:
        """Send a count, with a key in the header if one is given."""
        headers = {"Idempotency-Key": key} if key else {}
        return await client.post(self.path, json={"delta": delta, **self.named, **fields}, headers=headers)


BY_ID = Way("/api/inventory/1/adjust")
BY_SCAN = Way("/api/codes/scan", {"code_data": "A-1"})
BOTH = pytest.mark.parametrize("way", [BY_ID, BY_SCAN], ids=["by id", "by scan"])


async def _history(client: Client) -> list[dict[str, Any]]:
    reply = await (await client.get("/api/inventory/1/history", params={"limit": "1000"})).json()
    return list(reversed(reply["data"]))


async def _described(response: ClientResponse) -> tuple[int, bytes, str | None]:
    """Return what the client sees: status, body, and the header that marks a replay."""
    return response.status, await response.read(), response.headers.get("Idempotency-Replayed")


async def test_an_adjustment_answers_as_a_new_level_does(shop: Client) -> None:
    """The change has the shape of PUT /api/inventory/:productId, names its product, and is listed in the history."""
    response = await BY_ID.count(shop, -2, **SOLD)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert await response.json() == {"success": True, "data": {**CHANGE, **OF_PEN}}
    assert (await _history(shop))[-1] == {"id": 2, **CHANGE, **STANDING}


async def test_a_counted_scan_answers_as_a_decoded_one_with_the_change(shop: Client, standing_clock: Any) -> None:
    """The response has the new level, as the next decode does, and the history entry with its product."""
    standing_clock.advance(1)
    response = await BY_SCAN.count(shop, -2, **SOLD)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    reply = await response.json()
    assert reply == {"success": True, "data": SCANNED}
    decoded = (await (await shop.post("/api/codes/decode", json={"code_data": "A-1"})).json())["data"]
    assert decoded == {name: value for name, value in reply["data"].items() if name != "change"}
    assert {**(await _history(shop))[-1], **OF_PEN} == reply["data"]["change"]


async def test_a_scan_is_counted_in_whatever_form_it_comes(client: Client) -> None:
    """A count finds its product by the rules of decode, and names the rule that matched."""
    await client.post("/api/products", json={"product_code": "4006381333931", "description": "Highlighter"})
    for code_data, match in (("]E04006381333931\r\n", "aim"), ("04006381333931", "gtin")):
        response = await client.post("/api/codes/scan", json={"code_data": code_data, "delta": 1, "code_type": "EAN13"})
        assert (await response.json())["data"]["match"] == match
    assert await level(client) == 2


@BOTH
async def test_reason_and_author_have_defaults(shop: Client, way: Way) -> None:
    """By default the reason is empty and the author is the system, as with PUT; texts are cleaned in the same way."""
    await way.count(shop, 1)
    await way.count(shop, 1, change_reason=" found\n2 ", updated_by=" Ann ")
    reply = [(change["change_reason"], change["updated_by"]) for change in await _history(shop)]
    assert reply[1:] == [("", "system"), ("found 2", "Ann")]


@BOTH
@pytest.mark.parametrize(("delta", "most"), [(-6, MAX_LEVEL - 5), (MAX_LEVEL - 4, MAX_LEVEL - 5)])
async def test_a_level_out_of_range_is_a_409(shop: Client, refused: Refused, way: Way, delta: int, most: int) -> None:
    """The details contain the current level and the possible differences; nothing is changed."""
    reply = await refused(await way.count(shop, delta), 409, "VALIDATION_ERROR")
    assert reply["details"] == {
        "reason": "level_out_of_range",
        "product_id": 1,
        "product_code": "A-1",
        "description": "Blue pen",
        "current_level": 5,
        "least_delta": -5,
        "greatest_delta": most,
    }
    assert [change["new_level"] for change in await _history(shop)] == [5]


WRONG: dict[str, Sequence[object]] = {
    "delta": (0, 2**53, -(2**53), 1.0, 1.5, "1", True, None, [1], {}, 10**400),
    "change_reason": ("r" * 201, "a\x00", 1, None),
    "updated_by": ("a" * 101, "a\x07b", 1, None),
    "idempotency_key": ("", "k" * 256, "é", "a\n", "\x7f", 1, None, True),
    "expected_level": (5,),
}


@BOTH
@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_count_is_named_and_not_made(shop: Client, problems: Any, way: Way, name: str) -> None:
    """Every violated rule is reported with the field's name, and nothing is changed."""
    for wrong in WRONG[name]:
        if way is BY_SCAN and wrong == 0 and isinstance(wrong, int):
            continue  # that only resolves
        response = await shop.post(way.path, json={**way.named, "delta": 1, name: wrong})
        assert list(await problems(response)) == [name], wrong
    assert len(await _history(shop)) == 1


async def test_a_difference_of_nothing_is_reported_what_to_do(shop: Client, problems: Any) -> None:
    """A difference of zero is refused with a hint to the call that confirms a level; a missing one is refused."""
    assert await problems(await BY_ID.count(shop, 0)) == {
        "delta": "0 changes nothing; to confirm a level, set it with PUT"
    }
    assert await problems(await shop.post(BY_ID.path, json={})) == {"delta": "required"}


@pytest.mark.parametrize("code_data", ["", "x" * 8193, None, 1])
async def test_a_scan_needs_what_was_scanned(shop: Client, problems: Any, code_data: object) -> None:
    """The text has the same limits as in decode."""
    response = await shop.post("/api/codes/scan", json={"code_data": code_data, "delta": 1})
    assert list(await problems(response)) == ["code_data"]


async def test_all_that_is_wrong_is_reported_together(shop: Client, problems: Any) -> None:
    """Problems of path, body and header are reported together."""
    response = await shop.post("/api/inventory/x/adjust", json={"by": 1}, headers={"Idempotency-Key": "é"})
    assert set(await problems(response)) == {"productId", "delta", "by", "Idempotency-Key"}
    response = await shop.post("/api/codes/scan", json={"delta": "0"}, headers={"Idempotency-Key": "k" * 256})
    assert set(await problems(response)) == {"code_data", "delta", "Idempotency-Key"}


@BOTH
async def test_an_unknown_product_is_a_404(shop: Client, refused: Refused, way: Way) -> None:
    """An unknown product is not counted, and the key can be used again."""
    await shop.delete("/api/products/1")
    await refused(await way.count(shop, 1, "K"), 404, "PRODUCT_NOT_FOUND")
    other = Way(way.path.replace("1", "2"), {**way.named})
    await shop.post("/api/products", json={"product_code": "A-1", "description": "x"})
    assert await _described(await other.count(shop, 1, "K")) == (
        200,
        await (await other.count(shop, 1, "K")).read(),
        None,
    )


@pytest.mark.each_engine
async def test_a_product_that_goes_while_it_is_scanned_is_a_404(
    shop: Client, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A product deleted between resolving and counting (here by the resolver) is not found; the key stays free."""
    real = Resolver.resolve

    async def resolve_and_delete(resolver: Resolver, *sent: str) -> Resolved:
        resolved = await real(resolver, *sent)
        await delete_product(shop.app[SERVICE].database, resolved.product.id)
        return resolved

    monkeypatch.setattr(Resolver, "resolve", resolve_and_delete)
    await refused(await BY_SCAN.count(shop, 1, "K"), 404, "PRODUCT_NOT_FOUND")
    monkeypatch.undo()
    await shop.post("/api/products", json={"product_code": "A-1", "description": "x"})
    assert (await BY_SCAN.count(shop, 2, "K")).status == 200


@BOTH
async def test_a_repeated_send_counts_once(shop: Client, standing_clock: Any, way: Way) -> None:
    """The retry gets the same body, marked as a replay, although time and level have changed."""
    status, body, replayed = await _described(await way.count(shop, -2, "K", **SOLD))
    assert (status, replayed) == (200, None)
    standing_clock.advance(HOUR)
    await way.count(shop, 10)
    assert await _described(await way.count(shop, -2, "K", **SOLD)) == (200, body, "true")
    assert await level(shop) == 13


@BOTH
async def test_a_wrong_key_in_the_header_is_named(shop: Client, problems: Any, way: Way) -> None:
    """A key is 1 to 255 printable ASCII characters, and is sent once."""
    for wrong in ("", "k" * 256, "é", "\udc80"):
        response = await shop.post(way.path, json={**way.named, "delta": 1}, headers={"Idempotency-Key": wrong})
        assert await problems(response) == {"Idempotency-Key": "a key is 1 to 255 printable ASCII characters"}, wrong
    twice = CIMultiDict([("Idempotency-Key", "K"), ("Idempotency-Key", "K")])
    response = await shop.post(way.path, json={**way.named, "delta": 1}, headers=twice)
    assert await problems(response) == {"Idempotency-Key": "given more than once"}
    assert await level(shop) == 5


@BOTH
async def test_a_key_of_another_request_is_a_409(shop: Client, refused: Refused, way: Way) -> None:
    """The details say what the key was used for, and when; nothing is counted."""
    assert (await way.count(shop, 1, "K")).status == 200
    for other, fields in ((way, {"updated_by": "Ann"}), (BY_SCAN if way is BY_ID else BY_ID, {})):
        reply = await refused(await other.count(shop, 1, "K", **fields), 409, "VALIDATION_ERROR")
        assert reply["details"] == {
            "reason": "idempotency_key_reused",
            "idempotency_key": "K",
            "used_for": f"POST {way.path}",
            "used_at": NOON,
        }
    assert await level(shop) == 6


async def test_a_key_of_another_scan_is_a_409(shop: Client, refused: Refused) -> None:
    """Another text under the same key is another request, whether or not it names a product."""
    assert (await BY_SCAN.count(shop, 1, "K")).status == 200
    for other in ("a-1", "B-1"):
        await refused(await BY_SCAN.count(shop, 1, "K", code_data=other), 409, "VALIDATION_ERROR")
    assert await level(shop) == 6


@BOTH
async def test_a_replay_outlives_its_product(shop: Client, way: Way) -> None:
    """The retry gets the first response, and does not count on the next product with that code."""
    first = await way.count(shop, 1, "K")
    await shop.delete("/api/products/1")
    assert await _described(await way.count(shop, 1, "K")) == (200, await first.read(), "true")
    await shop.post("/api/products", json={"product_code": "A-1", "description": "another pen"})
    assert await _described(await way.count(shop, 1, "K")) == (200, await first.read(), "true")
    assert await level(shop) == 0


@BOTH
async def test_a_replay_outlives_the_service(make_client: Any, way: Way) -> None:
    """A retry after a restart gets the first response."""
    before = await make_client()
    await before.post("/api/products", json={"product_code": "A-1", "description": "x"})
    first = await (await way.count(before, 1, "K")).read()
    await before.close()
    after = await make_client()
    assert await _described(await way.count(after, 1, "K")) == (200, first, "true")
    assert await level(after) == 1


@BOTH
async def test_a_key_is_kept_for_thirty_days(shop: Client, standing_clock: Any, way: Way) -> None:
    """A retry after that time is a new count."""
    await way.count(shop, 1, "K")
    standing_clock.advance(30 * DAY - 0.001)
    assert (await way.count(shop, 1, "K")).headers["Idempotency-Replayed"] == "true"
    standing_clock.advance(0.001)
    assert "Idempotency-Replayed" not in (await way.count(shop, 1, "K")).headers
    assert await level(shop) == 7


@pytest.mark.each_engine
@BOTH
async def test_fifty_counts_at_once_lose_nothing(shop: Client, way: Way) -> None:
    """The level is the sum of all counts, the history has no gap, and each response matches an entry of it."""
    responses = await asyncio.gather(*(way.count(shop, number) for number in range(1, 51)))
    assert {response.status for response in responses} == {200}
    history = await _history(shop)
    assert [change["old_level"] for change in history] == [0, *(change["new_level"] for change in history[:-1])]
    assert await level(shop) == history[-1]["new_level"] == 5 + sum(range(1, 51))
    levels = [(await response.json())["data"] for response in responses]
    assert {reply.get("change", reply)["new_level"] for reply in levels} == {
        change["new_level"] for change in history[1:]
    }


@pytest.mark.each_engine
@BOTH
async def test_counts_at_once_never_go_below_zero(shop: Client, way: Way) -> None:
    """Of a hundred clients that take one from fifty, fifty succeed and the others are refused."""
    await shop.put("/api/inventory/1", json={"new_level": 50})
    responses = await asyncio.gather(*(way.count(shop, -1) for _ in range(100)))
    assert Counter(response.status for response in responses) == {200: 50, 409: 50}
    assert {(await a.json())["details"]["current_level"] for a in responses if a.status == 409} == {0}
    assert await level(shop) == 0


@pytest.mark.each_engine
@BOTH
@pytest.mark.parametrize("delta", [3, -5])
async def test_sends_at_the_same_moment_count_once(shop: Client, way: Way, delta: int) -> None:
    """All get the same response, even if the first one leaves too little for another; all but one are replays."""
    responses = [
        await _described(response)
        for response in await asyncio.gather(*(way.count(shop, delta, "K") for _ in range(20)))
    ]
    assert {(status, body) for status, body, _ in responses} == {(200, responses[0][1])}
    assert Counter(replayed for _, _, replayed in responses) == {"true": 19, None: 1}
    assert await level(shop) == 5 + delta


@pytest.mark.each_engine
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_and_sends_again_counts_once(shop: Client) -> None:
    """Whatever became of the abandoned request, the retry under its key succeeds, and counts once."""
    body = b'{"delta":1}'
    head = b"POST /api/inventory/1/adjust HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n" % len(body)
    for number in range(30):
        _, writer = await asyncio.open_connection(shop.host, shop.port)
        writer.write(head + b"Idempotency-Key: K%d\r\n\r\n" % number + body)
        await writer.drain()
        await asyncio.sleep(number % 6 / 2000)
        writer.transport.abort()
        assert (await BY_ID.count(shop, 1, f"K{number}")).status == 200
    assert await level(shop) == 35


@pytest.mark.each_engine
@BOTH
async def test_a_database_failure_is_a_500(shop: Client, refused: Refused, break_database: Any, way: Way) -> None:
    """A failed statement is reported without its cause, with a key and without."""
    await break_database(shop)
    for key in (None, "K"):
        reply = await refused(await way.count(shop, 1, key), 500, "DATABASE_ERROR")
        assert reply["message"] == "the database could not carry out the operation; nothing was changed"


async def test_a_browser_may_read_that_a_response_is_a_replay(make_client: Any) -> None:
    """CORS exposes the header."""
    client = await make_client(cors_origins="https://shop.example")
    response = await client.get("/api/products", headers={"Origin": "https://shop.example"})
    assert "idempotency-replayed" in response.headers["Access-Control-Expose-Headers"].lower()

"""A scan that counts: to a level, at the time of the scan, or not at all."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc.clock import as_timestamp
from tests.api.replies import problems, refused
from tests.conftest import NOON, StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

START = datetime.fromtimestamp(NOON, UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
MONTH = timedelta(days=30)
LATER = timedelta(milliseconds=1)


async def scanned(client: Client, **fields: object) -> ClientResponse:
    """Send a scan of A-1."""
    return await client.post("/api/codes/scan", json={"code_data": "A-1", **fields})


async def made(client: Client, **fields: object) -> dict[str, Any]:
    """Send a scan that must be counted, and return its change."""
    response = await scanned(client, **fields)
    assert response.status == 200, await response.text()
    change: dict[str, Any] = (await response.json())["data"]["change"]
    return change


async def history(client: Client) -> list[dict[str, Any]]:
    """Return the history of A-1, newest first."""
    return list((await (await client.get("/api/inventory/1/history")).json())["data"])


def at(after: timedelta) -> str:
    """Return a time, this long after the test has begun, in the service's format."""
    return as_timestamp(START + after)


@pytest.mark.parametrize("fields", [{}, {"delta": 0}, {"updated_by": "Ann"}])
async def test_a_scan_without_a_difference_only_resolves(shop: Client, fields: dict[str, object]) -> None:
    """The response is that of a decode, with the current level, and no change; its key stays free."""
    decoded = (await (await shop.post("/api/codes/decode", json={"code_data": "A-1"})).json())["data"]
    response = await scanned(shop, idempotency_key="K", **fields)
    assert await response.json() == {"success": True, "data": {**decoded, "change": None}}
    assert len(await history(shop)) == 1
    await made(shop, delta=1, idempotency_key="K")
    assert "Idempotency-Replayed" not in (await scanned(shop, idempotency_key="K", **fields)).headers


async def test_a_scan_that_only_resolves_may_name_nothing(shop: Client) -> None:
    """It is a 404, as for a decode, with a key and without."""
    for key in ({}, {"idempotency_key": "K"}):
        await refused(await scanned(shop, code_data="B-1", **key), 404, "PRODUCT_NOT_FOUND")


async def test_a_count_sets_the_level(shop: Client) -> None:
    """Setting the current level is recorded too: it is a count that confirmed it."""
    level = 5
    response = await scanned(shop, new_level=level, delta=0, change_reason="count", updated_by="Ann")
    told = (await response.json())["data"]
    assert told["inventory"]["current_level"] == level
    assert told["change"].items() >= (await history(shop))[0].items()
    change = {name: told["change"][name] for name in ("old_level", "new_level", "change_reason", "updated_by")}
    assert change == {"old_level": 5, "new_level": level, "change_reason": "count", "updated_by": "Ann"}


async def test_a_count_is_no_difference(shop: Client) -> None:
    """Only one of the two may be given; a level has its usual limits."""
    assert await problems(await scanned(shop, new_level=3, delta=1)) == {
        "new_level": "give either delta or new_level, not both"
    }
    for wrong in (-1, 2**53, 1.0, "1", None, True):
        assert list(await problems(await scanned(shop, new_level=wrong))) == ["new_level"]
    assert len(await history(shop)) == 1


async def test_a_repeated_count_counts_once(shop: Client) -> None:
    """A retry with its key does not undo later changes; another level is another request."""
    first = await scanned(shop, new_level=8, idempotency_key="K")
    await made(shop, delta=-1)
    again = await scanned(shop, new_level=8, idempotency_key="K")
    assert (await again.read(), again.headers["Idempotency-Replayed"]) == (await first.read(), "true")
    assert (await scanned(shop, new_level=9, idempotency_key="K")).status == 409
    assert (await scanned(shop, new_level=8, scanned_at=at(-HOUR), idempotency_key="K")).status == 409
    assert [change["new_level"] for change in await history(shop)] == [7, 8, 5]


async def test_a_scan_that_is_sent_again_is_older_by_then(shop: Client, standing_clock: StandingClock) -> None:
    """It is the same request under its key, whatever its age is."""
    first = await scanned(shop, new_level=8, scanned_ago_ms=0, idempotency_key="K")
    standing_clock.advance(60)
    again = await scanned(shop, new_level=8, scanned_ago_ms=60_000, idempotency_key="K")
    assert (await again.read(), again.headers["Idempotency-Replayed"]) == (await first.read(), "true")


@pytest.mark.parametrize("fields", [{"delta": 1}, {"new_level": 6}])
async def test_the_time_of_a_scan_is_next_to_that_of_writing(shop: Client, fields: dict[str, object]) -> None:
    """Whatever its offset and digits, it is shown in UTC with milliseconds."""
    for time, told in (
        ("2023-11-14T21:13:20Z", "2023-11-14T21:13:20.000Z"),
        ("2023-11-14T23:13:20.123456+02:00", "2023-11-14T21:13:20.123Z"),
        ("2023-11-14t16:43:20.5-04:30", "2023-11-14T21:13:20.500Z"),
        ("2023-11-14T21:13:21.1234567890z", "2023-11-14T21:13:21.123Z"),
    ):
        await shop.post("/api/products", json={"product_code": time, "description": "x"})
        change = await made(shop, code_data=time, scanned_at=time, **fields)
        assert (change["scanned_at"], change["updated_at"]) == (told, at(timedelta()))


async def test_the_age_of_a_scan_says_when_it_was_made(shop: Client) -> None:
    """It is subtracted from the clock of the service, so the device needs no right one."""
    for ago, scanned_at in ((3_600_001, at(-HOUR - LATER)), (0, at(timedelta()))):
        change = await made(shop, scanned_ago_ms=ago, delta=1)
        assert (change["scanned_at"], change["updated_at"]) == (scanned_at, at(timedelta()))


async def test_an_age_is_a_whole_number_up_to_that_of_keys(shop: Client) -> None:
    """It is not negative, and no time is next to it."""
    for wrong in (-1, 1.5, "1", True, None, 3651 * 86_400_000):
        assert list(await problems(await scanned(shop, delta=1, scanned_ago_ms=wrong))) == ["scanned_ago_ms"]
    both = await problems(await scanned(shop, delta=1, scanned_at=at(-HOUR), scanned_ago_ms=1))
    assert both == {"scanned_ago_ms": "give either scanned_at or scanned_ago_ms, not both"}
    month = 30 * 86_400_000
    assert (
        "more than 30 days ago"
        in (await problems(await scanned(shop, delta=1, scanned_ago_ms=month + 1)))["scanned_ago_ms"]
    )
    assert (await scanned(shop, delta=1, scanned_ago_ms=month)).status == 200


@sweep(
    "wrong",
    [
        *("", "now", "2023-11-14", "2023-11-14T21:13:20", "2023-11-14 21:13:20Z", "20231114T211320Z", "2023-W46-2T21Z"),
        *("2023-11-14T24:00:00Z", "2023-02-29T21:13:20Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00"),
        *("2023-11-14T21:13:20.Z", "2023-11-14T21:13:20+0100", " 2023-11-14T21:13:20Z", "٢023-11-14T21:13:20Z"),
        *(1_700_000_000, None, True, ["2023-11-14T21:13:20Z"]),
    ],
)
async def test_what_is_no_time_is_named(shop: Client, wrong: object) -> None:
    """A time has a date, seconds and an offset; without an offset it could be in any zone."""
    assert list(await problems(await scanned(shop, delta=1, scanned_at=wrong))) == ["scanned_at"]
    assert len(await history(shop)) == 1


@pytest.mark.parametrize("fields", [{"delta": 1}, {}], ids=["counts", "only resolves"])
async def test_a_scan_is_no_older_than_keys_and_hardly_ahead(shop: Client, fields: dict[str, object]) -> None:
    """A clock may be 5 minutes ahead, and a queue 30 days old; the refusal of one millisecond more says what to do."""
    for beyond, words in ((5 * MINUTE + LATER, "set the scanner's"), (-MONTH - LATER, "more than 30 days ago")):
        told = await problems(await scanned(shop, scanned_at=at(beyond), **fields))
        assert words in told["scanned_at"]
    for within in (-MONTH, 5 * MINUTE):
        await shop.post("/api/products", json={"product_code": at(within), "description": "x"})
        assert (await scanned(shop, code_data=at(within), scanned_at=at(within), **fields)).status == 200


async def test_how_long_keys_live_is_a_setting(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """Keys are kept that many days, and scans may be as old."""
    client = await make_client(idempotency_days=2)
    await client.post("/api/products", json={"product_code": "A-1", "description": "x"})
    assert (await scanned(client, delta=1, scanned_at=at(-2 * MONTH / 30))).status == 200
    assert (await scanned(client, delta=1, scanned_at=at(-2 * MONTH / 30 - LATER))).status == 400
    await made(client, delta=1, idempotency_key="K")
    standing_clock.advance(2 * 86400 - 0.001)
    assert "Idempotency-Replayed" in (await scanned(client, delta=1, idempotency_key="K")).headers
    standing_clock.advance(0.001)
    assert "Idempotency-Replayed" not in (await scanned(client, delta=1, idempotency_key="K")).headers


async def test_a_scan_that_was_counted_is_answered_though_it_is_too_old_by_now(
    shop: Client, standing_clock: StandingClock
) -> None:
    """Its key outlives its time: a client that missed the response must not be asked to count again."""
    body = {"delta": 1, "scanned_at": at(-MONTH), "idempotency_key": "K"}
    first = await scanned(shop, **body)
    standing_clock.advance(3600)
    again = await scanned(shop, **body)
    assert (await again.read(), again.headers["Idempotency-Replayed"]) == (await first.read(), "true")
    assert (await scanned(shop, **{**body, "idempotency_key": "L"})).status == 400


@pytest.mark.each_engine
async def test_a_count_behind_a_later_scan_is_refused(shop: Client) -> None:
    """The details contain level and both times; nothing is changed. Of scans at the same time the last counts."""
    await made(shop, delta=2, scanned_at=at(2 * MINUTE))
    response = await scanned(shop, new_level=1, scanned_at=at(2 * MINUTE - LATER), idempotency_key="K")
    told = await refused(response, 409, "VALIDATION_ERROR")
    assert told["details"] == {
        "reason": "count_is_outdated",
        "product_id": 1,
        "product_code": "A-1",
        "description": "Blue pen",
        "current_level": 7,
        "scanned_at": at(2 * MINUTE - LATER),
        "changed_at": at(2 * MINUTE),
    }
    assert "it is 7 now" in told["message"]
    assert (await made(shop, new_level=1, scanned_at=at(2 * MINUTE), idempotency_key="K"))["new_level"] == 1
    assert [change["new_level"] for change in await history(shop)] == [1, 7, 5]


@pytest.mark.each_engine
async def test_a_late_scan_does_not_make_counts_late(shop: Client, standing_clock: StandingClock) -> None:
    """The time of the scan decides, not that of the request; the latest one wins, in any order.

    The first level is a change, so that a count before it is refused, even after a late scan.
    """
    standing_clock.advance(10 * 3600)
    assert (await scanned(shop, new_level=1, scanned_at=at(-LATER))).status == 409
    await made(shop, delta=1, scanned_at=at(-HOUR))
    assert (await scanned(shop, new_level=1, scanned_at=at(-MINUTE))).status == 409
    await made(shop, delta=1, scanned_at=at(2 * HOUR))
    assert (await made(shop, new_level=8, scanned_at=at(3 * HOUR)))["new_level"] == 8
    await made(shop, delta=1, scanned_at=at(HOUR))
    assert (await scanned(shop, new_level=1, scanned_at=at(2 * HOUR))).status == 409
    assert (await scanned(shop, new_level=1, scanned_at=at(4 * HOUR))).status == 200

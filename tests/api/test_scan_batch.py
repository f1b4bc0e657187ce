"""Many scans in one call: each has the result of a single call, and is counted independently."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.resources import scan_movements
from barcodesvc.clock import as_timestamp
from barcodesvc.errors import DatabaseOverload
from barcodesvc.scanning.resolver import Resolved, Resolver
from barcodesvc.store.sqlite import text_index
from barcodesvc.store.sqlite.connection import Statements
from barcodesvc.store.sqlite.database import SqliteDatabase
from tests.api.replies import problems
from tests.api.scanned import level
from tests.conftest import NOON
from tests.engines import Places
from tests.fixture_types import Client, ClientMaker
from tests.properties import examples
from tests.sweeps import sweep

Scan = dict[str, Any]

JSON = {"Content-Type": "application/json"}
START = datetime.fromtimestamp(NOON, UTC)
PRODUCT = {"product_code": "A-1", "description": "Blue pen", "initial_level": 5}
ENTRIES: list[Any] = [
    {"code_data": "A-1", "delta": -1},
    {"code_data": "]C0a-1\r\n", "delta": 2, "updated_by": " Ann ", "change_reason": "found", "code_type": "CODE128"},
    {"code_data": "A-1"},
    {"code_data": "A-1", "delta": 0, "idempotency_key": "0"},
    {"code_data": "A-1", "delta": -7},
    {"code_data": "A-1", "new_level": 3, "scanned_at": "2023-11-14T22:13:21Z"},
    {"code_data": "A-1", "new_level": 4, "scanned_at": "2023-11-14T22:13:20Z"},
    {"code_data": "A-1", "new_level": 2},
    {"code_data": "A-1", "new_level": 2, "delta": 1},
    {"code_data": "B-1", "delta": 1},
    {"code_data": "B-1", "delta": 1, "idempotency_key": "B"},
    {"code_data": "A-1", "delta": 1, "idempotency_key": "K"},
    {"code_data": "A-1", "delta": 2, "idempotency_key": "K"},
    {"code_data": "B-1", "delta": 1, "idempotency_key": "K"},
    {"code_data": "A-1", "delta": 1, "scanned_at": "2022-11-14T22:13:20Z", "idempotency_key": "L"},
    {"code_data": "A-1", "delta": 1, "scanned_at": "2022-11-14T22:13:20Z"},
    {"code_data": "A-1", "delta": 1.5, "scanned_at": "now", "Delta": 1, "change_reason": "x" * 201},
    {"code_data": "", "delta": "1", "idempotency_key": ""},
    {"code_data": "x" * 8193},
    {},
    {"scans": [{"code_data": "A-1"}]},
    {"code_data": None, "delta": None, "new_level": None, "scanned_at": None, "idempotency_key": None},
    *([], [{}], 1, "A-1", True, None),
]


async def batch(client: Client, scans: list[Any]) -> list[dict[str, Any]]:
    """Send scans together, and return their envelopes."""
    response = await client.post("/api/codes/scans", json={"scans": scans})
    told = await response.json()
    assert (response.status, list(told), told.get("success")) == (200, ["success", "data"], True), told
    assert len(told["data"]) == len(scans)
    return list(told["data"])


async def single(client: Client, scan: Any) -> dict[str, Any]:
    """Send a scan alone, and return its envelope, with its status and a replay as in a batch."""
    response = await client.post("/api/codes/scan", data=json.dumps(scan), headers=JSON)
    told: dict[str, Any] = await response.json()
    return (
        told | {"status": response.status} | ({"replayed": True} if "Idempotency-Replayed" in response.headers else {})
    )


async def history(client: Client, product_id: int = 1) -> list[dict[str, Any]]:
    """Return the history of a product, newest first."""
    response = await client.get(f"/api/inventory/{product_id}/history", params={"limit": "1000"})
    return list((await response.json())["data"])


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list that grows by one with each commit; products that are added from now on are not indexed."""
    monkeypatch.setattr(text_index, "PAUSE", 3600.0)
    made: list[None] = []
    commit = Statements.commit

    def counted(statements: Statements) -> None:
        commit(statements)
        made.append(None)

    monkeypatch.setattr(Statements, "commit", counted)
    return made


@pytest.fixture
async def twins(make_client: ClientMaker, places: Places) -> AsyncIterator[tuple[Client, Client]]:
    """Return clients of two services with the same content."""
    with places.one() as first, places.one() as second:
        both = [await make_client(database=place) for place in (first, second)]
        for client in both:
            assert (await client.post("/api/products", json=PRODUCT)).status == 201
        yield both[0], both[1]


@pytest.mark.parametrize("at_once", [1, 5, 64])
async def test_an_entry_is_the_envelope_of_the_single_call(
    twins: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Every field is equal, for success and error, and so is what is stored, however many are sent together."""
    monkeypatch.setattr(scan_movements, "AT_ONCE", at_once)
    alone, together = twins
    for _ in range(2):  # the second time, keys are known
        assert await batch(together, ENTRIES) == [await single(alone, scan) for scan in ENTRIES]
    assert await history(together) == await history(alone)


SCANS = st.fixed_dictionaries(
    {"code_data": st.sampled_from(["A-1", "a-1", "B-1", "C-1"])},
    optional={
        "delta": st.integers(-4, 4),
        "new_level": st.integers(-1, 6),
        "scanned_at": st.integers(-4, 6).map(lambda minute: as_timestamp(START + timedelta(minutes=minute))),
        "idempotency_key": st.sampled_from("KLMN"),
        "updated_by": st.just("Ann"),
    },
)


@pytest.mark.each_engine
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scans=st.lists(SCANS, min_size=1, max_size=12))
async def test_any_batch_is_what_single_calls_would_have_given(
    twins: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch, scans: list[Scan]
) -> None:
    """In any mix, the results are theirs; the level is the sum of the history, and never negative."""
    monkeypatch.setattr(scan_movements, "AT_ONCE", 5)
    alone, together = twins
    assert await batch(together, scans) == [await single(alone, scan) for scan in scans]
    changes = await history(together)
    assert changes == await history(alone)
    assert await level(together) == sum(change["new_level"] - change["old_level"] for change in changes)
    assert min(change["new_level"] for change in changes) >= 0


async def test_a_key_is_the_same_in_a_batch_and_in_a_single_call(shop: Client) -> None:
    """In whatever way a scan was counted first, and twice in one batch, it counts once; the envelope marks a replay."""
    scan = {"code_data": "A-1", "delta": 1, "idempotency_key": "K"}
    first = await single(shop, scan)
    assert await batch(shop, [scan, scan]) == [{**first, "replayed": True}] * 2
    scan["idempotency_key"] = "L"
    first, again = await batch(shop, [scan, scan])
    assert again == {**first, "replayed": True} == await single(shop, scan)
    assert await level(shop) == 7


@pytest.mark.each_engine
async def test_batches_at_once_count_each_scan_once(shop: Client) -> None:
    """The same scans from several clients, mixed with others, lose nothing and count nothing twice."""
    scans = [{"code_data": "A-1", "delta": 1, "idempotency_key": str(number)} for number in range(200)]
    others = [{"code_data": "A-1", "delta": 1}] * 200
    await asyncio.gather(*(batch(shop, some) for some in (scans, scans, others, scans[::-1])))
    assert await level(shop) == 5 + 200 + 200


@pytest.mark.each_engine
async def test_a_batch_sent_twice_at_the_same_moment_is_answered_twice(shop: Client) -> None:
    """A scan that has taken everything is not refused to the second send under its key."""
    taken = [{"code_data": "A-1", "delta": -5, "idempotency_key": "K"}]
    responses = await asyncio.gather(*(batch(shop, taken) for _ in range(20)))
    assert {one.get("success") for (one,) in responses} == {True}
    assert await level(shop) == 0


@pytest.mark.each_engine
async def test_a_batch_takes_few_trips(commits: list[None], shop: Client) -> None:
    """Five hundred scans take a few transactions, and those that only resolve none but that of the unknown scans."""
    commits.clear()
    await batch(shop, [{"code_data": "A-1", "delta": 1, "idempotency_key": str(n)} for n in range(500)])
    assert len(commits) <= 8
    commits.clear()
    await batch(shop, [{"code_data": "A-1"}, {}] * 100)
    assert commits == []
    await batch(shop, [{"code_data": "A-1"}, {"code_data": "B-1"}] * 100)
    assert len(commits) <= 1


@sweep(
    ("body", "field"),
    [
        ({}, "scans"),
        ({"scans": None}, "scans"),
        ({"scans": {}}, "scans"),
        ({"scans": []}, "scans"),
        ({"scans": [{"code_data": "A-1", "delta": 1}] * 501}, "scans"),
        ({"scans": [{"code_data": "A-1", "delta": 1}], "delta": 1}, "delta"),
        ([{"code_data": "A-1", "delta": 1}], "body"),
        ("A-1", "body"),
    ],
)
async def test_what_is_no_batch_is_refused(shop: Client, body: object, field: str) -> None:
    """Anything but a list of 1 to 500 scans is a 400 for the whole batch, and nothing is counted."""
    assert list(await problems(await shop.post("/api/codes/scans", json=body))) == [field]
    assert len(await history(shop)) == 1


async def test_a_batch_is_one_request_of_the_limit(make_client: ClientMaker) -> None:
    """However many scans it has."""
    client = await make_client(rate_limit="3/15 minutes")
    responses = [await client.post("/api/codes/scans", json={"scans": [{"code_data": "A-1"}] * 50}) for _ in range(4)]
    assert [response.status for response in responses] == [200, 200, 200, 429]
    assert [response.headers["RateLimit-Remaining"] for response in responses] == ["2", "1", "0", "0"]


@pytest.mark.usefixtures("database_file")  # SQLite's connection is made to fail
async def test_nothing_is_tried_behind_a_failure(shop: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was counted before it is kept; later ones get the same envelope, and can be retried in their order."""
    monkeypatch.setattr(scan_movements, "AT_ONCE", 2)
    real, tries = SqliteDatabase.change, list[None]()

    async def change(database: SqliteDatabase, begin: Any) -> Any:
        tries.append(None)
        if len(tries) == 2:
            raise DatabaseOverload("too many changes are waiting; try again later")
        return await real(database, begin)

    scans = [{"code_data": "A-1", "delta": 1, "idempotency_key": str(number)} for number in range(7)]
    with monkeypatch.context() as patched:
        patched.setattr(SqliteDatabase, "change", change)
        told = await batch(shop, scans)
    assert [one.get("code") for one in told] == [None] * 2 + ["DATABASE_ERROR"] * 5
    assert (len(tries), await level(shop)) == (2, 7)
    assert [one.get("replayed", False) for one in await batch(shop, scans)] == [True] * 2 + [False] * 5
    assert await level(shop) == 12


@pytest.mark.each_engine
async def test_a_database_failure_is_reported_for_every_scan(shop: Client, break_database: Any) -> None:
    """It has no cause, as in a single call; problems of a scan itself are reported before it."""
    await break_database(shop)
    told = await batch(shop, [{}, *[{"code_data": "A-1", "delta": 1}] * 99, {}])
    assert [one["code"] for one in told] == ["VALIDATION_ERROR"] + ["DATABASE_ERROR"] * 100


@pytest.mark.parametrize(
    ("error", "behind"),
    [(DatabaseOverload("too many requests are waiting"), "DATABASE_ERROR"), (RuntimeError("unforeseen"), None)],
    ids=["nothing behind a failed look-up is counted", "a scan that breaks the service leaves the others alone"],
)
async def test_an_error_has_the_envelope_of_a_single_call(
    shop: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, behind: str | None
) -> None:
    """Scans count in their order, so those behind a failure of the database wait for a retry; others are counted."""
    real = Resolver.resolve

    async def resolve(resolver: Resolver, code_data: str, code_type: str = "") -> Resolved:
        if code_data == "bad":
            raise error
        return await real(resolver, code_data, code_type)

    monkeypatch.setattr(Resolver, "resolve", resolve)
    told = await batch(shop, [{"code_data": code, "delta": 1} for code in ("A-1", "bad", "A-1")])
    assert [one.get("code") for one in told] == [None, "DATABASE_ERROR", behind]
    assert told[1] == await single(shop, {"code_data": "bad", "delta": 1})
    assert await level(shop) == (6 if behind else 7)


@pytest.mark.usefixtures("database_file")  # SQLite's connection is made to fail
async def test_a_stop_in_the_middle_of_a_batch_loses_nothing(
    make_client: ClientMaker, until: Any, commits: list[None]
) -> None:
    """Acknowledged scans are stored; after a retry with the next service, each scan has counted once."""
    before = await make_client()
    await before.post("/api/products", json=PRODUCT)
    commits.clear()
    scans = [{"code_data": "A-1", "delta": 1, "idempotency_key": str(number)} for number in range(500)]
    sending = asyncio.create_task(batch(before, scans))
    await until(lambda: len(commits) > 0)
    assert not sending.done()
    await before.server.close()
    told = await sending
    after = await make_client()
    assert await batch(after, scans) == [{**one, "replayed": True} for one in told]
    assert await level(after) == 505

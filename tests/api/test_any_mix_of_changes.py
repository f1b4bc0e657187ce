"""Any mix of scans, counts, undos and retries: the level is the sum of its history, and never negative."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.clock import as_timestamp
from tests.conftest import StandingClock
from tests.fixture_types import Client
from tests.properties import examples

pytestmark = pytest.mark.each_engine

MINUTES = st.none() | st.integers(-60, 5)
KEYS = st.none() | st.sampled_from("KLM")
SCANS = st.fixed_dictionaries({"delta": st.integers(-5, 5), "minute": MINUTES, "key": KEYS})
COUNTS = st.fixed_dictionaries({"new_level": st.integers(0, 5), "minute": MINUTES, "key": KEYS})
STEPS = st.one_of(
    st.tuples(st.just("scan"), SCANS | COUNTS),
    st.tuples(st.just("batch"), st.lists(SCANS | COUNTS, min_size=1, max_size=4)),
    st.tuples(st.just("undo"), st.fixed_dictionaries({"entry": st.integers(0, 9), "key": KEYS})),
    st.tuples(st.just("put"), st.integers(0, 5)),
    st.tuples(st.just("adjust"), st.integers(-5, 5).filter(bool)),
    st.tuples(st.just("again"), st.integers(0, 9)),
    st.tuples(st.just("wait"), st.integers(1, 30)),
)


class Shop:
    """One product of a running service, and the requests that were sent for it with a key."""

    def __init__(self, client: Client, clock: StandingClock, product: dict[str, Any]) -> None:
        self._client = client
        self._clock = clock
        self._product = product
        self._sent: list[tuple[str, dict[str, Any], Any]] = []

    async def take(self, step: str, value: Any) -> None:
        """Perform one step."""
        match step:
            case "scan":
                await self._send("/api/codes/scan", self._scan(value))
            case "batch":
                await self._batch([self._scan(scan) for scan in value])
            case "undo":
                await self._undo(**value)
            case "put":
                await self._client.put(f"/api/inventory/{self._product['id']}", json={"new_level": value})
            case "adjust":
                await self._client.post(f"/api/inventory/{self._product['id']}/adjust", json={"delta": value})
            case "again":
                await self._repeat(value)
            case _:
                self._clock.advance(60 * value)

    async def history(self) -> list[dict[str, Any]]:
        """Return the history, oldest first."""
        response = await self._client.get(f"/api/inventory/{self._product['id']}/history?limit=1000")
        return list(reversed((await response.json())["data"]))

    async def level(self) -> int:
        """Return the stored level."""
        response = await self._client.get("/api/inventory", params={"product_id": str(self._product["id"])})
        return int((await response.json())["data"][0]["current_level"])

    def _scan(self, asked: dict[str, Any]) -> dict[str, Any]:
        scan: dict[str, Any] = {name: asked[name] for name in ("delta", "new_level") if name in asked}
        if asked["minute"] is not None:
            moment = datetime.fromtimestamp(self._clock.now, UTC) + timedelta(minutes=asked["minute"])
            scan["scanned_at"] = as_timestamp(moment)
        return {"code_data": self._product["product_code"], **scan, **self._key(asked["key"])}

    def _key(self, letter: str | None) -> dict[str, str]:
        return {"idempotency_key": f"{self._product['id']}{letter}"} if letter else {}

    async def _send(self, path: str, body: dict[str, Any]) -> None:
        response = await self._client.post(path, json=body)
        assert response.status in (200, 409), await response.text()
        self._note(path, body, await response.json())

    def _note(self, path: str, body: dict[str, Any], told: dict[str, Any]) -> None:
        if "success" in told and "idempotency_key" in body and told["data"].get("change", True):
            self._sent.append((path, body, told["data"]))

    async def _batch(self, scans: list[dict[str, Any]]) -> None:
        response = await self._client.post("/api/codes/scans", json={"scans": scans})
        for scan, told in zip(scans, (await response.json())["data"], strict=True):
            self._note("/api/codes/scan", scan, told)

    async def _undo(self, entry: int, key: str | None) -> None:
        entries = await self.history()
        if entries:
            change_id = entries[entry % len(entries)]["id"]
            await self._send(f"/api/inventory/changes/{change_id}/undo", self._key(key))

    async def _repeat(self, number: int) -> None:
        if self._sent:
            path, body, first = self._sent[number % len(self._sent)]
            response = await self._client.post(path, json=body)
            assert ((await response.json())["data"], response.headers["Idempotency-Replayed"]) == (first, "true")


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=20))
async def test_any_mix_adds_up(client: Client, standing_clock: StandingClock, steps: list[tuple[str, Any]]) -> None:
    """The history has no gap, each entry is undone at most once, and an undo reverses exactly its amount."""
    draft = {"product_code": str(uuid4()), "description": "x", "initial_level": 3}
    product = (await (await client.post("/api/products", json=draft)).json())["data"]
    shop = Shop(client, standing_clock, product)
    for step, value in steps:
        await shop.take(step, value)
    entries = await shop.history()
    amounts = {entry["id"]: entry["new_level"] - entry["old_level"] for entry in entries}
    assert await shop.level() == sum(amounts.values())
    assert [entry["old_level"] for entry in entries] == [0, *(entry["new_level"] for entry in entries[:-1])]
    assert min(entry["new_level"] for entry in entries) >= 0
    undone = {entry["id"]: entry["undone_by"] for entry in entries if entry["undone_by"]}
    assert {entry["undoes"]: entry["id"] for entry in entries if entry["undoes"]} == undone
    assert all(amounts[by] == -amounts[entry] for entry, by in undone.items())

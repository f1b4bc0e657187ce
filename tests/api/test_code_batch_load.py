"""Concurrent batches: how often they render, what they leave to other requests, and how they clean up."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from barcodesvc import service
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources import code_batch
from barcodesvc.codes.rendering import BarcodeKey, Rendering
from barcodesvc.validation import Model, validated
from tests.api.drawn_codes import drawn
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker

BATCH = "/api/codes/batch"
MOST = 500


class WatchedRenders:
    """Real renders of barcodes, counted by code and blocked while the gate is closed; codes in `failing` fail."""

    def __init__(self, real: Callable[[BarcodeKey], Rendering]) -> None:
        self.real = real
        self.gate = threading.Event()
        self.counts: Counter[str] = Counter()
        self.failing = ""
        self.gate.set()

    def render(self, key: BarcodeKey) -> Rendering:
        """Count, wait for the gate, and render."""
        self.counts[key.content] += 1
        assert self.gate.wait(20)
        if key.content == self.failing:
            raise RuntimeError(key.content)
        return self.real(key)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedRenders]:
    """Return the renders of barcodes, watched because real ones are too fast to overlap reliably."""
    watched = WatchedRenders(BarcodeKey.render)
    monkeypatch.setattr(BarcodeKey, "render", lambda key: watched.render(key))  # noqa: PLW0108 - it has to bind as a method
    yield watched
    watched.gate.set()


def _entries(*codes: str) -> dict[str, Any]:
    return {"requests": [{"kind": "barcode", "product_code": code, "width": 1, "height": 10} for code in codes]}


def _many(count: int = MOST) -> dict[str, Any]:
    return _entries(*(f"N-{number}" for number in range(count)))


async def _batch(client: Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    async with client.post(BATCH, json=body) as response:
        return list((await response.json())["data"])


async def _sent_batch(client: Client, body: dict[str, Any]) -> asyncio.StreamWriter:
    """Send a batch over a separate connection and return the connection."""
    _, writer = await asyncio.open_connection(client.host, client.port)
    data = json.dumps(body).encode()
    writer.write(
        b"POST /api/codes/batch HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(data), data)
    )
    return writer


async def test_identical_entries_render_once(client: Client, renders: WatchedRenders) -> None:
    """500 requests for two codes make two renders, and the results are equal."""
    answered = await _batch(client, _entries(*["A-1", "A-2"] * (MOST // 2)))
    assert renders.counts == {"A-1": 1, "A-2": 1}
    assert answered[0::2] == [answered[0]] * (MOST // 2)
    assert answered[1::2] == [answered[1]] * (MOST // 2)


async def test_a_batch_and_single_calls_share_their_renders(client: Client, renders: WatchedRenders) -> None:
    """Each takes from the cache what the other has drawn."""
    first = (await _batch(client, _entries("A-1")))[0]["data"]
    assert await drawn(client, "barcode", product_code="A-1", width=1, height=10) == first
    data = await drawn(client, "barcode", product_code="A-2", width=1, height=10)
    assert (await _batch(client, _entries("A-2")))[0]["data"] == data
    assert renders.counts == {"A-1": 1, "A-2": 1}


@pytest.mark.parametrize("queue", [1, 4, 20])
async def test_a_batch_does_not_overload_a_small_queue_by_itself(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch, queue: int
) -> None:
    """500 codes that are not cached are all drawn, even if only a few renders may wait at a time."""
    monkeypatch.setattr(service, "RENDER_QUEUE", queue)
    client = await make_client()
    assert [entry.get("message") for entry in await _batch(client, _many())] == [None] * MOST


async def test_an_entry_that_the_queue_has_no_place_for_is_an_error(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch, renders: WatchedRenders, until: Any
) -> None:
    """While other requests fill the queue, cached entries succeed and the others get the single call's 503."""
    monkeypatch.setattr(service, "RENDER_QUEUE", 1)
    client = await make_client()
    await _batch(client, _entries("cached"))
    renders.gate.clear()
    other = asyncio.create_task(drawn(client, "barcode", product_code="A-1"))
    await until(lambda: renders.counts["A-1"] == 1)
    cached, refused = await _batch(client, _entries("cached", "new"))
    single = await client.post("/api/codes/barcode", json={"product_code": "new"})
    assert cached["success"] is True
    assert (single.status, refused) == (503, {**await single.json(), "status": 503})
    renders.gate.set()
    await other


async def test_one_group_of_all_batches_of_a_client_is_rendered_at_a_time(
    client: Client, renders: WatchedRenders, until: Any
) -> None:
    """However many batches a client sends at once, a code of another client waits for sixteen codes of them."""
    renders.gate.clear()
    batches = [
        asyncio.create_task(_batch(client, _entries(*(f"{batch}-{number}" for number in range(20)))))
        for batch in range(5)
    ]
    await until(
        lambda: client.app[ADMISSION].in_flight == len(batches) and client.app[SERVICE].renderer.under_way >= 16
    )
    for _ in range(30):  # turns in which the other batches could begin
        await client.get("/health")
    assert client.app[SERVICE].renderer.under_way == 16
    renders.gate.set()
    assert [len(answered) for answered in await asyncio.gather(*batches)] == [20] * 5


async def test_an_entry_that_fails_spoils_no_other(client: Client, renders: WatchedRenders) -> None:
    """An unexpected failure of a render (forced here) is a GENERATION_ERROR of that entry only."""
    renders.failing = "N-1"
    answered = await _batch(client, _many(20))
    assert [number for number, entry in enumerate(answered) if "error" in entry] == [1]
    single = await client.post("/api/codes/barcode", json={"product_code": "N-1", "width": 1, "height": 10})
    assert (single.status, answered[1]) == (500, {**await single.json(), "status": 500})


async def test_others_are_answered_while_a_batch_waits(client: Client, renders: WatchedRenders, until: Any) -> None:
    """While every render of a batch is blocked, health and a cached code respond."""
    await drawn(client, "barcode", product_code="cached")
    renders.gate.clear()
    waiting = asyncio.create_task(_batch(client, _many()))
    await until(lambda: sum(renders.counts.values()) > 1)
    assert (await client.get("/health")).status == 200
    await drawn(client, "barcode", product_code="cached")
    assert not waiting.done()
    renders.gate.set()
    assert len(await waiting) == MOST


@pytest.mark.parametrize("change", [{}, {"format": "CODE12"}, {"product_code": "cached"}])
async def test_the_loop_turns_after_every_entry(
    client: Client, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    """Uncached, refused or cached: the loop turns between two entries, so that 16 are not one long pause.

    The reading of entries is wrapped (and still runs), because only timings would show it from outside.
    """
    turns, read_at = 0, []

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def watched(model: type[Model], value: object) -> Model:
        read_at.append(turns)
        return validated(model, value)

    monkeypatch.setattr(code_batch, "validated", watched)
    await drawn(client, "barcode", product_code="cached")
    turning = asyncio.create_task(turn())
    await _batch(client, {"requests": [entry | change for entry in _many()["requests"]]})
    turning.cancel()
    assert len(set(read_at)) == MOST


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_leaves_no_task_behind(
    client: Client, renders: WatchedRenders, until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Renders that have begun finish, the many others never begin, and no error is logged."""
    assert (await client.get("/health")).status == 200
    before = asyncio.all_tasks()
    renders.gate.clear()
    leaving = await _sent_batch(client, _many())
    await until(lambda: bool(renders.counts))
    leaving.transport.abort()
    assert (await client.get("/health")).status == 200
    renders.gate.set()
    await until(lambda: not asyncio.all_tasks() - before and client.app[SERVICE].renderer.under_way == 0)
    assert sum(renders.counts.values()) < 40
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert len(await _batch(client, _many(20))) == 20


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_at_any_moment_spoils_nothing(client: Client, until: Any) -> None:
    """Aborted after any number of turns of the loop, batches end, and the next one is complete."""
    await client.get("/health")
    before = asyncio.all_tasks()
    for number in range(30):
        leaving = await _sent_batch(client, _many())
        for _ in range(number * 5):
            await asyncio.sleep(0)
        leaving.transport.abort()
    await until(lambda: not asyncio.all_tasks() - before)
    assert [entry.get("message") for entry in await _batch(client, _many())] == [None] * MOST

"""Turns for long work: forty long requests that arrive together start one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count

import pytest
from aiohttp import ClientResponse

from barcodesvc.api.keys import WORK_TURNS
from barcodesvc.runtime.work_turns import FEW_ENTRIES, MOST_PIECES, PIECE_AFTER, SHORT, WorkTurns
from tests.conftest import Client
from tests.sweeps import sweep

LONG_TEXT = "x" * SHORT


async def begun_in_each_turn(turns: WorkTurns, piece: Callable[[], None] = lambda: None) -> list[int]:
    """Return how many of forty pieces of work begin in each turn of the loop that begins any; they begin in order."""
    begun: list[int] = []

    async def work(number: int) -> None:
        await turns.take()
        piece()
        begun.append(number)

    tasks, found = [asyncio.create_task(work(number)) for number in range(40)], []
    while len(begun) < len(tasks):
        before = len(begun)
        await asyncio.sleep(0)
        found.append(len(begun) - before)
    assert begun == [*range(40)]
    return [number for number in found if number]


async def test_each_turn_of_the_loop_begins_one_piece_of_work() -> None:
    """So other requests have their turns in between."""
    assert await begun_in_each_turn(WorkTurns(lambda: 0.0)) == [1] * 40


@pytest.mark.parametrize(("seconds", "pieces"), [(0.5, 1), (1.5, 2), (3.5, 4), (1000.0, MOST_PIECES)])
async def test_a_late_turn_begins_more_pieces_of_work(seconds: float, pieces: int) -> None:
    """Otherwise a flood of other requests, which makes turns long, would let the work wait until it is over."""
    now = count(0.0, seconds * PIECE_AFTER)
    assert await begun_in_each_turn(WorkTurns(now.__next__)) == [pieces] * (40 // pieces)


async def test_long_pieces_of_work_make_no_turn_late() -> None:
    """Only the time of other requests counts: pieces that made their own turns longer would let those wait."""
    now = 0.0

    def piece() -> None:
        nonlocal now
        now += 2 * PIECE_AFTER

    assert await begun_in_each_turn(WorkTurns(lambda: now), piece) == [1] * 40


async def test_work_that_is_given_up_takes_no_turn() -> None:
    """What waits behind it continues."""
    turns = WorkTurns(lambda: 0.0)
    given_up, waiting = asyncio.create_task(turns.take()), asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    given_up.cancel()
    async with asyncio.timeout(1):
        await waiting
        await turns.take()


@pytest.fixture
async def stock(client: Client) -> Client:
    """Return a client of a service with more products and changes than a list may have without a turn."""
    for number in range(FEW_ENTRIES + 1):
        product = {"product_code": f"A-{number}", "description": "x", "initial_level": 1}
        assert (await client.post("/api/products", json=product)).status == 201
        assert (await client.put("/api/inventory/1", json={"new_level": number})).status == 200
    return client


LONG = {
    "parameters": ("GET", "/api/products?" + "a&" * SHORT, None, 400),
    "segments": ("GET", "/api/" + "a/" * SHORT, None, 404),
    "letters of a search": ("GET", f"/api/products?search={'b' * 500}", None, 200),
    "fields": ("POST", "/api/products", {f"x{number}": 1 for number in range(SHORT // 4)}, 400),
    "letters of a text": ("POST", "/api/codes/decode", {"code_data": LONG_TEXT}, 404),
}


@sweep(("method", "path", "body", "status"), LONG.values())
async def test_a_long_request_waits_for_its_turn(
    client: Client, method: str, path: str, body: object, status: int
) -> None:
    """It starts after those before it have had their turns."""
    assert await status_behind_others(client, client.request(method, path, json=body)) == status


@sweep(
    "path",
    [
        "/api/products?limit=500",
        "/api/products?limit=500&include_levels=true",
        "/api/inventory?limit=500",
        "/api/inventory/1/history?limit=500",
        "/api/inventory/changes?limit=500",
    ],
)
async def test_a_long_list_waits_for_its_turn(stock: Client, path: str) -> None:
    """It is serialised to JSON after those before it have had their turns."""
    assert await status_behind_others(stock, stock.get(path)) == 200


async def status_behind_others(client: Client, asking: Awaitable[ClientResponse]) -> int:
    """Return the status of a request that has to wait for many turns of others."""
    turns = client.app[WORK_TURNS]
    others = [asyncio.create_task(turns.take()) for _ in range(5000)]
    await asyncio.sleep(0)
    status = (await asking).status
    assert all(other.done() for other in others)
    return status

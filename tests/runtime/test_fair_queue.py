"""Fair queueing: which client gets the next place, which has to give one up, and which is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from barcodesvc.errors import GenerationFailure, RenderOverload
from barcodesvc.runtime.fair_queue import FairQueue, Turn

Until = Callable[[Callable[[], bool]], Awaitable[None]]
PATIENT = 60.0
BRIEF = 0.02


def queue_of(places: int, waiting: int = 10, slice_seconds: float = PATIENT) -> FairQueue:
    """Return a queue; turns with a place keep it, unless the test overrides it."""
    return FairQueue(places, waiting, lambda: RenderOverload("too many"), slice_seconds)


def entered(queue: FairQueue, clients: str) -> list[Turn]:
    """Return turns of clients with one-letter names, all of which are still wanted."""
    return [queue.enter(client, lambda: True) for client in clients]


def begun(turns: list[Turn]) -> str:
    """Return the clients of the turns with a place."""
    return "".join(turn.client for turn in turns if turn.begins.done())


def in_order(queue: FairQueue, turns: list[Turn]) -> str:
    """Return the clients in the order in which they get the only place."""
    order = ""
    while turns:
        [turn] = [turn for turn in turns if turn.begins.done()]
        order += turn.client
        turns.remove(turn)
        queue.leave(turn)
    return order


async def test_a_place_is_free_again_when_a_turn_leaves() -> None:
    """As many turns as there are places have one; the next one waits."""
    queue = queue_of(2)
    turns = entered(queue, "aaa")
    assert (begun(turns), queue.used) == ("aa", 3)
    queue.leave(turns[0])
    await asyncio.wait_for(turns[2].place(), 1)
    assert queue.used == 2


async def test_the_longest_wait_is_first() -> None:
    """Clients that hold as many places get the next one in the order in which they came."""
    queue = queue_of(1)
    assert in_order(queue, entered(queue, "abcab")) == "abcab"


async def test_a_place_goes_to_the_client_that_holds_the_fewest() -> None:
    """So none holds more than half of them while others wait."""
    queue = queue_of(4)
    turns = entered(queue, "aaaaaaaabb")
    queue.leave(turns[0])
    queue.leave(turns[1])
    assert begun(turns[2:]) == "aabb"


async def test_a_slice_that_is_over_is_asked_back_while_others_wait() -> None:
    """Long work keeps its place unless other clients wait."""
    queue = queue_of(2, slice_seconds=BRIEF)
    turns = entered(queue, "aaa")
    for turn in turns[:2]:
        queue.start_slice(turn)
    await asyncio.sleep(3 * BRIEF)
    assert not turns[1].must_yield
    entered(queue, "b")
    assert turns[1].must_yield


async def test_a_slice_begins_when_the_work_is_ready(until: Until) -> None:
    """Until then the place is not requested back; the slice ends by itself if others already wait."""
    queue = queue_of(2, slice_seconds=BRIEF)
    [first, later, _] = entered(queue, "aab")
    queue.start_slice(first)
    await asyncio.sleep(3 * BRIEF)
    assert not later.must_yield
    queue.start_slice(later)
    assert not later.must_yield
    await until(lambda: later.must_yield)


async def test_no_more_is_asked_back_than_others_need(until: Until) -> None:
    """The latest work is first, and the oldest keeps a quarter of the places, however long it takes."""
    queue = queue_of(4, slice_seconds=BRIEF)
    turns = entered(queue, "aaaaab")
    for turn in turns[:4]:
        queue.start_slice(turn)
    await until(lambda: any(turn.must_yield for turn in turns))
    assert [turn.must_yield for turn in turns[:4]] == [False, False, False, True]
    entered(queue, "cccc")
    assert [turn.must_yield for turn in turns[:4]] == [False, True, True, True]


async def test_the_only_place_is_never_asked_back() -> None:
    """Otherwise long work would never end."""
    queue = queue_of(1, slice_seconds=BRIEF)
    [first, _] = entered(queue, "ab")
    queue.start_slice(first)
    await asyncio.sleep(3 * BRIEF)
    assert not first.must_yield


async def yielding(queue: FairQueue, turn: Turn, until: Until) -> None:
    """Use the slice of a turn, and yield its place once it must; a turn before it stays."""
    queue.start_slice(turn)
    await until(lambda: turn.must_yield)
    queue.wait_again(turn)


async def test_who_gives_a_place_up_waits_for_another(until: Until) -> None:
    """It is behind new work, and gets the next place that is for long work."""
    queue = queue_of(2, slice_seconds=BRIEF)
    [first, second, third] = entered(queue, "abc")
    queue.start_slice(first)
    await yielding(queue, second, until)
    assert (second.must_yield, second.begins.done(), third.begins.done()) == (False, False, True)
    [later] = entered(queue, "d")
    queue.leave(first)
    assert (second.begins.done(), later.begins.done()) == (True, False)


async def test_who_has_given_a_place_up_keeps_the_next(until: Until) -> None:
    """Long work would otherwise never end among new work."""
    queue = queue_of(2, slice_seconds=BRIEF)
    [first, long, new] = entered(queue, "abc")
    queue.start_slice(first)
    await yielding(queue, long, until)
    queue.leave(first)
    for turn in (long, new):
        queue.start_slice(turn)
    entered(queue, "def")
    await until(lambda: new.must_yield)
    assert not long.must_yield


async def test_a_client_whose_work_has_yielded_is_behind_others(until: Until) -> None:
    """Its next image waits for the first one of a client that comes later."""
    queue = queue_of(2, slice_seconds=BRIEF)
    [first, second, third] = entered(queue, "abb")
    queue.start_slice(first)
    [other] = entered(queue, "c")
    await yielding(queue, second, until)
    assert (other.begins.done(), third.begins.done()) == (True, False)


async def test_other_places_are_free_for_new_work(until: Until) -> None:
    """Work that has yielded takes only those for long work, so that new work never waits for long work to end."""
    queue = queue_of(2, slice_seconds=BRIEF)
    [first, second, third] = entered(queue, "abc")
    queue.start_slice(first)
    await yielding(queue, second, until)
    [fourth] = entered(queue, "d")
    await yielding(queue, third, until)
    for turn in (first, fourth):
        queue.leave(turn)
    assert begun([second, third]) == "b"
    assert begun(entered(queue, "e")) == "e"
    queue.leave(second)
    assert third.begins.done()


async def test_who_is_gone_is_passed_over() -> None:
    """It gets no place, and its room is released at the next check."""
    queue = queue_of(1)
    [first] = entered(queue, "a")
    gone = queue.enter("b", lambda: False)
    [last] = entered(queue, "c")
    queue.leave(first)
    assert last.begins.done()
    with pytest.raises(GenerationFailure):
        await gone.place()
    assert queue.used == 1


async def test_as_many_wait_as_may() -> None:
    """The next one of the same client is refused at once."""
    queue = queue_of(1, waiting=2)
    entered(queue, "aa")
    queue.require("a")
    entered(queue, "a")
    with pytest.raises(RenderOverload):
        queue.require("a")
    with pytest.raises(RenderOverload):
        entered(queue, "a")


async def test_the_client_with_most_makes_room() -> None:
    """Its latest turn is refused, and it never loses more than the others have."""
    queue = queue_of(1, waiting=4)
    turns = entered(queue, "aaaaa")
    queue.require("b")
    turns += entered(queue, "b")
    with pytest.raises(RenderOverload):
        await turns[4].place()
    turns += entered(queue, "b")
    with pytest.raises(RenderOverload):
        entered(queue, "b")
    turns += entered(queue, "c")
    assert queue.used == queue.most == 5


async def test_who_is_gone_makes_room_first() -> None:
    """No turn is refused for the sake of abandoned ones."""
    queue = queue_of(1, waiting=2)
    [first] = entered(queue, "a")
    gone = [queue.enter("a", lambda: False) for _ in range(2)]
    [later] = entered(queue, "a")
    queue.leave(first)
    assert later.begins.done()
    for turn in gone:
        with pytest.raises(GenerationFailure):
            await turn.place()


async def test_who_is_cancelled_leaves_nothing_behind() -> None:
    """Waiting for a place may be cancelled, and the next turn gets the place."""
    queue = queue_of(1)
    [first, second, third] = entered(queue, "abc")
    waiting = asyncio.ensure_future(second.place())
    await asyncio.sleep(0)
    waiting.cancel()
    queue.leave(first)
    await asyncio.wait([waiting])
    queue.leave(second)
    await asyncio.wait_for(third.place(), 1)

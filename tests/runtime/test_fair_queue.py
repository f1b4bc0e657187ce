"""Fair queueing: which client gets the next place, which has to give one up, and which is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from barcodesvc.errors import GenerationFailure, RenderOverload
from barcodesvc.runtime.fair_queue import FairQueue, Slices, Turn

Until = Callable[[Callable[[], bool]], Awaitable[None]]
PATIENT = 60.0
BRIEF = 0.02


def queue_of(
    places: int, waiting: int = 10, slice_seconds: float = PATIENT, most_kept: int = 0, for_first_slices: int = 0
) -> FairQueue:
    """Return a queue; turns with a place keep it, unless the test overrides it."""
    slices = Slices(slice_seconds, most_kept, for_first_slices)
    return FairQueue(places, waiting, lambda: RenderOverload("too many"), slices)


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


async def test_clients_take_turns() -> None:
    """A client with one image waits for one image of each other client, however many those have sent."""
    queue = queue_of(1)
    assert in_order(queue, entered(queue, "aaaabbbc")) == "abcababa"


async def test_a_client_whose_work_is_brief_comes_early() -> None:
    """It waits for the turn in progress, and precedes the later ones of a client that sends many."""
    queue = queue_of(1)
    turns = entered(queue, "abbbb")
    queue.leave(turns.pop(0))
    assert in_order(queue, [*turns, *entered(queue, "a")]) == "babbb"


async def test_a_place_goes_to_the_client_that_holds_the_fewest() -> None:
    """So none holds more than half of them while others wait."""
    queue = queue_of(4)
    turns = entered(queue, "aaaaaaaabb")
    queue.leave(turns[0])
    queue.leave(turns[1])
    assert begun(turns[2:]) == "aabb"


async def test_a_slice_that_is_over_is_asked_back_while_others_wait() -> None:
    """Long work keeps its place unless other clients wait."""
    queue = queue_of(1, slice_seconds=BRIEF)
    [first, _] = entered(queue, "aa")
    queue.start_slice(first)
    await asyncio.sleep(3 * BRIEF)
    assert not first.must_yield
    entered(queue, "b")
    assert first.must_yield


async def test_a_slice_begins_when_the_work_is_ready(until: Until) -> None:
    """Until then the place is not requested back; the slice ends by itself if others already wait."""
    queue = queue_of(1, slice_seconds=BRIEF)
    [first, _] = entered(queue, "ab")
    await asyncio.sleep(3 * BRIEF)
    assert not first.must_yield
    queue.start_slice(first)
    assert not first.must_yield
    await until(lambda: first.must_yield)


async def test_no_more_is_asked_back_than_others_need(until: Until) -> None:
    """The latest is first; each client keeps its share, however long its work takes."""
    queue = queue_of(4, slice_seconds=BRIEF, most_kept=2)
    turns = entered(queue, "aaaab")
    for turn in turns[:4]:
        queue.start_slice(turn)
    await until(lambda: any(turn.must_yield for turn in turns))
    assert [turn.must_yield for turn in turns] == [False, False, False, True, False]
    entered(queue, "ccc")
    assert [turn.must_yield for turn in turns] == [False, False, True, True, False]


async def test_who_gives_a_place_up_waits_for_another(until: Until) -> None:
    """Its next slice is twice as long, so that it eventually finishes."""
    queue = queue_of(1, slice_seconds=BRIEF)
    [first, other] = entered(queue, "ab")
    queue.start_slice(first)
    await until(lambda: first.must_yield)
    queue.wait_again(first)
    assert (first.must_yield, first.begins.done(), other.begins.done()) == (False, False, True)
    queue.leave(other)
    assert first.begins.done()
    assert first.slice_seconds == 2 * BRIEF


async def test_a_client_pays_for_what_it_has_had(until: Until) -> None:
    """A client after a long slice comes after clients with short ones, however many those were."""
    queue = queue_of(1, slice_seconds=BRIEF)
    [first, other] = entered(queue, "ab")
    queue.start_slice(first)
    await until(lambda: first.must_yield)
    queue.wait_again(first)
    for _ in range(3):
        queue.start_slice(other)
        [again] = entered(queue, "b")
        queue.leave(other)
        other = again
        assert other.begins.done()


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


async def test_a_place_for_first_slices_is_free_for_new_work() -> None:
    """Work after its first slice does not use it, so that new work never waits for a long slice."""
    queue = queue_of(2, slice_seconds=BRIEF, for_first_slices=1)
    turns = entered(queue, "ab")
    for turn in turns:
        queue.wait_again(turn)
    assert begun(turns) == "a"
    assert begun(entered(queue, "c")) == "c"
    queue.leave(turns[0])
    assert begun(turns) == "ab"

"""Fair queueing: which client gets the next place, which has to give one up, and which is refused."""

import asyncio
from contextlib import ExitStack, suppress

import pytest

from barcodesvc.errors import RenderOverload
from barcodesvc.runtime.fair_queue import FairQueue, Turn
from tests.fixture_types import Until

BRIEF = 0.02


class Clients:
    """Clients with one-letter names, and their turns in a queue."""

    def __init__(self, places: int, waiting: int = 10, slice_seconds: float = BRIEF) -> None:
        self.queue = FairQueue(places, waiting, lambda: RenderOverload("too many"), slice_seconds)
        self._held: dict[Turn, ExitStack] = {}

    def enter(self, clients: str) -> list[Turn]:
        """Return new turns of these clients."""
        return [self._entered(client) for client in clients]

    def leave(self, turn: Turn) -> None:
        """End a turn."""
        self._held.pop(turn).close()

    def _entered(self, client: str) -> Turn:
        held = ExitStack()
        turn = held.enter_context(self.queue.turn(client))
        self._held[turn] = held
        return turn


def begun(turns: list[Turn]) -> str:
    """Return the clients of the turns with a place."""
    return "".join(turn.client for turn in turns if turn.place.is_set())


async def test_a_place_is_free_again_when_a_turn_leaves() -> None:
    """As many turns as there are places have one; the next one waits."""
    clients = Clients(2)
    turns = clients.enter("abc")
    assert begun(turns) == "ab"
    clients.leave(turns[0])
    await asyncio.wait_for(turns[2].place.wait(), 1)
    assert clients.queue.room.used == 2


async def test_the_longest_wait_is_first() -> None:
    """Clients that have as much begun get the next place in the order in which they came."""
    clients, order = Clients(1), ""
    turns = clients.enter("abcab")
    while turns:
        [turn] = [turn for turn in turns if turn.place.is_set()]
        order += turn.client
        turns.remove(turn)
        clients.leave(turn)
    assert order == "abcab"


async def test_no_client_has_more_than_half_of_the_places() -> None:
    """The others stay free, however many turns of it wait."""
    clients = Clients(4)
    turns = clients.enter("aaab")
    assert begun(turns) == "aab"
    clients.leave(turns[0])
    assert begun(turns[1:]) == "aab"


async def test_a_place_goes_to_the_client_that_has_begun_least() -> None:
    """A client that comes later is before the further turns of others."""
    clients = Clients(4)
    turns = clients.enter("aabbabc")
    clients.leave(turns[0])
    assert begun(turns[4:]) == "c"


async def test_long_work_beyond_half_of_the_places_must_yield(until: Until) -> None:
    """Work whose slice has ended stays as long as a place for long work is free."""
    clients = Clients(4)
    turns = clients.enter("aabb")
    for turn in turns:
        clients.queue.start_slice(turn)
    await until(lambda: all(turn.is_long for turn in turns))
    assert [turn.must_yield for turn in turns] == [False, False, True, True]


async def test_a_slice_begins_when_the_work_is_ready(until: Until) -> None:
    """Until then the work is not long."""
    clients = Clients(2)
    [ready, unready] = clients.enter("ab")
    clients.queue.start_slice(ready)
    await until(lambda: ready.is_long)
    assert not unready.is_long


async def yielding(clients: Clients, turn: Turn, until: Until) -> None:
    """Use the slice of a turn, and yield its place."""
    clients.queue.start_slice(turn)
    await until(lambda: turn.must_yield)
    clients.queue.wait_again(turn)


async def test_who_gives_a_place_up_waits_for_one_for_long_work(until: Until) -> None:
    """New work gets the others, so that it never waits for long work to end."""
    clients = Clients(2)
    [first, second] = clients.enter("ab")
    clients.queue.start_slice(first)
    await yielding(clients, second, until)
    assert (begun([second]), begun(clients.enter("c"))) == ("", "c")
    clients.leave(first)
    assert (begun([second]), second.must_yield) == ("b", False)


async def test_who_has_given_a_place_up_keeps_the_next(until: Until) -> None:
    """Long work would otherwise never end among new work."""
    clients = Clients(2)
    [first, long] = clients.enter("ab")
    clients.queue.start_slice(first)
    await yielding(clients, long, until)
    clients.leave(first)
    [new] = clients.enter("c")
    for turn in (long, new):
        clients.queue.start_slice(turn)
    await until(lambda: new.must_yield)
    assert not long.must_yield


async def test_a_client_whose_work_has_yielded_is_behind_others(until: Until) -> None:
    """Its next turn waits for the first one of a client that comes later."""
    clients = Clients(2)
    [first, second, third, other] = clients.enter("abbc")
    clients.queue.start_slice(first)
    await yielding(clients, second, until)
    assert begun([third, other]) == "c"


async def test_as_many_wait_as_may() -> None:
    """A client has at most half of the room, and its next turn is refused at once; other clients have the rest."""
    clients = Clients(1, waiting=5)
    clients.enter("aaa")
    with pytest.raises(RenderOverload):
        clients.enter("a")
    clients.enter("bbc")
    with pytest.raises(RenderOverload):
        clients.enter("d")


async def test_who_is_cancelled_leaves_nothing_behind() -> None:
    """Waiting for a place may be cancelled, and the next turn gets the place."""
    clients = Clients(1)
    [first] = clients.enter("a")

    async def wait() -> None:
        with clients.queue.turn("b") as turn:
            await turn.place.wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    [last] = clients.enter("c")
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    clients.leave(first)
    assert begun([last]) == "c"

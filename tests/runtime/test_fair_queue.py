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

    def __init__(self, places: int, waiting: int = 10) -> None:
        self.queue = FairQueue(places, waiting, lambda: RenderOverload("too many"), BRIEF)
        self._held: dict[Turn, ExitStack] = {}

    def enter(self, clients: str) -> list[Turn]:
        """Return new turns of these clients."""
        turns = []
        for client in clients:
            held = ExitStack()
            turns.append(held.enter_context(self.queue.turn(client)))
            self._held[turns[-1]] = held
        return turns

    def leave(self, turn: Turn) -> None:
        """End a turn."""
        self._held.pop(turn).close()


def begun(turns: list[Turn]) -> str:
    """Return the clients of the turns with a place."""
    return "".join(turn.client for turn in turns if turn.place.is_set())


@pytest.mark.parametrize(
    ("places", "clients", "before", "after"),
    [
        (2, "abc", "ab", "bc"),
        (4, "aaab", "aab", "aab"),
        (4, "aabbabc", "aabb", "abbc"),
    ],
    ids=["the longest wait is first", "no client has more than half", "who has begun least is first"],
)
async def test_a_place_goes_to_the_next_when_a_turn_leaves(places: int, clients: str, before: str, after: str) -> None:
    """When the first one leaves, whose client may have another."""
    queue = Clients(places)
    turns = queue.enter(clients)
    assert begun(turns) == before
    queue.leave(turns[0])
    assert begun(turns[1:]) == after
    assert queue.queue.room.used == len(turns) - 1


async def test_clients_that_have_as_much_begun_take_turns_in_the_order_of_their_coming() -> None:
    """With a single place, one after the other."""
    clients, order = Clients(1), ""
    turns = clients.enter("abcab")
    while turns:
        [turn] = [turn for turn in turns if turn.place.is_set()]
        order += turn.client
        turns.remove(turn)
        clients.leave(turn)
    assert order == "abcab"


async def test_long_work_beyond_half_of_the_places_must_yield(until: Until) -> None:
    """Work whose slice has ended stays as long as a place for long work is free; a slice begins when it is ready."""
    clients = Clients(4)
    turns = clients.enter("aabb")
    for turn in turns[:3]:
        clients.queue.start_slice(turn)
    await until(lambda: all(turn.is_long for turn in turns[:3]))
    assert [turn.must_yield for turn in turns] == [False, False, True, False]
    assert not turns[3].is_long


async def yielding(clients: Clients, turn: Turn, until: Until) -> None:
    """Use the slice of a turn, and yield its place."""
    clients.queue.start_slice(turn)
    await until(lambda: turn.must_yield)
    clients.queue.wait_again(turn)


async def test_who_gives_a_place_up_waits_for_one_for_long_work_and_keeps_it(until: Until) -> None:
    """New work gets the others, so that it never waits for long work to end, which ends among new work all the same."""
    clients = Clients(2)
    [first, long] = clients.enter("ab")
    clients.queue.start_slice(first)
    await yielding(clients, long, until)
    [new] = clients.enter("c")
    assert (begun([long]), begun([new])) == ("", "c")
    clients.leave(first)
    assert begun([long]) == "b"
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

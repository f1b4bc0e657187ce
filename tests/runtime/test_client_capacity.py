from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from barcodesvc.errors import ExportOverload, UploadOverload
from barcodesvc.runtime.client_capacity import LEAST_BYTES, SLOW_AFTER, ClientCapacity, ClientPace, Loss
from tests.conftest import StandingClock


@dataclass
class Response:
    """The number of bytes of a response that its client has not read yet."""

    untaken: int = 0


@dataclass
class Clients:
    """A factory of clients of one capacity, with a clock that a test sets."""

    clock: StandingClock
    capacity: ClientCapacity
    ends: ExitStack

    def pace(self, untaken: Callable[[], int] = lambda: 0, client: str = "one") -> ClientPace:
        """Return the pace of a client that holds nothing."""
        return ClientPace(client, lambda: self.clock.now, lambda loss: UploadOverload(f"lost: {loss}"), untaken)

    def holding(self, units: int = 1, client: str = "one") -> ClientPace:
        """Return the pace of a client that holds units until the end of the test."""
        pace = self.pace(client=client)
        self.ends.enter_context(self.capacity.held_by(pace, units))
        return pace


@pytest.fixture
def clients(standing_clock: StandingClock) -> Iterator[Clients]:
    """Return clients of a capacity of three units."""
    capacity = ClientCapacity(3, lambda: ExportOverload("full"))
    with ExitStack() as ends:
        yield Clients(standing_clock, capacity, ends)
    assert capacity.free == 3


async def wait(pace: ClientPace, begun: asyncio.Event) -> None:
    """Wait for a client that moves nothing."""
    async with pace.waiting():
        begun.set()
        await asyncio.Event().wait()


async def waited_for(pace: ClientPace) -> asyncio.Task[None]:
    """Return a wait for a client that moves nothing, once it has begun."""
    begun = asyncio.Event()
    waiting = asyncio.create_task(wait(pace, begun))
    await begun.wait()
    return waiting


async def test_a_slow_client_loses_its_units_to_another_one(clients: Clients) -> None:
    """Its wait ends with its refusal, and the other client gets the units at once."""
    slow = await waited_for(clients.holding(3))
    clients.clock.advance(SLOW_AFTER)
    clients.holding(2)
    assert clients.capacity.free == 1
    with pytest.raises(UploadOverload, match="lost: slow"):
        await slow


async def test_a_client_is_not_slow_before_its_time(clients: Clients) -> None:
    """The other client is refused until then, and the wait continues."""
    slow = await waited_for(clients.holding(3))
    clients.clock.advance(SLOW_AFTER - 0.1)
    with pytest.raises(ExportOverload, match="full"):
        clients.holding()
    assert not slow.done()
    slow.cancel()


async def test_units_are_taken_from_slow_clients_only(clients: Clients) -> None:
    """Of three clients, the two that move too little lose theirs, those first that have held them longest."""
    slow, quick, slower = (clients.holding() for _ in range(3))
    waits = [await waited_for(pace) for pace in (slow, quick, slower)]
    clients.clock.advance(SLOW_AFTER)
    quick.moved(LEAST_BYTES)
    clients.holding()
    assert (slow.lost, quick.lost, slower.lost) == (Loss.SLOW, None, None)
    clients.holding()
    assert (quick.lost, slower.lost) == (None, Loss.SLOW)
    with pytest.raises(ExportOverload):
        clients.holding()
    for waiting in waits:
        waiting.cancel()


async def test_a_client_keeps_its_units_while_no_other_asks(clients: Clients) -> None:
    """However slow it is, free units are used first."""
    slow = clients.holding(2)
    waiting = await waited_for(slow)
    clients.clock.advance(1000)
    clients.holding()
    assert slow.lost is None
    waiting.cancel()


async def test_the_time_of_the_service_is_not_the_clients(clients: Clients) -> None:
    """Only the waits for the client count, and they add up."""
    pace = clients.holding(3)
    for _ in range(2):
        async with pace.waiting():
            clients.clock.advance(SLOW_AFTER / 2 - 0.1)
        clients.clock.advance(1000)
        assert not pace.is_slow()
    async with pace.waiting():
        assert not pace.is_slow()
        clients.clock.advance(0.2)
        assert pace.is_slow()


@pytest.mark.parametrize(("moved", "is_slow"), [(LEAST_BYTES - 1, True), (LEAST_BYTES, False)])
async def test_enough_bytes_begin_the_time_anew(clients: Clients, *, moved: int, is_slow: bool) -> None:
    """A client that moves enough in each three seconds is never slow, however long it takes."""
    pace = clients.pace()
    async with pace.waiting():
        clients.clock.advance(SLOW_AFTER - 0.1)
        pace.moved(moved)
        clients.clock.advance(0.1)
        assert pace.is_slow() is is_slow


@pytest.mark.parametrize(("untaken", "is_slow"), [(1001, True), (1000, False)])
async def test_a_client_takes_what_it_has_no_longer_to_take(clients: Clients, *, untaken: int, is_slow: bool) -> None:
    """While a write waits, the unread rest of the response shows how much is read."""
    response = Response(untaken=1000)
    pace = clients.pace(lambda: response.untaken)
    async with pace.waiting(sending=LEAST_BYTES):
        response.untaken = untaken
        clients.clock.advance(SLOW_AFTER)
        assert pace.is_slow() is is_slow


async def test_what_is_taken_between_two_writes_counts(clients: Clients) -> None:
    """A client also reads while the service produces more."""
    response = Response()
    pace = clients.pace(lambda: response.untaken)
    async with pace.waiting(sending=LEAST_BYTES):
        response.untaken = LEAST_BYTES
        clients.clock.advance(SLOW_AFTER - 0.1)
    response.untaken = 0
    async with pace.waiting(sending=LEAST_BYTES):
        response.untaken = LEAST_BYTES
        clients.clock.advance(SLOW_AFTER - 0.1)
        assert not pace.is_slow()
        clients.clock.advance(0.1)
        assert pace.is_slow()


async def test_what_is_lost_just_as_the_wait_ends_is_lost(clients: Clients) -> None:
    """A client whose last bytes arrive in that moment does not continue with another client's units."""
    pace = clients.holding(3)

    async def lose() -> None:
        async with pace.waiting():
            clients.clock.advance(SLOW_AFTER)
            clients.holding()

    with pytest.raises(UploadOverload):
        await lose()


async def test_other_times_out_while_waiting_are_left_alone(clients: Clients) -> None:
    """An outer or inner timeout ends the wait as usual."""
    pace = clients.pace()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0), pace.waiting():
            await asyncio.sleep(1)
    with pytest.raises(TimeoutError):
        async with pace.waiting():
            raise TimeoutError


async def test_units_taken_on_the_way_are_given_back_once(clients: Clients) -> None:
    """This includes a client that takes more although it has lost its units."""

    async def lose() -> None:
        pace = clients.pace()
        with clients.capacity.held_by(pace, 0) as acquire:
            acquire(2)
            async with pace.waiting():
                clients.clock.advance(SLOW_AFTER)
                clients.holding(2)
                acquire(1)
                assert clients.capacity.free == 0

    with pytest.raises(UploadOverload):
        await lose()
    assert clients.capacity.free == 1


async def test_a_client_without_units_loses_nothing(clients: Clients) -> None:
    """A client that has just begun is not ended for units that it does not have."""
    pace = clients.holding(0)
    waiting = await waited_for(pace)
    clients.clock.advance(SLOW_AFTER)
    clients.holding(3)
    with pytest.raises(ExportOverload):
        clients.holding()
    assert pace.lost is None
    waiting.cancel()


async def test_a_client_with_more_than_half_loses_to_another(clients: Clients) -> None:
    """It loses those that it has held longest, its refusal says so, and it keeps half of the units, rounded up."""
    paces = [clients.holding() for _ in range(3)]
    waits = [await waited_for(pace) for pace in paces]
    clients.holding(client="other")
    assert [pace.lost for pace in paces] == [Loss.SHARE, None, None]
    with pytest.raises(UploadOverload, match="lost: share"):
        await waits[0]
    with pytest.raises(ExportOverload, match="full"):
        clients.holding(client="third")
    for waiting in waits[1:]:
        waiting.cancel()


async def test_a_client_alone_may_hold_everything(clients: Clients) -> None:
    """A further request from the same client is refused, and does not affect others."""
    paces = [clients.holding() for _ in range(3)]
    waits = [await waited_for(pace) for pace in paces]
    with pytest.raises(ExportOverload, match="full"):
        clients.holding()
    assert [pace.lost for pace in paces] == [None, None, None]
    for waiting in waits:
        waiting.cancel()


async def test_slow_holders_go_before_those_above_half(clients: Clients) -> None:
    """A client with more than half keeps its fast transfers as long as there is a slow one."""
    first, slow, last = (clients.holding() for _ in range(3))
    waits = [await waited_for(pace) for pace in (first, slow, last)]
    clients.clock.advance(SLOW_AFTER)
    first.moved(LEAST_BYTES)
    last.moved(LEAST_BYTES)
    clients.holding(client="other")
    assert (first.lost, slow.lost, last.lost) == (None, Loss.SLOW, None)
    for waiting in waits:
        waiting.cancel()


async def test_only_holders_that_are_waited_for_are_lost(clients: Clients) -> None:
    """Work of the service itself, such as an import whose file has arrived, keeps its units."""
    working = [clients.holding() for _ in range(2)]
    sending = clients.holding()
    waiting = await waited_for(sending)
    clients.holding(client="other")
    assert [pace.lost for pace in (*working, sending)] == [None, None, Loss.SHARE]
    with pytest.raises(ExportOverload, match="full"):
        clients.holding(client="other")
    waiting.cancel()


async def test_units_that_a_client_takes_on_the_way_count(clients: Clients) -> None:
    """A client that took its units gradually loses them as well."""
    pace = clients.pace()
    with clients.capacity.held_by(pace, 0) as acquire:
        acquire(1)
        acquire(2)
        waiting = await waited_for(pace)
        clients.holding(2, client="other")
        assert (pace.lost, clients.capacity.free) == (Loss.SHARE, 1)
    waiting.cancel()


async def test_units_that_were_given_back_do_not_count(clients: Clients) -> None:
    """A client that held everything, and released most of it, loses nothing."""
    with clients.capacity.held_by(clients.pace(), 2):
        pass
    pace = clients.holding()
    waiting = await waited_for(pace)
    clients.holding(client="second")
    clients.holding(client="third")
    with pytest.raises(ExportOverload, match="full"):
        clients.holding(client="fourth")
    assert pace.lost is None
    waiting.cancel()

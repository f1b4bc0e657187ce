import pytest

from barcodesvc.errors import ExportOverload
from barcodesvc.runtime.capacity import Capacity


@pytest.fixture
def capacity() -> Capacity:
    """Return ten units of exports."""
    return Capacity(10, lambda: ExportOverload("too many exports", retry_after=2))


def test_units_are_taken_and_given_back(capacity: Capacity) -> None:
    """Work that exceeds them is refused with the error of its kind, and takes none of the free units."""
    with capacity.held(6), capacity.held(0) as acquire:
        acquire(4)
        assert (capacity.used, capacity.free) == (10, 0)
        with pytest.raises(ExportOverload, match="too many exports") as refusal:
            acquire(1)
        assert refusal.value.headers == {"Retry-After": "2"}
        assert capacity.free == 0
    assert capacity.free == 10


def test_units_are_given_back_after_a_failure(capacity: Capacity) -> None:
    """However work ends, its units are free again, including those that it took on its way."""

    def fail() -> None:
        with capacity.held(1) as acquire:
            acquire(9)
            raise ConnectionError

    with pytest.raises(ConnectionError):
        fail()
    assert capacity.free == 10


def test_asking_takes_nothing(capacity: Capacity) -> None:
    """Work that would be refused can be rejected before any effort."""
    capacity.require_for(None, 10)
    capacity.acquire_for(None, 10)
    with pytest.raises(ExportOverload):
        capacity.require_for(None)
    capacity.release_of(None)
    capacity.require_for(None)
    assert capacity.used == 9


def test_no_client_has_more_than_half(capacity: Capacity) -> None:
    """Whatever one asks for, as much is left for others; the service's own work is no client's."""
    for _ in range(5):
        capacity.acquire_for("greedy")
    with pytest.raises(ExportOverload):
        capacity.acquire_for("greedy")
    capacity.acquire_for("other")
    for _ in range(4):
        capacity.acquire_for(None)
    with pytest.raises(ExportOverload):
        capacity.acquire_for("other")
    for client in ("greedy", "other", None):
        capacity.release_of(client)
    capacity.acquire_for("greedy")
    assert capacity.used == 8


def test_what_a_client_acquires_on_its_way_counts_too(capacity: Capacity) -> None:
    """All its work together has half of the units, and what has ended counts no longer."""
    with capacity.held(2, "sender"), capacity.held(0, "sender") as acquire:
        acquire(3)
        with pytest.raises(ExportOverload):
            acquire(1)
        with pytest.raises(ExportOverload), capacity.held(1, "sender"):
            pytest.fail("it has more than half")
        assert capacity.used == 5
    with capacity.held(5, "sender"):
        assert capacity.free == 5


def test_the_only_place_is_for_anyone() -> None:
    """Half is rounded up."""
    Capacity(1, lambda: ExportOverload("too many exports")).acquire_for("first")

from __future__ import annotations

import pytest

from barcodesvc.errors import ExportOverload
from barcodesvc.runtime.capacity import Capacity


@pytest.fixture
def capacity() -> Capacity:
    """Return ten units of exports."""
    return Capacity(10, lambda: ExportOverload("too many exports", retry_after=2))


def test_units_are_taken_and_given_back(capacity: Capacity) -> None:
    """What exceeds them is refused with the error of this kind of work, and takes nothing of what is free."""
    with capacity.held(6), capacity.held(0) as take:
        take(4)
        assert (capacity.used, capacity.free) == (10, 0)
        with pytest.raises(ExportOverload, match="too many exports") as refusal:
            take(1)
        assert refusal.value.headers == {"Retry-After": "2"}
        assert capacity.free == 0
    assert capacity.free == 10


def test_units_are_given_back_after_a_failure(capacity: Capacity) -> None:
    """However work ends, what it took is free again, what it took on its way too."""

    def fail() -> None:
        with capacity.held(1) as take:
            take(9)
            raise ConnectionError

    with pytest.raises(ConnectionError):
        fail()
    assert capacity.free == 10


def test_asking_takes_nothing(capacity: Capacity) -> None:
    """Work that would be refused can be turned away before anything goes into it."""
    capacity.require(10)
    capacity.take(10)
    with pytest.raises(ExportOverload):
        capacity.require()
    capacity.give_back()
    capacity.require()
    assert capacity.used == 9

import tracemalloc

import pytest
from hypothesis import given, strategies as st

from barcodesvc.codes.renderer import ENTRY_OVERHEAD, RenderCache
from barcodesvc.codes.rendering import QrKey, Rendering
from tests.properties import examples


def _key(number: int) -> QrKey:
    return QrKey(f"{number:064}", "M", 300)


def _rendering(size: int) -> Rendering:
    """Return a rendering of this weight, which is at least that of its empty JSON strings."""
    left = size - Rendering(b"", b"").weight
    return Rendering(b"s" * (left // 2), b"", ("w" * (left % 2),))


@examples(200, derandomize=True)
@given(st.integers(0, 20_000), st.lists(st.integers(1, 9), max_size=60))
def test_the_bound_holds_whatever_is_put(capacity: int, puts: list[int]) -> None:
    """The weight never exceeds the capacity and is the sum of the entries' weights."""
    cache = RenderCache(capacity)
    for number in puts:
        cache.put(_key(number), _rendering(700 * number))
        assert cache.weight <= capacity
    held = [number for number in set(puts) if cache.get(_key(number)) is not None]
    assert len(cache) == len(held)
    assert cache.weight == sum(700 * number + ENTRY_OVERHEAD for number in held)


def test_the_least_recently_used_goes_first() -> None:
    """Reading counts as use: of three entries the unread one is evicted."""
    cache = RenderCache(3 * (1000 + ENTRY_OVERHEAD))
    for number in (1, 2, 3):
        cache.put(_key(number), _rendering(1000))
    cache.get(_key(1))
    cache.put(_key(4), _rendering(1000))
    assert [number for number in (1, 2, 3, 4) if cache.get(_key(number))] == [1, 3, 4]


def test_what_is_too_heavy_is_not_kept() -> None:
    """An entry that exceeds the cache by itself evicts nothing."""
    cache = RenderCache(5000)
    cache.put(_key(1), _rendering(100))
    cache.put(_key(2), _rendering(5000 - ENTRY_OVERHEAD + 1))
    assert (cache.get(_key(1)) is None, cache.get(_key(2)) is None) == (False, True)
    cache.put(_key(3), _rendering(5000 - ENTRY_OVERHEAD))
    assert cache.get(_key(3)) is not None
    assert len(cache) == 1


@pytest.mark.parametrize("entries", [1000, 5500])
def test_an_entry_costs_no_more_than_it_weighs(entries: int) -> None:
    """The allowance covers key and bookkeeping, even right after the tables have grown.

    Nearly as much again is for memory that lies idle between objects under churn, which only resident memory shows.
    Since Python 3.12, objects are a little smaller than the allowance says.
    """
    tracemalloc.start()
    try:
        cache = RenderCache(1 << 30)
        for number in range(entries):
            cache.put(_key(number), Rendering(b"%d" % number, b"-%d" % number))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.42 * cache.weight < used <= 0.65 * cache.weight

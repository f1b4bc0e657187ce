from typing import Any

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import DatabaseOverload, ProductNotFound
from barcodesvc.store.engines import open_database
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.products import get_product_by_code
from tests.direct_sql import end_connections


async def test_the_time_of_a_read_includes_the_wait_for_its_connection(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the time that the caller waits, so that a pool that is too small shows."""
    now, seen = [100.0], list[float]()
    acquire = asyncpg.Pool.acquire

    def waiting(pool: Any, **options: Any) -> Any:
        now[0] += 5
        return acquire(pool, **options)

    async with open_database(place, observe=lambda _, seconds: seen.append(seconds)) as database:
        monkeypatch.setattr(asyncpg.Pool, "acquire", waiting)
        monkeypatch.setattr("barcodesvc.store.postgres.pool.perf_counter", lambda: now[0])
        seen.clear()
        with pytest.raises(ProductNotFound):
            await get_product_by_code(database, "A-1")
    assert seen == [5.0]


async def test_a_read_that_gets_no_connection_in_time_is_observed_once(place: ServerAddress) -> None:
    """A busy pool shows in the times, even if no read gets through."""
    seen: list[tuple[str, float]] = []
    limits = DatabaseLimits(connections=1, write_wait=0.05)
    async with open_database(place, limits=limits, observe=lambda *one: seen.append(one)) as database:
        seen.clear()
        async with database.snapshot():
            with pytest.raises(DatabaseOverload):
                await database.row("get_level", product_id=1)
    [(name, seconds)] = seen
    assert name == "get_level"
    assert seconds >= limits.write_wait


async def test_a_read_that_is_repeated_is_observed_once(place: ServerAddress) -> None:
    """Its time is that of all attempts together: the caller has waited once."""
    seen: list[str] = []
    async with open_database(place, observe=lambda name, _: seen.append(name)) as database:
        await database.row("get_level", product_id=1)
        end_connections(place)
        seen.clear()
        await database.row("get_level", product_id=1)
    assert seen == ["get_level"]

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from barcodesvc.errors import ProductNotFound
from barcodesvc.store.engines import open_database
from barcodesvc.store.products import get_product_by_code


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
        for module in ("database", "session"):
            monkeypatch.setattr(f"barcodesvc.store.postgres.{module}.perf_counter", lambda: now[0])
        seen.clear()
        with pytest.raises(ProductNotFound):
            await get_product_by_code(database, "A-1")
    assert seen == [5.0]

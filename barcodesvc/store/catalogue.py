"""Products with their levels, as they are exported: read in batches by key, never held as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator

from barcodesvc.store.database import Reader
from barcodesvc.store.inventory import BATCH
from barcodesvc.store.script import Row


async def exported_products(source: Reader) -> AsyncIterator[list[Row]]:
    """Yield each product as (code, description, category, unit, current, minimum, maximum level), in batches."""
    after = 0
    while batch := await source.rows("export_products", after=after, limit=BATCH):
        yield [row[1:] for row in batch]
        after = batch[-1][0]

"""Products that tests have in stock before they begin, and the levels that they find then."""

from __future__ import annotations

from collections.abc import Iterable

from barcodesvc.models import Level, ProductDraft
from barcodesvc.store import inventory
from barcodesvc.store.database import Database
from barcodesvc.store.products import insert_product
from barcodesvc.store.script import Script


def insert_all(drafts: Iterable[ProductDraft], now: str) -> Script[None]:
    """Insert products whose codes are known to be new."""
    for draft in drafts:
        yield from insert_product(draft, now)


async def levels_of_all(database: Database) -> list[Level]:
    """Return every inventory record, in the order of the products' ids."""
    async with database.snapshot() as snapshot:
        return [Level(*row) async for rows in inventory.LEVELS.many(snapshot) for row in rows]

"""Products and levels that tests create, change and read without the API."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from barcodesvc.made_codes import made_codes
from barcodesvc.models import Level, LevelAdjustment, LevelChange, LevelUpdate, Product, ProductChange, ProductDraft
from barcodesvc.product_codes import CodeDraft, FurtherCode
from barcodesvc.store import further_codes, inventory, movements, products
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KeyedRequest, Reply, once
from barcodesvc.store.lists import EVERY_PRODUCT
from barcodesvc.store.script import Script

NO_TIME = timedelta()
MADE_CODES = made_codes("P{n:05}")


def creation(draft: ProductDraft, now: str) -> Script[Product]:
    """Create a product without a key, as a part of a script; raises as `create`."""
    return products.create(KeyedRequest(draft, "", None, now, NO_TIME), MADE_CODES)


def insert_all(drafts: Iterable[ProductDraft], now: str) -> Script[None]:
    """Create products; raises as `create`."""
    for draft in drafts:
        yield from creation(draft, now)


async def create_product(database: Database, draft: ProductDraft, now: str) -> Product:
    """Create a product in a transaction; raises as `create`."""
    return await database.change(lambda: creation(draft, now))


async def change_product(database: Database, product_id: int, change: ProductChange, now: str) -> Product:
    """Change a product in a transaction; raises as `update`."""
    return await database.change(lambda: products.update(product_id, change, now))


async def add_code(database: Database, product_id: int, draft: CodeDraft, now: str) -> FurtherCode:
    """Give a product a further code in a transaction; raises as `add`."""
    return await database.change(lambda: further_codes.add(product_id, draft, now))


async def delete_product(database: Database, product_id: int) -> str:
    """Delete a product in a transaction; raises as `delete`."""
    return await database.change(lambda: products.delete(product_id))


async def set_level(database: Database, product_id: int, update: LevelUpdate, now: str) -> LevelChange:
    """Set the level in a transaction; raises as `movements.set_level`."""
    entry = movements.Entry(update.change_reason, update.updated_by, now)
    return await database.change(
        lambda: movements.set_level(product_id, update.new_level, entry, update.expected_level)
    )


async def adjust_level(
    database: Database, product_id: int, request: KeyedRequest[LevelAdjustment], body: Callable[[LevelChange], bytes]
) -> Reply:
    """Adjust the level once for each key; raises as `adjust` and `once`."""
    asked = request.asked
    entry = movements.Entry(asked.change_reason, asked.updated_by, request.now)
    adjust = partial(movements.adjust, product_id, asked.delta, entry)
    return await database.change(partial(once, request, adjust, body))


async def levels_of_all(database: Database) -> list[Level]:
    """Return every inventory record, in the order of the products' ids."""
    async with database.snapshot() as snapshot:
        return [Level(*row) async for rows in inventory.all_levels(EVERY_PRODUCT).stream(snapshot) for row in rows]


async def history(database: Database, product_id: int, **bounds: Any) -> list[LevelChange]:
    """Return the newest movements of a product, newest first."""
    return await movements.history(database, product_id, movements.MovementFilter(**{"limit": 1000, **bounds}))

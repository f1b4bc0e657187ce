"""The complete content of a database, on either engine, for tests of copies."""

import asyncio
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from barcodesvc.addresses import ServerAddress
from barcodesvc.models import LevelAdjustment, ProductChange, ProductDraft
from barcodesvc.product_codes import CodeDraft
from barcodesvc.store import saved, sessions, staging, unknown_scans
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest
from barcodesvc.store.made_codes import make_codes
from barcodesvc.store.movements import Entry, count, undo
from barcodesvc.store.print_jobs import NewJob, QueueLimits, cancel, queue
from barcodesvc.store.script import Script, run
from barcodesvc.store.unknown_scans import Sightings
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.stock import MADE_CODES, add_code, adjust_level, change_product, create_product, delete_product

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:01.000Z"
TABLES = {
    "products": "SELECT * FROM products ORDER BY id",
    "product_codes": "SELECT * FROM product_codes ORDER BY id",
    "made_codes": "SELECT * FROM made_codes",
    "unknown_scans": "SELECT * FROM unknown_scans ORDER BY id",
    "levels": "SELECT * FROM levels ORDER BY id",
    "movements": "SELECT * FROM movements ORDER BY id",
    "imports": "SELECT * FROM imports ORDER BY id",
    "idempotency_keys": "SELECT * FROM idempotency_keys ORDER BY idempotency_key",
    "session_key": "SELECT * FROM session_key",
    "ended_sessions": "SELECT * FROM ended_sessions ORDER BY session_id",
    "label_layouts": "SELECT * FROM label_layouts ORDER BY name",
    "label_images": "SELECT * FROM label_images ORDER BY name",
    "print_jobs": "SELECT * FROM print_jobs ORDER BY id",
}
GIVEN = {
    "sqlite": "SELECT name, seq FROM sqlite_sequence ORDER BY name",
    "postgres": "SELECT replace(sequencename, '_id_seq', ''), COALESCE(last_value, 0) FROM pg_sequences "
    "WHERE sequencename NOT LIKE '%_slot_seq' ORDER BY 1",
}
HOSTILE = [
    "\\N",
    "\\",
    "\\.",
    "\\t\\n\\x41",
    "a\tb\nc\r\nd\x1f\x7f",
    "'\"`$1:name;--/*",
    "naïve Ω ß İ 漢字 🏷️ e\u0301 \u202eabc \ufeff\u00a0",
    "",
    "NULL",
    " trailing  ",
]


def send(key: str, delta: int) -> KeyedRequest[LevelAdjustment]:
    """Return a count with a key."""
    asked = LevelAdjustment.model_construct(delta=delta, change_reason="count", updated_by="ada", idempotency_key=key)
    return KeyedRequest(asked, "POST /x", key, NOON, timedelta(days=30))


async def fill(database: Database) -> None:
    """Create products (one retired), codes, levels, movements (one undone), an import, unknown scans, keys and more."""
    products = [await create_product(database, _draft(f"H-{n}", text), NOON) for n, text in enumerate(HOSTILE)]
    for product, (key, text) in zip(products, enumerate(HOSTILE), strict=True):
        await adjust_level(database, product.id, send(f"key {key} {text}", 5), lambda change: str(change).encode())
    await database.change(lambda: count(products[1].id, 2**31 - 1, Entry(HOSTILE[4], HOSTILE[6], LATER, NOON)))
    await database.change(lambda: undo(2, Entry("undone", "bob", LATER)))
    await database.change(partial(staging.begun, staging.Entry(NOON)))
    await change_product(database, products[2].id, ProductChange(product_code="H-new", retired=True), NOON)
    await database.change(partial(make_codes, MADE_CODES, 3))
    await database.change(partial(unknown_scans.keep, {text: Sightings(2, NOON, LATER) for text in HOSTILE}))
    for number, text in enumerate(HOSTILE[:-1]):
        await add_code(database, 1, _code(f"F-{number}", text), NOON)
        await database.change(lambda text=text: _kept(text))  # type: ignore[misc]
    await delete_product(database, products[-1].id)
    await sessions.signing_key(database)
    for session in ("b", "a"):
        await sessions.end_session(database, session, now="", expires=LATER)
    for name in ("shelf", "Price.2"):
        await database.change(partial(saved.save_layout, name, {"lines": HOSTILE[:5]}, NOON))
        await database.change(partial(saved.save_image, name, saved.StoredPixels(9, 1, b"\xa5\x80"), NOON))
    for text in HOSTILE[:-1]:
        new = NewJob("zebra", 2, text, NOON, products=("A-1", "B-2"), start_position=3)
        job = await database.change(lambda new=new: queue(new, QueueLimits(100, 10_000)))  # type: ignore[misc]
        await database.change(lambda job=job: cancel("zebra", job.id, LATER))  # type: ignore[misc]


def _draft(code: str, description: str) -> ProductDraft:
    """Return a product with texts that requests may not contain, but a database may."""
    attributes = {"note": description}
    return ProductDraft.model_construct(
        product_code=code, description=description, category=description[:3], attributes=attributes
    )


def _code(code: str, note: str) -> CodeDraft:
    """Return a further code with such a note."""
    return CodeDraft.model_construct(code=code, pack_quantity=6, note=note)


def _kept(text: str) -> Script[None]:
    key = {"idempotency_key": f"k {text}", "used_for": text, "fingerprint": "f", "body": text}
    yield run("keep_reply", **key, now="2000-01-01T00:00:00.000Z", expired="")


def filled(place: Place) -> Place:
    """Fill the database of this place."""

    async def work() -> None:
        async with open_database(place) as database:
            await fill(database)

    asyncio.run(work())
    return place


def made(place: Place) -> Place:
    """Create the tables of a database, without rows."""

    async def work() -> None:
        async with open_database(place):
            pass

    asyncio.run(work())
    return place


OPEN_JOBS = (
    "UPDATE print_jobs SET state = 'waiting', message = 'the printer is paused' WHERE id = 2",
    "UPDATE print_jobs SET state = 'sending', labels_sure = 1, labels_unsure = 0 WHERE id = 3",
    "UPDATE print_jobs SET state = 'printed', labels_sure = 2 WHERE id = 4",
)
"""Statements that make three of the jobs of `fill` a waiting, a sending and a printed one."""


def jobs_in(place: Place) -> list[tuple[Any, ...]]:
    """Return the states of the jobs of OPEN_JOBS, their labels that are sure and unsure, and their messages."""
    select = "SELECT state, labels_sure, labels_unsure, message FROM print_jobs WHERE id BETWEEN 2 AND 4 ORDER BY id"
    return run_sql(place, select)


def written(place: Place) -> str:
    """Return a place in command-line notation."""
    return place.url if isinstance(place, ServerAddress) else str(place)


def content(place: Place) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, and the last assigned ids."""
    engine = "sqlite" if isinstance(place, Path) else "postgres"
    given = [pair for pair in run_sql(place, GIVEN[engine]) if pair[1]]
    return {"given": given, **{table: run_sql(place, select) for table, select in TABLES.items()}}

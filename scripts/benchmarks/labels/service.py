"""The server that is measured: the whole service over a catalogue of products with descriptions."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import uvloop

from barcodesvc.__main__ import shorten_waits
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Connection, open_database
from barcodesvc.store.products import insert_products
from scripts.benchmarks.labels.requests import PRODUCTS, description, product_code
from scripts.benchmarks.servers import listen

MODULE = "scripts.benchmarks.labels.service"
_BATCH = 500
"""Products inserted at once: what that takes must not leave memory behind for the labels to grow into."""


async def serve(folder: Path) -> None:
    """Fill the catalogue, then serve until the process is ended."""
    settings = Settings(database=folder / "bench.db", rate_limit=None, upload_rate_limit=None)
    await fill_catalogue(settings.database)
    port = await listen(make_app(settings))
    shorten_waits()
    print(port, flush=True)
    await asyncio.Event().wait()


async def fill_catalogue(path: Path) -> None:
    """Write the products into a new database."""
    now = Clock().timestamp()
    async with open_database(path) as database:
        for first in range(0, PRODUCTS, _BATCH):
            drafts = [_draft(number) for number in range(first, first + _BATCH)]

            async def work(connection: Connection, drafts: list[ProductDraft] = drafts) -> None:
                await insert_products(connection, drafts, now)

            await database.write(work)


def _draft(number: int) -> ProductDraft:
    return ProductDraft(product_code=product_code(number), description=description(number))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        uvloop.run(serve(Path(temporary)))

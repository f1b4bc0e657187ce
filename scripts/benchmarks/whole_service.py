"""The whole service over a database that the benchmark has made.

    python -m scripts.benchmarks.whole_service DATABASE

It prints its port, and serves until the process is ended. A path where nothing is yet becomes an empty database.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from functools import partial
from itertools import islice
from pathlib import Path

import uvloop

from barcodesvc.__main__ import shorten_waits
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.models import ProductDraft
from barcodesvc.store.products import insert_products
from barcodesvc.store.sqlite.database import open_database
from scripts.benchmarks.servers import listen

MODULE = "scripts.benchmarks.whole_service"
_BATCH = 500
"""Products inserted at once: what that takes must not leave memory behind for a measurement to grow into."""


async def serve_database(path: Path) -> None:
    """Serve until the process is ended."""
    port = await listen(make_app(Settings(database=path, rate_limit=None, upload_rate_limit=None)))
    shorten_waits()
    print(port, flush=True)
    await asyncio.Event().wait()


async def fill_catalogue(path: Path, products: Iterable[ProductDraft]) -> None:
    """Write the products into a new database."""
    now = Clock().timestamp()
    drafts = iter(products)
    async with open_database(path) as database:
        while batch := list(islice(drafts, _BATCH)):
            await database.change(partial(insert_products, batch, now))


if __name__ == "__main__":
    uvloop.run(serve_database(Path(sys.argv[1])))

"""The whole service over a database that the benchmark has made.

    python -m scripts.benchmarks.whole_service DATABASE

DATABASE is a path or the address of a server, as in BARCODESVC_DATABASE. It prints its port, and serves until the
process is stopped. A path to no file becomes an empty database.
"""

import asyncio
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from barcodesvc.__main__ import shorten_waits
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.models import ProductDraft
from barcodesvc.store.script import Script
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.text_index import INDEXED_AT_ONCE, index_more
from barcodesvc.store.staging import Entry, StagedRows, chunks, insert_new
from scripts.benchmarks.servers import listen

MODULE = "scripts.benchmarks.whole_service"
_FIELDS = frozenset(ProductDraft.model_fields)


async def serve_database(place: Path | str) -> None:
    """Serve until the process is stopped."""
    settings = Settings.model_validate({"database": place, "rate_limit": None, "upload_rate_limit": None})
    port = await listen(make_app(settings))
    shorten_waits()
    print(port, flush=True)
    await asyncio.Event().wait()


async def fill_catalogue(path: Path, products: Iterable[ProductDraft]) -> None:
    """Write the products into a new database, as an import does, and index them."""
    now = Clock().timestamp()
    with TemporaryDirectory() as folder:
        async with open_database(path) as database:
            with database.staging(Path(folder) / "staged") as file:
                staged = StagedRows(file)
                staged.put((number, product, _FIELDS) for number, product in enumerate(products))
            await database.change_long(partial(_insert_all, staged.rows, now), staged=Path(folder) / "staged")
            while await database.change(partial(index_more, INDEXED_AT_ONCE)):
                pass


def _insert_all(rows: int, now: str) -> Script[None]:
    for chunk in chunks(rows):
        yield from insert_new(chunk, Entry(now))


if __name__ == "__main__":
    uvloop.run(serve_database(sys.argv[1]))

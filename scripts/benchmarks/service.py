"""The measured service: any number of them in one event loop, each over its own database, with a bare handler beside.

    python -m scripts.benchmarks.service SERVED

SERVED is the JSON of the settings of each service, and of the bodies by the paths to which they are posted. It prints
the port of each service; then that of a bare aiohttp application, which answers those paths with exactly the bytes of
the first service's responses.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

import uvloop
from aiohttp import ClientSession, web
from aiohttp.typedefs import Handler

from barcodesvc.__main__ import shorten_waits
from barcodesvc.api.observe.access_log import STANDARD_OUTPUT
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.models import ProductDraft
from barcodesvc.store.script import Script
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.text_index import INDEXED_AT_ONCE, index_more
from barcodesvc.store.staging import Entry, StagedRows, ValidRow, chunks, insert_new
from scripts.benchmarks.servers import LOOPBACK, Server, listen, running_module

_UNLIMITED = {"rate_limit": "off", "upload_rate_limit": "off"}
_FIELDS = frozenset(ProductDraft.model_fields)

Bodies = Mapping[str, str]
"""By path, the JSON that is posted to it."""


@contextmanager
def serving(
    *variants: Mapping[str, object], products: Iterable[ProductDraft] = (), bare: Bodies | None = None
) -> Iterator[Server]:
    """Serve the service with each of these settings in one new process, without a limit of requests if none is set.

    The products are those of the first one, whose database this process fills; so the server is fresh.
    """
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        path = Path(folder)
        if products:
            uvloop.run(fill_catalogue(path / "0.db", products))
        services = [
            {"database": str(path / f"{number}.db"), **_UNLIMITED, **variant}
            for number, variant in enumerate(variants or ({},))
        ]
        with running_module(__name__, json.dumps([services, bare or {}])) as server:
            yield server


async def fill_catalogue(path: Path, products: Iterable[ProductDraft]) -> None:
    """Write the products into a new database, as an import does, and index them."""
    now = Clock().timestamp()
    with TemporaryDirectory() as folder:
        async with open_database(path) as database:
            with database.staging(Path(folder) / "staged") as file:
                staged = StagedRows(file)
                staged.put(ValidRow(number, product, _FIELDS) for number, product in enumerate(products))
            await database.change_long(partial(_insert_all, staged.rows, now), staged=Path(folder) / "staged")
            while await database.change(partial(index_more, INDEXED_AT_ONCE)):
                pass


def _insert_all(rows: int, now: str) -> Script[None]:
    for chunk in chunks(rows):
        yield from insert_new(chunk, Entry(now))


async def _serve(services: list[dict[str, object]], bodies: Bodies) -> None:
    """Serve until the process is stopped; from the line with the ports on, standard output is a temporary file."""
    ports = [await listen(make_app(Settings.model_validate(settings))) for settings in services]
    shorten_waits()
    bare = web.Application()
    async with ClientSession(f"http://{LOOPBACK}:{ports[0]}") as session:
        for path, body in bodies.items():
            async with session.post(path, data=body, headers={"Content-Type": "application/json"}) as response:
                bare.router.add_post(path, _returning(await response.read()))
    print(*ports, await listen(bare), flush=True)
    with TemporaryFile() as log:
        os.dup2(log.fileno(), STANDARD_OUTPUT)
    await asyncio.Event().wait()


def _returning(body: bytes) -> Handler:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json", charset="utf-8")

    return handler


if __name__ == "__main__":
    uvloop.run(_serve(*json.loads(sys.argv[1])))

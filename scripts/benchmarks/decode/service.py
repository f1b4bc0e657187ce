"""The measured server: the whole service over 10,000 products and, in the same event loop, a bare aiohttp application.

    python -m scripts.benchmarks.decode.service DATABASE

It prints two ports, the service's and the bare application's. The bare one responds to every `POST /api/codes/decode`
with exactly the bytes of the service's response to REPEATED.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import uvloop
from aiohttp import ClientSession, web

from barcodesvc.__main__ import shorten_waits
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.models import ProductDraft
from scripts.benchmarks.codes.service import returning
from scripts.benchmarks.servers import LOOPBACK, listen
from scripts.benchmarks.whole_service import fill_catalogue

MODULE = "scripts.benchmarks.decode.service"
DECODE = "/api/codes/decode"
PRODUCTS = 10_000


def gtin(number: int) -> str:
    """Return the GTIN-13 of the product of this number."""
    body = f"952{number:09d}"
    return body + check_digit(body)


def body(code_data: str) -> bytes:
    """Return the body of a decode."""
    return json.dumps({"code_data": code_data}).encode()


REPEATED = body(gtin(4711))


def unseen() -> Iterator[bytes]:
    """Yield bodies of scans of all products, all distinct: GS1-128, GS1 Data Matrix and Digital Link in turn."""
    for serial in range(sys.maxsize):
        number = gtin(serial % PRODUCTS)
        yield body(f"]C1010{number}21{serial}")
        yield body(f"]d2010{number}1728123110L{serial}")
        yield body(f"https://id.gs1.org/01/0{number}/21/{serial}")


def products() -> Iterator[ProductDraft]:
    """Yield the catalogue."""
    for number in range(PRODUCTS):
        yield ProductDraft(product_code=gtin(number), description=f"Product {number}", initial_level=number)


async def serve(path: Path) -> None:
    """Fill the database and serve until the process is stopped."""
    await fill_catalogue(path, products())
    port = await listen(make_app(Settings(database=path, rate_limit=None, upload_rate_limit=None)))
    shorten_waits()
    async with (
        ClientSession(f"http://{LOOPBACK}:{port}") as session,
        session.post(DECODE, data=REPEATED, headers={"Content-Type": "application/json"}) as response,
    ):
        body = await response.read()
    bare = web.Application()
    bare.router.add_post(DECODE, returning(body))
    print(port, await listen(bare), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1])))

"""Handler of GET /api/products/catalogue: the copy that devices keep for look-ups without the network.

Without it, devices would read the catalogue page by page, and guess from times what has changed. The newest copy is
kept compressed, with the mark of the state that it shows: it is made once for each state, however many devices ask.

Rule: a mark is read from a few entries of indexes, so a device that has the newest copy costs next to nothing.
"""

import asyncio
import gzip
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, NamedTuple, NotRequired

from aiohttp import hdrs, web
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.list_parameters import Pagination, pagination
from barcodesvc.api.responses import (
    JSON,
    JSON_HEADERS,
    SUCCESS_OPENING,
    Success,
    conditional,
    is_known,
    strong_etag,
    wants_gzip,
)
from barcodesvc.api.signature import Sends
from barcodesvc.fields import described
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from barcodesvc.store import lists
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Row

MOST_COPIED = 20_000
"""Products of a copy, of which 20,000 are some 200 kB compressed; and further codes."""
_AT_ONCE = 1000
"""Products that are written in a millisecond, after which the event loop may have the interpreter lock."""
_LEVEL, _GZIP = 6, 16 + zlib.MAX_WBITS


class CopiedCode(TypedDict):
    """A further code of a product."""

    code: Annotated[str, described("The code.", "4006381333948")]
    pack_quantity: fields.PackQuantity


class CopiedProduct(TypedDict):
    """What a look-up shows of a product."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    unit_of_measure: fields.UnitText
    current_level: fields.CurrentLevel
    other_codes: NotRequired[Annotated[list[CopiedCode], described("Its further codes, if it has any.")]]


class CatalogueResponse(TypedDict):
    """The catalogue for look-ups, as of one moment."""

    success: Success
    data: Annotated[
        Sequence[CopiedProduct], described(f"The products by id, the first {MOST_COPIED} of a larger catalogue.")
    ]
    pagination: Annotated[Pagination, described("How many products the catalogue has; all of the copy are one page.")]


class Copy(NamedTuple):
    """A response, compressed by gzip, and the mark of the state that it shows."""

    mark: bytes
    gzipped: bytes


class CatalogueCopies:
    """The newest copy of the catalogue, which is made when it is asked for."""

    def __init__(self, database: Database, threads: WorkerThreads) -> None:
        self._database = database
        self._threads = threads
        self._making = asyncio.Lock()
        self._newest: Copy | None = None

    async def mark(self) -> bytes:
        """Return the mark of the current state."""
        return await _mark(self._database)

    async def newest(self) -> Copy:
        """Return the copy of the current state."""
        async with self._making:
            if self._newest is None or self._newest.mark != await self.mark():
                self._newest = await self._made()
            return self._newest

    async def _made(self) -> Copy:
        async with self._database.snapshot() as snapshot:
            mark, total = await _mark(snapshot), await lists.count_products(snapshot)
            found: list[Row] = []
            async for rows in snapshot.stream("copy_products", limit=MOST_COPIED):
                found += rows
            codes = await snapshot.rows("copy_codes", limit=MOST_COPIED)
        return Copy(mark, await run_to_end(self._threads, _compressed, found, codes, total))


CATALOGUE_COPIES = web.AppKey("catalogue_copies", CatalogueCopies)


async def catalogue(request: web.Request) -> Annotated[web.Response, Sends({JSON: CatalogueResponse}, ("ETag",))]:
    """Get the products for look-ups without the network, with a strong ETag.

    It has the first 20,000 products, and 20,000 of their further codes. With `If-None-Match`, nothing is read unless
    something has changed.
    """
    copies, is_compressed = request.app[CATALOGUE_COPIES], wants_gzip(request.headers.getall(hdrs.ACCEPT_ENCODING, ()))
    tag = _tag(await copies.mark(), is_compressed)
    varies = {"Vary": "Accept-Encoding"}
    if is_known(request, tag):
        return conditional(request, tag, b"", varies, {})
    copy = await copies.newest()
    tag = _tag(copy.mark, is_compressed)
    if is_compressed:
        return conditional(request, tag, copy.gzipped, varies, {**JSON_HEADERS, "Content-Encoding": "gzip"})
    body = await run_to_end(request.app[SERVICE].file_threads, gzip.decompress, copy.gzipped)
    return conditional(request, tag, body, varies, JSON_HEADERS)


def _tag(mark: bytes, is_compressed: bool) -> str:  # noqa: FBT001 - one of two representations
    return strong_etag(mark + b"gzip" if is_compressed else mark)


async def _mark(reader: Reader) -> bytes:
    """Return what every change of a copied field changes."""
    return to_json(await reader.rows("catalogue_marks"))


def _compressed(found: Sequence[Row], codes: Sequence[Row], total: int) -> bytes:
    """Write the response with these products of `total`, and their further codes."""
    codes_of: defaultdict[int, list[CopiedCode]] = defaultdict(list)
    for product_id, code, pack_quantity in codes:
        codes_of[product_id].append(CopiedCode(code=code, pack_quantity=pack_quantity))
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    parts = [compressor.compress(SUCCESS_OPENING + b"[")]
    names = ("id", "product_code", "description", "unit_of_measure", "current_level")
    for begin in range(0, len(found), _AT_ONCE):
        products = [dict(zip(names, row, strict=True)) for row in found[begin : begin + _AT_ONCE]]
        for product in products:
            if of_product := codes_of.get(product["id"]):
                product["other_codes"] = of_product
        parts.append(compressor.compress((b"," if begin else b"") + to_json(products)[1:-1]))
    place = to_json(pagination(1, MOST_COPIED, total))
    return b"".join((*parts, compressor.compress(b'],"pagination":' + place + b"}"), compressor.flush()))

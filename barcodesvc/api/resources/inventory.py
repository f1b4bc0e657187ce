"""Handlers of inventory records: all of them, a page, or one."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Annotated, NotRequired

from aiohttp import web
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.client_address import client_key
from barcodesvc.api.parameters import ProductInPath, QueryBoolean
from barcodesvc.api.resources.list_parameters import (
    PAGE_SIZE,
    PageLimit,
    PageNumber,
    Pagination,
    QueryId,
    RetiredFilter,
    Stock,
    offset_of,
    pagination,
    stock_bounds,
)
from barcodesvc.api.responses import JSON, JSON_HEADERS, SUCCESS_OPENING, Success, stream
from barcodesvc.api.signature import Enveloped, Sends
from barcodesvc.catalogue.exporting import Exporter, TextTable, text_export
from barcodesvc.fields import described
from barcodesvc.models import Level, Query
from barcodesvc.service import Service
from barcodesvc.store import inventory
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.lists import AT_OR_BELOW_MINIMUM, ProductFilter, StockBounds
from barcodesvc.store.products import no_such_product
from barcodesvc.store.script import Row


class LevelsQuery(Query):
    """The filters of inventory records; `page` or `limit` select a page of them."""

    product_id: Annotated[QueryId | None, described("Only the record of this product.", 1)] = None
    low_stock: Annotated[
        QueryBoolean,
        described("Only levels at or below the minimum, even if both are 0; see also `stock`.", example=True),
    ] = False
    stock: Stock | None = None
    retired: RetiredFilter = "false"
    page: PageNumber | None = None
    limit: PageLimit | None = None

    @property
    def bounds(self) -> StockBounds | None:
        """The limits of the requested levels; everything that `stock` selects is low stock, too."""
        return stock_bounds(self.stock) or (AT_OR_BELOW_MINIMUM if self.low_stock else None)

    @property
    def filter(self) -> ProductFilter:
        """The products whose levels are requested."""
        return ProductFilter(stock=self.bounds, retired=self.retired)


class LevelsResponse(TypedDict):
    """Inventory records; `pagination` for a page."""

    success: Success
    data: Annotated[Sequence[Level], described("The records, by id.")]
    pagination: NotRequired[
        Annotated[Pagination, described("The place of the page among all pages, if the query requests a page.")]
    ]


OneLevel = Annotated[Level, Enveloped("LevelResponse", "The inventory record of a product.", "The record.")]


async def list_levels(
    service: Service, request: web.Request, query: LevelsQuery
) -> Annotated[LevelsResponse | web.StreamResponse, Sends({JSON: LevelsResponse})]:
    """List levels, all of them or a page.

    Without `page` and `limit` the records are a consistent snapshot.
    """
    if query.page is not None or query.limit is not None:
        return await _levels_page(service.database, query)
    if query.product_id is not None:
        return LevelsResponse(success=True, data=await _levels_of_product(service.database, query))
    listed = inventory.all_levels(query.filter)
    return await stream(request, JSON_HEADERS, whole_list(service.exporter, listed, client_key(request)))


async def get_level(service: Service, productId: ProductInPath) -> OneLevel:
    """Get the level of a product."""
    level = await inventory.get_level(service.database, productId)
    if level is None:
        raise no_such_product(productId)
    return level


async def _levels_page(database: Database, query: LevelsQuery) -> LevelsResponse:
    page, limit = query.page or 1, query.limit or PAGE_SIZE
    offset = offset_of(page, limit)
    if query.product_id is not None:
        found = await _levels_of_product(database, query)
        listed = inventory.LevelPage(tuple(found[offset:]), len(found))
    else:
        listed = await inventory.levels_page(database, query.filter, limit=limit, offset=offset)
    return LevelsResponse(success=True, data=listed.levels, pagination=pagination(page, limit, listed.total))


async def _levels_of_product(database: Database, query: LevelsQuery) -> list[Level]:
    level = await inventory.get_level(database, query.product_id) if query.product_id else None
    return [level] if level and (query.bounds is None or query.bounds.include(level)) else []


async def whole_list(exporter: Exporter, listed: inventory.LevelList, client: str) -> AsyncGenerator[bytes]:
    """Yield the body of a response with all records of a list."""
    begin, end = SUCCESS_OPENING + b"[", b"]}"

    def written(rows: Iterable[Row]) -> bytes:
        return to_json([listed.record(*row) for row in rows])[1:-1]

    small = await listed.read_if_small(exporter.database)
    if small is not None:
        yield begin + written(small) + end
        return

    async def opened(snapshot: Snapshot) -> TextTable:
        return TextTable(listed.stream(snapshot), written, begin, separator=b",", end=end)

    async with aclosing(text_export(exporter, opened, client)) as chunks:
        async for chunk in chunks:
            yield chunk

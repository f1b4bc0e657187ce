"""The handlers of files to keep: the stock, the catalogue, and a template for the import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict

from barcodesvc.api.client_presence import is_connected
from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.requests import NoQuery, QueryBoolean, read_query
from barcodesvc.api.responses import attachment, is_known, stream, strong_etag
from barcodesvc.catalogue.exported_levels import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY
from barcodesvc.catalogue.exported_products import PRODUCTS
from barcodesvc.catalogue.exporting import ExportTable, csv_export, xlsx_export
from barcodesvc.catalogue.template import catalogue_template
from barcodesvc.runtime.threads import run_to_end

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv"

Format = Literal["xlsx", "csv"]


class CatalogueQuery(BaseModel):
    """Which file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Format = "xlsx"


class InventoryQuery(CatalogueQuery):
    """Which file, and whether the level history is part of it."""

    include_history: QueryBoolean = False


async def export_inventory(request: web.Request) -> web.StreamResponse:
    """GET /api/inventory/export: every level as a file, streamed."""
    query = read_query(request, InventoryQuery)
    if query.format == "csv":
        return await _csv(request, "inventory", INVENTORY_WITH_HISTORY if query.include_history else INVENTORY)
    return await _xlsx(request, "inventory", (INVENTORY, HISTORY) if query.include_history else (INVENTORY,))


async def export_products(request: web.Request) -> web.StreamResponse:
    """GET /api/products/export: every product as a file that the import takes, streamed."""
    if read_query(request, CatalogueQuery).format == "csv":
        return await _csv(request, "products", PRODUCTS)
    return await _xlsx(request, "products", (PRODUCTS,))


async def import_template(request: web.Request) -> web.Response:
    """GET /api/products/import/template: a workbook to fill in, with a strong ETag."""
    read_query(request, NoQuery)
    content = await run_to_end(request.app[FILE_THREADS], catalogue_template)
    tag = strong_etag(content)
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if is_known(request, tag):
        return web.Response(status=304, headers=headers)
    headers |= attachment("products-template.xlsx")
    return web.Response(body=content, content_type=XLSX, headers=headers)


async def _csv(request: web.Request, name: str, table: ExportTable) -> web.StreamResponse:
    request.app[METRICS].export_began(name, "csv")
    chunks = csv_export(request.app[DATABASE], request.app[FILE_THREADS], table)
    return await stream(request, _headers(request, f"{name}-", ".csv", f"{CSV}; charset=utf-8"), chunks)


async def _xlsx(request: web.Request, name: str, tables: Sequence[ExportTable]) -> web.StreamResponse:
    request.app[METRICS].export_began(name, "xlsx")
    is_wanted = partial(is_connected, request)
    chunks = xlsx_export(request.app[DATABASE], request.app[FILE_THREADS], tables, is_wanted)
    return await stream(request, _headers(request, f"{name}-", ".xlsx", XLSX), chunks)


def _headers(request: web.Request, start: str, end: str, content_type: str) -> dict[str, str]:
    day = request.app[CLOCK].timestamp()[:10]
    return attachment(f"{start}{day}{end}") | {"Content-Type": content_type}

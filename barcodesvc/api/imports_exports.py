"""The handlers of the two spreadsheet routes: /api/products/import and /api/inventory/export."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict

from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS
from barcodesvc.api.requests import QueryBoolean, read_query
from barcodesvc.api.responses import attachment, stream, success
from barcodesvc.api.uploads import uploaded_file
from barcodesvc.catalogue_import import import_catalogue, skip_existing, try_import, update_existing
from barcodesvc.inventory_export import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY, csv_export, xlsx_export

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_EXISTING = {"skip": skip_existing, "update": update_existing}


class ImportQuery(BaseModel):
    """Whether to write at all, and what becomes of products that are already there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dry_run: QueryBoolean = False
    mode: Literal["skip", "update"] = "skip"


class ExportQuery(BaseModel):
    """Which file, and whether the level history is part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["xlsx", "csv"] = "xlsx"
    include_history: QueryBoolean = False


async def import_products(request: web.Request) -> web.Response:
    """POST /api/products/import: a workbook into the catalogue, in one transaction."""
    query = read_query(request, ImportQuery)
    database, threads = request.app[DATABASE], request.app[FILE_THREADS]
    existing = _EXISTING[query.mode]
    async with uploaded_file(request, "file") as path:
        if query.dry_run:
            result = await try_import(database, threads, path, existing)
        else:
            result = await import_catalogue(database, threads, path, existing, request.app[CLOCK].timestamp())
    told = asdict(result)
    if query.mode == "skip":
        del told["updated"]
    return success(told)


async def export_inventory(request: web.Request) -> web.StreamResponse:
    """GET /api/inventory/export: every level as a file, streamed."""
    query = read_query(request, ExportQuery)
    database, threads = request.app[DATABASE], request.app[FILE_THREADS]
    headers = attachment(f"inventory-{request.app[CLOCK].timestamp()[:10]}.{query.format}")
    if query.format == "csv":
        table = INVENTORY_WITH_HISTORY if query.include_history else INVENTORY
        headers["Content-Type"] = "text/csv; charset=utf-8"
        return await stream(request, headers, csv_export(database, threads, table))
    headers["Content-Type"] = _XLSX
    sheets = (INVENTORY, HISTORY) if query.include_history else (INVENTORY,)
    return await stream(request, headers, xlsx_export(database, threads, sheets))

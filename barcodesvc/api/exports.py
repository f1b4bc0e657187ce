"""The handler of the stock's export: GET /api/inventory/export."""

from __future__ import annotations

from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict

from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS
from barcodesvc.api.requests import QueryBoolean, read_query
from barcodesvc.api.responses import attachment, stream
from barcodesvc.inventory_export import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY, csv_export, xlsx_export

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class ExportQuery(BaseModel):
    """Which file, and whether the level history is part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["xlsx", "csv"] = "xlsx"
    include_history: QueryBoolean = False


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

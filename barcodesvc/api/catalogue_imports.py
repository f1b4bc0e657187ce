"""The handler of the catalogue's import: POST /api/products/import."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict

from barcodesvc.api.keys import CLOCK, DATABASE, FILE_THREADS
from barcodesvc.api.requests import QueryBoolean, read_query
from barcodesvc.api.responses import success
from barcodesvc.api.uploads import uploaded_file
from barcodesvc.catalogue_import import import_catalogue, skip_existing, try_import, update_existing

_EXISTING = {"skip": skip_existing, "update": update_existing}


class ImportQuery(BaseModel):
    """Whether to write at all, and what becomes of products that are already there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dry_run: QueryBoolean = False
    mode: Literal["skip", "update"] = "skip"


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

"""Handlers of downloads: the stock, the catalogue, and a template for the import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from aiohttp import hdrs, web
from pydantic import BeforeValidator
from typing_extensions import TypeAliasType

from barcodesvc.api.client_address import client_key, is_connected
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.parameters import QueryBoolean
from barcodesvc.api.resources.list_parameters import Stock, stock_bounds
from barcodesvc.api.responses import attachment, is_known, kept_etag, stream
from barcodesvc.api.signature import CACHED, Sends
from barcodesvc.catalogue.export_tables import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY, PRODUCTS, catalogue_template
from barcodesvc.catalogue.exporting import ExportTable, csv_export, xlsx_export
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.fields import described
from barcodesvc.models import Query
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.service import Service

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv"

ExportFormat = TypeAliasType(
    "ExportFormat", Annotated[Literal["xlsx", "csv"], described("The format of the file.", "csv")]
)


Delimiter = TypeAliasType(
    "Delimiter",
    Annotated[Literal[",", ";", "tab"], described("What separates the fields of a CSV; a comma by default.", ";")],
)
_DELIMITERS = {",": ",", ";": ";", "tab": "\t"}


def _named_delimiter(given: object) -> object:
    return "tab" if given == "\t" else given


class CatalogueQuery(Query):
    """The file format, and which products it contains."""

    format: ExportFormat = "xlsx"
    delimiter: Annotated[Delimiter | None, BeforeValidator(_named_delimiter)] = None
    stock: Stock | None = None


class InventoryQuery(CatalogueQuery):
    """The file format, which products it contains, and whether it includes the level history."""

    include_history: Annotated[
        QueryBoolean,
        described(
            "Whether the file has the changes too: a sheet `History`, or in CSV a line for each change.", example=True
        ),
    ] = False


Download = Annotated[web.StreamResponse, Sends({XLSX: bytes, CSV: None}, ("Content-Disposition",))]


async def export_inventory(request: web.Request, query: InventoryQuery) -> Download:
    """Every level as a file, streamed."""
    if query.format == "csv":
        return await _csv(request, "inventory", INVENTORY_WITH_HISTORY if query.include_history else INVENTORY, query)
    return await _xlsx(request, "inventory", (INVENTORY, HISTORY) if query.include_history else (INVENTORY,), query)


async def export_products(request: web.Request, query: CatalogueQuery) -> Download:
    """Every product as a file that the import accepts, streamed."""
    if query.format == "csv":
        return await _csv(request, "products", PRODUCTS, query)
    return await _xlsx(request, "products", (PRODUCTS,), query)


async def import_template(
    service: Service, request: web.Request
) -> Annotated[web.Response, Sends({XLSX: bytes}, ("Content-Disposition", *CACHED))]:
    """A workbook to fill in, with a strong ETag."""
    content = await run_to_end(service.file_threads, catalogue_template)
    tag = kept_etag(content)
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if is_known(request, tag):
        return web.Response(status=304, headers=headers)
    headers |= attachment("products-template.xlsx")
    return web.Response(body=content, content_type=XLSX, headers=headers)


async def _csv(request: web.Request, name: str, table: ExportTable, query: CatalogueQuery) -> web.StreamResponse:
    _count(request, name, "csv")
    chunks = csv_export(
        request.app[SERVICE].exporter,
        table.within(stock_bounds(query.stock)),
        client_key(request),
        _DELIMITERS[query.delimiter or ","],
    )
    return await stream(request, _headers(request, f"{name}-", ".csv", f"{CSV}; charset=utf-8"), chunks)


async def _xlsx(
    request: web.Request, name: str, tables: Sequence[ExportTable], query: CatalogueQuery
) -> web.StreamResponse:
    if query.delimiter is not None:
        raise InvalidInput.of(FieldProblem("delimiter", "only a CSV has one; send format=csv, too"))
    _count(request, name, "xlsx")
    limited = [table.within(stock_bounds(query.stock)) for table in tables]
    exporter, is_wanted = request.app[SERVICE].exporter, partial(is_connected, request)
    chunks = xlsx_export(exporter, limited, client_key(request), is_wanted)
    return await stream(request, _headers(request, f"{name}-", ".xlsx", XLSX), chunks)


def _count(request: web.Request, name: str, file_format: str) -> None:
    """Count an export; a HEAD begins none."""
    if request.method != hdrs.METH_HEAD:
        request.app[METRICS].export_began(name, file_format)


def _headers(request: web.Request, start: str, end: str, content_type: str) -> dict[str, str]:
    day = request.app[SERVICE].clock.date_in(request.app[SERVICE].settings.time_zone)
    return attachment(f"{start}{day}{end}") | {"Content-Type": content_type}

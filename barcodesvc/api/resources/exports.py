"""Handlers of downloads: the stock, the catalogue, and a template for the import."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Literal, Protocol

from aiohttp import hdrs, web
from pydantic import BeforeValidator
from typing_extensions import TypeAliasType

from barcodesvc.api.client_address import client_key, is_connected
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.parameters import QueryBoolean
from barcodesvc.api.resources.list_parameters import RetiredFilter, Stock, stock_bounds
from barcodesvc.api.responses import attachment, conditional, kept_etag, stream
from barcodesvc.api.signature import CACHED, Sends
from barcodesvc.catalogue.export_tables import (
    catalogue_table,
    catalogue_template,
    history_table,
    level_table,
    levels_with_history_table,
)
from barcodesvc.catalogue.exporting import ExportTable, OpenTable, csv_export, xlsx_export
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.models import Query
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.service import Service
from barcodesvc.store.lists import ProductFilter

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


def named_delimiter(given: object) -> object:
    """Return the name of a tab, and anything else as it is."""
    return "tab" if given == "\t" else given


class CatalogueQuery(Query):
    """The file format, and which products it contains."""

    format: ExportFormat = "xlsx"
    delimiter: Annotated[Delimiter | None, BeforeValidator(named_delimiter)] = None
    stock: Stock | None = None
    retired: RetiredFilter = "false"


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
    """Export all levels as a file."""
    if not query.include_history:
        return await _export(request, "inventory", query, level_table)
    tables = (levels_with_history_table,) if query.format == "csv" else (level_table, history_table)
    return await _export(request, "inventory", query, *tables)


async def export_products(request: web.Request, query: CatalogueQuery) -> Download:
    """Export all products as a file that the import accepts."""
    return await _export(request, "products", query, catalogue_table)


async def import_template(
    service: Service, request: web.Request
) -> Annotated[web.Response, Sends({XLSX: bytes}, ("Content-Disposition", *CACHED))]:
    """Get a workbook to fill in for an import."""
    content = await run_to_end(service.file_threads, catalogue_template)
    kind = {"Content-Type": XLSX, **attachment("products-template.xlsx")}
    return conditional(request, kept_etag(content), content, {"Cache-Control": "no-cache"}, kind)


async def _export(
    request: web.Request, name: str, query: CatalogueQuery, *tables: Callable[..., Awaitable[ExportTable]]
) -> web.StreamResponse:
    wanted = ProductFilter(stock=stock_bounds(query.stock), retired=query.retired)
    limited = [partial(table, wanted=wanted) for table in tables]
    return await download(request, name, query, *limited)


class FileQuery(Protocol):
    """Which file is asked for; only a CSV has a delimiter."""

    @property
    def format(self) -> str:
        """`csv` or `xlsx`."""

    @property
    def delimiter(self) -> str | None:
        """What separates the fields of a CSV."""


async def download(request: web.Request, name: str, query: FileQuery, *tables: OpenTable) -> web.StreamResponse:
    """Send tables, of which a CSV has one; a HEAD begins nothing, and is not counted."""
    service, client, is_wanted = request.app[SERVICE], client_key(request), partial(is_connected, request)
    if query.format == "csv":
        kind = f"{CSV}; charset=utf-8"
        chunks = csv_export(service.exporter, tables[0], client, is_wanted, _DELIMITERS[query.delimiter or ","])
    elif query.delimiter is None:
        kind, chunks = XLSX, xlsx_export(service.exporter, tables, client, is_wanted)
    else:
        raise InvalidInput.of(field_problem("delimiter", "only a CSV has one; send format=csv, too"))
    if request.method != hdrs.METH_HEAD:
        request.app[METRICS].export_began(name, query.format)
    day = service.clock.date_in(service.settings.time_zone)
    return await stream(request, attachment(f"{name}-{day}.{query.format}") | {"Content-Type": kind}, chunks)

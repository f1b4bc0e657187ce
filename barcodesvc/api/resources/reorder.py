"""Handlers of the list to buy: what is missing of each product that is low or out of stock, as JSON and as a file."""

from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import BeforeValidator

from barcodesvc.api.client_address import client_key
from barcodesvc.api.resources.exports import Delimiter, Download, ExportFormat, download, named_delimiter
from barcodesvc.api.resources.inventory import whole_list
from barcodesvc.api.responses import JSON, JSON_HEADERS, stream
from barcodesvc.api.signature import Enveloped, Sends
from barcodesvc.catalogue.export_tables import reorder_table
from barcodesvc.fields import described
from barcodesvc.models import AttributeName, Query, Reorder
from barcodesvc.service import Service
from barcodesvc.store import inventory


class ReorderQuery(Query):
    """The attribute by which the list is grouped."""

    group_by: Annotated[
        AttributeName | None,
        described("The attribute by whose values the list is grouped, such as the supplier.", "supplier"),
    ] = None


class ReorderFileQuery(ReorderQuery):
    """The file format, and the attribute by which the list is grouped."""

    format: ExportFormat = "xlsx"
    delimiter: Annotated[Delimiter | None, BeforeValidator(named_delimiter)] = None


ReorderList = Annotated[
    list[Reorder], Enveloped("ReorderResponse", "The list to buy.", "The products to buy, by group and id.")
]


async def list_reorders(
    service: Service, request: web.Request, query: ReorderQuery
) -> Annotated[web.StreamResponse, Sends({JSON: ReorderList})]:
    """List what to buy, grouped by an attribute if the query names one; streamed.

    These are the products that are low or out of stock, and of which something is missing up to the maximum, or to the
    minimum of those without a maximum. Groups are in the order of their values; products without one come last.
    """
    listed = inventory.reorders(query.group_by)
    return await stream(request, JSON_HEADERS, whole_list(service.exporter, listed, client_key(request)))


async def export_reorders(request: web.Request, query: ReorderFileQuery) -> Download:
    """Export what to buy as a file, streamed; its first column is the attribute by which it is grouped."""
    return await download(request, "reorder", query, partial(reorder_table, group_by=query.group_by))

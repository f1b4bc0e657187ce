"""The handler of label sheets: codes in, a PDF out."""

from __future__ import annotations

import re
from typing import Annotated

from aiohttp import web
from pydantic import Field, PlainValidator

from barcodesvc.api.code_requests import named_symbology
from barcodesvc.api.keys import DATABASE, PRINTER
from barcodesvc.api.requests import read_model
from barcodesvc.api.responses import attachment
from barcodesvc.errors import InvalidInput
from barcodesvc.labels.sheets import PageSize, page_size, simple_sheet
from barcodesvc.models import Draft, ProductCode
from barcodesvc.printing import PrintJob, descriptions_of
from barcodesvc.symbols.registry import Symbology, find_symbology

MOST_LABELS = 10_000
_CODE128 = find_symbology("CODE128")
_A4 = page_size("A4")


def _label_symbology(value: object) -> Symbology:
    plain = isinstance(value, str) and re.sub("[-_ ]", "", value).casefold() == "barcode"
    return named_symbology("CODE128" if plain else value)


def _page(value: object) -> PageSize:
    if not isinstance(value, str):
        raise ValueError("the name of a page size is text")  # noqa: TRY004 - pydantic takes ValueError for a refusal
    try:
        return page_size(value)
    except InvalidInput as refusal:
        raise ValueError(refusal.details["errors"][0]["message"]) from refusal


class Layout(Draft):
    """How labels are arranged on a page; `font_size` in points."""

    page_size: Annotated[PageSize, PlainValidator(_page)] = _A4
    labels_per_row: Annotated[int, Field(ge=1, le=100)] = 3
    labels_per_column: Annotated[int, Field(ge=1, le=100)] | None = None
    include_description: bool = False
    font_size: Annotated[float, Field(ge=4, le=72, allow_inf_nan=False)] = 8


class PrintRequest(Draft):
    """Labels to print, one for each code in the list."""

    products: Annotated[list[ProductCode], Field(min_length=1, max_length=MOST_LABELS)]
    code_type: Annotated[Symbology, PlainValidator(_label_symbology)] = _CODE128
    layout: Layout = Layout()


async def printable(request: web.Request) -> web.Response:
    """POST /api/codes/printable: a PDF of labels."""
    wanted = await read_model(request, PrintRequest)
    layout = wanted.layout
    sheet = simple_sheet(layout.page_size, layout.labels_per_row, layout.labels_per_column)
    descriptions = {}
    if layout.include_description:
        descriptions = await descriptions_of(request.app[DATABASE], wanted.products)
    job = PrintJob(wanted.products, wanted.code_type, sheet, layout.font_size, descriptions)
    pdf = await request.app[PRINTER].run(job)
    return web.Response(body=pdf, content_type="application/pdf", headers=attachment("labels.pdf"))

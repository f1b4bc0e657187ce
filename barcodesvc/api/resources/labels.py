"""The handlers of label sheets: codes in, a PDF out, and the sheets that are known by name."""

from __future__ import annotations

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.client_presence import is_connected
from barcodesvc.api.keys import BODY_THREADS, CLOCK, DATABASE, PRINTER
from barcodesvc.api.requests import NoQuery, read_model, read_query
from barcodesvc.api.resources.label_requests import PrintRequest
from barcodesvc.api.responses import JsonAnswer, Success, attachment, json_answer, strong_etag
from barcodesvc.labels.label_texts import texts_of
from barcodesvc.labels.named_sheets import PAGE_NAMES, SHEETS
from barcodesvc.labels.print_job import PrintJob
from barcodesvc.labels.sheets import Sheet

PDF = "application/pdf"


class LabelSheet(TypedDict):
    """A sheet that is known by name, in the fields of a layout; lengths in mm."""

    sheet: str
    page_size: str
    labels_per_row: int
    labels_per_column: int
    label_width: float
    label_height: float
    margin_left: float
    margin_top: float
    pitch_x: float
    pitch_y: float


class SheetsAnswer(TypedDict):
    """Every sheet that is known by name."""

    success: Success
    data: list[LabelSheet]


async def printable(request: web.Request) -> web.Response:
    """POST /api/codes/printable: a PDF of labels."""
    wanted = await read_model(request, PrintRequest)
    printer, threads = request.app[PRINTER], request.app[BODY_THREADS]
    printer.require_capacity(wanted.count())
    layout = wanted.layout
    codes, positions = await threads.run(_taken_out, wanted)
    sheet = layout.laid_out()
    texts = dict.fromkeys(codes, tuple(line for line in layout.lines if line))
    if layout.fields:
        texts = await texts_of(request.app[DATABASE], codes, layout.fields, layout.lines)
    created = request.app[CLOCK].timestamp() if layout.dated else None
    settings = layout.print_settings()
    job = PrintJob(codes, wanted.code_type, sheet, settings, texts, positions, layout.lines, created)
    pdf = await printer.run(job, lambda: is_connected(request))
    headers = attachment("labels.pdf") | {"ETag": await threads.run(strong_etag, pdf)}
    return web.Response(body=pdf, content_type=PDF, headers=headers)


def _taken_out(wanted: PrintRequest) -> tuple[list[str], dict[str, int]]:
    """Return the code of each label and where each stands first.

    What they are taken from is let go of one by one: a list of ten thousand is freed in one turn of 10 ms.
    """
    codes, positions = wanted.codes(), wanted.positions()
    while wanted.products:
        wanted.products.pop()
    return codes, positions


async def sheets(request: web.Request) -> JsonAnswer[SheetsAnswer]:
    """GET /api/codes/sheets: the sheets that `layout.sheet` names, in the fields of a layout."""
    read_query(request, NoQuery)
    return json_answer(SheetsAnswer(success=True, data=[_as_layout(name, sheet) for name, sheet in SHEETS.items()]))


def _as_layout(name: str, sheet: Sheet) -> LabelSheet:
    return {
        "sheet": name,
        "page_size": PAGE_NAMES[sheet.page],
        "labels_per_row": sheet.columns,
        "labels_per_column": sheet.rows,
        "label_width": sheet.label_width,
        "label_height": sheet.label_height,
        "margin_left": sheet.left,
        "margin_top": sheet.top,
        "pitch_x": sheet.pitch_x,
        "pitch_y": sheet.pitch_y,
    }

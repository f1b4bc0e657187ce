"""The handlers of labels: codes in, a PDF, a picture or ZPL out, and the sheets that are known by name."""

from functools import partial
from typing import Annotated

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.client_address import client_key, is_connected
from barcodesvc.api.responses import attachment
from barcodesvc.api.signature import Enveloped, Example, Sends
from barcodesvc.fields import described
from barcodesvc.labels.label_requests import PrintRequest
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheets import SHEETS, Sheet, page_name
from barcodesvc.service import Service

PDF = "application/pdf"
PNG = "image/png"
ZPL = "application/vnd.zebra-zpl"
_MEDIA_TYPES = {"pdf": PDF, "png": PNG, "zpl": ZPL}


class LabelSheet(TypedDict):
    """A sheet that is known by name, in the fields of a layout; lengths in mm."""

    sheet: Annotated[str, described("The name of the sheet, for `layout.sheet`.", "L7160")]
    page_size: Annotated[str, described("The size of the page.", "A4")]
    labels_per_row: Annotated[int, described("Labels across the page.", 3)]
    labels_per_column: Annotated[int, described("Labels down the page.", 7)]
    label_width: Annotated[float, described("The width of a label in mm.", 63.5)]
    label_height: Annotated[float, described("The height of a label in mm.", 38.1)]
    margin_left: Annotated[float, described("From the left edge of the page to the first label, in mm.", 7.2)]
    margin_top: Annotated[float, described("From the top edge of the page to the first label, in mm.", 15.15)]
    pitch_x: Annotated[float, described("From the left edge of a label to that of the next one, in mm.", 66.04)]
    pitch_y: Annotated[float, described("From the top edge of a label to that of the one below, in mm.", 38.1)]


AllSheets = Annotated[
    list[LabelSheet], Enveloped("SheetsResponse", "Every sheet that is known by name.", "The sheets.")
]


async def printable(
    service: Service,
    request: web.Request,
    body: Annotated[
        PrintRequest,
        Example({"products": ["BOLT-M8x40", {"code": "A-1", "copies": 2}], "layout": {"page_size": "A4"}}),
    ],
) -> Annotated[web.StreamResponse, Sends({PDF: bytes, PNG: bytes, ZPL: bytes}, ("Content-Disposition",))]:
    """Make labels as a PDF, as a picture of a page, or as ZPL.

    Dimensions must be consistent, and labels must be large enough for their codes.
    """
    source, queue = service.label_source, service.sheet_queue
    wanted = await source.with_saved_layout(body)
    queue.require_capacity(wanted.count(), client_key(request))
    output = wanted.output_for(service.clock.timestamp())
    job = SheetJob(wanted, await source.label_data(wanted), output)
    headers = {"Content-Type": _MEDIA_TYPES[wanted.output], **attachment(f"labels.{wanted.output}")}
    content = await queue.run(job, partial(is_connected, request), client_key(request))
    return web.Response(body=content, headers=headers)


async def sheets() -> AllSheets:
    """List the sheets that `layout.sheet` can name."""
    return [_as_layout(name, sheet) for name, sheet in SHEETS.items()]


def _as_layout(name: str, sheet: Sheet) -> LabelSheet:
    return {
        "sheet": name,
        "page_size": page_name(sheet.page),
        "labels_per_row": sheet.columns,
        "labels_per_column": sheet.rows,
        "label_width": sheet.label_width,
        "label_height": sheet.label_height,
        "margin_left": sheet.left,
        "margin_top": sheet.top,
        "pitch_x": sheet.pitch_x,
        "pitch_y": sheet.pitch_y,
    }

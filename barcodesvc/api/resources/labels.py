"""The handlers of labels: codes in, a PDF, a picture or ZPL out, and the sheets that are known by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, TypeVar

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.client_address import is_connected
from barcodesvc.api.keys import CLOCK, DATABASE, SETTINGS, SHEET_QUEUE
from barcodesvc.api.requests import NoQuery, read_model, read_query
from barcodesvc.api.resources.label_images import saved_picture
from barcodesvc.api.resources.label_layouts import complete_layout
from barcodesvc.api.responses import JsonResponse, Success, attachment, json_response, stream, taking_pace
from barcodesvc.errors import ProductNotFound
from barcodesvc.fields import described
from barcodesvc.labels.label_requests import LabelsRequest, PrintRequest
from barcodesvc.labels.output import Output
from barcodesvc.labels.pictures import Picture, PlacedPicture
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheets import SHEETS, Sheet, page_name
from barcodesvc.store.database import Database
from barcodesvc.store.products import product_texts

PDF = "application/pdf"
PNG = "image/png"
ZPL = "application/vnd.zebra-zpl"
_Request = TypeVar("_Request", bound=LabelsRequest)
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


class SheetsResponse(TypedDict):
    """Every sheet that is known by name."""

    success: Success
    data: Annotated[list[LabelSheet], described("The sheets.")]


async def printable(request: web.Request) -> web.StreamResponse:
    """POST /api/codes/printable: labels as a PDF, as a picture of a page, or as ZPL, which is streamed."""
    wanted = await whole_request(request.app, await read_model(request, PrintRequest))
    queue = request.app[SHEET_QUEUE]
    queue.require_capacity(wanted.count())
    output = wanted.written_as(wanted.layout.laid_out(), request.app[CLOCK].timestamp())
    job = await sheet_job(request.app, wanted, output)
    headers = {"Content-Type": _MEDIA_TYPES[wanted.output], **attachment(f"labels.{wanted.output}")}
    if job.output.is_streamed:
        pace = taking_pace(request)
        return await stream(request, headers, queue.stream(job, pace), pace)
    return web.Response(body=await queue.run(job, partial(is_connected, request)), headers=headers)


async def whole_request(app: web.Application, asked: _Request) -> _Request:
    """Return a request with the saved layout that it names; raises NameNotFound."""
    return asked.model_copy(update={"layout": await complete_layout(app[DATABASE], asked.layout)})


@dataclass(frozen=True, slots=True)
class LabelData:
    """What a request prints that is not in it: the day, the domain of links, texts of products, and its picture."""

    today: date
    domain: str | None
    products: Mapping[str, Mapping[str, str]]
    picture: Picture | None


async def sheet_job(app: web.Application, wanted: LabelsRequest, output: Output) -> SheetJob:
    """Return the job of a whole request; raises InvalidInput, NameNotFound and ProductNotFound."""
    return job_with(wanted, await label_data(app, wanted), output)


async def label_data(app: web.Application, wanted: LabelsRequest) -> LabelData:
    """Return what a whole request prints that is not in it.

    Raises InvalidInput, NameNotFound, and ProductNotFound with all codes without a product.
    """
    settings, image = app[SETTINGS], wanted.layout.image
    today, domain = app[CLOCK].date_in(settings.time_zone), settings.digital_link_domain
    codes = wanted.codes(wanted.content(today, domain))
    return LabelData(
        today=today,
        domain=domain,
        products=await _products(app[DATABASE], codes) if codes else {},
        picture=await saved_picture(app[DATABASE], image.name) if image else None,
    )


def job_with(wanted: LabelsRequest, data: LabelData, output: Output) -> SheetJob:
    """Return the job of a whole request, whose entries it takes out; raises InvalidInput."""
    layout, image = wanted.layout, wanted.layout.image
    picture = PlacedPicture(data.picture, image.width, image.place) if image and data.picture else None
    return SheetJob(
        labels=wanted.count(),
        entries=wanted.taken_out(),
        symbology=wanted.symbology(),
        sheet=layout.laid_out(),
        settings=replace(layout.print_settings(), picture=picture),
        content=wanted.content(data.today, data.domain),
        products=data.products,
        output=output,
    )


async def _products(database: Database, codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    found = await product_texts(database, codes)
    missing = [code for code in codes if code not in found]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise ProductNotFound(f"there is no product with code {missing[0]!r}{more}", missing=missing)
    return found


async def sheets(request: web.Request) -> JsonResponse[SheetsResponse]:
    """GET /api/codes/sheets: the sheets that `layout.sheet` names, in the fields of a layout."""
    read_query(request, NoQuery)
    return json_response(SheetsResponse(success=True, data=[_as_layout(name, sheet) for name, sheet in SHEETS.items()]))


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

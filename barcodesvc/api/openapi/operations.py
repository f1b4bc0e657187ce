"""What each handler takes and gives, as one table beside the route table; the document is made of both.

Rule: what follows from the route is not written here. An id in the path, the refusal of bad input, of too many requests
and of what fails unforeseen, and what a body can end with are added by `document` to every row that they concern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp.typedefs import Handler
from pydantic import BaseModel

from barcodesvc.api.event_stream import EVENT_STREAM
from barcodesvc.api.observe.metrics import OPENMETRICS, PLAIN
from barcodesvc.api.openapi import pages
from barcodesvc.api.openapi.error_answers import batch_answer
from barcodesvc.api.openapi.requests_told import BatchForm, ImageForm, ImportForm, ScannedText
from barcodesvc.api.requests import NoQuery
from barcodesvc.api.resources import (
    code_answers,
    code_batch,
    code_images,
    codes,
    decoded_scans,
    exports,
    health,
    import_answers,
    imports,
    inventory,
    labels,
    metrics,
    products,
    scan_counts,
    scans,
)
from barcodesvc.api.resources.code_requests import BarcodeQuery, BarcodeRequest, QrQuery, QrRequest
from barcodesvc.api.resources.exports import CatalogueQuery, InventoryQuery
from barcodesvc.api.resources.image_bodies import ImageRequest
from barcodesvc.api.resources.label_requests import PrintRequest
from barcodesvc.api.responses import JSON
from barcodesvc.errors import (
    DatabaseFailure,
    DuplicateProductCode,
    ExportOverload,
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    InvalidInput,
    KeyReused,
    LevelChanged,
    LevelOutOfRange,
    ProductNotFound,
    RenderOverload,
    ServiceError,
    UnknownRoute,
)
from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductChange, ProductDraft

FORM = "multipart/form-data"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv"
PDF = "application/pdf"
HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Operation:
    """What a handler takes and gives.

    `body` and `answer` map media types to types; an answer's type is None where it is text and `bytes` where it is a
    file. It comes with `status`, and with those in `also`. `headers` are those of the request, `answer_headers` those
    of a success, which `document` knows. `errors` are those beside the ones that follow from the route. `links` maps
    operations to the parameter that the id in the answer is for.
    """

    answer: Mapping[str, Any]
    query: type[BaseModel] = NoQuery
    body: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    also: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    answer_headers: tuple[str, ...] = ()
    errors: tuple[type[ServiceError], ...] = ()
    description: str = ""
    example: Mapping[str, Any] | None = None
    links: Mapping[str, str] = field(default_factory=dict)


_PICTURE_ERRORS = (RenderOverload,)
_MATCHED = ("If-None-Match",)


def _picture(media: str, query: type[BaseModel], *errors: type[ServiceError]) -> Operation:
    """Return the operation of a picture that is asked for by its address."""
    return Operation(
        {media: bytes},
        query=query,
        headers=_MATCHED,
        answer_headers=("ETag", "Cache-Control"),
        errors=(*errors, *_PICTURE_ERRORS),
    )


OPERATIONS: Mapping[Handler, Operation] = {
    products.list_products: Operation({JSON: products.ProductsAnswer}, query=products.ProductsQuery),
    products.create_product: Operation(
        {JSON: products.ProductAnswer},
        body={JSON: ProductDraft},
        status=201,
        errors=(DuplicateProductCode,),
        description="`maximum_level` is 0, which means that none is set, or not below `minimum_level`.",
        example={"product_code": "4006381333931", "description": "Highlighter", "initial_level": 25},
        links=dict.fromkeys(("get_product", "change_product", "delete_product"), "id")
        | dict.fromkeys(("set_level", "adjust_level", "history"), "productId"),
    ),
    imports.import_products: Operation(
        {JSON: import_answers.ImportAnswer, EVENT_STREAM: None},
        query=imports.ImportQuery,
        body={FORM: ImportForm},
        answer_headers=("Cache-Control",),
        errors=(InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload),
        description=(
            "With `Accept: text/event-stream` the answer is server-sent events: `progress` (`ImportProgress`), and at "
            "the end one `result` (`ImportResult`) or one `error` (the envelope of an error)."
        ),
    ),
    exports.import_template: Operation(
        {XLSX: bytes}, headers=_MATCHED, answer_headers=("Content-Disposition", "ETag", "Cache-Control")
    ),
    exports.export_products: Operation(
        {XLSX: bytes, CSV: bytes},
        query=CatalogueQuery,
        answer_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    products.get_product: Operation({JSON: products.ProductAnswer}, errors=(ProductNotFound,)),
    products.change_product: Operation(
        {JSON: products.ProductAnswer},
        body={JSON: ProductChange},
        errors=(ProductNotFound,),
        description=(
            "At least one field beside `product_code` is needed. `maximum_level` is 0, which means that none is set, "
            "or not below `minimum_level`, as sent or as stored."
        ),
    ),
    products.delete_product: Operation({JSON: products.Deleted}, errors=(ProductNotFound,)),
    inventory.list_levels: Operation({JSON: inventory.LevelsAnswer}, query=inventory.LevelsQuery),
    exports.export_inventory: Operation(
        {XLSX: bytes, CSV: bytes},
        query=InventoryQuery,
        answer_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    inventory.set_level: Operation(
        {JSON: inventory.ChangedLevelAnswer},
        body={JSON: LevelUpdate},
        errors=(ProductNotFound, LevelChanged),
        example={"new_level": 8},
    ),
    inventory.adjust_level: Operation(
        {JSON: inventory.ChangedLevelAnswer},
        body={JSON: LevelAdjustment},
        headers=("Idempotency-Key",),
        answer_headers=("Idempotency-Replayed",),
        errors=(ProductNotFound, LevelOutOfRange, KeyReused),
        description="Of the key in the header and `idempotency_key` one is enough; two have to be the same.",
    ),
    inventory.history: Operation(
        {JSON: inventory.HistoryAnswer},
        query=inventory.HistoryQuery,
        errors=(ProductNotFound,),
        description="`from_date` does not lie behind `to_date`.",
    ),
    codes.barcode: Operation(
        {JSON: code_answers.BarcodeAnswer},
        body={JSON: BarcodeRequest},
        errors=_PICTURE_ERRORS,
        description="What `product_code` may hold follows from `format`. `width` and `module_mm` exclude each other.",
        example={"product_code": "4006381333931", "format": "EAN13", "width": 3},
    ),
    codes.qrcode: Operation(
        {JSON: code_answers.QrCodeAnswer},
        body={JSON: QrRequest},
        errors=(ProductNotFound, DatabaseFailure, *_PICTURE_ERRORS),
        example={"product_code": "BOLT-M8x40", "error_correction": "Q"},
        description="A small `size` does not hold every code. `size` and `module_mm` exclude each other.",
    ),
    code_images.barcode_svg: _picture("image/svg+xml", BarcodeQuery),
    code_images.barcode_png: _picture("image/png", BarcodeQuery),
    code_images.qrcode_svg: _picture("image/svg+xml", QrQuery, ProductNotFound, DatabaseFailure),
    code_images.qrcode_png: _picture("image/png", QrQuery, ProductNotFound, DatabaseFailure),
    code_batch.batch: Operation(
        {JSON: batch_answer(InvalidInput, ProductNotFound, DatabaseFailure, GenerationFailure)},
        body={JSON: BatchForm},
        example={"requests": [{"kind": "barcode", "product_code": "A-1"}, {"kind": "qrcode", "product_code": "A-1"}]},
    ),
    codes.formats: Operation({JSON: codes.FormatsAnswer}),
    labels.printable: Operation(
        {PDF: bytes},
        body={JSON: PrintRequest},
        answer_headers=("Content-Disposition", "ETag"),
        errors=(ProductNotFound, DatabaseFailure, RenderOverload),
        example={"products": ["BOLT-M8x40", {"code": "A-1", "copies": 2}], "layout": {"page_size": "A4"}},
        description="Measures that are given have to agree, and labels have to be large enough for their codes.",
    ),
    labels.sheets: Operation({JSON: labels.SheetsAnswer}),
    scans.decode_scan: Operation(
        {JSON: decoded_scans.DecodedAnswer},
        body={JSON: ScannedText | ImageRequest, FORM: ImageForm},
        example={"code_data": "]E04006381333931"},
        errors=(ProductNotFound, InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload),
    ),
    scan_counts.count_scan: Operation(
        {JSON: decoded_scans.CountedAnswer},
        body={JSON: scan_counts.ScanCount},
        headers=("Idempotency-Key",),
        answer_headers=("Idempotency-Replayed",),
        errors=(ProductNotFound, LevelOutOfRange, KeyReused),
        description="Of the key in the header and `idempotency_key` one is enough; two have to be the same.",
    ),
    pages.openapi_json: Operation({JSON: dict[str, Any]}, headers=_MATCHED, answer_headers=("ETag", "Cache-Control")),
    pages.docs: Operation({HTML: None}, headers=_MATCHED, answer_headers=("ETag", "Cache-Control")),
    pages.docs_asset: Operation(
        {"text/css": None, "text/javascript": None, "image/png": bytes},
        headers=_MATCHED,
        answer_headers=("ETag", "Cache-Control"),
        errors=(UnknownRoute,),
    ),
    health.health: Operation({JSON: health.HealthReport}, also=(503,)),
    metrics.metrics: Operation(dict.fromkeys(kind.partition(";")[0] for kind in (PLAIN, OPENMETRICS))),
}

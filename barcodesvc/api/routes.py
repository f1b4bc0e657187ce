"""The whole API as one table: each row says what is asked for, who answers it, and what is taken and given.

The router and the OpenAPI document are both made of it; the order is that of the document. The browser's page, which is
a client of the API, has a table of its own for the router alone.
"""

from __future__ import annotations

from typing import Any

from aiohttp.typedefs import Handler
from pydantic import BaseModel

from barcodesvc.api.event_stream import EVENT_STREAM
from barcodesvc.api.forms import FORM
from barcodesvc.api.guard.api_key import SESSION_PATH
from barcodesvc.api.observe.metrics import OPENMETRICS, PLAIN
from barcodesvc.api.openapi import pages
from barcodesvc.api.openapi.error_answers import batch_answer
from barcodesvc.api.resources import (
    code_batch,
    code_images,
    codes,
    exports,
    health,
    image_bodies,
    imports,
    inventory,
    labels,
    level_changes,
    metrics,
    page,
    page_session,
    products,
    scan_batch,
    scan_counts,
    scans,
)
from barcodesvc.api.resources.code_answers import BarcodeAnswer, QrCodeAnswer
from barcodesvc.api.resources.code_requests import BarcodeQuery, BarcodeRequest, QrQuery, QrRequest
from barcodesvc.api.resources.decoded_scans import BatchedScan, CountedAnswer, DecodedAnswer
from barcodesvc.api.resources.import_answers import ImportAnswer
from barcodesvc.api.resources.label_requests import PrintRequest
from barcodesvc.api.responses import JSON
from barcodesvc.api.route import Route
from barcodesvc.errors import (
    AlreadyUndone,
    ChangeNotFound,
    DatabaseFailure,
    DatabaseOverload,
    DuplicateProductCode,
    ExportFailure,
    ExportOverload,
    FileTooLarge,
    GenerationFailure,
    InvalidFileFormat,
    InvalidInput,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    ProductNotFound,
    RenderOverload,
    ServiceError,
    Unauthorized,
    UnknownRoute,
)
from barcodesvc.models import ChangeUndo, LevelAdjustment, LevelUpdate, ProductChange, ProductDraft

IMPORT_PATH = "/api/products/import"
METRICS_PATH = "/metrics"
_MATCHED = ("If-None-Match",)
_CACHED = ("ETag", "Cache-Control")


def _picture(path: str, handler: Handler, media: str, query: type[BaseModel], *errors: type[ServiceError]) -> Route:
    """Return the route of a picture by its address."""
    return Route(
        "GET",
        path,
        handler,
        GenerationFailure,
        {media: bytes},
        query=query,
        headers=_MATCHED,
        answer_headers=_CACHED,
        errors=(*errors, RenderOverload),
    )


ROUTES = (
    Route(
        "GET",
        "/api/products",
        products.list_products,
        DatabaseFailure,
        {JSON: products.ProductsAnswer},
        query=products.ProductsQuery,
    ),
    Route(
        "POST",
        "/api/products",
        products.create_product,
        DatabaseFailure,
        {JSON: products.ProductAnswer},
        body={JSON: ProductDraft},
        status=201,
        errors=(DuplicateProductCode,),
        description="`maximum_level` is 0, which means that none is set, or not below `minimum_level`.",
        example={"product_code": "4006381333931", "description": "Highlighter", "initial_level": 25},
        links=dict.fromkeys(("get_product", "change_product", "delete_product"), "id")
        | dict.fromkeys(("set_level", "adjust_level", "history"), "productId"),
    ),
    Route(
        "POST",
        IMPORT_PATH,
        imports.import_products,
        DatabaseFailure,
        {JSON: ImportAnswer, EVENT_STREAM: None},
        query=imports.ImportQuery,
        body={FORM: imports.ImportForm},
        answer_headers=("Cache-Control",),
        errors=(InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload),
        description="With `Accept: text/event-stream` the answer is server-sent events: `progress` (`ImportProgress`), "
        "and at the end one `result` (`ImportResult`) or one `error` (the envelope of an error).",
    ),
    Route(
        "GET",
        f"{IMPORT_PATH}/template",
        exports.import_template,
        ExportFailure,
        {exports.XLSX: bytes},
        headers=_MATCHED,
        answer_headers=("Content-Disposition", "ETag", "Cache-Control"),
    ),
    Route(
        "GET",
        "/api/products/export",
        exports.export_products,
        ExportFailure,
        {exports.XLSX: bytes, exports.CSV: bytes},
        query=exports.CatalogueQuery,
        answer_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    Route(
        "GET",
        "/api/products/{id}",
        products.get_product,
        DatabaseFailure,
        {JSON: products.ProductAnswer},
        errors=(ProductNotFound,),
    ),
    Route(
        "PUT",
        "/api/products/{id}",
        products.change_product,
        DatabaseFailure,
        {JSON: products.ProductAnswer},
        body={JSON: ProductChange},
        errors=(ProductNotFound,),
        description="At least one field beside `product_code` is needed. `maximum_level` is 0, which means that none "
        "is set, or not below `minimum_level`, as sent or as stored.",
    ),
    Route(
        "DELETE",
        "/api/products/{id}",
        products.delete_product,
        DatabaseFailure,
        {JSON: products.Deleted},
        errors=(ProductNotFound,),
    ),
    Route(
        "GET",
        "/api/inventory",
        inventory.list_levels,
        DatabaseFailure,
        {JSON: inventory.LevelsAnswer},
        query=inventory.LevelsQuery,
        errors=(ExportFailure, ExportOverload),
        description="Without `page` and `limit` the records are those of one moment.",
    ),
    Route(
        "GET",
        "/api/inventory/export",
        exports.export_inventory,
        ExportFailure,
        {exports.XLSX: bytes, exports.CSV: bytes},
        query=exports.InventoryQuery,
        answer_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    Route(
        "GET",
        "/api/inventory/changes",
        level_changes.list_changes,
        DatabaseFailure,
        {JSON: level_changes.ChangesAnswer},
        query=level_changes.ChangesQuery,
        description="`from_date` does not lie behind `to_date`.",
    ),
    Route(
        "POST",
        "/api/inventory/changes/{changeId}/undo",
        level_changes.undo_change,
        DatabaseFailure,
        {JSON: level_changes.ChangeAnswer},
        body={JSON: ChangeUndo},
        headers=("Idempotency-Key",),
        answer_headers=("Idempotency-Replayed",),
        errors=(ChangeNotFound, AlreadyUndone, LevelOutOfRange, KeyReused),
        description="What takes a change back is a change itself, and can be undone once as well. Of the key in the "
        "header and `idempotency_key` one is enough; two have to be the same.",
        example={"updated_by": "till 2"},
        links={"undo_change": "changeId"},
    ),
    Route(
        "PUT",
        "/api/inventory/{productId}",
        inventory.set_level,
        DatabaseFailure,
        {JSON: inventory.ChangedLevelAnswer},
        body={JSON: LevelUpdate},
        errors=(ProductNotFound, LevelChanged),
        example={"new_level": 8},
    ),
    Route(
        "POST",
        "/api/inventory/{productId}/adjust",
        inventory.adjust_level,
        DatabaseFailure,
        {JSON: inventory.ChangedLevelAnswer},
        body={JSON: LevelAdjustment},
        headers=("Idempotency-Key",),
        answer_headers=("Idempotency-Replayed",),
        errors=(ProductNotFound, LevelOutOfRange, KeyReused),
        description="Of the key in the header and `idempotency_key` one is enough; two have to be the same.",
    ),
    Route(
        "GET",
        "/api/inventory/{productId}/history",
        inventory.history,
        DatabaseFailure,
        {JSON: inventory.HistoryAnswer},
        query=inventory.HistoryQuery,
        errors=(ProductNotFound,),
        description="`from_date` does not lie behind `to_date`.",
    ),
    Route(
        "POST",
        "/api/codes/barcode",
        codes.barcode,
        GenerationFailure,
        {JSON: BarcodeAnswer},
        body={JSON: BarcodeRequest},
        errors=(RenderOverload,),
        description="What `product_code` may hold follows from `format`. `width` and `module_mm` exclude each other.",
        example={"product_code": "4006381333931", "format": "EAN13", "width": 3},
    ),
    Route(
        "POST",
        "/api/codes/qrcode",
        codes.qrcode,
        GenerationFailure,
        {JSON: QrCodeAnswer},
        body={JSON: QrRequest},
        errors=(ProductNotFound, DatabaseFailure, RenderOverload),
        example={"product_code": "BOLT-M8x40", "error_correction": "Q"},
        description="A small `size` does not hold every code. `size` and `module_mm` exclude each other.",
    ),
    _picture("/api/codes/barcode/{code}.svg", code_images.barcode_svg, code_images.SVG, BarcodeQuery),
    _picture("/api/codes/barcode/{code}.png", code_images.barcode_png, code_images.PNG, BarcodeQuery),
    _picture(
        "/api/codes/qrcode/{code}.svg",
        code_images.qrcode_svg,
        code_images.SVG,
        QrQuery,
        ProductNotFound,
        DatabaseFailure,
    ),
    _picture(
        "/api/codes/qrcode/{code}.png",
        code_images.qrcode_png,
        code_images.PNG,
        QrQuery,
        ProductNotFound,
        DatabaseFailure,
    ),
    Route(
        "POST",
        "/api/codes/batch",
        code_batch.batch,
        GenerationFailure,
        {
            JSON: batch_answer(
                "BatchAnswer",
                BarcodeAnswer | QrCodeAnswer,
                *(InvalidInput, ProductNotFound, DatabaseFailure, GenerationFailure),
            )
        },
        body={JSON: code_batch.BatchForm},
        example={"requests": [{"kind": "barcode", "product_code": "A-1"}, {"kind": "qrcode", "product_code": "A-1"}]},
    ),
    Route("GET", "/api/codes/formats", codes.formats, GenerationFailure, {JSON: codes.FormatsAnswer}),
    Route(
        "POST",
        "/api/codes/printable",
        labels.printable,
        GenerationFailure,
        {labels.PDF: bytes},
        body={JSON: PrintRequest},
        answer_headers=("Content-Disposition", "ETag"),
        errors=(ProductNotFound, DatabaseFailure, RenderOverload),
        example={"products": ["BOLT-M8x40", {"code": "A-1", "copies": 2}], "layout": {"page_size": "A4"}},
        description="Measures that are given have to agree, and labels have to be large enough for their codes.",
    ),
    Route("GET", "/api/codes/sheets", labels.sheets, GenerationFailure, {JSON: labels.SheetsAnswer}),
    Route(
        "POST",
        "/api/codes/decode",
        scans.decode_scan,
        DatabaseFailure,
        {JSON: DecodedAnswer},
        body={JSON: scans.ScannedText | image_bodies.ImageRequest, FORM: image_bodies.ImageForm},
        example={"code_data": "]E04006381333931"},
        errors=(ProductNotFound, InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload),
    ),
    Route(
        "POST",
        "/api/codes/scan",
        scan_counts.count_scan,
        DatabaseFailure,
        {JSON: CountedAnswer},
        body={JSON: scan_counts.ScanCount},
        headers=("Idempotency-Key",),
        answer_headers=("Idempotency-Replayed",),
        errors=(ProductNotFound, LevelOutOfRange, LaterChange, KeyReused),
        description="`delta` adds, `new_level` is a count; without both, or with a `delta` of 0, nothing changes and "
        "`change` is null. A count is refused where the level has changed since `scanned_at`, which lies at most 5 "
        "minutes ahead, and back as far as keys live. Of the key in the header and `idempotency_key` one is enough; "
        "two have to be the same.",
        example={"code_data": "]E04006381333931", "delta": -1},
    ),
    Route(
        "POST",
        "/api/codes/scans",
        scan_batch.count_scans,
        DatabaseFailure,
        {
            JSON: batch_answer(
                "ScansAnswer",
                BatchedScan,
                *(InvalidInput, ProductNotFound, LevelOutOfRange, LaterChange, KeyReused),
                *(DatabaseFailure, DatabaseOverload, GenerationFailure),
            )
        },
        body={JSON: scan_batch.ScansForm},
        description="Scans count in their order, each alone, under its own key. A key is the same as in a single call.",
        example={"scans": [{"code_data": "A-1", "delta": -1, "idempotency_key": "1"}, {"code_data": "A-1"}]},
    ),
    Route(
        "POST",
        SESSION_PATH,
        page_session.open_page_session,
        GenerationFailure,
        {JSON: page_session.SessionAnswer},
        body={JSON: page_session.Login},
        answer_headers=("Set-Cookie",),
        errors=(Unauthorized,),
        needs_key=False,
        description="The cookie counts only for requests of the service's own page. It opens what its key opens, for "
        "as long as that is set, and ends 30 days after its last use.",
    ),
    Route(
        "DELETE",
        SESSION_PATH,
        page_session.end_page_session,
        DatabaseFailure,
        {JSON: page_session.SessionAnswer},
        answer_headers=("Set-Cookie",),
    ),
    Route(
        "GET",
        "/api/openapi.json",
        pages.openapi_json,
        GenerationFailure,
        {JSON: dict[str, Any]},
        headers=_MATCHED,
        answer_headers=_CACHED,
    ),
    Route(
        "GET", "/api/docs", pages.docs, GenerationFailure, {pages.HTML: None}, headers=_MATCHED, answer_headers=_CACHED
    ),
    Route(
        "GET",
        "/api/docs/{asset}",
        pages.docs_asset,
        GenerationFailure,
        {"text/css": None, "text/javascript": None, "image/png": bytes},
        headers=_MATCHED,
        answer_headers=_CACHED,
        errors=(UnknownRoute,),
    ),
    Route("GET", "/health", health.health, DatabaseFailure, {JSON: health.HealthReport}, also=(503,)),
    Route(
        "GET",
        METRICS_PATH,
        metrics.metrics,
        GenerationFailure,
        dict.fromkeys(kind.partition(";")[0] for kind in (PLAIN, OPENMETRICS)),
    ),
)

PAGE_ROUTES = (
    Route("GET", "/", page.shell, GenerationFailure, {pages.HTML: None}),
    Route("GET", "/service-worker.js", page.service_worker, GenerationFailure, {"text/javascript": None}),
    Route("GET", "/page/{hash}/{path}", page.asset, GenerationFailure, {"*/*": bytes}),
)

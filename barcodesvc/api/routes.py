"""The route table of the API: each row names a method and path, its handler, and what it accepts and returns.

The router and the OpenAPI document are both built from it; the document keeps its order. The browser's page, which is a
client of the API, has a separate table that only the router uses.
"""

from __future__ import annotations

from typing import Annotated, Any

from aiohttp.typedefs import Handler
from pydantic import BaseModel

from barcodesvc.api.event_stream import EVENT_STREAM
from barcodesvc.api.forms import FORM
from barcodesvc.api.guard.api_key import SESSION_PATH
from barcodesvc.api.observe.metrics import OPENMETRICS, PLAIN
from barcodesvc.api.openapi import pages
from barcodesvc.api.openapi.error_responses import batch_response
from barcodesvc.api.resources import (
    code_batch,
    code_images,
    codes,
    exports,
    health,
    image_scans,
    imports,
    inventory,
    label_images,
    label_layouts,
    labels,
    movements,
    page,
    products,
    scan_movements,
    scans,
    source,
)
from barcodesvc.api.resources.code_requests import BarcodeQuery, BarcodeRequest, QrQuery, QrRequest
from barcodesvc.api.resources.codes import BarcodeResponse, BatchedBarcode, BatchedQrCode, QrCodeResponse
from barcodesvc.api.resources.imports import ImportResponse
from barcodesvc.api.resources.label_requests import Layout, PrintRequest
from barcodesvc.api.resources.scan_responses import BatchedScan, CountedResponse, DecodedResponse
from barcodesvc.api.responses import JSON
from barcodesvc.api.route import Route
from barcodesvc.errors import (
    AlreadyUndone,
    AmbiguousScan,
    ChangeNotFound,
    DatabaseFailure,
    DatabaseOverload,
    DuplicateProductCode,
    ExportFailure,
    ExportOverload,
    FileTooLarge,
    GenerationFailure,
    InvalidContent,
    InvalidFileFormat,
    InvalidInput,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    NameNotFound,
    NoCodeOnImage,
    ProductNotFound,
    RenderOverload,
    ServiceError,
    Stopping,
    Unauthorized,
    UnconfirmedChange,
    UnknownRoute,
    UnresolvedScan,
    UploadOverload,
)
from barcodesvc.fields import described
from barcodesvc.models import ChangeUndo, LevelAdjustment, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.store.label_images import MOST_IMAGES
from barcodesvc.store.label_layouts import MOST_LAYOUTS

IMPORT_PATH = "/api/products/import"
METRICS_PATH = "/metrics"
_MATCHED = ("If-None-Match",)
_CACHED = ("ETag", "Cache-Control")
_KEY = ("Idempotency-Key",)
_REPLAYED = ("Idempotency-Replayed",)


def _picture(path: str, handler: Handler, media: str, query: type[BaseModel], *errors: type[ServiceError]) -> Route:
    """Return the route of a picture that has its parameters in its URL."""
    return Route(
        "GET",
        path,
        handler,
        GenerationFailure,
        {media: bytes},
        query=query,
        headers=_MATCHED,
        response_headers=_CACHED,
        errors=(*errors, InvalidContent, RenderOverload),
    )


ROUTES = (
    Route(
        "GET",
        "/api/products",
        products.list_products,
        DatabaseFailure,
        {JSON: products.ProductsResponse},
        query=products.ProductsQuery,
    ),
    Route(
        "POST",
        "/api/products",
        products.create_product,
        DatabaseFailure,
        {JSON: products.ProductResponse},
        body={JSON: ProductDraft},
        status=201,
        headers=_KEY,
        response_headers=("Location", *_REPLAYED),
        errors=(DuplicateProductCode, KeyReused),
        description="`maximum_level` is 0, which means that none is set, or at least `minimum_level`.",
        example={"product_code": "4006381333931", "description": "Highlighter", "initial_level": 25},
        links=dict.fromkeys(("get_product", "change_product", "delete_product"), "id")
        | dict.fromkeys(("set_level", "adjust_level", "history"), "productId"),
    ),
    Route(
        "POST",
        IMPORT_PATH,
        imports.import_products,
        DatabaseFailure,
        {JSON: ImportResponse, EVENT_STREAM: None},
        query=imports.ImportQuery,
        body={FORM: imports.ImportForm},
        response_headers=("Cache-Control",),
        errors=(InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload, UploadOverload),
        description="With `Accept: text/event-stream` the response is server-sent events: `progress` "
        "(`ImportProgress`), then one `result` (`ImportResult`) or one `error` (the envelope of an error). An "
        "`Idempotency-Key` is refused.",
    ),
    Route(
        "GET",
        f"{IMPORT_PATH}/template",
        exports.import_template,
        ExportFailure,
        {exports.XLSX: bytes},
        headers=_MATCHED,
        response_headers=("Content-Disposition", "ETag", "Cache-Control"),
    ),
    Route(
        "GET",
        "/api/products/export",
        exports.export_products,
        ExportFailure,
        {exports.XLSX: bytes, exports.CSV: None},
        query=exports.CatalogueQuery,
        response_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    Route(
        "GET",
        "/api/products/{id}",
        products.get_product,
        DatabaseFailure,
        {JSON: products.ProductResponse},
        errors=(ProductNotFound,),
    ),
    Route(
        "PUT",
        "/api/products/{id}",
        products.change_product,
        DatabaseFailure,
        {JSON: products.ProductResponse},
        body={JSON: ProductChange},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ProductNotFound, KeyReused),
        description="At least one field besides `product_code` is required. `maximum_level` is 0, which means that "
        "none is set, or at least `minimum_level`, as sent or as stored.",
    ),
    Route(
        "DELETE",
        "/api/products/{id}",
        products.delete_product,
        DatabaseFailure,
        {JSON: products.Deleted},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ProductNotFound, KeyReused),
    ),
    Route(
        "GET",
        "/api/inventory",
        inventory.list_levels,
        DatabaseFailure,
        {JSON: inventory.LevelsResponse},
        query=inventory.LevelsQuery,
        errors=(ExportFailure, ExportOverload),
        description="Without `page` and `limit` the records are a consistent snapshot.",
    ),
    Route(
        "GET",
        "/api/inventory/export",
        exports.export_inventory,
        ExportFailure,
        {exports.XLSX: bytes, exports.CSV: None},
        query=exports.InventoryQuery,
        response_headers=("Content-Disposition",),
        errors=(DatabaseFailure, ExportOverload),
    ),
    Route(
        "GET",
        "/api/inventory/changes",
        movements.list_changes,
        DatabaseFailure,
        {JSON: movements.ChangesResponse},
        query=movements.ChangesQuery,
        description="`from_date` is not after `to_date`. Send at most one of `before` and `after`.",
    ),
    Route(
        "POST",
        "/api/inventory/changes/{changeId}/undo",
        movements.undo_change,
        DatabaseFailure,
        {JSON: movements.ChangeResponse},
        body={JSON: ChangeUndo},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ChangeNotFound, AlreadyUndone, LevelOutOfRange, KeyReused),
        description="An undo is itself a change, and can be undone once. The key may be in the header or in "
        "`idempotency_key`; if it is in both, they must be equal.",
        example={"updated_by": "till 2"},
        links={"undo_change": "changeId"},
    ),
    Route(
        "GET",
        "/api/inventory/{productId}",
        inventory.get_level,
        DatabaseFailure,
        {JSON: inventory.LevelResponse},
        errors=(ProductNotFound,),
    ),
    Route(
        "PUT",
        "/api/inventory/{productId}",
        movements.set_level,
        DatabaseFailure,
        {JSON: movements.ChangedLevelResponse},
        body={JSON: LevelUpdate},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ProductNotFound, LevelChanged, KeyReused),
        example={"new_level": 8},
    ),
    Route(
        "POST",
        "/api/inventory/{productId}/adjust",
        movements.adjust_level,
        DatabaseFailure,
        {JSON: movements.ChangedLevelResponse},
        body={JSON: LevelAdjustment},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ProductNotFound, LevelOutOfRange, KeyReused),
        description="The key may be in the header or in `idempotency_key`; if it is in both, they must be equal.",
    ),
    Route(
        "GET",
        "/api/inventory/{productId}/history",
        movements.history,
        DatabaseFailure,
        {JSON: movements.HistoryResponse},
        query=movements.HistoryQuery,
        errors=(ProductNotFound,),
        description="`from_date` is not after `to_date`. Send at most one of `before` and `after`.",
    ),
    Route(
        "POST",
        "/api/codes/barcode",
        codes.barcode,
        GenerationFailure,
        {JSON: BarcodeResponse},
        body={JSON: BarcodeRequest},
        errors=(InvalidContent, RenderOverload),
        description="`format` decides what `product_code` may contain. `width` and `module_mm` exclude each other.",
        example={"product_code": "4006381333931", "format": "EAN13", "width": 3},
    ),
    Route(
        "POST",
        "/api/codes/qrcode",
        codes.qrcode,
        GenerationFailure,
        {JSON: QrCodeResponse},
        body={JSON: QrRequest},
        errors=(InvalidContent, ProductNotFound, DatabaseFailure, RenderOverload),
        example={"product_code": "BOLT-M8x40", "error_correction": "Q"},
        description="A small `size` is not enough for every code. `size` and `module_mm` exclude each other.",
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
            JSON: batch_response(
                "BatchResponse",
                BatchedBarcode | BatchedQrCode,
                *(InvalidInput, InvalidContent, ProductNotFound, DatabaseFailure, DatabaseOverload),
                *(GenerationFailure, RenderOverload, Stopping),
            )
        },
        body={JSON: code_batch.BatchForm},
        most_bytes=1024 * 1024,
        example={"requests": [{"kind": "barcode", "product_code": "A-1"}, {"kind": "qrcode", "product_code": "A-1"}]},
    ),
    Route("GET", "/api/codes/formats", codes.formats, GenerationFailure, {JSON: codes.FormatsResponse}),
    Route(
        "POST",
        "/api/codes/printable",
        labels.printable,
        GenerationFailure,
        {labels.PDF: bytes, labels.PNG: bytes, labels.ZPL: bytes},
        body={JSON: PrintRequest},
        most_bytes=2 * 1024 * 1024,
        response_headers=("Content-Disposition",),
        errors=(InvalidContent, ProductNotFound, NameNotFound, DatabaseFailure, RenderOverload),
        example={"products": ["BOLT-M8x40", {"code": "A-1", "copies": 2}], "layout": {"page_size": "A4"}},
        description="Dimensions must be consistent, and labels must be large enough for their codes.",
    ),
    Route("GET", "/api/codes/sheets", labels.sheets, GenerationFailure, {JSON: labels.SheetsResponse}),
    Route(
        "GET",
        "/api/codes/layouts",
        label_layouts.list_layouts,
        DatabaseFailure,
        {JSON: label_layouts.LayoutsResponse},
    ),
    Route(
        "GET",
        "/api/codes/layouts/{name}",
        label_layouts.get_layout,
        DatabaseFailure,
        {JSON: label_layouts.LayoutResponse},
        errors=(NameNotFound,),
    ),
    Route(
        "PUT",
        "/api/codes/layouts/{name}",
        label_layouts.save_layout,
        DatabaseFailure,
        {JSON: label_layouts.LayoutResponse},
        body={JSON: Layout},
        most_bytes=16 * 1024,
        example={"sheet": "L7160", "include_description": True},
        description=f"At most {MOST_LAYOUTS} layouts are saved. Dimensions must be consistent.",
    ),
    Route(
        "DELETE",
        "/api/codes/layouts/{name}",
        label_layouts.delete_layout,
        DatabaseFailure,
        {JSON: label_layouts.DeletedName},
        errors=(NameNotFound,),
    ),
    Route(
        "GET",
        "/api/codes/images",
        label_images.list_images,
        DatabaseFailure,
        {JSON: label_images.ImagesResponse},
    ),
    Route(
        "GET",
        "/api/codes/images/{name}",
        label_images.get_image,
        DatabaseFailure,
        {code_images.PNG: bytes},
        errors=(NameNotFound,),
    ),
    Route(
        "PUT",
        "/api/codes/images/{name}",
        label_images.save_image,
        DatabaseFailure,
        {JSON: label_images.ImageResponse},
        body={code_images.PNG: bytes},
        most_bytes=label_images.MOST_BYTES,
        errors=(InvalidFileFormat, FileTooLarge, GenerationFailure),
        description=f"A PNG of at most 64 KiB and {label_images.LONGEST_SIDE} pixels a side; {MOST_IMAGES} are saved "
        "at most. Pixels that are darker than a middle grey become black, others white.",
    ),
    Route(
        "DELETE",
        "/api/codes/images/{name}",
        label_images.delete_image,
        DatabaseFailure,
        {JSON: label_layouts.DeletedName},
        errors=(NameNotFound,),
    ),
    Route(
        "POST",
        "/api/codes/decode",
        scans.decode_scan,
        DatabaseFailure,
        {JSON: DecodedResponse},
        body={JSON: scans.ScannedText | image_scans.ImageRequest, FORM: image_scans.ImageForm},
        most_bytes=16 * 1024 * 1024,
        example={"code_data": "]E04006381333931"},
        errors=(UnresolvedScan, NoCodeOnImage, InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload),
    ),
    Route(
        "POST",
        "/api/codes/scan",
        scan_movements.count_scan,
        DatabaseFailure,
        {JSON: CountedResponse},
        body={JSON: scan_movements.ScanCount},
        headers=_KEY,
        response_headers=_REPLAYED,
        errors=(ProductNotFound, UnresolvedScan, LevelOutOfRange, LaterChange, KeyReused),
        description="`delta` adds to the level, `new_level` sets it to a count; without either, or with a `delta` of "
        "0, nothing changes and `change` is null. A count is refused if the level has changed since `scanned_at`, "
        "which may be at most 5 minutes in the future, and in the past as long as keys are kept. The key may be in the "
        "header or in `idempotency_key`; if it is in both, they must be equal.",
        example={"code_data": "]E04006381333931", "delta": -1},
    ),
    Route(
        "POST",
        "/api/codes/scans",
        scan_movements.count_scans,
        DatabaseFailure,
        {
            JSON: batch_response(
                "ScansResponse",
                BatchedScan,
                *(InvalidInput, ProductNotFound, UnresolvedScan, AmbiguousScan, LevelOutOfRange, LaterChange),
                *(KeyReused, DatabaseFailure, UnconfirmedChange, DatabaseOverload, GenerationFailure),
            )
        },
        body={JSON: scan_movements.ScansForm},
        most_bytes=1024 * 1024,
        description="Scans are counted in order, each on its own, under its own key, which is the same as that of a "
        "single call. An `Idempotency-Key` for the whole request is refused.",
        example={"scans": [{"code_data": "A-1", "delta": -1, "idempotency_key": "1"}, {"code_data": "A-1"}]},
    ),
    Route(
        "POST",
        SESSION_PATH,
        page.open_page_session,
        GenerationFailure,
        {JSON: page.SessionResponse},
        body={JSON: page.Login},
        most_bytes=page.MOST_LOGIN_BYTES,
        response_headers=("Set-Cookie",),
        errors=(Unauthorized,),
        needs_key=False,
        description="The cookie counts only in requests of the service's own page. It grants what its key grants, as "
        "long as that key is configured, and expires 30 days after its last use.",
    ),
    Route(
        "DELETE",
        SESSION_PATH,
        page.end_page_session,
        DatabaseFailure,
        {JSON: page.SessionResponse},
        response_headers=("Set-Cookie",),
    ),
    Route(
        "GET",
        "/api/openapi.json",
        pages.openapi_json,
        GenerationFailure,
        {JSON: Annotated[dict[str, Any], described("The document.", {"openapi": "3.1.0"})]},
        headers=_MATCHED,
        response_headers=_CACHED,
    ),
    Route(
        "GET",
        "/api/docs",
        pages.docs,
        GenerationFailure,
        {pages.HTML: None},
        headers=_MATCHED,
        response_headers=_CACHED,
    ),
    Route(
        "GET",
        "/api/docs/{asset}",
        pages.docs_asset,
        GenerationFailure,
        {"text/css": None, "text/javascript": None, "image/png": bytes},
        headers=_MATCHED,
        response_headers=_CACHED,
        errors=(UnknownRoute,),
    ),
    Route("GET", "/health", health.health, DatabaseFailure, {JSON: health.HealthReport}, also=(503,)),
    Route(
        "GET",
        METRICS_PATH,
        health.metrics,
        GenerationFailure,
        dict.fromkeys(kind.partition(";")[0] for kind in (PLAIN, OPENMETRICS)),
    ),
)

PAGE_ROUTES = (
    Route("GET", "/", page.shell, GenerationFailure, {pages.HTML: None}),
    Route("GET", "/service-worker.js", page.service_worker, GenerationFailure, {"text/javascript": None}),
    Route("GET", "/sending-worker.js", page.sending_worker, GenerationFailure, {"text/javascript": None}),
    Route("GET", "/watchdog.js", page.watchdog, GenerationFailure, {"text/javascript": None}),
    Route("GET", "/page/{hash}/{path}", page.asset, GenerationFailure, {"*/*": bytes}),
    Route("GET", "/source", source.source, GenerationFailure, {"text/plain": None}),
)

"""The route table of the API: a method and a path, the handler, and the errors that its signature does not name.

The router and the OpenAPI document are both built from it; the document keeps its order. The web app, which is a client
of the API, has a separate table that only the router uses.
"""

from functools import partial

from barcodesvc.api.endpoint import Route
from barcodesvc.api.guard.sessions import SESSION_PATH
from barcodesvc.api.openapi import pages
from barcodesvc.api.resources import (
    catalogue_copy,
    code_batch,
    code_images,
    codes,
    exports,
    health,
    imports,
    inventory,
    labels,
    movements,
    page,
    printers,
    product_codes,
    products,
    reorder,
    saved,
    scan_movements,
    scans,
    unknown_scans,
)
from barcodesvc.errors import (
    AlreadyUndone,
    ChangeNotFound,
    DatabaseFailure,
    ExportFailure,
    ExportOverload,
    FileTooLarge,
    GenerationFailure,
    InvalidContent,
    InvalidFileFormat,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    NameNotFound,
    PrinterNotFound,
    ProductNotFound,
    RenderOverload,
    Unauthorized,
    UnknownRoute,
    UploadOverload,
)
from barcodesvc.print_jobs import PrintJobNotFound, PrintJobStateDiffers
from barcodesvc.product_codes import CodeNotFound, DuplicateProductCode
from barcodesvc.scanning.unresolved import NoCodeOnImage, UnresolvedScan
from barcodesvc.store.unknown_scans import UnknownScanNotFound

IMPORT_PATH = "/api/products/import"
METRICS_PATH = "/metrics"
_MIB = 1024 * 1024
_export = partial(Route, "GET", failure=ExportFailure)
_drawing = partial(Route, failure=GenerationFailure)

_PRODUCT_LINKS = dict.fromkeys(("get_product", "change_product", "delete_product"), "id") | dict.fromkeys(
    ("set_level", "adjust_level", "history"), "productId"
)
_OF_EXPORT = (DatabaseFailure, ExportOverload)
_OF_IMPORT = (InvalidFileFormat, FileTooLarge, GenerationFailure, ExportFailure, RenderOverload, UploadOverload)
_OF_BARCODE = (InvalidContent, RenderOverload)
_OF_QRCODE = (InvalidContent, ProductNotFound, DatabaseFailure, RenderOverload)
_OF_LABELS = (InvalidContent, ProductNotFound, NameNotFound, RenderOverload)
_OF_DECODING = (UnresolvedScan, NoCodeOnImage, InvalidFileFormat, FileTooLarge, GenerationFailure, RenderOverload)
_OF_SCAN = (ProductNotFound, UnresolvedScan, LevelOutOfRange, LaterChange)
_OF_CODE = (ProductNotFound, DuplicateProductCode)
_OF_ASSIGNMENT = (UnknownScanNotFound, *_OF_CODE)
_OF_JOB = (PrinterNotFound, PrintJobNotFound)
_OF_CANCEL = (*_OF_JOB, PrintJobStateDiffers)
_OF_RESEND = (*_OF_CANCEL, RenderOverload)
_OF_IMAGE = (InvalidFileFormat, FileTooLarge, GenerationFailure)

ROUTES = (
    Route("GET", "/api/products", products.list_products),
    Route("POST", "/api/products", products.create_product, (DuplicateProductCode,), status=201, links=_PRODUCT_LINKS),
    Route("POST", IMPORT_PATH, imports.import_products, _OF_IMPORT),
    _export(f"{IMPORT_PATH}/template", exports.import_template),
    _export("/api/products/export", exports.export_products, _OF_EXPORT),
    Route("GET", "/api/products/catalogue", catalogue_copy.catalogue, (ExportOverload,)),
    Route("GET", "/api/products/attributes", products.list_attribute_names),
    Route("GET", "/api/products/{id}", products.get_product, (ProductNotFound,)),
    Route("PUT", "/api/products/{id}", products.change_product, (ProductNotFound, DuplicateProductCode)),
    Route("DELETE", "/api/products/{id}", products.delete_product, (ProductNotFound,)),
    Route("GET", "/api/products/{id}/codes", product_codes.list_codes, (ProductNotFound,)),
    Route("POST", "/api/products/{id}/codes", product_codes.add_code, _OF_CODE, status=201),
    Route("GET", "/api/products/{id}/codes/{codeId}", product_codes.get_code, (CodeNotFound,)),
    Route("DELETE", "/api/products/{id}/codes/{codeId}", product_codes.remove_code, (ProductNotFound, CodeNotFound)),
    Route("GET", "/api/inventory", inventory.list_levels, (ExportFailure, ExportOverload)),
    _export("/api/inventory/export", exports.export_inventory, _OF_EXPORT),
    Route("GET", "/api/inventory/reorder", reorder.list_reorders, (ExportFailure, ExportOverload)),
    _export("/api/inventory/reorder/export", reorder.export_reorders, _OF_EXPORT),
    Route("GET", "/api/inventory/changes", movements.list_changes),
    Route(
        "POST",
        "/api/inventory/changes/{changeId}/undo",
        movements.undo_change,
        (ChangeNotFound, AlreadyUndone, LevelOutOfRange),
        links={"undo_change": "changeId"},
    ),
    Route("GET", "/api/inventory/{productId}", inventory.get_level, (ProductNotFound,)),
    Route("PUT", "/api/inventory/{productId}", movements.set_level, (ProductNotFound, LevelChanged)),
    Route("POST", "/api/inventory/{productId}/adjust", movements.adjust_level, (ProductNotFound, LevelOutOfRange)),
    Route("GET", "/api/inventory/{productId}/history", movements.history, (ProductNotFound,)),
    _drawing("POST", "/api/codes/barcode", codes.barcode, _OF_BARCODE),
    _drawing("POST", "/api/codes/qrcode", codes.qrcode, _OF_QRCODE),
    _drawing("GET", "/api/codes/barcode/{code}.svg", code_images.barcode_svg, _OF_BARCODE),
    _drawing("GET", "/api/codes/barcode/{code}.png", code_images.barcode_png, _OF_BARCODE),
    _drawing("GET", "/api/codes/qrcode/{code}.svg", code_images.qrcode_svg, _OF_QRCODE),
    _drawing("GET", "/api/codes/qrcode/{code}.png", code_images.qrcode_png, _OF_QRCODE),
    _drawing("POST", "/api/codes/batch", code_batch.batch, most_bytes=_MIB),
    _drawing("GET", "/api/codes/formats", codes.formats),
    Route("POST", "/api/codes/made", product_codes.make_codes),
    _drawing("POST", "/api/codes/printable", labels.printable, (*_OF_LABELS, DatabaseFailure), most_bytes=2 * _MIB),
    _drawing("GET", "/api/codes/sheets", labels.sheets),
    Route("GET", "/api/printers", printers.list_printers),
    Route("GET", "/api/printers/{printer}/jobs", printers.list_print_jobs, (PrinterNotFound,)),
    Route(
        "POST",
        "/api/printers/{printer}/jobs",
        printers.print_labels,
        (PrinterNotFound, *_OF_LABELS, GenerationFailure),
        status=202,
        most_bytes=2 * _MIB,
    ),
    Route("GET", "/api/printers/{printer}/jobs/{jobId}", printers.get_print_job, _OF_JOB),
    Route("POST", "/api/printers/{printer}/jobs/{jobId}/cancel", printers.cancel_print_job, _OF_CANCEL),
    Route("POST", "/api/printers/{printer}/jobs/{jobId}/resend", printers.resend_print_job, _OF_RESEND, status=202),
    Route("POST", "/api/printers/{printer}/jobs/{jobId}/settle", printers.settle_print_job, _OF_CANCEL),
    Route("GET", "/api/codes/layouts", saved.list_layouts),
    Route("GET", "/api/codes/layouts/{name}", saved.get_layout, (NameNotFound,)),
    Route("PUT", "/api/codes/layouts/{name}", saved.save_layout, most_bytes=16 * 1024),
    Route("DELETE", "/api/codes/layouts/{name}", saved.delete_layout, (NameNotFound,)),
    Route("GET", "/api/codes/images", saved.list_images),
    Route("GET", "/api/codes/images/{name}", saved.get_image, (NameNotFound,)),
    Route("PUT", "/api/codes/images/{name}", saved.save_image, _OF_IMAGE),
    Route("DELETE", "/api/codes/images/{name}", saved.delete_image, (NameNotFound,)),
    Route("POST", "/api/codes/decode", scans.decode_scan, _OF_DECODING, most_bytes=16 * _MIB),
    Route("POST", "/api/codes/scan", scan_movements.count_scan, _OF_SCAN),
    Route("POST", "/api/codes/scans", scan_movements.count_scans, most_bytes=_MIB),
    Route("GET", "/api/scans/unknown", unknown_scans.list_unknown_scans),
    Route("DELETE", "/api/scans/unknown", unknown_scans.delete_unknown_scans),
    Route("POST", "/api/scans/unknown/{id}/assign", unknown_scans.assign_unknown_scan, _OF_ASSIGNMENT),
    Route("DELETE", "/api/scans/unknown/{id}", unknown_scans.delete_unknown_scan, (UnknownScanNotFound,)),
    _drawing(
        "POST",
        SESSION_PATH,
        page.open_page_session,
        (Unauthorized,),
        needs_key=False,
        most_bytes=page.MOST_LOGIN_BYTES,
    ),
    Route("DELETE", SESSION_PATH, page.end_page_session),
    _drawing("GET", "/api/openapi.json", pages.openapi_json),
    _drawing("GET", "/api/docs", pages.docs),
    _drawing("GET", "/api/docs/{asset}", pages.docs_asset, (UnknownRoute,)),
    Route("GET", "/health", health.health, also=(503,)),
    _drawing("GET", METRICS_PATH, health.metrics),
)

PAGE_ROUTES = (
    _drawing("GET", "/", page.shell),
    _drawing("GET", "/service-worker.js", page.service_worker),
    _drawing("GET", "/sending-worker.js", page.sending_worker),
    _drawing("GET", "/watchdog.js", page.watchdog),
    _drawing("GET", "/page/{hash}/{path}", page.asset),
    _drawing("GET", "/source", pages.source),
)

"""The whole API as one table: method, path, handler, and the error that an unforeseen failure becomes."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp.typedefs import Handler

from barcodesvc.api.openapi import pages
from barcodesvc.api.resources import (
    code_batch,
    code_images,
    codes,
    exports,
    health,
    imports,
    inventory,
    labels,
    metrics,
    products,
    scan_counts,
    scans,
)
from barcodesvc.errors import DatabaseFailure, ExportFailure, GenerationFailure, ServiceError


@dataclass(frozen=True, slots=True)
class Route:
    """One row of the table."""

    method: str
    path: str
    handler: Handler
    failure: type[ServiceError]

    @property
    def methods(self) -> tuple[str, ...]:
        """The method of the table, and beside GET also HEAD: the same answer without its body (RFC 9110, 9.1)."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)

    @property
    def pattern(self) -> str:
        """What aiohttp matches: an id never swallows a sibling's name, so that a wrong method there is a 405.

        A code may hold any character, a slash and a line break too.
        """
        return (
            self.path.replace("{id}", "{id:(?!(?:import|export)$)[^/]+}")
            .replace("{productId}", "{productId:(?!export$)[^/]+}")
            .replace("{code}", "{code:(?s:.+)}")
        )


IMPORT_PATH = "/api/products/import"
METRICS_PATH = "/metrics"

ROUTES = (
    Route("GET", "/api/products", products.list_products, DatabaseFailure),
    Route("POST", "/api/products", products.create_product, DatabaseFailure),
    Route("POST", IMPORT_PATH, imports.import_products, DatabaseFailure),
    Route("GET", f"{IMPORT_PATH}/template", exports.import_template, ExportFailure),
    Route("GET", "/api/products/export", exports.export_products, ExportFailure),
    Route("GET", "/api/products/{id}", products.get_product, DatabaseFailure),
    Route("PUT", "/api/products/{id}", products.change_product, DatabaseFailure),
    Route("DELETE", "/api/products/{id}", products.delete_product, DatabaseFailure),
    Route("GET", "/api/inventory", inventory.list_levels, DatabaseFailure),
    Route("GET", "/api/inventory/export", exports.export_inventory, ExportFailure),
    Route("PUT", "/api/inventory/{productId}", inventory.set_level, DatabaseFailure),
    Route("POST", "/api/inventory/{productId}/adjust", inventory.adjust_level, DatabaseFailure),
    Route("GET", "/api/inventory/{productId}/history", inventory.history, DatabaseFailure),
    Route("POST", "/api/codes/barcode", codes.barcode, GenerationFailure),
    Route("POST", "/api/codes/qrcode", codes.qrcode, GenerationFailure),
    Route("GET", "/api/codes/barcode/{code}.svg", code_images.barcode_svg, GenerationFailure),
    Route("GET", "/api/codes/barcode/{code}.png", code_images.barcode_png, GenerationFailure),
    Route("GET", "/api/codes/qrcode/{code}.svg", code_images.qrcode_svg, GenerationFailure),
    Route("GET", "/api/codes/qrcode/{code}.png", code_images.qrcode_png, GenerationFailure),
    Route("POST", "/api/codes/batch", code_batch.batch, GenerationFailure),
    Route("GET", "/api/codes/formats", codes.formats, GenerationFailure),
    Route("POST", "/api/codes/printable", labels.printable, GenerationFailure),
    Route("GET", "/api/codes/sheets", labels.sheets, GenerationFailure),
    Route("POST", "/api/codes/decode", scans.decode_scan, DatabaseFailure),
    Route("POST", "/api/codes/scan", scan_counts.count_scan, DatabaseFailure),
    Route("GET", "/api/openapi.json", pages.openapi_json, GenerationFailure),
    Route("GET", "/api/docs", pages.docs, GenerationFailure),
    Route("GET", "/api/docs/{asset}", pages.docs_asset, GenerationFailure),
    Route("GET", "/health", health.health, DatabaseFailure),
    Route("GET", METRICS_PATH, metrics.metrics, GenerationFailure),
)

"""What routes answer, told as types: for the document and its readers; nothing is validated by them when it goes out.

Answers are written by their handlers, the frequent ones joined from finished bytes. That these types are true of them
is held by the tests of the API: each answer that they get is compared with the document, and a field that is not told
here is an error. Records that go out as they are (`Product`, `Level`, `LevelChange`) are their own types.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.catalogue.importing import Outcome
from barcodesvc.catalogue.rows import Rule
from barcodesvc.models import Level, LevelChange, Product, Timestamp
from barcodesvc.scanning.resolve import Match

Success = Literal[True]
DataUri = Annotated[str, Field(json_schema_extra={"pattern": "^data:image/png;base64,"})]
ADate = Annotated[str, Field(json_schema_extra={"format": "date"})]


class ProductAnswer(TypedDict):
    """One product."""

    success: Success
    data: Product


class Pagination(TypedDict):
    """Where a page lies: its number from 1, its greatest length, and how many products and pages there are."""

    page: int
    limit: int
    total: int
    pages: int


class ProductsAnswer(TypedDict):
    """One page of the catalogue."""

    success: Success
    data: list[Product]
    pagination: Pagination


class Deleted(TypedDict):
    """A confirmation for people."""

    success: Success
    message: str


class LevelsAnswer(TypedDict):
    """Inventory records."""

    success: Success
    data: list[Level]


class ChangedLevel(TypedDict):
    """A level before and after a change."""

    product_id: int
    old_level: int
    new_level: int
    change_reason: str
    updated_by: str
    updated_at: Timestamp


class ChangedLevelAnswer(TypedDict):
    """A level that was set or adjusted."""

    success: Success
    data: ChangedLevel


class HistoryAnswer(TypedDict):
    """Changes of a level, newest first."""

    success: Success
    data: list[LevelChange]


class WrongCell(TypedDict):
    """Why a cell cannot be imported; `column` is its field, empty for the row as a whole."""

    column: str
    value: str
    rule: Rule
    message: str


class WrongRow(TypedDict):
    """Why a row was not imported; `row` is the number beside it in the spreadsheet."""

    row: int
    error: str
    problems: list[WrongCell]


class PreviewRow(TypedDict):
    """A row of a dry run, and its product as the catalogue would then hold it."""

    row: int
    outcome: Outcome
    product_code: str
    description: str
    category: str
    unit_of_measure: str
    current_level: int
    minimum_level: int
    maximum_level: int


class ImportPreview(TypedDict):
    """What a dry run recognised: `columns` maps headers to fields, `ignored` are the other headers."""

    sheet: str
    header_row: int
    columns: dict[str, str]
    ignored: list[str]
    rows: list[PreviewRow]


class ImportResult(TypedDict):
    """What became of each row; `updated` in mode `update`, `preview` of a dry run."""

    imported: int
    updated: NotRequired[int]
    skipped: int
    errors: list[WrongRow]
    errors_count: int
    errors_truncated: bool
    preview: NotRequired[ImportPreview]


class ImportAnswer(TypedDict):
    """An import that has ended."""

    success: Success
    data: ImportResult


class ImportProgress(TypedDict):
    """The data of an event `progress`."""

    rows_read: int
    imported: int
    updated: NotRequired[int]
    skipped: int
    errors: int


class Barcode(TypedDict):
    """A barcode as SVG markup and as a data URI of a PNG image."""

    product_code: str
    format: str
    barcode_svg: str
    barcode_base64: DataUri
    warnings: NotRequired[list[str]]


class BarcodeAnswer(TypedDict):
    """One barcode."""

    success: Success
    data: Barcode


class EmbeddedData(TypedDict):
    """What a QR code with product information holds, as compact JSON."""

    product_code: str
    description: str
    timestamp: Timestamp


class QrCode(TypedDict):
    """A QR code as SVG markup and as a data URI of a PNG image."""

    product_code: str
    qr_code_svg: str
    qr_code_base64: DataUri
    embedded_data: NotRequired[EmbeddedData]
    warnings: NotRequired[list[str]]


class QrCodeAnswer(TypedDict):
    """One QR code."""

    success: Success
    data: QrCode


class QuietZone(TypedDict):
    """The light margin of a symbol, in modules."""

    left: int
    right: int
    top: int
    bottom: int


class CodeFormat(TypedDict):
    """A symbology: its names, its rules in words, and an example."""

    format: str
    aliases: list[str]
    kind: Literal["linear", "matrix"]
    alphabet: str
    length: str
    check_digit: str
    quiet_zone: QuietZone
    least_module_mm: float
    example: str


class FormatsAnswer(TypedDict):
    """Every symbology."""

    success: Success
    data: list[CodeFormat]


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


class ScannedProduct(TypedDict):
    """The product that a scan names."""

    id: int
    product_code: str
    description: str
    category: str


class ScannedLevel(TypedDict):
    """Its inventory."""

    current_level: int
    minimum_level: int
    last_updated: Timestamp


class Gs1Data(TypedDict):
    """What GS1 data says: `elements` maps each AI to its value."""

    gtin: NotRequired[str]
    lot: NotRequired[str]
    serial: NotRequired[str]
    expiry: NotRequired[ADate]
    net_weight_kg: NotRequired[float]
    price: NotRequired[float]
    elements: dict[str, str]


class NewProduct(TypedDict):
    """A body for `POST /api/products` that makes a product which the same scan finds."""

    product_code: str
    description: str
    category: NotRequired[str]


class Understood(TypedDict):
    """What was understood of a scan."""

    text: str
    symbology: str | None
    gs1: Gs1Data | None


class ImagePoint(TypedDict):
    """A point of the upright image, in pixels from its top left."""

    x: int
    y: int


class ImageCode(TypedDict):
    """A code on an image; `understood` and `new_product` where it names no product."""

    text: str
    symbology: str
    position: Annotated[list[ImagePoint], Field(min_length=4, max_length=4)]
    match: Match | None
    gs1: Gs1Data | None
    product: ScannedProduct | None
    understood: NotRequired[Understood | None]
    new_product: NotRequired[NewProduct | None]


class Decoded(TypedDict):
    """A scan that was resolved; of an image also its codes.

    Where the codes on an image name several products, `product`, `inventory` and `match` are null.
    """

    product: ScannedProduct | None
    inventory: ScannedLevel | None
    match: Match | None
    gs1: NotRequired[Gs1Data]
    codes: NotRequired[list[ImageCode]]
    codes_truncated: NotRequired[bool]


class DecodedAnswer(TypedDict):
    """The product that a scan names."""

    success: Success
    data: Decoded


class Counted(TypedDict):
    """A scan that was counted: the product with its new level, and the entry of its history."""

    product: ScannedProduct
    inventory: ScannedLevel
    match: Match
    gs1: NotRequired[Gs1Data]
    change: LevelChange


class CountedAnswer(TypedDict):
    """The product that a scan names, with its level changed."""

    success: Success
    data: Counted


class Memory(TypedDict):
    """What the process occupies, in bytes."""

    rss: int
    heapTotal: int
    heapUsed: int
    external: int


class HealthReport(TypedDict):
    """Whether the service and its database answer; `uptime` in seconds."""

    status: Literal["OK", "ERROR"]
    timestamp: Timestamp
    uptime: float
    memory: Memory
    version: str

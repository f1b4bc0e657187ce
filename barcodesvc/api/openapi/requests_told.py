"""What routes take that no model reads as a whole: forms, read part by part, entries of a batch, scans.

Told as models, for the document alone; a test holds their fields to the names that the readers know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema

from barcodesvc.api.resources.code_batch import MOST_REQUESTS
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.resources.scans import CodeData
from barcodesvc.catalogue.columns import FIELDS

File = Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
_CatalogueField = Annotated[str, WithJsonSchema({"type": "string", "enum": list(FIELDS)})]


class ImportForm(BaseModel, extra="forbid"):
    """A workbook (.xlsx or .xls, judged by its content), which columns it has, and which of its sheets is read.

    `map` is a JSON object from header to field.
    """

    file: File
    map: dict[str, _CatalogueField] | None = None
    sheet: Annotated[str, StringConstraints(max_length=255)] | None = None


class ImageForm(BaseModel, extra="forbid"):
    """A picture of codes: PNG, JPEG, WebP, GIF, TIFF or BMP by its content; `code_type` is read by nobody."""

    image: File
    code_type: str | None = None


class ScannedText(BaseModel, extra="forbid"):
    """What a scanner sent; `code_type` is a hint that hides no product."""

    code_data: CodeData
    code_type: str = ""


class BarcodeEntry(BarcodeRequest):
    """A barcode in a batch."""

    kind: Literal["barcode"]


class QrEntry(QrRequest):
    """A QR code in a batch."""

    kind: Literal["qrcode"]


class BatchForm(BaseModel, extra="forbid"):
    """Codes that are asked for together; each entry is judged on its own, and a wrong one is answered in its place."""

    requests: Annotated[list[BarcodeEntry | QrEntry | Any], Field(min_length=1, max_length=MOST_REQUESTS)]

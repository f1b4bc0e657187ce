"""Requests for codes: the fields of a barcode and of a QR code, from a body or from a query.

Both become keys of the renderer, in which a physical size (`dpi`, `module_mm`) is converted to whole dots.
"""

from functools import cached_property
from typing import Annotated

from pydantic import ConfigDict, Field, PlainValidator, ValidationInfo, field_validator
from pydantic_core import to_json
from typing_extensions import TypeAliasType

from barcodesvc.api.parameters import query_boolean, query_number
from barcodesvc.api.responses import SUCCESS_OPENING
from barcodesvc.codes.layout import ModuleWidth, normal_width
from barcodesvc.codes.rendering import BarcodeKey, QrKey
from barcodesvc.fields import described
from barcodesvc.models import Draft, ProductCode
from barcodesvc.symbols.modules import MM_PER_INCH
from barcodesvc.symbols.qr import ErrorCorrection
from barcodesvc.symbols.registry import (
    BEST,
    Symbology,
    best_symbology,
    find_symbology,
    named_symbology,
    names_of_symbologies,
)

LARGEST_IMAGE = 4000
"""The maximum of `width` and `size` in pixels."""
_DEFAULT_WIDTH = 2
_DEFAULT_SIZE = 300
_DEFAULT_DPI = 300
_LEAST_IN_QUERY = 0.0001
"""The smallest width written without an exponent, which a query does not accept; smaller ones draw the same."""
_CODE128 = find_symbology("CODE128")


FormatName = TypeAliasType(
    "FormatName",
    Annotated[
        Symbology,
        PlainValidator(named_symbology),
        names_of_symbologies(
            "The symbology; it decides what the code may contain. `best` is EAN13, UPCA or EAN8 for such a number, and "
            "CODE128 for any other code.",
            "EAN13",
        ),
    ],
)
ErrorCorrectionLevel = TypeAliasType(
    "ErrorCorrectionLevel",
    Annotated[
        ErrorCorrection,
        described("How much of the QR code may be damaged: 7, 15, 25 or 30 % for `L`, `M`, `Q` or `H`.", "M"),
    ],
)
"""Like `FormatName` an alias with a name, so that the document has one schema for all requests."""
_WIDTH = described(
    "Up to 10 the width of a module in pixels, above it the greatest width of the picture; "
    f"{_DEFAULT_WIDTH} by default.",
    3,
)
Pixels = Annotated[float, Field(allow_inf_nan=False)]
DotsPerInch = Annotated[float, Field(ge=25, le=4800, allow_inf_nan=False)]
ModuleMillimetres = Annotated[float, Field(ge=0.01, le=10, allow_inf_nan=False)]


class PhysicalSize(Draft):
    """The size of a picture in print: `dpi` of the printer, `module_mm` as the desired X-dimension."""

    dpi: Annotated[
        DotsPerInch | None, described("Dots per inch of the printer; gives the picture a physical size.", 300)
    ] = None
    module_mm: Annotated[
        ModuleMillimetres | None,
        described("The X-dimension, which is the width of a module, in mm: a size for print instead of pixels.", 0.33),
    ] = None

    @property
    def resolution(self) -> float | None:
        """Dots per inch, None without a physical size."""
        return self.dpi or (_DEFAULT_DPI if self.module_mm else None)

    @property
    def module_dots(self) -> ModuleWidth | None:
        """The desired X-dimension in whole dots, at least one; None without one."""
        if self.module_mm is None:
            return None
        return ModuleWidth(max(1, round(self.module_mm * (self.dpi or _DEFAULT_DPI) / MM_PER_INCH)))


class BarcodeRequest(PhysicalSize):
    """A barcode; `width` and `height` in pixels, `width` up to 10 is that of one module."""

    model_config = ConfigDict(json_schema_extra={"not": {"required": ["width", "module_mm"]}})

    product_code: ProductCode
    format: FormatName = _CODE128
    width: Annotated[Pixels, Field(gt=0, le=LARGEST_IMAGE), _WIDTH] | None = None
    height: Annotated[Pixels, Field(ge=10, le=2000), described("The height of the bars in pixels.", 100)] = 100
    displayValue: Annotated[bool, described("Whether the text is printed below the bars.", example=True)] = True  # noqa: N815 - the name that the interface gives it

    @field_validator("width")
    @classmethod
    def _one_width(cls, width: float | None, info: ValidationInfo) -> float | None:
        return _instead_of_module_mm(width, info)

    @cached_property
    def symbology(self) -> Symbology:
        """The symbology in which the code is drawn."""
        return best_symbology(self.product_code) if self.format is BEST else self.format

    @cached_property
    def response_opening(self) -> bytes:
        """The part of the response before the picture."""
        named = b'{"product_code":%b,"format":"%b","barcode_svg":'
        return SUCCESS_OPENING + named % (to_json(self.product_code), self.symbology.name.encode())

    @cached_property
    def key(self) -> BarcodeKey:
        """The render key of the requested picture, normalised."""
        width = self.module_dots or normal_width(self.width or _DEFAULT_WIDTH)
        height = round(self.height)
        return BarcodeKey(self.symbology, self.product_code, width, height, self.displayValue, self.resolution)


class QrRequest(PhysicalSize):
    """A QR code; `size` is the side of the image in pixels."""

    model_config = ConfigDict(json_schema_extra={"not": {"required": ["size", "module_mm"]}})

    product_code: ProductCode
    size: (
        Annotated[
            Pixels,
            Field(ge=29, le=LARGEST_IMAGE),
            described(f"The side of the picture in pixels, {_DEFAULT_SIZE} by default.", 300),
        ]
        | None
    ) = None
    error_correction: ErrorCorrectionLevel = "M"
    include_product_info: Annotated[
        bool, described("Whether the QR code also holds the description of the product with this code.", example=True)
    ] = False

    @field_validator("size")
    @classmethod
    def _one_size(cls, size: float | None, info: ValidationInfo) -> float | None:
        return _instead_of_module_mm(size, info)

    @cached_property
    def response_opening(self) -> bytes:
        """The part of the response before the picture."""
        return SUCCESS_OPENING + b'{"product_code":%b,"qr_code_svg":' % to_json(self.product_code)

    @cached_property
    def key(self) -> QrKey:
        """The render key of the bare code, normalised."""
        return self.key_of(self.product_code)

    def key_of(self, content: str) -> QrKey:
        """Return the render key of this content, normalised."""
        side = self.module_dots or round(self.size or _DEFAULT_SIZE)
        return QrKey(content, self.error_correction, side, self.product_code, self.resolution)


class BarcodeQuery(BarcodeRequest):
    """A barcode that is requested by URL."""

    width: Annotated[Pixels, Field(ge=_LEAST_IN_QUERY, le=LARGEST_IMAGE), _WIDTH] | None = None

    _numbers = field_validator("width", "height", "dpi", "module_mm", mode="before")(query_number)
    _booleans = field_validator("displayValue", mode="before")(query_boolean)


class QrQuery(QrRequest):
    """A QR code that is requested by URL."""

    _numbers = field_validator("size", "dpi", "module_mm", mode="before")(query_number)
    _booleans = field_validator("include_product_info", mode="before")(query_boolean)


def _instead_of_module_mm(pixels: float | None, info: ValidationInfo) -> float | None:
    if info.data.get("module_mm") is not None:
        raise ValueError(f"{info.field_name} and module_mm both say how large; leave one of them out")
    return pixels

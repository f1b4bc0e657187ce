"""Scans that name no product: the errors, and the records of what was understood of a scan, or of an image.

Responses to scans that name one have the same records of the codes on an image.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.errors import LEFT_OUT, Reason, ServiceError
from barcodesvc.fields import described
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.gs1_data import Gs1Data
from barcodesvc.scanning.images.codes import ImagePoint
from barcodesvc.scanning.pack_data import PackData
from barcodesvc.store.scans import ScannedCode, ScannedProduct


class Understood(PackData):
    """What was understood of a scan."""

    text: Annotated[str, described("The scanned text, without what announces its symbology.", "4006381333931")]
    symbology: Annotated[str | None, described("The symbology, or null if the scan does not name it.", "EAN13")]
    gs1: Annotated[Gs1Data | None, described("The GS1 data in it, or null.", None)]


class ProposedProduct(TypedDict):
    """A body for `POST /api/products` that makes a product which the same scan finds."""

    product_code: Annotated[str, described("The code that the product would have.", "4006381333931")]
    description: Annotated[str, described("A description to change, since the scan has none.", "4006381333931")]
    category: NotRequired[Annotated[str, described("The category, if the scanned QR code holds one.", "Office")]]


class Candidate(TypedDict):
    """One of several products that a scan matches equally."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText


class ImageCode(PackData):
    """A code on an image; `understood` and `new_product` are present if it names no product."""

    text: Annotated[str, described("What the code holds, as a scanner would send it.", "4006381333931")]
    symbology: Annotated[str, described("The symbology of the code.", "EAN13")]
    position: Annotated[
        Sequence[ImagePoint],
        Field(min_length=4, max_length=4),
        described(
            "The corners of the code, from its top left clockwise.",
            [{"x": 40, "y": 25}, {"x": 260, "y": 25}, {"x": 260, "y": 120}, {"x": 40, "y": 120}],
        ),
    ]
    match: Annotated[Match | None, described("The rule that led to its product, or null without one.", "exact")]
    gs1: Annotated[Gs1Data | None, described("The GS1 data in it, or null.", None)]
    product: Annotated[ScannedProduct | None, described("Its product, or null without one.")]
    code: Annotated[ScannedCode | None, described("The code of the product that fits it, or null without one.")]
    understood: NotRequired[
        Annotated[Understood | None, described("What was understood of it, if it names no product.", None)]
    ]
    new_product: NotRequired[
        Annotated[ProposedProduct | None, described("A product to create for it, if it names none.", None)]
    ]


_ImageCodes = Annotated[list[ImageCode], described("The codes in the image, in reading order.")]
_Looks = Annotated[int, described("How many times the service has looked at the image.", 1)]
_AreCodesTruncated = Annotated[bool, described("Whether `codes` lists only the first of them.", example=False)]


class UnresolvedScan(ServiceError, status=404, code="PRODUCT_NOT_FOUND", reason=Reason.NO_PRODUCT_MATCHES):
    """The scan names no product, or several; the details contain what was understood of it."""

    about = (
        "What was understood of the scan, and the products that match it equally; for an image also its codes.\n\n"
        "`new_product` is a body that creates a product which the same scan finds, or null if that is not possible."
    )
    example: ClassVar = {
        "understood": {"text": "4711", "symbology": None, "gs1": None},
        "new_product": {"product_code": "4711", "description": "4711"},
    }

    understood: Annotated[Understood, described("What was understood of the scan.")] = LEFT_OUT
    new_product: Annotated[
        ProposedProduct | None,
        described("A body that creates a product which the same scan finds, or null if that is not possible."),
    ] = LEFT_OUT
    match: Annotated[Match, described("The rule by which several products match.", "gtin")] = LEFT_OUT
    candidates: Annotated[list[Candidate], described("The products that match equally.")] = LEFT_OUT
    codes: _ImageCodes = LEFT_OUT
    codes_truncated: _AreCodesTruncated = LEFT_OUT
    looks: _Looks = LEFT_OUT


class AmbiguousScan(UnresolvedScan, reason=Reason.SEVERAL_PRODUCTS_MATCH, envelope=UnresolvedScan):
    """Several products match the scan equally."""

    example: ClassVar = {
        "understood": {"text": "00036000291452", "symbology": None, "gs1": None},
        "match": "gtin",
        "candidates": [
            {"id": 3, "product_code": "036000291452", "description": "Tissues"},
            {"id": 4, "product_code": "0036000291452", "description": "Tissues, box of 12"},
        ],
    }


class NoCodeOnImage(ServiceError, status=404, code="PRODUCT_NOT_FOUND", reason=Reason.NO_CODE_ON_IMAGE):
    """The image has no code that can be read."""

    about = "What helps to take a better picture; there are no codes."

    hint: Annotated[str, described("How to take a better picture.", "hold the camera nearer and straight")]
    codes: Annotated[_ImageCodes, described("Always empty.", [])]
    codes_truncated: _AreCodesTruncated
    looks: _Looks

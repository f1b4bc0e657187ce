"""The response to every kind of scan: the product, its inventory and what else was understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.responses import Success, SuccessStatus
from barcodesvc.api.signature import Enveloped
from barcodesvc.fields import described
from barcodesvc.models import LevelChange
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.codes_on_images import ImagePoint
from barcodesvc.scanning.gs1_data import Gs1Data
from barcodesvc.scanning.pack_data import PackData
from barcodesvc.scanning.resolver import ProposedProduct, Resolved, Understood
from barcodesvc.store.attributes import attributes_in


class ScannedProduct(TypedDict):
    """The product that a scan names."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    category: fields.CategoryText
    attributes: fields.AttributeTexts


class ScannedLevel(TypedDict):
    """Its inventory."""

    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    last_updated: fields.LastUpdated


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
    understood: NotRequired[
        Annotated[Understood | None, described("What was understood of it, if it names no product.", None)]
    ]
    new_product: NotRequired[
        Annotated[ProposedProduct | None, described("A product to create for it, if it names none.", None)]
    ]


class Decoded(PackData):
    """A resolved scan; for an image also its codes.

    If the codes on an image name several products, `product`, `inventory` and `match` are null.
    """

    product: Annotated[ScannedProduct | None, described("The product; null if an image shows several.")]
    inventory: Annotated[ScannedLevel | None, described("Its levels; null if an image shows several products.")]
    match: Annotated[
        Match | None, described("The rule that led to the product; null if an image shows several.", "aim")
    ]
    gs1: NotRequired[Annotated[Gs1Data, described("The GS1 data, if there are any.")]]
    codes: NotRequired[Annotated[list[ImageCode], described("The codes on an image, in reading order.")]]
    codes_truncated: NotRequired[
        Annotated[bool, described("Whether `codes` lists only the first of them.", example=False)]
    ]
    looks: NotRequired[Annotated[int, described("How often the service has looked at the image.", 1)]]


DecodedScan = Annotated[Decoded, Enveloped("DecodedResponse", "The product that a scan names.", "What the scan means.")]


class Counted(PackData):
    """A counted scan: the product with its new level, and the history entry.

    `change` is null if the scan changes nothing.
    """

    product: Annotated[ScannedProduct, described("The product.")]
    inventory: Annotated[ScannedLevel, described("Its levels after the change.")]
    match: Annotated[Match, described("The rule that led to the product.", "aim")]
    gs1: NotRequired[Annotated[Gs1Data, described("The GS1 data, if there are any.")]]
    change: Annotated[LevelChange | None, described("The change, or null if the scan changes nothing.")]


CountedScan = Annotated[
    Counted,
    Enveloped(
        "CountedResponse", "The product that a scan names, with its current level.", "What the scan means and changed."
    ),
]


class BatchedScan(TypedDict):
    """The same in a batch, with the status of a single call; `replayed` if it is the response to an earlier request."""

    success: Success
    data: Annotated[Counted, described("What the scan means and changed.")]
    status: SuccessStatus
    replayed: NotRequired[
        Annotated[Literal[True], described("True if this is the response to an earlier request.", example=True)]
    ]


def decoded_data(scan: Resolved) -> Decoded:
    """Return the response to a resolved scan: product, inventory, the rule that matched, and GS1 data."""
    response = Decoded(product=scanned_product(scan), inventory=scanned_level(scan), match=scan.match)
    if scan.gs1:
        response["gs1"] = scan.gs1
    response.update(cast("Decoded", scan.pack))
    return response


def scanned_product(scan: Resolved) -> ScannedProduct:
    """Return the product that a scan names."""
    found = scan.found
    return ScannedProduct(
        id=found.id,
        product_code=found.product_code,
        description=found.description,
        category=found.category,
        attributes=attributes_in(found.attributes),
    )


def scanned_level(scan: Resolved) -> ScannedLevel:
    """Return the inventory of the product that a scan names."""
    found = scan.found
    return ScannedLevel(
        current_level=found.current_level, minimum_level=found.minimum_level, last_updated=found.last_updated
    )

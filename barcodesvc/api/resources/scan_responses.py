"""The response to every kind of scan: the product, its inventory and what else was understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.responses import Success
from barcodesvc.models import LevelChange, Timestamp
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.gs1_data import Gs1Data
from barcodesvc.scanning.image_codes import ImagePoint
from barcodesvc.scanning.resolver import ProposedProduct, Resolved, Understood


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


class ImageCode(TypedDict):
    """A code on an image; `understood` and `new_product` are present if it names no product."""

    text: str
    symbology: str
    position: Annotated[Sequence[ImagePoint], Field(min_length=4, max_length=4)]
    match: Match | None
    gs1: Gs1Data | None
    product: ScannedProduct | None
    understood: NotRequired[Understood | None]
    new_product: NotRequired[ProposedProduct | None]


class Decoded(TypedDict):
    """A resolved scan; for an image also its codes.

    If the codes on an image name several products, `product`, `inventory` and `match` are null.
    """

    product: ScannedProduct | None
    inventory: ScannedLevel | None
    match: Match | None
    gs1: NotRequired[Gs1Data]
    codes: NotRequired[list[ImageCode]]
    codes_truncated: NotRequired[bool]


class DecodedResponse(TypedDict):
    """The product that a scan names."""

    success: Success
    data: Decoded


class Counted(TypedDict):
    """A counted scan: the product with its new level, and the history entry.

    `change` is null if the scan changes nothing.
    """

    product: ScannedProduct
    inventory: ScannedLevel
    match: Match
    gs1: NotRequired[Gs1Data]
    change: LevelChange | None


class CountedResponse(TypedDict):
    """The product that a scan names, with its current level."""

    success: Success
    data: Counted


class BatchedScan(CountedResponse):
    """The same in a batch, with the status of a single call; `replayed` if it is the response to an earlier request."""

    status: Literal[200]
    replayed: NotRequired[Literal[True]]


def decoded_data(scan: Resolved) -> Decoded:
    """Return the response to a resolved scan: product, inventory, the rule that matched, and GS1 data."""
    response = Decoded(product=scanned_product(scan), inventory=scanned_level(scan), match=scan.match)
    if scan.gs1:
        response["gs1"] = scan.gs1
    return response


def scanned_product(scan: Resolved) -> ScannedProduct:
    """Return the product that a scan names."""
    found = scan.found
    return ScannedProduct(
        id=found.id, product_code=found.product_code, description=found.description, category=found.category
    )


def scanned_level(scan: Resolved) -> ScannedLevel:
    """Return the inventory of the product that a scan names."""
    found = scan.found
    return ScannedLevel(
        current_level=found.current_level, minimum_level=found.minimum_level, last_updated=found.last_updated
    )

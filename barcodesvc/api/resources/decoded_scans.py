"""What every scan is answered with, whichever way it came: the product, its inventory and what else was understood."""

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
from barcodesvc.scanning.resolver import NewProduct, Resolved, Understood


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
    """A code on an image; `understood` and `new_product` where it names no product."""

    text: str
    symbology: str
    position: Annotated[Sequence[ImagePoint], Field(min_length=4, max_length=4)]
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
    """A scan that was counted: the product with its new level, and the entry of its history.

    `change` is null where the scan changes nothing.
    """

    product: ScannedProduct
    inventory: ScannedLevel
    match: Match
    gs1: NotRequired[Gs1Data]
    change: LevelChange | None


class CountedAnswer(TypedDict):
    """The product that a scan names, with its level as it is now."""

    success: Success
    data: Counted


class BatchedScan(CountedAnswer):
    """The same in a batch; `replayed` where it is the answer to an earlier send."""

    replayed: NotRequired[Literal[True]]


def decoded_answer(scan: Resolved) -> Decoded:
    """Return the answer to a scan that was resolved: product, inventory, the rule that fitted, and GS1 data."""
    answer = Decoded(product=scanned_product(scan), inventory=scanned_level(scan), match=scan.match)
    if scan.gs1:
        answer["gs1"] = scan.gs1
    return answer


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

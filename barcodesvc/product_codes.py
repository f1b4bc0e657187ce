"""Further codes of products: that of a pack, a supplier's, or one that a product had before.

A product has one code of its own, which its labels carry, and any number of further ones, up to MOST_CODES. A scan of
each finds it. The code of a pack stands for several pieces.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.errors import LEFT_OUT, Reason, ServiceError
from barcodesvc.fields import Timestamp, described
from barcodesvc.models import Keyed, ProductCode, ShortText

MOST_CODES = 100
"""Further codes of one product. The look-up of scans relies on it, see sql/sqlite/scans.sql."""
LARGEST_PACK = 1_000_000
FORMER_CODE = "former code"
"""The note of a code that was the product's own."""

PackQuantity = Annotated[
    int, Field(ge=1, le=LARGEST_PACK), described("How many pieces a scan of the code counts for.", 6)
]
Note = Annotated[
    ShortText,
    described("What the code is, in words for people, or an empty text.", "box of six"),
]


class CodeDraft(Keyed):
    """A further code of a product."""

    code: ProductCode
    pack_quantity: PackQuantity = 1
    note: Note = ""


@dataclass(frozen=True, slots=True)
class FurtherCode:
    """A further code of a product; `created_at` is UTC, ISO 8601 with milliseconds and `Z`."""

    id: Annotated[int, described("The id of the code.", 3)]
    product_id: fields.ProductId
    code: Annotated[str, described("The code, which no other product has.", "4006381333948")]
    pack_quantity: PackQuantity
    note: Note
    created_at: Annotated[Timestamp, described("When the product got the code.")]


class CodeNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """The product has no further code with this id."""

    about = "The id that no further code of the product has."

    resource: Annotated[Literal["code"], described("What was not found.", "code")] = "code"
    id: Annotated[int, described("The id that no further code of the product has.", 4711)]


class Owner(TypedDict):
    """The product that has a code."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText


class DuplicateProductCode(ServiceError, status=409, code="DUPLICATE_PRODUCT_CODE", reason=Reason.DUPLICATE_CODE):
    """A product already has this code, as its own or as a further one."""

    about = "The code, and the product that has it."

    product_code: Annotated[str, described("The code that was sent.", "4006381333931")]
    owner: Annotated[Owner, described("The product that has the code.")] = LEFT_OUT

"""Handlers of the further codes of products."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.api.parameters import CodeInPath, ProductInPath
from barcodesvc.api.responses import JSON, Success
from barcodesvc.api.signature import Enveloped, Example, Sends
from barcodesvc.fields import described
from barcodesvc.models import Draft, Keyed
from barcodesvc.product_codes import CodeDraft, FurtherCode
from barcodesvc.service import Service
from barcodesvc.store import further_codes, made_codes
from barcodesvc.store.idempotency import KeyedRequest
from barcodesvc.store.script import Script

OneCode = Annotated[FurtherCode, Enveloped("CodeResponse", "One further code of a product.", "The code.")]
AllCodes = Annotated[
    list[FurtherCode], Enveloped("CodesResponse", "The further codes of a product.", "The codes, oldest first.")
]


MOST_MADE = 500


class WantedCodes(Keyed):
    """How many new codes to make."""

    count: Annotated[int, Field(ge=1, le=MOST_MADE), described("How many codes to make.", 2)] = 1


NewCodes = Annotated[
    list[Annotated[str, described("A new code.", "P00017")]],
    Enveloped("NewCodesResponse", "New codes.", "The codes, which no product has."),
]


class RemovedCode(TypedDict):
    """A confirmation for people."""

    success: Success
    message: Annotated[str, described("What was removed, for people.", "removed code '4006381333948'")]


async def list_codes(service: Service, id: ProductInPath) -> AllCodes:
    """List the further codes of a product."""
    return await further_codes.list_codes(service.database, id)


async def get_code(service: Service, id: ProductInPath, codeId: CodeInPath) -> OneCode:
    """Get a further code of a product."""
    return await further_codes.get_code(service.database, id, codeId)


def make_codes(
    service: Service,
    body: Annotated[WantedCodes, Example({"count": 2})],
    key: KeyedRequest[WantedCodes],  # noqa: ARG001 - a key is read
) -> Script[NewCodes]:
    """Make new codes, for labels that are printed before there are products.

    They follow the pattern in the settings, and none is made again. A product gets one when it is created with it.
    """
    return made_codes.make_codes(service.settings.made_codes, body.count)


def add_code(
    id: ProductInPath,
    body: Annotated[CodeDraft, Example({"code": "4006381333948", "pack_quantity": 6, "note": "box of six"})],
    key: KeyedRequest[CodeDraft],
) -> Script[Annotated[FurtherCode, Sends({JSON: OneCode}, ("Location",))]]:
    """Create a further code of a product.

    A scan of it finds the product, and counts `pack_quantity` pieces. A product has at most 100 further codes.
    """
    return further_codes.add(id, body, key.now)


def remove_code(id: ProductInPath, codeId: CodeInPath, key: KeyedRequest[Draft]) -> Script[RemovedCode]:
    """Delete a further code of a product."""
    code = yield from further_codes.remove(id, codeId, key.now)
    return RemovedCode(success=True, message=f"removed code {code!r}")

"""The response to every kind of scan: the product, its inventory and what else was understood."""

from dataclasses import dataclass
from typing import Annotated, NotRequired, cast

from barcodesvc.api.signature import Enveloped
from barcodesvc.fields import described
from barcodesvc.models import NewChange
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.embedded import Embedded
from barcodesvc.scanning.gs1_data import Gs1Data
from barcodesvc.scanning.pack_data import PackData
from barcodesvc.scanning.resolver import Resolved
from barcodesvc.scanning.unresolved import ImageCode
from barcodesvc.store.scans import ScannedCode, ScannedLevel, ScannedProduct


class Decoded(PackData):
    """A resolved scan; for an image also its codes.

    If the codes on an image name several products, `product`, `code`, `inventory` and `match` are null.
    """

    product: Annotated[ScannedProduct | None, described("The product; null if an image shows several.")]
    code: Annotated[
        ScannedCode | None, described("The code of the product that fits the scan; null if an image shows several.")
    ]
    inventory: Annotated[ScannedLevel | None, described("Its levels; null if an image shows several products.")]
    match: Annotated[
        Match | None, described("The rule that led to the product; null if an image shows several.", "aim")
    ]
    gs1: NotRequired[Annotated[Gs1Data, described("The GS1 data, if there are any.")]]
    embedded: NotRequired[Annotated[Embedded, described("The price, the weight or the count inside the code, if any.")]]
    codes: NotRequired[Annotated[list[ImageCode], described("The codes on an image, in reading order.")]]
    codes_truncated: NotRequired[
        Annotated[bool, described("Whether `codes` lists only the first of them.", example=False)]
    ]
    looks: NotRequired[Annotated[int, described("How many times the service has looked at the image.", 1)]]


DecodedScan = Annotated[Decoded, Enveloped("DecodedResponse", "The product that a scan names.", "What the scan means.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedChange(NewChange):
    """A change that a scan has made, with its difference in pieces and in packs."""

    delta: Annotated[int, described("By how many pieces the level changed.", -6)]
    packs: Annotated[
        int | None,
        described(
            "The `delta` of the scan, which counts packs; null for a counted level and for a value inside the code.", -1
        ),
    ]


class Counted(PackData):
    """A counted scan: the product with its new level, and the history entry.

    `change` is null if the scan changes nothing.
    """

    product: Annotated[ScannedProduct, described("The product.")]
    code: Annotated[ScannedCode, described("The code of the product that fits the scan.")]
    inventory: Annotated[ScannedLevel, described("Its levels after the change.")]
    match: Annotated[Match, described("The rule that led to the product.", "aim")]
    gs1: NotRequired[Annotated[Gs1Data, described("The GS1 data, if there are any.")]]
    embedded: NotRequired[Annotated[Embedded, described("The price, the weight or the count inside the code, if any.")]]
    change: Annotated[CountedChange | None, described("The change, or null if the scan changes nothing.")]


CountedScan = Annotated[
    Counted,
    Enveloped(
        "CountedResponse", "The product that a scan names, with its current level.", "What the scan means and changed."
    ),
]


def decoded_data(scan: Resolved) -> Decoded:
    """Return the response to a resolved scan: product, inventory, the rule that matched, and GS1 data."""
    response = Decoded(product=scan.product, code=scan.code, inventory=scan.level, match=scan.match)
    if scan.gs1:
        response["gs1"] = scan.gs1
    if scan.embedded:
        response["embedded"] = scan.embedded
    response.update(cast("Decoded", scan.pack))
    return response

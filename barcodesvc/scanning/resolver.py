"""The resolver: a scanned text in, its product out. One statement compares all candidates; the first that fits decides.

Where several products fit it alike, none is guessed. The error for a scan without a product says all that was
understood, so that an app can offer to create the product.
"""

from __future__ import annotations

from typing import NamedTuple, NotRequired

from pydantic import ValidationError
from typing_extensions import TypedDict

from barcodesvc.clock import Clock
from barcodesvc.errors import ProductNotFound
from barcodesvc.gs1 import Element
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.models import ProductDraft
from barcodesvc.scanning.candidates import Match, candidates_of
from barcodesvc.scanning.gs1_data import Gs1Data, gs1_data
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.store.database import Database
from barcodesvc.store.scans import Found, ScanResolver

_MOST_CANDIDATES = 10
"""Products that are listed where several fit alike."""


class Resolved(NamedTuple):
    """The product that a scan names, the rule that found it, and what else a GS1 symbol says (None for others)."""

    found: Found
    match: Match
    gs1: Gs1Data | None


class Understood(TypedDict):
    """What was understood of a scan."""

    text: str
    symbology: str | None
    gs1: Gs1Data | None


class NewProduct(TypedDict):
    """A body for `POST /api/products` that makes a product which the same scan finds."""

    product_code: str
    description: str
    category: NotRequired[str]


class Candidate(TypedDict):
    """One of several products that a scan fits alike."""

    id: int
    product_code: str
    description: str


class Resolver:
    """Resolves scans against one database; the clock gives the century of dates."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._scans = ScanResolver(database)
        self._clock = clock

    async def resolve(self, code_data: str, code_type: str = "", symbology: str | None = None) -> Resolved:
        """Return the product that a scan names; `code_type` is a hint, `symbology` one that is certain.

        Raises ProductNotFound, whose details say what was understood, which products fit alike, and what a new
        product could be.
        """
        scan = ParsedScan(code_data, code_type, symbology)
        candidates = candidates_of(scan)
        fitting = await self._scans.resolve([(candidate.key, candidate.value) for candidate in candidates])
        year = self._clock.year()
        if not fitting:
            raise _unknown(scan, year)
        match = candidates[fitting[0].rank].match
        if len(fitting) > 1:
            raise _ambiguous(scan, fitting, match, year)
        elements = scan.supposed if match is Match.GS1 and not scan.elements else scan.elements
        return Resolved(fitting[0], match, _gs1(elements, year))


def _gs1(elements: tuple[Element, ...], year: int) -> Gs1Data | None:
    return gs1_data(elements, year) if elements else None


def _unknown(scan: ParsedScan, year: int) -> ProductNotFound:
    return ProductNotFound(
        "no product fits the scanned code", understood=_understood(scan, year), new_product=_new_product(scan)
    )


def _ambiguous(scan: ParsedScan, fitting: list[Found], match: Match, year: int) -> ProductNotFound:
    listed = [
        Candidate(id=found.id, product_code=found.product_code, description=found.description)
        for found in fitting[:_MOST_CANDIDATES]
    ]
    return ProductNotFound(
        f"the scanned code fits {len(listed)}{' or more' * (len(fitting) > _MOST_CANDIDATES)} products alike; "
        "ask for one of them by its product code",
        understood=_understood(scan, year),
        match=match.value,
        candidates=listed,
    )


def _understood(scan: ParsedScan, year: int) -> Understood:
    return Understood(text=scan.bare, symbology=scan.symbology, gs1=_gs1(scan.elements, year))


def _new_product(scan: ParsedScan) -> dict[str, str] | None:
    """Return a body for POST /api/products that makes a product which the same scan finds, None if there is none."""
    payload = scan.payload
    code = payload.product_code if payload else _code(scan)
    asked = {"description": payload.description, "category": payload.category} if payload else {}
    body = {"product_code": code, "description": code} | {name: text for name, text in asked.items() if text}
    for draft in (body, {"product_code": code, "description": code}):
        try:
            ProductDraft.model_validate(draft)
        except ValidationError:
            continue
        return draft
    return None


def _code(scan: ParsedScan) -> str:
    """Return the shortest usual way to write the GTIN that was scanned, or the text where it is none."""
    if scan.named_gtin is None or gtin14(scan.bare):
        return scan.bare
    return scan.named_gtin.removeprefix("0")

"""A scan meets the catalogue: candidates from `scan`, one statement in `store`, the first rule that fits decides.

Where several products fit it alike, none is guessed. What was not resolved is told with all that was understood, so
that an app can offer to create the product.
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
from barcodesvc.scanning.gs1_data import Gs1Data, gs1_data
from barcodesvc.scanning.resolve import Match, Reading, read
from barcodesvc.store.database import Database
from barcodesvc.store.scans import Found, ScanResolver

_MOST_TOLD = 10
"""Products that are told where several fit alike."""


class Decoded(NamedTuple):
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


class Decoder:
    """Resolves scans against one database; the clock tells the century of dates."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._scans = ScanResolver(database)
        self._clock = clock

    async def decode(self, code_data: str, code_type: str = "", symbology: str | None = None) -> Decoded:
        """Return the product that a scan names; `code_type` is a hint, `symbology` one that is certain.

        Raises ProductNotFound, whose details say what was understood, which products fit alike, and what a new
        product could be.
        """
        reading = read(code_data, code_type, symbology)
        candidates = reading.candidates
        fitting = await self._scans.resolve([(candidate.key, candidate.value) for candidate in candidates])
        if len(fitting) != 1:
            raise _unresolved(reading, fitting, self._clock.year())
        [found] = fitting
        match = candidates[found.place].match
        elements = reading.supposed if match is Match.GS1 and not reading.elements else reading.elements
        return Decoded(found, match, _gs1(elements, self._clock.year()))


def _gs1(elements: tuple[Element, ...], year: int) -> Gs1Data | None:
    return gs1_data(elements, year) if elements else None


def _unresolved(reading: Reading, fitting: list[Found], year: int) -> ProductNotFound:
    understood = Understood(text=reading.text, symbology=reading.symbology, gs1=_gs1(reading.elements, year))
    if not fitting:
        return ProductNotFound(
            "no product fits the scanned code", understood=understood, new_product=_new_product(reading)
        )
    told = [
        Candidate(id=found.id, product_code=found.product_code, description=found.description)
        for found in fitting[:_MOST_TOLD]
    ]
    return ProductNotFound(
        f"the scanned code fits {len(told)}{' or more' * (len(fitting) > _MOST_TOLD)} products alike; "
        "ask for one of them by its product code",
        understood=understood,
        match=reading.candidates[fitting[0].place].match.value,
        candidates=told,
    )


def _new_product(reading: Reading) -> dict[str, str] | None:
    """Return a body for POST /api/products that makes a product which the same scan finds, None if there is none."""
    payload = reading.payload
    code = payload.product_code if payload else _code(reading)
    asked = {"description": payload.description, "category": payload.category} if payload else {}
    body = {"product_code": code, "description": code} | {name: text for name, text in asked.items() if text}
    for draft in (body, {"product_code": code, "description": code}):
        try:
            ProductDraft.model_validate(draft)
        except ValidationError:
            continue
        return draft
    return None


def _code(reading: Reading) -> str:
    """Return the shortest usual way to write the GTIN that was scanned, or the text where it is none."""
    if reading.gtin is None or gtin14(reading.text):
        return reading.text
    return reading.gtin.removeprefix("0")

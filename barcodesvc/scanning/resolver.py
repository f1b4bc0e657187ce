"""The resolver: a scanned text in, its product out. One statement compares all candidates; the first match decides.

If several products match equally, none is chosen. The error for a scan without a product contains everything that was
understood, so that an app can offer to create the product.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError

from barcodesvc.clock import Clock
from barcodesvc.gs1.element_strings import Element
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.models import ProductDraft
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of
from barcodesvc.scanning.gs1_data import Gs1Data, gs1_data
from barcodesvc.scanning.images.codes import CodeOnImage
from barcodesvc.scanning.pack_data import PackData, pack_data
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.unresolved import AmbiguousScan, Candidate, ProposedProduct, Understood, UnresolvedScan
from barcodesvc.store.database import Database
from barcodesvc.store.scans import Found, ScanLookup, ScannedLevel, ScannedProduct

_MOST_CANDIDATES = 10
"""The maximum number of products listed if several match equally."""
_LITERAL = frozenset({Match.EXACT, Match.CASE})


class Resolved(NamedTuple):
    """The product of a scan, the rule that found it, and the further data of a GS1 symbol, or of another pack's."""

    product: ScannedProduct
    level: ScannedLevel
    match: Match
    gs1: Gs1Data | None
    pack: PackData


class Resolver:
    """Resolves scans against one database; the clock gives the century of dates."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._scans = ScanLookup(database)
        self._clock = clock

    async def named(self, text: str) -> tuple[int, ...]:
        """Return the ids of the products that a text means as a number or as a scan, not literally; at most eleven."""
        candidates = [one.comparisons for one in candidates_of(ParsedScan(text)) if one.match not in _LITERAL]
        found = await self._scans.resolve(candidates) if candidates else []
        return tuple(one.product.id for one in found)

    async def resolve(self, code_data: str, code_type: str = "", symbology: str | None = None) -> Resolved:
        """Return the product of a scan; `code_type` is a hint, `symbology` is certain.

        Raises UnresolvedScan, whose details contain what was understood, the products that match equally, and a draft
        of a new product.
        """
        scan = ParsedScan(code_data, code_type, symbology)
        candidates = candidates_of(scan)
        matching = await self._matching(candidates)
        if not matching:
            from barcodesvc.scanning.rereading import reread  # noqa: PLC0415 - its tables take memory; few scans need them

            candidates, meant = reread(scan, code_type)
            matching = await self._matching(candidates)
            if len(matching) > 1 and candidates[matching[0].rank].match is not Match.NFKC:
                matching = []
            scan = meant or scan
        year = self._clock.year()
        if not matching:
            raise UnresolvedScan(
                "no product matches the scanned code",
                understood=_understood(scan, year),
                new_product=_new_product(scan),
            )
        first = matching[0]
        match = candidates[first.rank].match
        if len(matching) > 1:
            raise _ambiguous(scan, matching, match, year)
        elements = scan.supposed if match is Match.GS1 and not scan.elements else scan.elements
        return Resolved(first.product, first.level, match, _gs1(elements, year), _pack(scan, year))

    async def _matching(self, candidates: tuple[ScanCandidate, ...]) -> list[Found]:
        return await self._scans.resolve([one.comparisons for one in candidates]) if candidates else []


def _gs1(elements: tuple[Element, ...], year: int) -> Gs1Data | None:
    return gs1_data(elements, year) if elements else None


def _pack(scan: ParsedScan, year: int) -> PackData:
    return pack_data(scan.pack.said, year) if scan.pack else {}


def _ambiguous(scan: ParsedScan, matching: list[Found], match: Match, year: int) -> AmbiguousScan:
    listed = [
        Candidate(id=product.id, product_code=product.product_code, description=product.description)
        for _, product, _ in matching[:_MOST_CANDIDATES]
    ]
    return AmbiguousScan(
        f"the scanned code matches {len(listed)}{' or more' * (len(matching) > _MOST_CANDIDATES)} products equally; "
        "ask for one of them by its product code",
        understood=_understood(scan, year),
        match=match,
        candidates=listed,
    )


def _understood(scan: ParsedScan, year: int) -> Understood:
    return {
        "text": scan.bare,
        "symbology": scan.symbology,
        "gs1": _gs1(scan.elements, year),
        **_pack(scan, year),
    }


def _new_product(scan: ParsedScan) -> ProposedProduct | None:
    """Return a body for POST /api/products that creates a product which the same scan finds, None if there is none.

    A lot or an expiry without a product's number is no product.
    """
    payload = scan.payload
    if scan.pack and not scan.pack.number:
        return None
    code = payload.product_code if payload else _code(scan)
    plain = ProposedProduct(product_code=code, description=code)
    full = plain.copy()
    if payload and payload.description:
        full["description"] = payload.description
    if payload and payload.category:
        full["category"] = payload.category
    for draft in (full, plain):
        try:
            ProductDraft.model_validate(draft)
        except ValidationError:
            continue
        return draft
    return None


def _code(scan: ParsedScan) -> str:
    """Return the shortest usual spelling of the scanned GTIN, the number in a pack's code, or the text."""
    if scan.numbers.pzn and scan.pack:
        return f"PZN{scan.numbers.pzn}"
    if scan.numbers.hibc and scan.pack:
        return scan.pack.number
    if scan.named_gtin is None or scan.named_gtin == gtin14(scan.bare):
        return scan.bare
    return scan.named_gtin.removeprefix("0")


async def resolve_codes(resolver: Resolver, codes: Sequence[CodeOnImage]) -> list[Resolved | UnresolvedScan]:
    """Return the product of each code, or the reason why it has none; all of them are looked up together."""
    return await asyncio.gather(*(_outcome(resolver, code) for code in codes))


async def _outcome(resolver: Resolver, code: CodeOnImage) -> Resolved | UnresolvedScan:
    try:
        return await resolver.resolve(code.text, symbology=code.symbology)
    except UnresolvedScan as missing:
        return missing

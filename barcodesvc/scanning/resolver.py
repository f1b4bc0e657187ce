"""The resolver: a scanned text in, its product out. One statement compares all candidates; the first match decides.

If several products match equally, none is chosen. The error for a scan without a product contains everything that was
understood, so that an app can offer to create the product.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from barcodesvc.clock import Clock
from barcodesvc.gs1.element_strings import Element
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.in_store_patterns import InStorePattern
from barcodesvc.models import ProductDraft
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of, deciding
from barcodesvc.scanning.embedded import Embedded, embedded_in_elements, embedded_in_pack
from barcodesvc.scanning.gs1_data import Gs1Data, gs1_data
from barcodesvc.scanning.images.codes import CodeOnImage
from barcodesvc.scanning.pack_data import PackData, pack_data
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.unresolved import AmbiguousScan, Candidate, ProposedProduct, Understood, UnresolvedScan
from barcodesvc.store.database import Database
from barcodesvc.store.scans import Found, ScanLookup, ScannedCode, ScannedLevel, ScannedProduct

_MOST_CANDIDATES = 10
"""The maximum number of products listed if several match equally."""
_MOST_NAMED = 11
"""Products that a search finds by its meaning."""
_LITERAL = frozenset({Match.EXACT, Match.CASE})


class Resolved(NamedTuple):
    """The product of a scan, the code and the rule that led to it, and what else the scan says."""

    product: ScannedProduct
    code: ScannedCode
    level: ScannedLevel
    match: Match
    gs1: Gs1Data | None
    pack: PackData
    embedded: Embedded | None


class Explanation(NamedTuple):
    """What is understood of a scan that names no product, and a body that makes one which it would name."""

    understood: Understood
    new_product: ProposedProduct | None


class Resolver:
    """Resolves scans against one database; the clock gives the century of dates, `patterns` are those of the shop.

    `note_unknown` is called with each scanned text that names no product.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        patterns: Sequence[InStorePattern] = (),
        note_unknown: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._scans = ScanLookup(database)
        self._note_unknown = note_unknown
        self._clock = clock
        self._patterns = patterns

    async def named(self, text: str) -> tuple[int, ...]:
        """Return the ids of the products that a text means as a number, as a scan or as a further code.

        Their own codes are left out: a search finds these by their text.
        """
        candidates = candidates_of(ParsedScan(text))
        matching = await self._matching(candidates)
        found = deciding(candidates, [one for one in matching if candidates[one.rank].match not in _LITERAL])
        found += [one for one in matching if candidates[one.rank].match in _LITERAL and not one.is_own]
        return tuple(dict.fromkeys(one.product.id for one in found))[:_MOST_NAMED]

    async def resolve(self, code_data: str, code_type: str = "", symbology: str | None = None) -> Resolved:
        """Return the product of a scan; `code_type` is a hint, `symbology` is certain.

        Raises UnresolvedScan, whose details contain what was understood, the products that match equally, and a draft
        of a new product.
        """
        scan = ParsedScan(code_data, code_type, symbology, self._patterns)
        candidates = candidates_of(scan)
        matching = await self._deciding(candidates)
        if not matching:
            from barcodesvc.scanning.rereading import reread  # noqa: PLC0415 - its tables take memory; few scans need them

            candidates, meant = reread(scan, code_type)
            matching = await self._deciding(candidates)
            if len(matching) > 1 and candidates[matching[0].rank].match is not Match.NFKC:
                matching = []
            scan = meant or scan
        year = self._clock.year()
        if not matching:
            if symbology is None:
                self._note_unknown(code_data)
            raise UnresolvedScan("no product matches the scanned code", **_explanation(scan, year)._asdict())
        first = matching[0]
        match = candidates[first.rank].match
        if len(matching) > 1:
            raise _ambiguous(scan, matching, match, year)
        elements = scan.supposed if match is Match.GS1 and not scan.elements else scan.elements
        embedded = _embedded(scan, elements, first.code.code)
        return Resolved(
            first.product, first.code, first.level, match, _gs1(elements, year), _pack(scan, year), embedded
        )

    async def names_a_product(self, text: str) -> bool:
        """Return whether a scan names one product, or several."""
        return bool(await self._matching(candidates_of(ParsedScan(text, patterns=self._patterns))))

    def explained(self, text: str) -> Explanation:
        """Return what is understood of a scan that names no product."""
        return _explanation(ParsedScan(text, patterns=self._patterns), self._clock.year())

    async def _matching(self, candidates: Sequence[ScanCandidate]) -> list[Found]:
        return await self._scans.resolve([one.comparisons for one in candidates]) if candidates else []

    async def _deciding(self, candidates: Sequence[ScanCandidate]) -> list[Found]:
        return deciding(candidates, await self._matching(candidates))


def _gs1(elements: tuple[Element, ...], year: int) -> Gs1Data | None:
    return gs1_data(elements, year) if elements else None


def _embedded(scan: ParsedScan, elements: Sequence[Element], code: str) -> Embedded | None:
    """Return the value inside a scan that this code of a product fits."""
    if scan.in_store and scan.in_store.is_item(code):
        return scan.in_store.embedded
    return embedded_in_elements(elements) or (embedded_in_pack(scan.pack.said) if scan.pack else None)


def _pack(scan: ParsedScan, year: int) -> PackData:
    return pack_data(scan.pack.said, year) if scan.pack else {}


def _ambiguous(scan: ParsedScan, matching: list[Found], match: Match, year: int) -> AmbiguousScan:
    listed = [
        Candidate(id=product.id, product_code=product.product_code, description=product.description)
        for product in {found.product.id: found.product for found in matching[:_MOST_CANDIDATES]}.values()
    ]
    return AmbiguousScan(
        _equal_matches(listed, len(matching)),
        understood=_understood(scan, year),
        match=match,
        candidates=listed,
    )


def _equal_matches(listed: list[Candidate], matching: int) -> str:
    if len(listed) == 1:
        code = listed[0]["product_code"]
        return f"the scanned code matches several codes of {code!r} that stand for different packs; scan another code"
    or_more = " or more" * (matching > _MOST_CANDIDATES)
    return f"the scanned code matches {len(listed)}{or_more} products equally; ask for one of them by its product code"


def _explanation(scan: ParsedScan, year: int) -> Explanation:
    return Explanation(_understood(scan, year), _new_product(scan))


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
    """Return the shortest usual spelling of the scanned GTIN, the number of its item, of a pack, or the text."""
    if scan.numbers.pzn and scan.pack:
        return f"PZN{scan.numbers.pzn}"
    if scan.numbers.hibc and scan.pack:
        return scan.pack.number
    if scan.in_store:
        return scan.in_store.gtin.removeprefix("0")
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

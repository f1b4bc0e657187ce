"""A store in memory that matches candidates like the database; test_real_scans holds both to the same results."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from barcodesvc.in_store_patterns import InStorePattern
from barcodesvc.numbers.code_keys import code_keys
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.rereading import reread
from barcodesvc.store.scans import Key


class Catalogue:
    """Products by the five stored keys of their own codes, and of further codes, each with the product's own one."""

    def __init__(
        self,
        codes: Iterable[str],
        further: Iterable[tuple[str, str]] = (),
        patterns: Sequence[InStorePattern] = (),
    ) -> None:
        self.codes = tuple(codes)
        self._patterns = patterns
        self._own = _by_key((code, code) for code in self.codes)
        self._further = _by_key(further)

    def fitting(
        self, code_data: str, code_type: str = "", symbology: str | None = None
    ) -> tuple[Match | None, list[str]]:
        """Return the first rule by which any code matches, and the products that match it equally well.

        Of one rule, own codes come before further ones, and then the first candidate decides.
        """
        scan = ParsedScan(code_data, code_type, symbology, self._patterns)
        for candidates in (candidates_of(scan), reread(scan, code_type).candidates):
            for match, of_rule in groupby(candidates, lambda candidate: candidate.match):
                found = self._first(list(of_rule))
                if len(found) > 1 and match is Match.KEYBOARD:
                    return None, []
                if found:
                    return match, [code for code in self.codes if code in found]
        return None, []

    def find(self, code_data: str, code_type: str = "", symbology: str | None = None) -> tuple[Match, str] | None:
        """Return the rule that finds one product and that product's code, None for several."""
        match, fitting = self.fitting(code_data, code_type, symbology)
        return (match, fitting[0]) if match and len(fitting) == 1 else None

    def _first(self, candidates: Sequence[ScanCandidate]) -> set[str]:
        """Return the products of the first candidate that any code matches."""
        for products in (self._own, self._further):
            for candidate in candidates:
                if found := {one for comparison in candidate.comparisons for one in products.get(comparison, ())}:
                    return found
        return set()


def _by_key(codes: Iterable[tuple[str, str]]) -> dict[tuple[str, str | None], list[str]]:
    """Return the products of codes by the key and the value that a comparison has."""
    products: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for code, product in codes:
        keys = code_keys(code)
        products[Key.CODE, code].append(product)
        products[Key.NUMBER, keys.number].append(product)
        products[Key.MAIN, keys.main].append(product)
        products[Key.CODABAR, keys.codabar].append(product)
        products[Key.FOLDED, keys.folded].append(product)
    return products

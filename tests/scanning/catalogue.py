"""A store in memory that matches candidates like the database; test_real_scans holds both to the same results."""

import re
from collections import defaultdict
from collections.abc import Iterable

from barcodesvc.numbers.canonical import number_key
from barcodesvc.scanning.candidates import Match, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.rereading import reread
from barcodesvc.store.scans import Key

_LETTERS = re.compile("[A-Da-d].+[A-Da-d]")


class Catalogue:
    """Product codes by the five stored keys."""

    def __init__(self, codes: Iterable[str]) -> None:
        self.codes = tuple(codes)
        self._codes_by_key: dict[tuple[str, str | None], list[str]] = defaultdict(list)
        for code in self.codes:
            number = number_key(code)
            main, plus, add_on = (number or "").partition("+")
            self._codes_by_key[Key.CODE, code].append(code)
            self._codes_by_key[Key.NUMBER, number].append(code)
            self._codes_by_key[Key.MAIN, main if plus and len(add_on) in {2, 5} else None].append(code)
            self._codes_by_key[Key.CODABAR, code[1:-1] if _LETTERS.fullmatch(code) else None].append(code)
            self._codes_by_key[Key.FOLDED, code.lower()].append(code)

    def fitting(
        self, code_data: str, code_type: str = "", symbology: str | None = None
    ) -> tuple[Match | None, list[str]]:
        """Return the rule of the first candidate that any product matches, and the codes of all that match it."""
        scan = ParsedScan(code_data, code_type, symbology)
        for candidate in (*candidates_of(scan), *reread(scan, code_type).candidates):
            found = {code for comparison in candidate.comparisons for code in self._codes_by_key.get(comparison, [])}
            if len(found) > 1 and candidate.match is Match.KEYBOARD:
                return None, []
            if found:
                return candidate.match, [code for code in self.codes if code in found]
        return None, []

    def find(self, code_data: str, code_type: str = "", symbology: str | None = None) -> tuple[Match, str] | None:
        """Return the rule that finds one product and that product's code, None for several."""
        match, fitting = self.fitting(code_data, code_type, symbology)
        return (match, fitting[0]) if match and len(fitting) == 1 else None

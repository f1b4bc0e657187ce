"""A store in memory that matches candidates as the database does, and a watch over what the database is asked."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from barcodesvc.gs1.gtin import gtin14, gtin14_of_shortened
from barcodesvc.scanning.candidates import Key, Match, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.store.database import Database
from barcodesvc.store.script import Row

_LETTERS = re.compile("[A-Da-d].+[A-Da-d]")


class Catalogue:
    """Product codes behind the seven stored keys."""

    def __init__(self, codes: Iterable[str]) -> None:
        self.codes = tuple(codes)
        self._codes_by_key: dict[tuple[str, str | None], list[str]] = defaultdict(list)
        for code in self.codes:
            self._codes_by_key[Key.CODE, code].append(code)
            self._codes_by_key[Key.GTIN, gtin14(code)].append(code)
            self._codes_by_key[Key.SHORT_GTIN, gtin14_of_shortened(code)].append(code)
            self._codes_by_key[Key.FOLDED, code.lower()].append(code)
            printed = _printed(code)
            main, plus, add_on = (printed or "").partition("+")
            self._codes_by_key[Key.PRINTED, printed].append(code)
            self._codes_by_key[Key.MAIN, main if plus and len(add_on) in {2, 5} else None].append(code)
            self._codes_by_key[Key.CODABAR, code[1:-1] if _LETTERS.fullmatch(code) else None].append(code)

    def find(self, code_data: str, code_type: str = "", symbology: str | None = None) -> tuple[Match, str] | None:
        """Return the rule of the first candidate that any product fits and that product's code, None for several."""
        for candidate in candidates_of(ParsedScan(code_data, code_type, symbology)):
            fitting = self._codes_by_key.get((candidate.key, candidate.value), [])
            if fitting:
                return (candidate.match, fitting[0]) if len(fitting) == 1 else None
        return None


def _printed(code: str) -> str | None:
    """Return what the column `printed` of sql/migrations/0005_printed.sql holds."""
    if code.startswith("("):
        return code.replace(" ", "")
    number = code.upper().replace("-", "").replace(" ", "")
    is_number = number.strip("0123456789X+") in {"", "PZN"} and code.strip("0123456789")
    return number if is_number else None


@pytest.fixture
def asked(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the statements that scans ask, as they come; the database is only watched."""
    names: list[str] = []
    scan_row = database.scan_row

    async def watched(_: Database, name: str, **parameters: Any) -> Row | None:
        names.append(name)
        return await scan_row(name, **parameters)

    monkeypatch.setattr(type(database), "scan_row", watched)
    return names


@pytest.fixture(scope="session")
def catalogue() -> Callable[..., Catalogue]:
    """Build a catalogue of a few codes: `catalogue("A", "B")`."""
    return lambda *codes: Catalogue(codes)

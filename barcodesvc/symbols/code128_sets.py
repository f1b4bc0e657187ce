"""Code 128 in one code set throughout, for readers or habits that expect it; its patterns are python-barcode's.

Set A holds space to `_`, set B printable ASCII, set C two digits in one character (ISO/IEC 15417 table 1). CODE128
changes between them, is never longer and so the better choice wherever nothing else is demanded.
"""

from __future__ import annotations

from collections.abc import Iterable

from barcodesvc.symbols.alphabets import (
    PRINTABLE_ASCII,
    PRINTABLE_ASCII_FITS,
    SET_A,
    SET_A_FITS,
    require_alphabet,
    require_pairs,
)
from barcodesvc.symbols.barcode_modules import code128_tables
from barcodesvc.symbols.modules import Bars, captioned_bars, run_lengths

_MODULUS = 103


def code128a(content: str) -> Bars:
    """Encode space to `_` in code set A."""
    require_alphabet("CODE128A", content, SET_A, SET_A_FITS)
    return _bars("A", _values("A", content), content)


def code128b(content: str) -> Bars:
    """Encode printable ASCII in code set B."""
    require_alphabet("CODE128B", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return _bars("B", _values("B", content), content)


def code128c(content: str) -> Bars:
    """Encode an even number of digits in code set C."""
    require_pairs("CODE128C", content)
    return _bars("C", [int(content[start : start + 2]) for start in range(0, len(content), 2)], content)


def _values(code_set: str, content: str) -> list[int]:
    values = getattr(code128_tables(), code_set)
    return [values[character] for character in content]


def _bars(code_set: str, values: list[int], content: str) -> Bars:
    start = code128_tables().START_CODES[code_set]
    check = (start + sum(weight * value for weight, value in enumerate(values, start=1))) % _MODULUS
    return captioned_bars(_runs([start, *values, check]), content)


def _runs(values: Iterable[int]) -> tuple[int, ...]:
    tables = code128_tables()
    return run_lengths("".join([*(tables.CODES[value] for value in values), tables.STOP, "11"]))

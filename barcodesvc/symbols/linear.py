"""Linear symbologies of industry, logistics and pharmacies, encoded by python-barcode: content in, Bars out.

Each encoder checks the content against its symbology's rules first, so that a refusal names the rule, the position
and what would fit; only then is the library asked. Narrow to wide is 1:3 throughout, which every
two-width symbology's standard allows and which keeps all elements whole modules.

The quiet zone is 10 modules on either side: ISO/IEC 16388 (Code 39), 16390 (ITF), AIM BC3 (Codabar), GS1 General
Specifications 5 (ITF-14).
"""

from __future__ import annotations

from dataclasses import replace

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols import check_digits
from barcodesvc.symbols.alphabets import (
    CODABAR,
    CODABAR_FITS,
    CODE39,
    CODE39_FITS,
    require_alphabet,
    require_pairs,
)
from barcodesvc.symbols.barcode_modules import runs_of
from barcodesvc.symbols.modules import Bars, captioned_bars

_START_AND_STOP = tuple("ABCDabcd")
_NARROW, _WIDE = 1, 3
_BEARER = 2
"""Modules; the least that GS1 General Specifications 5.3.2.4 allow where no printing plate is used."""


def code39(content: str) -> Bars:
    """Encode A-Z, 0-9 and `space - . $ / + %` as Code 39 without a check character (ISO/IEC 16388)."""
    require_alphabet("CODE39", content, CODE39, CODE39_FITS)
    return captioned_bars(runs_of("code39", content, add_checksum=False), content)


def pzn(content: str) -> Bars:
    """Encode a German pharmaceutical number, 7 or 8 digits, as Code 39 `-` and 8 digits (IFA PZN8)."""
    digits = check_digits.completed_pzn(content)
    return captioned_bars(runs_of("code39", f"-{digits}", add_checksum=False), f"PZN - {digits}")


def codabar(content: str) -> Bars:
    """Encode Codabar with the start and stop letters A-D given, or `A` and `A` around a bare number (AIM BC3)."""
    start = content[:1] if content.startswith(_START_AND_STOP) else ""
    body = content.removeprefix(start)
    stop = body[-1:] if body.endswith(_START_AND_STOP) else ""
    require_alphabet("CODABAR", body.removesuffix(stop), CODABAR, CODABAR_FITS, offset=len(start))
    if bool(start) != bool(stop):
        which, position = ("stop", len(content) + 1) if start else ("start", 1)
        raise InvalidContent(
            f"CODABAR: the {which} letter A-D is missing at position {position}; both letters are given, or neither",
            rule="start and stop",
            position=position,
            fits=CODABAR_FITS,
        )
    letters = framed(content).upper()
    return captioned_bars(runs_of("codabar", letters, narrow=_NARROW, wide=_WIDE), content)


def framed(content: str) -> str:
    """Return a number of Codabar between the start and stop letters that it was given, or between `A` and `A`."""
    return content if content.startswith(_START_AND_STOP) else f"A{content}A"


def itf(content: str) -> Bars:
    """Encode an even number of digits as Interleaved 2 of 5, without a check digit (ISO/IEC 16390)."""
    require_pairs("ITF", content)
    return captioned_bars(runs_of("itf", content, narrow=_NARROW, wide=_WIDE), content)


def itf14(content: str) -> Bars:
    """Encode a GTIN-14 of 13 or 14 digits as ITF-14 between bearer bars (GS1 General Specifications 5.3)."""
    digits = check_digits.completed_gtin("ITF14", content, 14)
    bars = captioned_bars(runs_of("itf", digits, narrow=_NARROW, wide=_WIDE), digits)
    return replace(bars, bearer=_BEARER)

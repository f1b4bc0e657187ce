"""Linear symbologies of industry, logistics and pharmacies: content in, Bars out.

Code 93 is encoded by zxing-cpp, MSI and Pharmacode here, the others by python-barcode. Each encoder checks the content
against the rules of its symbology first, so that a refusal names the rule, the position and what would fit. Wide
elements of two-width symbologies have three modules: every standard allows it, and all elements are whole modules.

Quiet zones are 10 modules on either side: ISO/IEC 16388 (Code 39), 16390 (ITF), AIM USS-93 (Code 93), AIM BC3
(Codabar), GS1 General Specifications 5 (ITF-14). Those of MSI and Pharmacode are 12.
"""

from dataclasses import replace

from barcodesvc.errors import InvalidContent
from barcodesvc.numbers.check_digits import CODE39, completed_pzn, luhn_digit
from barcodesvc.numbers.drawn import drawn_gtin
from barcodesvc.symbols.alphabets import (
    CODABAR,
    CODABAR_FITS,
    CODE39_FITS,
    DIGITS,
    PHARMACODE_FITS,
    require_alphabet,
    require_pairs,
)
from barcodesvc.symbols.libraries import barcode_runs, fitted, zxing_runs
from barcodesvc.symbols.modules import Bars, captioned_bars

_START_AND_STOP = tuple("ABCDabcd")
_NARROW, _WIDE = 1, 3
_BEARER = 2
"""Modules; the minimum of GS1 General Specifications 5.3.2.4 without a printing plate."""
_MSI_START, _MSI_STOP = (2, 1), (1, 2, 1)
_MSI_BITS = {"0": (1, 2), "1": (2, 1)}
_MSI_QUIET_ZONE = _PHARMACODE_QUIET_ZONE = 12
_PHARMACODE_LEAST, _PHARMACODE_MOST, _PHARMACODE_DIGITS = 3, 131070, 6
_PHARMACODE_BITS, _PHARMACODE_SPACE = {"0": _NARROW, "1": _WIDE}, 2


def code39(content: str) -> Bars:
    """Encode A-Z, 0-9 and `space - . $ / + %` as Code 39 without a check character (ISO/IEC 16388)."""
    _require_code39("CODE39", content)
    return captioned_bars(barcode_runs(content, "code39", add_checksum=False), content)


def code93(content: str) -> Bars:
    """Encode A-Z, 0-9 and `space - . $ / + %` as Code 93 (AIM USS-93); its two check characters are not shown."""
    _require_code39("CODE93", content)
    return captioned_bars(fitted("CODE93", content, lambda text: zxing_runs(text, "Code93")), content)


def _require_code39(name: str, content: str) -> None:
    """Raise InvalidContent for content outside the alphabet, and for asterisks around content that is in it."""
    if len(content) > len("**") and content[0] == content[-1] == "*":
        require_alphabet(name, content[1:-1], CODE39, CODE39_FITS, offset=1)
        raise InvalidContent(
            f"{name}: the asterisks at position 1 and at the end are its start and stop characters, which are drawn by "
            "themselves; leave them out",
            rule="start and stop",
            position=1,
            fits=CODE39_FITS,
        )
    require_alphabet(name, content, CODE39, CODE39_FITS)


def pzn(content: str) -> Bars:
    """Encode a German pharmaceutical number, 7 or 8 digits, as Code 39 `-` and 8 digits (IFA PZN8)."""
    digits = completed_pzn(content)
    return captioned_bars(barcode_runs(f"-{digits}", "code39", add_checksum=False), f"PZN - {digits}")


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
    return captioned_bars(barcode_runs(framed(content), "codabar", narrow=_NARROW, wide=_WIDE), content)


def framed(content: str) -> str:
    """Return a Codabar number with the start and stop letters given, as capitals, or with `A` and `A`."""
    return content.upper() if content.startswith(_START_AND_STOP) else f"A{content}A"


def itf(content: str) -> Bars:
    """Encode an even number of digits as Interleaved 2 of 5, without a check digit (ISO/IEC 16390)."""
    require_pairs("ITF", content)
    return captioned_bars(barcode_runs(content, "itf", narrow=_NARROW, wide=_WIDE), content)


def itf14(content: str) -> Bars:
    """Encode a GTIN-14 of 13 or 14 digits as ITF-14 between bearer bars (GS1 General Specifications 5.3)."""
    digits = drawn_gtin("ITF14", content, 14)
    bars = captioned_bars(barcode_runs(digits, "itf", narrow=_NARROW, wide=_WIDE), digits)
    return replace(bars, bearer=_BEARER)


def msi(content: str) -> Bars:
    """Encode digits and their Luhn check digit as MSI (MSI Data Corporation's modified Plessey code).

    A digit is four bits; a bit is a bar and a space of three modules together, of which the wide one has two. MSI has
    no fixed length, so a given check digit cannot be distinguished from data: one is always added.
    """
    require_alphabet("MSI", content, DIGITS, "digits 0-9, without the check digit")
    digits = msi_digits(content)
    bits = "".join(f"{int(digit):04b}" for digit in digits)
    data = [run for bit in bits for run in _MSI_BITS[bit]]
    return captioned_bars((*_MSI_START, *data, *_MSI_STOP), digits, _MSI_QUIET_ZONE)


def msi_digits(content: str) -> str:
    """Return digits with the check digit that MSI adds to them."""
    return content + luhn_digit(content)


def pharmacode(content: str) -> Bars:
    """Encode a number from 3 to 131070 as one-track Pharmacode, with which packing machines check their packs.

    From the right, a narrow bar is worth 1, 2, 4, … and a wide one twice as much: this is the binary notation of the
    next number without its leading 1. The quiet zone is 6 mm in print at the usual module of 0.5 mm (Laetus, Pharmacode
    Guide).
    """
    require_alphabet("PHARMACODE", content, DIGITS, PHARMACODE_FITS)
    if content.startswith("0"):
        raise InvalidContent(
            "PHARMACODE: a zero at position 1 would be lost", rule="leading zero", position=1, fits=PHARMACODE_FITS
        )
    if len(content) > _PHARMACODE_DIGITS or not _PHARMACODE_LEAST <= int(content) <= _PHARMACODE_MOST:
        raise InvalidContent(
            f"PHARMACODE: {content} at position 1 is not within {_PHARMACODE_LEAST} to {_PHARMACODE_MOST}",
            rule="range",
            position=1,
            fits=PHARMACODE_FITS,
        )
    bits = f"{int(content) + 1:b}"[1:]
    runs = [run for bit in bits for run in (_PHARMACODE_BITS[bit], _PHARMACODE_SPACE)]
    return captioned_bars(tuple(runs[:-1]), content, _PHARMACODE_QUIET_ZONE)

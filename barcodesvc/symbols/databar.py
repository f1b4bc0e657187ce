"""GS1 DataBar, encoded by zxing-cpp (ISO/IEC 24724, GS1 General Specifications 5.5.1.1).

DataBar needs no quiet zone, since it begins and ends with guards; it gets one module all around, so that nothing is
printed against it. The linear ones may begin or end with light modules, which count as quiet zone here. Their caption
is the element string.
"""

from collections.abc import Callable
from dataclasses import replace

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.element_strings import to_bracketed, to_element_string
from barcodesvc.gs1.gtin import GTIN14_DIGITS, GTIN_AI
from barcodesvc.numbers.drawn import drawn_gtin
from barcodesvc.symbols.gs1_content import Gs1Content, gs1_content
from barcodesvc.symbols.libraries import first_too_many, too_long, zxing_rows
from barcodesvc.symbols.modules import Bars, Caption, Matrix, run_lengths

_LIMITED_INDICATORS = "01"
_QUIET_ZONE = 1
_EXPANDED_FITS = "70 digits, 41 capitals or 30 others, identifiers included, or 74 digits that begin with (01)"


def omnidirectional(content: str) -> Bars:
    """Encode a GTIN-14 as GS1 DataBar Omnidirectional."""
    gtin = drawn_gtin("DATABAROMNI", content, GTIN14_DIGITS)
    return _bars(zxing_rows(gtin, "DataBarOmni"), GTIN_AI + gtin)


def _stacked(name: str, symbol: str) -> Callable[[str], Matrix]:
    """Return the encoder of a GTIN-14 for a stacked symbology, which zxing-cpp knows by its own name."""
    return lambda content: Matrix(zxing_rows(drawn_gtin(name, content, GTIN14_DIGITS), symbol), _QUIET_ZONE)


stacked = _stacked("DATABARSTACKED", "DataBarStk")
stacked_omnidirectional = _stacked("DATABARSTACKEDOMNI", "DataBarStkOmni")


def limited(content: str) -> Bars:
    """Encode a GTIN-14 with the indicator (first digit) 0 or 1 as GS1 DataBar Limited."""
    gtin = drawn_gtin("DATABARLIMITED", content, GTIN14_DIGITS)
    if gtin[0] not in _LIMITED_INDICATORS:
        position = 1 + content.index(gtin[0], len(GTIN_AI) if content.startswith(GTIN_AI) else 0)
        raise InvalidContent(
            f"DATABARLIMITED: indicator {gtin[0]} at position {position} is neither 0 nor 1",
            rule="indicator",
            position=position,
            fits="a GTIN that begins with 0 or 1, or DATABAROMNI as the format",
        )
    return _bars(zxing_rows(gtin, "DataBarLtd"), GTIN_AI + gtin)


def expanded(content: str) -> Bars:
    """Encode a GS1 element string as GS1 DataBar Expanded."""
    data = gs1_content("DATABAREXPANDED", content)
    return _bars(_expanded("DATABAREXPANDED", data, "DataBarExp"), to_bracketed(data.elements))


def expanded_stacked(content: str) -> Matrix:
    """Encode a GS1 element string as GS1 DataBar Expanded Stacked, four symbol characters to a row."""
    data = gs1_content("DATABAREXPANDEDSTACKED", content)
    return Matrix(_expanded("DATABAREXPANDEDSTACKED", data, "DataBarExpStk"), _QUIET_ZONE)


def _expanded(name: str, data: Gs1Content, symbol: str) -> tuple[bytes, ...]:
    try:
        return zxing_rows(data.for_encoder, symbol)
    except ValueError as error:
        raise too_long(name, to_element_string(data.elements), _EXPANDED_FITS, _first_too_long(data, symbol)) from error


def _first_too_long(data: Gs1Content, symbol: str) -> int:
    """Return the position of the first element that does not fit; an element can only be encoded whole."""

    def encode(count: int) -> object:
        return zxing_rows(replace(data, elements=data.elements[:count]).for_encoder, symbol)

    fitting = data.elements[: first_too_many(encode, len(data.elements)) - 1]
    return data.position(len(to_element_string(fitting)))


def _bars(rows: tuple[bytes, ...], caption: str) -> Bars:
    row = rows[0]
    left, right = row.index(1), len(row) - 1 - row.rindex(1)
    runs = run_lengths(row[left : len(row) - right])
    text = Caption(caption, 0, len(row) + 2 * _QUIET_ZONE)
    return Bars(runs, _QUIET_ZONE + left, _QUIET_ZONE + right, (text,))

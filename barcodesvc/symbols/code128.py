"""Code 128 and GS1-128, encoded by zxing-cpp, which carries zint's encoder: the shortest symbol for the content.

python-barcode's own is longer for a third of codes such as `AB-12345`, and its release 0.16 loses a leading `99`.
The quiet zone is 10 modules on either side (ISO/IEC 15417, GS1 General Specifications 5.4).
"""

from __future__ import annotations

import zxingcpp

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import Element, Gs1Error, parse_bracketed, parse_element_string, to_element_string
from barcodesvc.symbols.alphabets import PRINTABLE_ASCII, require_alphabet
from barcodesvc.symbols.modules import Bars, Caption
from barcodesvc.symbols.zxing_modules import runs_of

_QUIET_ZONE = 10
_MOST_GS1_CHARACTERS = 48
_FITTING_ELEMENTS = "application identifiers in brackets, such as (01)09521234543213(10)LOT7"


def code128(content: str) -> Bars:
    """Encode printable ASCII as Code 128 (ISO/IEC 15417)."""
    require_alphabet("CODE128", content, PRINTABLE_ASCII, "printable ASCII")
    return _bars(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.Code128), content)


def gs1_128(content: str) -> Bars:
    """Encode a GS1 element string, bracketed or raw, as GS1-128 (GS1 General Specifications 5.4)."""
    elements = _gs1_elements(content)
    length = len(to_element_string(elements))
    if length > _MOST_GS1_CHARACTERS:
        raise InvalidContent(
            f"GS1-128: {length} characters of data, separators included; it holds {_MOST_GS1_CHARACTERS}",
            rule="length",
            fits=f"at most {_MOST_GS1_CHARACTERS} characters without the brackets",
        )
    # square brackets, because a value may hold round ones but never square ones (GS1 character set 82)
    bracketed = "".join(f"[{element.ai}]{element.value}" for element in elements)
    symbol = zxingcpp.create_barcode(bracketed, zxingcpp.BarcodeFormat.Code128, gs1=True)
    return _bars(symbol, "".join(f"({element.ai}){element.value}" for element in elements))


def _gs1_elements(content: str) -> tuple[Element, ...]:
    try:
        return parse_bracketed(content) if content.startswith("(") else parse_element_string(content)
    except Gs1Error as error:
        raise InvalidContent(
            f"GS1-128: {error}", rule="GS1 element string", position=error.position, fits=_FITTING_ELEMENTS
        ) from error


def _bars(symbol: zxingcpp.Barcode, text: str) -> Bars:
    runs = runs_of(symbol)
    return Bars(runs, _QUIET_ZONE, _QUIET_ZONE, (Caption(text, 0, sum(runs) + 2 * _QUIET_ZONE),))

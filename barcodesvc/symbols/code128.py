"""Code 128 and GS1-128, encoded by zxing-cpp, which carries zint's encoders: the shortest symbol.

python-barcode's own is longer for a third of codes such as `AB-12345`, and its release 0.16 loses a leading `99`.
The quiet zone is 10 modules on either side (ISO/IEC 15417, GS1 General Specifications 5.4).
"""

from __future__ import annotations

import zxingcpp

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.alphabets import PRINTABLE_ASCII, PRINTABLE_ASCII_FITS, require_alphabet
from barcodesvc.symbols.gs1_content import gs1_content
from barcodesvc.symbols.modules import Bars, captioned_bars
from barcodesvc.symbols.zxing_modules import runs_of

_MOST_GS1_CHARACTERS = 48


def code128(content: str) -> Bars:
    """Encode printable ASCII as Code 128 (ISO/IEC 15417)."""
    require_alphabet("CODE128", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return captioned_bars(runs_of(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.Code128)), content)


def gs1_128(content: str) -> Bars:
    """Encode a GS1 element string, bracketed or raw, as GS1-128 (GS1 General Specifications 5.4)."""
    data = gs1_content("GS1-128", content)
    if data.length > _MOST_GS1_CHARACTERS:
        position = data.position(_MOST_GS1_CHARACTERS)
        raise InvalidContent(
            f"GS1-128: {data.length} characters of data, separators included, the first too many is at position "
            f"{position}; it holds {_MOST_GS1_CHARACTERS}",
            rule="length",
            position=position,
            fits=f"at most {_MOST_GS1_CHARACTERS} characters without the brackets",
        )
    symbol = zxingcpp.create_barcode(data.for_encoder, zxingcpp.BarcodeFormat.Code128, gs1=True)
    return captioned_bars(runs_of(symbol), data.caption)

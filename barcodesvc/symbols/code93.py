"""Code 93, encoded by zxing-cpp, which carries zint's encoder; its two check characters belong to the symbol.

The quiet zone is 10 modules on either side (AIM USS-93).
"""

from __future__ import annotations

import zxingcpp

from barcodesvc.symbols.alphabets import CODE39, CODE39_FITS, require_alphabet
from barcodesvc.symbols.modules import Bars, captioned_bars
from barcodesvc.symbols.zxing_modules import runs_of


def code93(content: str) -> Bars:
    """Encode A-Z, 0-9 and `space - . $ / + %` as Code 93 (AIM USS-93)."""
    require_alphabet("CODE93", content, CODE39, CODE39_FITS)
    return captioned_bars(runs_of(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.Code93)), content)

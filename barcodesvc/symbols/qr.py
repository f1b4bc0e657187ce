"""QR codes, encoded by segno: content in, Matrix out (ISO/IEC 18004; quiet zone of 4 modules, clause 6.3.8).

All readers agree on ASCII. Any other text is encoded as UTF-8 after the ECI designator 26 that declares it (clause
7.3.2): without it, readers guess, and read `é` as Shift JIS. The mode is explicit, too, because segno encodes UTF-8
bytes in the range of kanji as kanji.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.alphabets import nothing_to_encode
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.qr_mask import best_mask, masked
from barcodesvc.symbols.zxing_modules import first_too_many

if TYPE_CHECKING:
    import segno

ErrorCorrection = Literal["L", "M", "Q", "H"]

_QUIET_ZONE = 4


def qr(content: str, error_correction: ErrorCorrection = "M") -> Matrix:
    """Encode text as the smallest QR code that holds it at exactly this error-correction level.

    Raises InvalidContent if there is no text or no version holds it.
    """
    import segno  # noqa: PLC0415 - loaded at its first use

    if not content:
        raise nothing_to_encode("QR", "at least one character")
    try:
        code = _unmasked(content, error_correction)
    except segno.DataOverflowError as error:
        position = first_too_many(lambda count: _unmasked(content[:count], error_correction), len(content))
        raise InvalidContent(
            f"QR: {len(content)} characters do not fit at error correction {error_correction}, from position "
            f"{position} on",
            rule="length",
            position=position,
            fits="less text, or a lower error_correction (L holds most)",
        ) from error
    return Matrix(masked(code, best_mask(code)), _QUIET_ZONE)


def _unmasked(content: str, error_correction: ErrorCorrection) -> segno.QRCode:
    """Return the symbol with mask 0, from which those with other masks are derived."""
    import segno  # noqa: PLC0415 - as above

    make = partial(segno.make_qr, content, error=error_correction, boost_error=False, mask=0)
    return make() if content.isascii() else make(encoding="utf-8", eci=True, mode="byte")

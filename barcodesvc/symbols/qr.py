"""QR codes: content in, Matrix out (ISO/IEC 18004; quiet zone of 4 modules, clause 6.3.8).

All readers agree on ASCII, which zxing-cpp encodes in a tenth of segno's time. Any other text is encoded by segno, as
UTF-8 after the ECI designator 26 that declares it (clause 7.3.2): without it, readers guess, and read `é` as Shift JIS.
The mode is explicit, too, because segno encodes UTF-8 bytes in the range of kanji as kanji.
"""

from typing import Literal

from barcodesvc.symbols.alphabets import nothing_to_encode
from barcodesvc.symbols.libraries import fitted, zxing_rows
from barcodesvc.symbols.modules import Matrix

ErrorCorrection = Literal["L", "M", "Q", "H"]

_QUIET_ZONE = 4


def qr(content: str, error_correction: ErrorCorrection = "M") -> Matrix:
    """Encode text as the smallest QR code that holds it at exactly this error-correction level.

    Raises InvalidContent if there is no text or no version holds it.
    """
    if not content:
        raise nothing_to_encode("QR", "at least one character")
    encode = _ascii if content.isascii() else _utf_8
    fits = f"less text than error_correction {error_correction} holds, or a lower one (L holds most)"
    return Matrix(fitted("QR", content, lambda text: encode(text, error_correction), fits), _QUIET_ZONE)


def _ascii(content: str, error_correction: ErrorCorrection) -> tuple[bytes, ...]:
    return zxing_rows(content, "QRCode", ec_level=error_correction)


def _utf_8(content: str, error_correction: ErrorCorrection) -> tuple[bytes, ...]:
    import segno  # noqa: PLC0415 - loaded at its first use

    code = segno.make_qr(content, error=error_correction, encoding="utf-8", eci=True, mode="byte", boost_error=False)
    return tuple(map(bytes, code.matrix))

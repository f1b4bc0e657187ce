"""Matrix symbologies other than QR, encoded by zxing-cpp, which contains zint's encoders: content in, Matrix out.

Each yields the smallest symbol that holds the content. Quiet zones in modules: Data Matrix 1 (ISO/IEC 16022), Aztec 0
(ISO/IEC 24778), PDF417 2 (ISO/IEC 15438), whose rows are three modules high, MicroPDF417 1 (ISO/IEC 24728), whose rows
are two, rMQR 2 (ISO/IEC 23941), GS1 QR 4 and Micro QR 2 (ISO/IEC 18004).

Micro QR is not encoded by segno, which fills M3 with zeros where clause 7.4.10 requires pad codewords. Its symbol has
the highest level of error correction that its size allows.
"""

from collections.abc import Callable

from barcodesvc.symbols.alphabets import PRINTABLE_ASCII, PRINTABLE_ASCII_FITS, require_alphabet
from barcodesvc.symbols.gs1_content import gs1_content
from barcodesvc.symbols.libraries import fitted, zxing_rows
from barcodesvc.symbols.modules import Matrix


def _ascii(name: str, symbology: str, quiet: int, fits: str = "less text", **options: bool) -> Callable[[str], Matrix]:
    """Return the encoder of printable ASCII for a symbology, which zxing-cpp knows by its own name."""

    def encode(content: str) -> Matrix:
        require_alphabet(name, content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
        return Matrix(fitted(name, content, lambda text: zxing_rows(text, symbology, **options), fits), quiet)

    return encode


def _gs1(name: str, symbology: str, quiet: int, **options: bool) -> Callable[[str], Matrix]:
    """Return the encoder of GS1 element strings for a symbology (GS1 General Specifications 5.6 and 5.7)."""

    def encode(content: str) -> Matrix:
        return Matrix(zxing_rows(gs1_content(name, content).for_encoder, symbology, gs1=True, **options), quiet)

    return encode


_MICRO_PDF417_FITS = "at most 366 digits, 250 capitals or 150 characters"
_MICRO_QR_FITS = "at most 35 digits, 21 of 0-9 A-Z space $ % * + - . / : or 15 characters, or QR as the format"

data_matrix = _ascii("DATAMATRIX", "DataMatrix", 1, force_square=True)
gs1_data_matrix = _gs1("GS1DATAMATRIX", "DataMatrix", 1, force_square=True)
gs1_qr = _gs1("GS1QR", "QRCode", 4)
aztec = _ascii("AZTEC", "Aztec", 0)
pdf417 = _ascii("PDF417", "PDF417", 2)
micro_pdf417 = _ascii("MICROPDF417", "MicroPDF417", 1, _MICRO_PDF417_FITS)
micro_qr = _ascii("MICROQR", "MicroQRCode", 2, _MICRO_QR_FITS)
rmqr = _ascii("RMQR", "RMQRCode", 2, "less text, or QR as the format")

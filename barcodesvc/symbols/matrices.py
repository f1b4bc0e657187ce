"""Matrix symbologies other than QR, encoded by zxing-cpp, which contains zint's encoders: content in, Matrix out.

Each takes printable ASCII and yields the smallest symbol that holds it. Quiet zones in modules: Data Matrix 1 (ISO/IEC
16022), Aztec 0 (ISO/IEC 24778), PDF417 2 (ISO/IEC 15438), whose rows are three modules high, MicroPDF417 1 (ISO/IEC
24728), whose rows are two, rMQR 2 (ISO/IEC 23941), GS1 QR 4 and Micro QR 2 (ISO/IEC 18004).

Micro QR is not encoded by segno, which fills M3 with zeros where clause 7.4.10 requires pad codewords.
"""

from __future__ import annotations

from barcodesvc.symbols.alphabets import PRINTABLE_ASCII, PRINTABLE_ASCII_FITS, require_alphabet
from barcodesvc.symbols.gs1_content import gs1_content
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.zxing_modules import encoded, first_too_many, rows_of, too_long


def data_matrix(content: str) -> Matrix:
    """Encode printable ASCII as square Data Matrix ECC 200 (ISO/IEC 16022)."""
    require_alphabet("DATAMATRIX", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return Matrix(rows_of(encoded(content, "DataMatrix", force_square=True)), 1)


def gs1_data_matrix(content: str) -> Matrix:
    """Encode a GS1 element string as square GS1 DataMatrix (GS1 General Specifications 5.6)."""
    data = gs1_content("GS1DATAMATRIX", content).for_encoder
    symbol = encoded(data, "DataMatrix", gs1=True, force_square=True)
    return Matrix(rows_of(symbol), 1)


def gs1_qr(content: str) -> Matrix:
    """Encode a GS1 element string as GS1 QR code (GS1 General Specifications 5.7)."""
    data = gs1_content("GS1QR", content).for_encoder
    return Matrix(rows_of(encoded(data, "QRCode", gs1=True)), 4)


def aztec(content: str) -> Matrix:
    """Encode printable ASCII as Aztec code (ISO/IEC 24778)."""
    require_alphabet("AZTEC", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return Matrix(rows_of(encoded(content, "Aztec")), 0)


def pdf417(content: str) -> Matrix:
    """Encode printable ASCII as PDF417 (ISO/IEC 15438)."""
    require_alphabet("PDF417", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return Matrix(rows_of(encoded(content, "PDF417")), 2)


def micro_pdf417(content: str) -> Matrix:
    """Encode printable ASCII as MicroPDF417 (ISO/IEC 24728)."""
    require_alphabet("MICROPDF417", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    fits = "at most 366 digits, 250 capitals or 150 characters"
    return Matrix(_rows("MICROPDF417", content, "MicroPDF417", fits), 1)


def micro_qr(content: str) -> Matrix:
    """Encode printable ASCII as the smallest Micro QR code that holds it, at the highest level that its size allows."""
    require_alphabet("MICROQR", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    fits = "at most 35 digits, 21 of 0-9 A-Z space $ % * + - . / : or 15 characters, or QR as the format"
    return Matrix(_rows("MICROQR", content, "MicroQRCode", fits), 2)


def rmqr(content: str) -> Matrix:
    """Encode printable ASCII as rectangular micro QR code (ISO/IEC 23941)."""
    require_alphabet("RMQR", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return Matrix(rows_of(encoded(content, "RMQRCode")), 2)


def _rows(name: str, content: str, symbol: str, fits: str) -> tuple[bytes, ...]:
    try:
        return rows_of(encoded(content, symbol))
    except ValueError as error:
        position = first_too_many(lambda count: encoded(content[:count], symbol), len(content))
        raise too_long(name, content, fits, position) from error

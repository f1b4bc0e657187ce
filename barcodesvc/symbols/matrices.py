"""Matrix symbologies beside QR, encoded by zxing-cpp, which carries zint's encoders: content in, Matrix out.

Each takes the smallest symbol that holds printable ASCII. Quiet zones in modules: Data Matrix 1 (ISO/IEC 16022),
Aztec 0 (ISO/IEC 24778), PDF417 2 (ISO/IEC 15438), whose rows are three modules high.
"""

from __future__ import annotations

import zxingcpp

from barcodesvc.symbols.alphabets import PRINTABLE_ASCII, require_alphabet
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.zxing_modules import rows_of

_FITS = "printable ASCII"


def data_matrix(content: str) -> Matrix:
    """Encode printable ASCII as square Data Matrix ECC 200 (ISO/IEC 16022)."""
    require_alphabet("DATAMATRIX", content, PRINTABLE_ASCII, _FITS)
    return Matrix(rows_of(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.DataMatrix, force_square=True)), 1)


def aztec(content: str) -> Matrix:
    """Encode printable ASCII as Aztec code (ISO/IEC 24778)."""
    require_alphabet("AZTEC", content, PRINTABLE_ASCII, _FITS)
    return Matrix(rows_of(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.Aztec)), 0)


def pdf417(content: str) -> Matrix:
    """Encode printable ASCII as PDF417 (ISO/IEC 15438)."""
    require_alphabet("PDF417", content, PRINTABLE_ASCII, _FITS)
    return Matrix(rows_of(zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.PDF417)), 2)

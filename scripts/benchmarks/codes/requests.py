"""The requests of the benchmarks of codes, in the service's format, which the peers accept as well."""

from collections.abc import Iterator
from itertools import count

from scripts.benchmarks.load import post

BARCODE = "/api/codes/barcode"
QR = "/api/codes/qrcode"


def short_code(number: int) -> str:
    """Return a code as a shop uses it, such as `AB-00000001`."""
    return f"AB-{number:08}"


def barcode(number: int) -> bytes:
    """Return the request of a CODE128 with its text, as SVG and PNG."""
    return post(BARCODE, f'{{"product_code":"{short_code(number)}","format":"CODE128"}}'.encode())


def qrcode(number: int) -> bytes:
    """Return the request of a QR code, as SVG and PNG."""
    return post(QR, f'{{"product_code":"{short_code(number)}"}}'.encode())


def different_barcodes(first: int = 1) -> Iterator[bytes]:
    """Yield requests for distinct barcodes."""
    return map(barcode, count(first))


def different_qrcodes(first: int = 1) -> Iterator[bytes]:
    """Yield requests for distinct QR codes."""
    return map(qrcode, count(first))

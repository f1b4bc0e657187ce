"""Draws the pictures of the documentation with a running service, so that they show its real output.

`python -m scripts.pictures FOLDER` writes ean13.svg, qrcode.svg, labels.png, the first page of a label sheet, and
scanner-codes.png, with which a person tests a scanner.
"""

import io
import sys
import tempfile
from pathlib import Path

import pypdfium2
from PIL import Image

from tests.served import UNLIMITED, Service

PRODUCTS = (
    ("9521234543213", "Oat biscuits"),
    ("09521112", "Mineral water 1 l"),
    ("BOLT-M8x40", "Hexagon bolt M8 x 40, zinc plated"),
    ("SHELF/07", "Полка 800 мм"),
    ("paint.blue", "Μπλε χρώμα 5 l"),
    ("PX-4711", "دهان أزرق"),
)
LAYOUT = {
    "page_size": "180x70mm",
    "labels_per_row": 3,
    "labels_per_column": 2,
    "include_description": True,
    "outlines": True,
}
PIXELS_PER_POINT = 2
CODES = {
    "ean13.svg": "/api/codes/barcode/9521234543213.svg?format=EAN13",
    "qrcode.svg": "/api/codes/qrcode/BOLT-M8x40.svg?size=150",
}
SCANNER_CODES = (
    "/api/codes/barcode/9521234543213.png?format=EAN13&width=2",
    "/api/codes/barcode/yz-YZ_1%2F2.png?format=CODE128&width=2",
    "/api/codes/qrcode/qr-yz_1%2F2.png?size=150",
)
GAP = 30
"""Pixels between two of these codes."""


def _scanner_codes(service: Service) -> Image.Image:
    """Return a row of codes; their letters and signs come out wrong if the scanner types for another keyboard."""
    codes = [Image.open(io.BytesIO(service.download(address))) for address in SCANNER_CODES]
    height = max(code.height for code in codes)
    picture = Image.new("L", (sum(code.width + GAP for code in codes) + GAP, height + 2 * GAP), "white")
    left = GAP
    for code in codes:
        picture.paste(code, (left, GAP + (height - code.height) // 2))
        left += code.width + GAP
    return picture


def _labels(service: Service) -> Image.Image:
    for code, description in PRODUCTS:
        service.call("POST", "/api/products", {"product_code": code, "description": description})
    body = {"products": [code for code, _ in PRODUCTS], "code_type": "best", "layout": LAYOUT}
    _, sheet = service.exchange("POST", "/api/codes/printable", body)
    with pypdfium2.PdfDocument(sheet) as document:
        return document[0].render(scale=PIXELS_PER_POINT, grayscale=True).to_pil()  # type: ignore[no-any-return]


def draw(folder: Path) -> None:
    """Run the service on a throw-away database and write every picture into a folder."""
    with tempfile.TemporaryDirectory() as temporary, Service(Path(temporary), **UNLIMITED) as service:
        for name, address in CODES.items():
            (folder / name).write_bytes(service.download(address))
        _scanner_codes(service).save(folder / "scanner-codes.png", optimize=True)
        _labels(service).save(folder / "labels.png", optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

"""What the service does, shown in one minute: a catalogue in, codes and labels out, scanned back, a level changed.

It starts the real service on a free port with a database in a temporary folder, and talks HTTP to it. A decoder that
shares no code with the service reads the codes back.
"""

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2
import zxingcpp
from PIL import Image

from tests.forms import KIND, form, part
from tests.served import UNLIMITED, Service
from tests.workbooks import xlsx

OUTPUT = Path("demo-output")
CATALOGUE = (
    ("product_code", "description", "category", "unit_of_measure", "current_level", "minimum_level"),
    ("9521234543213", "Oat biscuits", "Food", "pack", 120, 40),
    ("09521112", "Mineral water 1 l", "Drinks", "bottle", 36, 48),
    ("BOLT-M8x40", "Hexagon bolt M8 x 40, zinc plated", "Hardware", "pcs", 1500, 200),
    ("SHELF/07", "Shelf board 800 mm", "Hardware", "pcs", 12, 5),
    ("paint.blue", "Wall paint blue 5 l", "Paint", "can", 8, 10),
)
CODES = [row[0] for row in CATALOGUE[1:]]


def save(name: str, content: bytes) -> Path:
    """Write a file into the output folder."""
    path = OUTPUT / name
    path.write_bytes(content)
    return path


def scanned(image: Image.Image) -> list[str]:
    """Read every code in a picture, line by line, with an independent decoder."""

    def position(code: zxingcpp.Barcode) -> tuple[int, int]:
        corner = code.position.top_left
        return corner.y // 50, corner.x

    return [code.text for code in sorted(zxingcpp.read_barcodes(image), key=position)]


def data(service: Service, method: str, path: str, body: object = None, **headers: str) -> Any:
    """Call an endpoint and return the data of its envelope."""
    envelope = json.loads(service.exchange(method, path, body, **headers)[1])
    if "data" not in envelope:
        raise SystemExit(f"{method} {path}: {envelope}")
    return envelope["data"]


def show_import(service: Service) -> None:
    """Import the catalogue."""
    content = save("catalogue.xlsx", xlsx(CATALOGUE)).read_bytes()
    sent = form(part("file", content, filename="catalogue.xlsx"))
    print("import   ", data(service, "POST", "/api/products/import", sent, **{"Content-Type": KIND}))


def show_codes(service: Service) -> None:
    """Draw a barcode and a QR code, and scan the pictures."""
    barcode = data(service, "POST", "/api/codes/barcode", {"product_code": CODES[0], "format": "EAN13"})
    qrcode = data(service, "POST", "/api/codes/qrcode", {"product_code": CODES[2]})
    for name, svg, uri in (
        ("barcode", barcode["barcode_svg"], barcode["barcode_base64"]),
        ("qrcode", qrcode["qr_code_svg"], qrcode["qr_code_base64"]),
    ):
        save(f"{name}.svg", svg.encode())
        picture = save(f"{name}.png", base64.b64decode(uri.partition(",")[2]))
        print(f"{name:9} {picture} reads as {', '.join(scanned(Image.open(picture)))}")


def show_labels(service: Service) -> None:
    """Print a sheet of labels, render the page and scan it."""
    layout = {"labels_per_row": 2, "include_description": True}
    _, sheet = service.exchange("POST", "/api/codes/printable", {"products": CODES, "layout": layout})
    path = save("labels.pdf", sheet)
    with pypdfium2.PdfDocument(path) as document:
        page = document[0].render(scale=300 / 72).to_pil()
    print(f"labels    {path} reads as {', '.join(scanned(page))}")


def show_scan(service: Service) -> int:
    """Resolve what a scanner sends for a code, and return the product's id."""
    sent = f"]E0{CODES[0]}\r\n"
    decoded = data(service, "POST", "/api/codes/decode", {"code_data": sent})
    product, level = decoded["product"], decoded["inventory"]["current_level"]
    print(f"scan      {sent!r} is {product['description']}, {level} in stock (rule: {decoded['match']})")
    return int(product["id"])


def show_levels(service: Service, product_id: int) -> None:
    """Change a level and show its history, then low stock."""
    body = {"new_level": 117, "change_reason": "three sold", "updated_by": "till 1"}
    data(service, "PUT", f"/api/inventory/{product_id}", body)
    for change in reversed(data(service, "GET", f"/api/inventory/{product_id}/history")):
        step = f"{change['old_level']} -> {change['new_level']}"
        print(f"history   {step}, {change['change_reason']}, {change['updated_by']}")
    low = data(service, "GET", "/api/inventory?low_stock=true")
    print("low stock", ", ".join(f"{level['product_code']} ({level['current_level']})" for level in low))


if __name__ == "__main__":
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Service(Path(folder), **UNLIMITED) as running:
        show_import(running)
        show_codes(running)
        show_labels(running)
        show_levels(running, show_scan(running))

"""What the service does, shown in one minute: a catalogue in, codes and labels out, scanned back, a level changed.

It starts the real service on a free port with a database in a temporary folder, and talks HTTP to it. A decoder that
shares no code with the service reads the codes back.
"""

import asyncio
import base64
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2
import zxingcpp
from aiohttp import ClientSession
from PIL import Image

from tests.forms import form_data
from tests.served import MODULE, UNLIMITED, Service
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


async def data(session: ClientSession, method: str, path: str, **body: Any) -> Any:
    """Call an endpoint and return the data of its envelope."""
    async with session.request(method, path, **body) as response:
        envelope = await response.json()
    if "data" not in envelope:
        raise SystemExit(f"{method} {path}: {envelope}")
    return envelope["data"]


async def show_import(session: ClientSession) -> None:
    """Import the catalogue."""
    form = form_data(save("catalogue.xlsx", xlsx(CATALOGUE)).read_bytes())
    print("import   ", await data(session, "POST", "/api/products/import", data=form))


async def show_codes(session: ClientSession) -> None:
    """Draw a barcode and a QR code, and scan the pictures."""
    barcode = await data(session, "POST", "/api/codes/barcode", json={"product_code": CODES[0], "format": "EAN13"})
    qrcode = await data(session, "POST", "/api/codes/qrcode", json={"product_code": CODES[2]})
    for name, svg, uri in (
        ("barcode", barcode["barcode_svg"], barcode["barcode_base64"]),
        ("qrcode", qrcode["qr_code_svg"], qrcode["qr_code_base64"]),
    ):
        save(f"{name}.svg", svg.encode())
        picture = save(f"{name}.png", base64.b64decode(uri.partition(",")[2]))
        print(f"{name:9} {picture} reads as {', '.join(scanned(Image.open(picture)))}")


async def show_labels(session: ClientSession) -> None:
    """Print a sheet of labels, render the page and scan it."""
    layout = {"labels_per_row": 2, "include_description": True}
    async with session.post("/api/codes/printable", json={"products": CODES, "layout": layout}) as response:
        path = save("labels.pdf", await response.read())
    with pypdfium2.PdfDocument(path) as document:
        page = document[0].render(scale=300 / 72).to_pil()
    print(f"labels    {path} reads as {', '.join(scanned(page))}")


async def show_scan(session: ClientSession) -> int:
    """Resolve what a scanner sends for a code, and return the product's id."""
    sent = f"]E0{CODES[0]}\r\n"
    decoded = await data(session, "POST", "/api/codes/decode", json={"code_data": sent})
    product, level = decoded["product"], decoded["inventory"]["current_level"]
    print(f"scan      {sent!r} is {product['description']}, {level} in stock (rule: {decoded['match']})")
    return int(product["id"])


async def show_levels(session: ClientSession, product_id: int) -> None:
    """Change a level and show its history, then low stock."""
    body = {"new_level": 117, "change_reason": "three sold", "updated_by": "till 1"}
    await data(session, "PUT", f"/api/inventory/{product_id}", json=body)
    for change in reversed(await data(session, "GET", f"/api/inventory/{product_id}/history")):
        step = f"{change['old_level']} -> {change['new_level']}"
        print(f"history   {step}, {change['change_reason']}, {change['updated_by']}")
    low = await data(session, "GET", "/api/inventory?low_stock=true")
    print("low stock", ", ".join(f"{level['product_code']} ({level['current_level']})" for level in low))


async def demonstrate() -> None:
    """Run the service on a throw-away database and show everything."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(Path(folder), *MODULE, **UNLIMITED) as service,
    ):
        async with ClientSession(service.address) as session:
            await show_import(session)
            await show_codes(session)
            await show_labels(session)
            await show_levels(session, await show_scan(session))


if __name__ == "__main__":
    OUTPUT.mkdir(exist_ok=True)
    asyncio.run(demonstrate())

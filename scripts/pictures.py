"""Draws the pictures of the documentation with a running service, so that they show its real output.

`python scripts/pictures.py FOLDER` writes ean13.svg, qrcode.svg, labels.png, the first page of a label sheet, and
scanner-codes.png, with which a person tests a scanner.
"""

import asyncio
import io
import logging
import sys
import tempfile
from pathlib import Path

import pypdfium2
from aiohttp import ClientSession, web
from PIL import Image

from barcodesvc.api.server import ServiceRunner
from barcodesvc.app import make_app
from barcodesvc.config import Settings

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
SCANNER_CODES = (
    "/api/codes/barcode/9521234543213.png?format=EAN13&width=2",
    "/api/codes/barcode/yz-YZ_1%2F2.png?format=CODE128&width=2",
    "/api/codes/qrcode/qr-yz_1%2F2.png?size=150",
)
GAP = 30
"""Pixels between two of these codes."""


async def _draw_codes(session: ClientSession, folder: Path) -> None:
    for name, address in (
        ("ean13.svg", "/api/codes/barcode/9521234543213.svg?format=EAN13"),
        ("qrcode.svg", "/api/codes/qrcode/BOLT-M8x40.svg?size=150"),
    ):
        async with session.get(address) as response:
            (folder / name).write_bytes(await response.read())


async def _draw_scanner_codes(session: ClientSession, folder: Path) -> None:
    """Draw a row of codes; their letters and signs come out wrong if the scanner types for another keyboard."""
    codes = []
    for address in SCANNER_CODES:
        async with session.get(address) as response:
            codes.append(Image.open(io.BytesIO(await response.read())))
    height = max(code.height for code in codes)
    picture = Image.new("L", (sum(code.width + GAP for code in codes) + GAP, height + 2 * GAP), "white")
    left = GAP
    for code in codes:
        picture.paste(code, (left, GAP + (height - code.height) // 2))
        left += code.width + GAP
    picture.save(folder / "scanner-codes.png", optimize=True)


async def _draw_labels(session: ClientSession, folder: Path) -> None:
    for code, description in PRODUCTS:
        await session.post("/api/products", json={"product_code": code, "description": description})
    body = {"products": [code for code, _ in PRODUCTS], "layout": LAYOUT}
    async with session.post("/api/codes/printable", json=body) as response:
        sheet = await response.read()
    with pypdfium2.PdfDocument(sheet) as document:
        document[0].render(scale=PIXELS_PER_POINT, grayscale=True).to_pil().save(folder / "labels.png", optimize=True)


async def draw(folder: Path) -> None:
    """Run the service on a throw-away database and write every picture into a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(database=Path(temporary) / "pictures.db", rate_limit=None)
        runner = ServiceRunner(make_app(settings))
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            async with ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}", raise_for_status=True) as session:
                await _draw_codes(session, folder)
                await _draw_scanner_codes(session, folder)
                await _draw_labels(session, folder)
        finally:
            await runner.cleanup()


if __name__ == "__main__":
    logging.basicConfig(level="WARNING")
    asyncio.run(draw(Path(sys.argv[1])))

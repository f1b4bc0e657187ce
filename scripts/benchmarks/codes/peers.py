"""Peers: aiohttp services that draw with the writers of python-barcode or of segno, in a thread pool.

    python -m scripts.benchmarks.codes.peers python-barcode|segno

Each accepts the service's request and returns the same response: the same fields, pictures at the same scale, with the
text below the bars. python-barcode's writers are created for each request, because threads cannot share them.
"""

import asyncio
import sys
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import segno
from aiohttp import web
from aiohttp.typedefs import Handler
from barcode.codex import Code128
from barcode.writer import ImageWriter, SVGWriter

from scripts.benchmarks.codes.requests import BARCODE, QR
from scripts.benchmarks.servers import serve_forever

MODULE = "scripts.benchmarks.codes.peers"
THREADS = 2
"""One for each of two cores, although the service draws in fewer by default."""
_DPI = 300
_MILLIMETRES = 25.4 / _DPI
_SIZES = {"module_width": 2 * _MILLIMETRES, "module_height": 100 * _MILLIMETRES, "quiet_zone": 20 * _MILLIMETRES}

Drawing = tuple[str, str]
"""An SVG document, and a PNG file as a data URI."""


def draw_barcode(content: str) -> Drawing:
    """Draw a CODE128 with python-barcode's writers: modules of two pixels, bars of a hundred."""
    vector, pixels = BytesIO(), BytesIO()
    Code128(content, writer=SVGWriter()).write(vector, _SIZES)
    Code128(content, writer=ImageWriter()).write(pixels, {**_SIZES, "dpi": _DPI})
    return vector.getvalue().decode(), data_uri(pixels)


def draw_qrcode(content: str) -> Drawing:
    """Draw a QR code with segno's writers: 290 pixels a side for a short code."""
    vector, pixels = BytesIO(), BytesIO()
    symbol = segno.make(content, error="M", boost_error=False, micro=False)
    symbol.save(vector, kind="svg", scale=10)
    symbol.save(pixels, kind="png", scale=10)
    return vector.getvalue().decode(), data_uri(pixels)


def data_uri(png: BytesIO) -> str:
    """Return a PNG file as a data URI."""
    return f"data:image/png;base64,{b64encode(png.getvalue()).decode()}"


def drawing(draw: Callable[[str], Drawing], names: tuple[str, str]) -> Handler:
    """Return a handler that draws in the pool; `names` are those of the pictures in the response."""
    pool = ThreadPoolExecutor(THREADS)

    async def handler(request: web.Request) -> web.Response:
        wanted = await request.json()
        loop = asyncio.get_running_loop()
        pictures = await loop.run_in_executor(pool, draw, wanted["product_code"])
        data = wanted | dict(zip(names, pictures, strict=True))
        return web.json_response({"success": True, "data": data})

    return handler


def main(peer: str) -> None:
    """Serve as one of the peers."""
    app = web.Application()
    if peer == "python-barcode":
        app.router.add_post(BARCODE, drawing(draw_barcode, ("barcode_svg", "barcode_base64")))
    else:
        app.router.add_post(QR, drawing(draw_qrcode, ("qr_code_svg", "qr_code_base64")))
    serve_forever(app)


if __name__ == "__main__":
    main(sys.argv[1])

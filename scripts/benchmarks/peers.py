"""Peers: aiohttp services that draw with the writers of python-barcode, or with reportlab's barcode widgets.

    python -m scripts.benchmarks.peers barcodes|labels

Each accepts the service's request and draws the same in a thread pool. Barcodes have the same fields in the response,
and pictures at the same scale, with the text below the bars; the writers are created for each request, because threads
cannot share them. Labels come 3 x 8 on A4: bars of four dots of 1/300 inch a module, the code below them, and the
description under that in one line, which is in memory.
"""

# reportlab ships no types, and is only there if scripts/bench has installed it
# mypy: disable-error-code="import-untyped, import-not-found"

import asyncio
import sys
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import uvloop
from aiohttp import web
from barcode.codex import Code128
from barcode.writer import ImageWriter, SVGWriter
from reportlab.graphics.barcode.code128 import Code128 as Widget
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from scripts.benchmarks.codes import BARCODE
from scripts.benchmarks.labels import LAYOUT, PRINTABLE, description
from scripts.benchmarks.servers import serve_forever

THREADS = 2
"""One for each of two cores, although the service draws in fewer by default."""
_DPI = 300
_MILLIMETRES = 25.4 / _DPI
_SIZES = {"module_width": 2 * _MILLIMETRES, "module_height": 100 * _MILLIMETRES, "quiet_zone": 20 * _MILLIMETRES}
_COLUMNS, _ROWS = 3, 8
_MARGIN, _GAP = 10 * mm, 2 * mm
_WIDTH = (A4[0] - 2 * _MARGIN - (_COLUMNS - 1) * _GAP) / _COLUMNS
_HEIGHT = (A4[1] - 2 * _MARGIN - (_ROWS - 1) * _GAP) / _ROWS
_FONT, _SIZE = "Helvetica", 8
_MODULE_WIDTH = 4 * 72 / _DPI
_BAR_HEIGHT = 22 * mm
_BARS_ABOVE, _DESCRIPTION_ABOVE = 9 * mm, 2.5 * mm
"""Where bars end, and the baseline of the description, from the lower edge of the label."""
_CORNERS = [
    (_MARGIN + column * (_WIDTH + _GAP), A4[1] - _MARGIN - _HEIGHT - row * (_HEIGHT + _GAP))
    for row in range(_ROWS)
    for column in range(_COLUMNS)
]


def barcode(wanted: dict[str, Any]) -> web.Response:
    """Draw a CODE128 with modules of two pixels, bars of a hundred."""
    vector, pixels = BytesIO(), BytesIO()
    Code128(wanted["product_code"], writer=SVGWriter()).write(vector, _SIZES)
    Code128(wanted["product_code"], writer=ImageWriter()).write(pixels, {**_SIZES, "dpi": _DPI})
    uri = f"data:image/png;base64,{b64encode(pixels.getvalue()).decode()}"
    data = {**wanted, "barcode_svg": vector.getvalue().decode(), "barcode_base64": uri}
    return web.json_response({"success": True, "data": data})


def labels(wanted: dict[str, Any]) -> web.Response:
    """Draw the PDF of one label for each code."""
    if wanted["layout"] != LAYOUT:
        raise web.HTTPBadRequest(text="this peer prints one layout only")
    output, codes = BytesIO(), wanted["products"]
    canvas = Canvas(output, pagesize=A4)
    for start in range(0, len(codes), len(_CORNERS)):
        canvas.setFont(_FONT, _SIZE)
        for (left, bottom), code in zip(_CORNERS, codes[start:], strict=False):
            _draw_label(canvas, left, bottom, code)
        canvas.showPage()
    canvas.save()
    return web.Response(body=output.getvalue(), content_type="application/pdf")


def _draw_label(canvas: Canvas, left: float, bottom: float, code: str) -> None:
    bars = Widget(
        code,
        barWidth=_MODULE_WIDTH,
        barHeight=_BAR_HEIGHT,
        quiet=False,
        humanReadable=True,
        fontName=_FONT,
        fontSize=_SIZE,
    )
    bars.drawOn(canvas, left + (_WIDTH - bars.width) / 2, bottom + _BARS_ABOVE)
    canvas.drawCentredString(left + _WIDTH / 2, bottom + _DESCRIPTION_ABOVE, description(code))


def main(peer: str) -> None:
    """Serve as one of the peers."""
    pool = ThreadPoolExecutor(THREADS if peer == "barcodes" else 1)

    async def drawn(request: web.Request) -> web.Response:
        draw = barcode if peer == "barcodes" else labels
        return await asyncio.get_running_loop().run_in_executor(pool, draw, await request.json())

    app = web.Application()
    app.router.add_post(BARCODE if peer == "barcodes" else PRINTABLE, drawn)
    uvloop.run(serve_forever(app))


if __name__ == "__main__":
    main(sys.argv[1])

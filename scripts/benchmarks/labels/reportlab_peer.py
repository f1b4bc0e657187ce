"""The peer: an aiohttp service that draws the same sheets with reportlab's own barcode widgets, in a thread pool.

It accepts the service's request for A4 with 3 x 8 labels: bars of four dots of 1/300 inch a module, the code below
them, the description under that in one line. Descriptions are in memory, while the service asks its database for them.
"""

# reportlab ships no types, and is only there if scripts/bench has installed it
# mypy: disable-error-code="import-untyped, import-not-found"

import asyncio
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

from aiohttp import web
from reportlab.graphics.barcode.code128 import Code128
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from scripts.benchmarks.labels.requests import LAYOUT, PRINTABLE, PRODUCTS, description, product_code
from scripts.benchmarks.servers import serve_forever

MODULE = "scripts.benchmarks.labels.reportlab_peer"
COLUMNS, ROWS = 3, 8
MARGIN, GAP = 10 * mm, 2 * mm
WIDTH = (A4[0] - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
HEIGHT = (A4[1] - 2 * MARGIN - (ROWS - 1) * GAP) / ROWS
FONT, SIZE = "Helvetica", 8
MODULE_WIDTH = 4 * 72 / 300
BAR_HEIGHT = 22 * mm
BARS_ABOVE, DESCRIPTION_ABOVE = 9 * mm, 2.5 * mm
"""Where bars end, and the baseline of the description, from the lower edge of the label."""
DESCRIPTIONS = {product_code(number): description(number) for number in range(PRODUCTS)}
CORNERS = [
    (MARGIN + column * (WIDTH + GAP), A4[1] - MARGIN - HEIGHT - row * (HEIGHT + GAP))
    for row in range(ROWS)
    for column in range(COLUMNS)
]


def draw_sheets(codes: list[str]) -> bytes:
    """Return the PDF of one label for each code."""
    output = BytesIO()
    canvas = Canvas(output, pagesize=A4)
    for start in range(0, len(codes), len(CORNERS)):
        canvas.setFont(FONT, SIZE)
        for (left, bottom), code in zip(CORNERS, codes[start:], strict=False):
            _draw_label(canvas, left, bottom, code)
        canvas.showPage()
    canvas.save()
    return output.getvalue()


def _draw_label(canvas: Canvas, left: float, bottom: float, code: str) -> None:
    bars = Code128(
        code,
        barWidth=MODULE_WIDTH,
        barHeight=BAR_HEIGHT,
        quiet=False,
        humanReadable=True,
        fontName=FONT,
        fontSize=SIZE,
    )
    bars.drawOn(canvas, left + (WIDTH - bars.width) / 2, bottom + BARS_ABOVE)
    canvas.drawCentredString(left + WIDTH / 2, bottom + DESCRIPTION_ABOVE, DESCRIPTIONS[code])


def main() -> None:
    """Serve."""
    pool = ThreadPoolExecutor(1)

    async def printable(request: web.Request) -> web.Response:
        wanted = await request.json()
        if wanted["layout"] != LAYOUT:
            raise web.HTTPBadRequest(text="this peer prints one layout only")
        pdf = await asyncio.get_running_loop().run_in_executor(pool, draw_sheets, wanted["products"])
        return web.Response(body=pdf, content_type="application/pdf")

    app = web.Application()
    app.router.add_post(PRINTABLE, printable)
    serve_forever(app)


if __name__ == "__main__":
    main()

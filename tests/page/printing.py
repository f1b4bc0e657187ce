"""The codes in the document that the page has printed, as `tests.browser.print_catcher` has caught it."""

from dataclasses import dataclass

import pypdfium2
import zxingcpp

from tests.browser.chromium import Chromium

_DPI = 300
_LAST = """
return [...documents.values()].at(-1).arrayBuffer().then((bytes) => Array.from(new Uint8Array(bytes)))
"""


@dataclass(frozen=True, slots=True)
class PrintedCode:
    """A code on a page, from 1, and the position of its centre in mm from the page's top left corner.

    `symbology` is what an independent reader calls it.
    """

    text: str
    symbology: str
    page: int
    x: float
    y: float


def printed_codes(browser: Chromium) -> list[PrintedCode]:
    """Return the codes in the last document, in reading order."""
    return codes_of(bytes(browser.run(_LAST)))


def codes_of(pdf: bytes) -> list[PrintedCode]:
    """Return the codes in a document, in reading order."""
    with pypdfium2.PdfDocument(pdf) as document:
        pictures = [page.render(scale=_DPI / 72, grayscale=True).to_pil() for page in document]
    found = [
        _placed(code, page) for page, picture in enumerate(pictures, 1) for code in zxingcpp.read_barcodes(picture)
    ]
    return sorted(found, key=lambda code: (code.page, round(code.y), code.x))


def _placed(code: zxingcpp.Barcode, page: int) -> PrintedCode:
    at = code.position
    corners = (at.top_left, at.top_right, at.bottom_left, at.bottom_right)
    x, y = (sum(values) / 4 * 25.4 / _DPI for values in zip(*((corner.x, corner.y) for corner in corners), strict=True))
    return PrintedCode(code.text, code.format.name, page, x, y)

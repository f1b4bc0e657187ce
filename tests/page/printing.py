"""What the page gives to the printer, caught before the browser's dialog, which nobody could answer here."""

from __future__ import annotations

from dataclasses import dataclass

import pypdfium2
import zxingcpp

from scripts.browser.chromium import Chromium

_DPI = 300
_CAUGHT = """
if (window === top) {
  const { createObjectURL, revokeObjectURL } = URL
  const { fetch } = window
  Object.assign(window, { printed: [], opened: [], orders: [], documents: new Map(), tabsOpen: true })
  window.fetch = (address, options) => {
    if (address === '/api/codes/printable') window.orders.push(JSON.parse(options.body))
    return fetch(address, options)
  }
  URL.createObjectURL = (blob) => {
    const address = createObjectURL.call(URL, blob)
    window.documents.set(address, blob)
    return address
  }
  URL.revokeObjectURL = (address) => {
    window.documents.delete(address)
    revokeObjectURL.call(URL, address)
  }
  window.open = (address) => {
    if (window.tabsOpen) window.opened.push(address)
    return window.tabsOpen ? window : null
  }
}
window.print = () => { top.printed.push(location.href) }
"""
_NO_VIEWER = "Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => false })"
_LAST = """
return [...documents.values()].at(-1).arrayBuffer().then((bytes) => Array.from(new Uint8Array(bytes)))
"""


@dataclass(frozen=True, slots=True)
class PrintedCode:
    """A code on a page, from 1, and the place of its middle in mm from the page's top left corner."""

    text: str
    page: int
    x: float
    y: float


def catch_printing(browser: Chromium, *, shows_documents: bool = True) -> None:
    """Catch what the pages that are opened from now on print, and the tabs that they open."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_CAUGHT)
    if not shows_documents:
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_NO_VIEWER)


def printed_document(browser: Chromium) -> bytes:
    """Return the document that was made last."""
    return bytes(browser.run(_LAST))


def printed_codes(browser: Chromium) -> list[PrintedCode]:
    """Return the codes on the document that was made last, in reading order."""
    with pypdfium2.PdfDocument(printed_document(browser)) as document:
        pictures = [page.render(scale=_DPI / 72, grayscale=True).to_pil() for page in document]
    found = [
        _placed(code, page) for page, picture in enumerate(pictures, 1) for code in zxingcpp.read_barcodes(picture)
    ]
    return sorted(found, key=lambda code: (code.page, round(code.y), code.x))


def _placed(code: zxingcpp.Barcode, page: int) -> PrintedCode:
    at = code.position
    corners = (at.top_left, at.top_right, at.bottom_left, at.bottom_right)
    x, y = (sum(values) / 4 * 25.4 / _DPI for values in zip(*((corner.x, corner.y) for corner in corners), strict=True))
    return PrintedCode(code.text, page, x, y)

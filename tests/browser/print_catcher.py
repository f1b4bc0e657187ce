"""Catches what the page prints before the browser's print dialog opens, because a test cannot answer that.

The page then holds `printed` (addresses), `documents` (those not yet released), `orders` and `opened` (tabs).
"""

from tests.browser.chromium import Chromium

_CAUGHT = """
if (window === top) {
  const { createObjectURL, revokeObjectURL } = URL
  const { fetch } = window
  Object.assign(window, { printed: [], opened: [], orders: [], documents: new Map(), tabsOpen: true })
  window.fetch = (address, options) => {
    const order = address === '/api/codes/printable' ? JSON.parse(options.body) : null
    if (order && order.output !== 'png') window.orders.push(order)
    return fetch(address, options)
  }
  URL.createObjectURL = (blob) => {
    const address = createObjectURL.call(URL, blob)
    if (blob.type === 'application/pdf') window.documents.set(address, blob)
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


def catch_printing(browser: Chromium, *, shows_documents: bool = True) -> None:
    """Catch what pages opened from now on print, and the tabs that they open."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_CAUGHT)
    if not shows_documents:
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_NO_VIEWER)

"""A day at the kiosk: 500 labels, each scanned and printed separately, and how much of them the page still holds."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_most
from tests.browser.chromium import Chromium, missing_programs, started
from tests.browser.keyboard import Keyboard
from tests.browser.print_catcher import catch_printing
from tests.served import Service

LABELS = 500
BEFORE = 20
"""Labels after which the page has done everything for the first time."""
MOST_GROWTH = at_most(0.5)
ONE = at_most(1)
PEN = "4006381333931"
_MIB = 2**20
_LOADED = "return navigator.serviceWorker.ready.then(() => true)"
"""The page has loaded all its files ahead, and installed the service worker."""
_KEPT = "return [documents.size, document.querySelectorAll('iframe').length, document.querySelectorAll('*').length]"


def measure() -> Iterator[Figure]:
    """Yield what the page holds after a day; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder))
        service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
        browser = started(Path(folder) / "browser")
        try:
            yield from _figures(browser, service)
        finally:
            browser.close()
            service.kill()


def _figures(browser: Chromium, service: Service) -> Iterator[Figure]:
    catch_printing(browser)
    browser.open(f"{service.address}/#kiosk?sheet=L7160")
    browser.shows("Scan a product")
    browser.until(lambda: browser.run(_LOADED))
    for number in range(1, BEFORE + 1):
        _print(browser, number)
    before = _heap(browser)
    for number in range(BEFORE + 1, LABELS + 1):
        _print(browser, number)
    documents, frames, elements = browser.run(_KEPT)
    growth = (_heap(browser) - before) / _MIB
    yield Figure(
        f"growth of the heap over {LABELS} labels", growth, "MiB", MOST_GROWTH, f"from {before / _MIB:.1f} MiB"
    )
    yield Figure("documents that are kept", documents, "", ONE)
    yield Figure("frames that are kept", frames, "", ONE, f"among {elements} elements")


def _print(browser: Chromium, nth: int) -> None:
    with Keyboard(browser) as keyboard:
        keyboard.scan(PEN)
    browser.until(lambda: browser.run("return document.querySelector('.kiosk .main:enabled') !== null"))
    browser.run("document.querySelector('.kiosk .main').click()")
    browser.until(lambda: browser.run("return printed.length") == nth)


def _heap(browser: Chromium) -> int:
    """Return the bytes that the page's scripts hold after garbage collection."""
    browser.devtools("HeapProfiler.collectGarbage")
    return int(browser.devtools("Runtime.getHeapUsage")["usedSize"])

"""A kiosk with a printer of the service: from Enter to the response that the job is in the queue, seen by the page."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_most
from tests.browser.chromium import Chromium, missing_programs, started
from tests.browser.keyboard import Key, Keyboard
from tests.served import Service

LABELS = 30
IN_QUEUE = at_most(300)
PEN = "4006381333931"
_WATCH = """
window.taken = []
window.entered = 0
addEventListener('keydown', ({ key, timeStamp }) => { if (key === 'Enter') entered = timeStamp }, { capture: true })
window.send = window.fetch
window.fetch = async (address, options) => {
  const response = await send(address, options)
  if (String(address).endsWith('/jobs') && options?.method === 'POST') taken.push(performance.now() - entered)
  return response
}
"""
_TASK = "return document.querySelector('.kiosk .main:enabled') !== null"


def measure() -> Iterator[Figure]:
    """Yield the longest of these times; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paper = Path(folder) / "paper"
        paper.touch()
        service = Service(Path(folder), printers=f"roll=file://{paper}?label=50x30mm&dpi=203")
        service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
        service.call("PUT", "/api/codes/layouts/shelf", {"sheet": "50x30mm", "lines": ["{description}"]})
        browser = started(Path(folder) / "browser")
        try:
            times = _times(browser, f"{service.address}/#kiosk?layout=shelf&printer=roll")
        finally:
            browser.close()
            service.kill()
    usual = f"half of {LABELS} within {statistics.median(times):.0f} ms"
    yield Figure(
        "from Enter at the kiosk to a job in the printer's queue, the longest", max(times), "ms", IN_QUEUE, usual
    )


def _times(browser: Chromium, address: str) -> list[float]:
    """Return the milliseconds of each label: the same product is scanned, and Enter prints its label."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
    browser.open(address)
    browser.shows("shelf")
    for number in range(LABELS):
        with Keyboard(browser) as keyboard:
            keyboard.scan(PEN)
            browser.until(lambda: browser.run(_TASK))
            keyboard.press(Key("Enter"))
        browser.until(lambda: browser.run("return taken.length") > number)  # noqa: B023 - awaited here
    times: list[float] = browser.run("return taken")
    return times

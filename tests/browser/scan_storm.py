"""A storm of scans on the page, while the network fails and the service is killed: lost, double and slow scans.

Each scan is of another product, so the history of the levels shows how often it has counted.
"""

import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import Keyboard
from tests.served import Service

PACE = 0.05
"""Seconds between two scans: 20 a second."""
SHOWN_WITHIN = 100.0
"""Limit in milliseconds from Enter to the product's text, for 95 in 100 scans."""
_SETTLED_WITHIN = 120.0
_DOWN = 1.0
_PAGE = 100
_PROBE = """
window.storm = { wanted: [], entered: 0, pending: [], took: [] };
addEventListener('keydown', ({ key }) => {
  if (key !== 'Enter') return;
  storm.pending.push([storm.wanted[storm.entered], performance.now()]);
  storm.entered += 1;
}, true);
addEventListener('DOMContentLoaded', () => {
  new MutationObserver(() => {
    if (!storm.pending.length) return;
    const text = document.querySelector('main')?.textContent ?? '';
    storm.pending = storm.pending.filter(([description, begun]) => {
      if (!text.includes(description)) return true;
      storm.took.push(performance.now() - begun);
      return false;
    });
  }).observe(document, { subtree: true, childList: true, characterData: true });
});
"""
"""Records for each Enter how long it takes until the text of its product is on the page."""
_FOCUS = """
const places = [document.body, ...document.querySelectorAll('main button, main input, main a, nav a')];
const place = places[arguments[0] % places.length];
document.activeElement?.blur();
place.focus?.({ preventScroll: true });
"""
_SETTLED = """
const list = document.querySelector('.bookings-side');
return list.textContent.includes(arguments[0]) && !list.querySelector('.mark.wait:not([hidden])');
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of scans, and at which of them what happens; seconds are those without a network."""

    scans: int
    calm: int
    kills: Sequence[int]
    offline_from: int
    offline_to: int
    offline_seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Scans that never counted, scans that counted more than once, and milliseconds until 95 in 100 were shown."""

    lost: int
    double: int
    shown: float


@dataclass(frozen=True, slots=True)
class Product:
    """A product that the storm scans once; its description is not part of any other."""

    id: int
    code: str
    description: str


def storm(browser: Chromium, service: Service, products: Sequence[Product], plan: Plan) -> Outcome:
    """Scan all products, wait until the queue is empty, and return what became of the scans."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_PROBE)
    keep_settings(browser, author="Ann")
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    browser.run("storm.wanted = arguments[0]", [product.description for product in products])
    with Keyboard(browser) as keyboard:
        took = _scan_all(browser, keyboard, service, products, plan)
    _wait_until_settled(browser, products[plan.scans - 1])
    counted = _counted(service)
    lost = sum(counted[product.id] < 1 for product in products)
    return Outcome(lost, sum(count > 1 for count in counted.values()), _p95(took))


def _scan_all(
    browser: Chromium, keyboard: Keyboard, service: Service, products: Sequence[Product], plan: Plan
) -> list[float]:
    took: list[float] = []
    due, back = time.monotonic(), 0.0
    restarts: list[threading.Thread] = []
    for number, product in enumerate(products[: plan.scans]):
        if number == plan.calm:
            browser.until(lambda: browser.run("return storm.took.length") >= plan.calm)
            took = browser.run("return storm.took")
        if number in plan.kills:
            restarts.append(_kill(service, restarts))
        if number == plan.offline_from:
            back = time.monotonic() + plan.offline_seconds
            browser.go_offline()
        if number == plan.offline_to:
            time.sleep(max(0.0, back - time.monotonic()))
            browser.go_online()
        due = max(due + PACE, time.monotonic() - PACE)
        browser.run(_FOCUS, number)
        time.sleep(max(0.0, due - time.monotonic()))
        keyboard.scan(product.code)
    for restart in restarts:
        restart.join()
    return took


def _kill(service: Service, restarts: Iterable[threading.Thread]) -> threading.Thread:
    """Kill the service now, and start it a while later while the scans go on."""
    for restart in restarts:
        restart.join()
    service.kill()
    timer = threading.Timer(_DOWN, service.start)
    timer.start()
    return timer


def _wait_until_settled(browser: Chromium, last: Product) -> None:
    """Wait until the last scan is booked and no other booking waits."""
    end = time.monotonic() + _SETTLED_WITHIN
    while not browser.run(_SETTLED, last.description):
        if time.monotonic() > end:
            raise TimeoutError("bookings wait on")
        time.sleep(0.2)


def _counted(service: Service) -> Counter[int]:
    """Return for each product how many of its changes were scanned."""
    counted: Counter[int] = Counter()
    before = ""
    while True:
        changes = service.call("GET", f"/api/inventory/changes?limit={_PAGE}{before}")["data"]
        counted.update(change["product_id"] for change in changes if change["scanned_at"])
        if len(changes) < _PAGE:
            return counted
        before = f"&before={changes[-1]['id']}"


def _p95(took: Sequence[float]) -> float:
    return statistics.quantiles(took, n=20)[-1]

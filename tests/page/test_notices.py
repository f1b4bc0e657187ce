"""Messages in front of the view: an error goes with its view, and everything scrolls clear of it."""

from __future__ import annotations

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.page.controls import press
from tests.served import Service

FAIL = """
const reason = new Error('It failed.');
window.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason }));
"""
COVERED = """
const at = document.querySelector('.notices').getBoundingClientRect();
window.scrollTo(0, at.top > 0 ? document.documentElement.scrollHeight : 0);
return [...document.querySelectorAll('main :is(button, a, tr, li, input, footer)')].filter((one) => {
  const { left, right, top, bottom, height } = one.getBoundingClientRect();
  return one.checkVisibility() && height > 1 && left < at.right && right > at.left && top < at.bottom - 1
    && bottom > at.top + 1 && one.closest('.notices') === null;
}).map((one) => one.outerHTML);
"""
SHOWN = "return [...document.querySelectorAll('.notice')].map((one) => one.innerText)"
OPENED = "return document.body.dataset.view === arguments[0].split(/[/?]/)[0]"
PRESSED = """
const main = [...document.querySelectorAll('dialog[open] button')].find((one) => one.matches('.main'));
const { left, top, width, height } = main.getBoundingClientRect();
return main.contains(document.elementFromPoint(left + width / 2, top + height / 2));
"""
KEYS = "return document.querySelector('.keys')"
VIEWS = ("scan?mode=put-in", "products", "products/2", "stock", "labels?products=1,2,3,4,5,6", "settings", "kiosk")
PHONE, DESK = (390, 844), (1366, 768)


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESK, marks=pytest.mark.full_run)], ids=["phone", "desk"])
def test_an_error_hides_nothing_and_goes_with_its_view(
    lasting_service: Service, browser: Chromium, size: tuple[int, int]
) -> None:
    """Each view scrolls clear of it: its end, or its begin in Scan on a phone, where keys are at the end."""
    for number in range(30):
        draft = {"product_code": f"A-{number}", "description": f"Pen {number}", "minimum_level": 9, "initial_level": 1}
        lasting_service.call("POST", "/api/products", draft)
    browser.resize(*size, mobile=size == PHONE)
    browser.open(f"{lasting_service.address}/#{VIEWS[0]}")
    browser.found(KEYS)
    for view in VIEWS:
        browser.run("location.hash = arguments[0]", view)
        browser.found(OPENED, view)
        browser.until(lambda: browser.run(SHOWN) == [])
        browser.run(FAIL)
        browser.shows("That did not work.")
        if "/" not in view:  # the panel of a product scrolls by itself
            browser.until(lambda: browser.run(COVERED) == [])


def test_an_error_in_a_dialog_leaves_its_buttons_free(lasting_service: Service, browser: Chromium) -> None:
    """On a phone, where a dialog takes the whole screen; it stays when the dialog closes."""
    browser.resize(390, 600, mobile=True)
    browser.open(f"{lasting_service.address}/#products")
    press(browser, "New product")
    browser.run(FAIL)
    browser.shows("That did not work.")
    browser.found(PRESSED)
    press(browser, "Cancel")
    browser.until(lambda: len(browser.run("return [...document.querySelectorAll('#page > .notices > *')]")) == 1)
    scan(browser, "NOPE")
    browser.until(lambda: len(browser.run(SHOWN)) == 2)

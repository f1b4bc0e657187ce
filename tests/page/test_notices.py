"""Messages at the edge of the page: an error goes with its view, and everything scrolls clear of it."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
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
VIEW = "return document.documentElement.dataset.shown"
PRESSED = """
const main = [...document.querySelectorAll('dialog[open] button')].find((one) => one.matches('.main'));
const { left, top, width, height } = main.getBoundingClientRect();
return main.contains(document.elementFromPoint(left + width / 2, top + height / 2));
"""
PHONE, DESK = (390, 844), (1366, 768)


@pytest.fixture(scope="module")
def shop(lasting_service: Service) -> Service:
    """Return a service with more products than a screen has room for."""
    for number in range(30):
        draft = {"product_code": f"A-{number}", "description": f"Pen {number}", "minimum_level": 9, "initial_level": 1}
        lasting_service.call("POST", "/api/products", draft)
    return lasting_service


def test_an_error_goes_with_the_view_that_made_it(shop: Service, browser: Chromium) -> None:
    """Also if the next one is another product in the same list."""
    browser.open(f"{shop.address}/#labels")
    browser.until(lambda: browser.run(VIEW) == "labels")
    scan(browser, "NOPE")
    browser.shows("No product has the code NOPE.")
    browser.run("location.hash = '#products/1'")
    browser.until(lambda: browser.run(VIEW) == "products")
    assert browser.run(SHOWN) == []
    browser.run(FAIL)
    browser.shows("That did not work.")
    browser.run("location.hash = '#products/2'")
    browser.until(lambda: browser.run(SHOWN) == [])


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESK, marks=pytest.mark.full_run)], ids=["phone", "desk"])
@pytest.mark.parametrize(
    "view",
    [
        "products",
        pytest.param("stock", marks=pytest.mark.full_run),
        pytest.param("labels?products=1,2,3,4,5,6", marks=pytest.mark.full_run),
        "scan?mode=put-in",
        pytest.param("settings", marks=pytest.mark.full_run),
        pytest.param("kiosk", marks=pytest.mark.full_run),
    ],
)
def test_an_error_hides_neither_rows_nor_buttons(
    shop: Service, browser: Chromium, view: str, size: tuple[int, int]
) -> None:
    """The end of each view scrolls clear of it; in Scan on a phone, where keys are at the end, it is at the begin."""
    browser.resize(*size, mobile=size == PHONE)
    browser.open(f"{shop.address}/#{view}")
    browser.until(lambda: browser.run(VIEW) == view.partition("?")[0])
    if view.startswith("scan"):
        browser.found("return document.querySelector('.keys')")
    browser.run(FAIL)
    browser.shows("That did not work.")
    browser.until(lambda: browser.run(COVERED) == [])


def test_an_error_in_a_dialog_leaves_its_buttons_free(shop: Service, browser: Chromium) -> None:
    """On a phone, where a dialog takes the whole screen."""
    browser.resize(390, 600, mobile=True)
    browser.open(f"{shop.address}/#products")
    press(browser, "New product")
    browser.run(FAIL)
    browser.shows("That did not work.")
    browser.found(PRESSED)

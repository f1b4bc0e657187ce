"""Stock changes when the browser's storage fails, the device's clock is wrong, or a proxy refuses everything."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard, scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import other_timers, press
from tests.page.dropping_proxy import DroppingProxy
from tests.page.scanning import has_amount, is_for, lists, open_scan, shows
from tests.page.stocked import level
from tests.served import Service

SLOW_CLOCK = """
const Right = Date;
const now = () => Right.now() - 180 * 1000;
Date = class extends Right { constructor(...given) { given.length ? super(...given) : super(now()); } };
Date.now = now;
"""
COUNT_PERSISTS = "window.persists = 0; navigator.storage.persist = async () => (++window.persists, true)"
DELETE = """
const request = indexedDB.deleteDatabase('barcodesvc');
return new Promise((resolve) => {
  request.onsuccess = () => resolve(true);
  request.onblocked = () => resolve(false);
});
"""
UPGRADE = """
const request = indexedDB.open('barcodesvc', 2);
return new Promise((resolve) => {
  request.onsuccess = () => resolve(true);
  request.onblocked = () => resolve(false);
});
"""
NO_PAUSE_ENDS = other_timers("time < 500 ? time : 2 ** 31 - 1")
"""The page tries again only if it has a reason."""
LOOK_AT = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with a product of which there are 10."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 10})
    return service


def count(browser: Chromium, amount: str) -> None:
    """Count the product."""
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        is_for(browser, "Blue pen")
        keyboard.type(amount)
        has_amount(browser, amount)
        keyboard.press(Key("Enter"))


def test_a_count_after_an_undo_is_taken_from_a_device_that_is_minutes_slow(
    shop: Service, make_browser: BrowserMaker
) -> None:
    """The undo has the service's time, and so do the counts."""
    browser = make_browser()
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=SLOW_CLOCK)
    open_scan(browser, shop.address, "set")
    count(browser, "7")
    lists(browser, "booked")
    press(browser, "Undo")
    lists(browser, "undone")
    count(browser, "8")
    lists(browser, "booked", "undone")
    assert level(shop) == 8


def test_a_storage_that_somebody_deletes_is_made_again(shop: Service, browser: Chromium) -> None:
    """The browser is asked to keep it at the first stock change; if it is cleared, the page needs no reload."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=COUNT_PERSISTS)
    open_scan(browser, shop.address)
    assert browser.run("return persists") == 0
    for _ in range(2):
        scan(browser, "A-1")
    lists(browser, "booked", "booked")
    assert browser.run("return persists") == 1
    assert browser.run(DELETE)
    scan(browser, "A-1")
    browser.until(lambda: level(shop) == 13)


def test_a_newer_page_may_change_the_storage(shop: Service, browser: Chromium) -> None:
    """It does not wait for the older page, which announces the new version."""
    open_scan(browser, shop.address)
    assert browser.run(UPGRADE)
    scan(browser, "A-1")
    shows(browser, "There is a new version")
    assert level(shop) == 10


def test_a_storage_that_is_full_says_so(shop: Service, browser: Chromium) -> None:
    """The stock change is not made; with free space again it is."""
    open_scan(browser, shop.address)
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address, quotaSize=1)
    scan(browser, "A-1")
    shows(browser, "is out of space")
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    assert level(shop) == 11


def test_a_proxy_that_refuses_everything_for_a_while_refuses_no_stock_change(shop: Service, browser: Chromium) -> None:
    """The page shows the service's reason, and sends them when it ends and a person looks: a phone gives no focus."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_PAUSE_ENDS)
    with DroppingProxy(shop.address, every=1000) as proxy:
        open_scan(browser, proxy.address)
        proxy.origin = "http://foreign.example"
        for _ in range(3):
            scan(browser, "A-1")
        browser.shows("The service is not accepting stock changes")
        lists(browser, *["waiting"] * 3)
        proxy.origin = ""
        browser.run(LOOK_AT)
        lists(browser, *["booked"] * 3)
    assert level(shop) == 13

"""Bookings when the browser's storage fails, the device's clock is wrong, or a proxy refuses everything."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard, scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import other_timers, press
from tests.page.dropping_proxy import DroppingProxy
from tests.page.stocked import level
from tests.served import Service

LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
PANEL = "return document.querySelector('.product')?.innerText ?? ''"
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


def open_mode(browser: Chromium, address: str, mode: str = "put-in") -> None:
    """Open the start in a mode."""
    browser.open(f"{address}/#scan?mode={mode}")
    browser.shows("Scan a code")


def count(browser: Chromium, amount: str) -> None:
    """Count the product."""
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        browser.until(lambda: "How many" in browser.run(PANEL))
        keyboard.type(amount)
    press(browser, "Count")


def test_a_count_after_an_undo_is_taken_from_a_device_that_is_minutes_slow(
    shop: Service, make_browser: BrowserMaker
) -> None:
    """The undo has the service's time, and so do the counts."""
    browser = make_browser()
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=SLOW_CLOCK)
    open_mode(browser, shop.address, "set")
    count(browser, "7")
    browser.until(lambda: "saved" in browser.run(LIST))
    press(browser, "Undo")
    browser.until(lambda: "undone" in browser.run(LIST))
    count(browser, "8")
    browser.until(lambda: "saved" in browser.run(LIST) or "refused" in browser.run(LIST))
    assert level(shop) == 8


def test_a_storage_that_somebody_deletes_is_made_again(shop: Service, browser: Chromium) -> None:
    """As when the site's data are cleared; the page releases it at once, and needs no reload."""
    open_mode(browser, shop.address)
    scan(browser, "A-1")
    browser.until(lambda: "saved" in browser.run(LIST))
    assert browser.run(DELETE)
    scan(browser, "A-1")
    browser.until(lambda: level(shop) == 12)


def test_a_newer_page_may_change_the_storage(shop: Service, browser: Chromium) -> None:
    """It does not wait for the older page, which announces the new version."""
    open_mode(browser, shop.address)
    assert browser.run(UPGRADE)
    scan(browser, "A-1")
    browser.until(lambda: "There is a new version" in browser.run(PANEL))
    assert level(shop) == 10


def test_a_storage_that_is_full_says_so(shop: Service, browser: Chromium) -> None:
    """The booking is not made; with free space again it is."""
    open_mode(browser, shop.address)
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address, quotaSize=1)
    scan(browser, "A-1")
    browser.until(lambda: "is out of space" in browser.run(PANEL))
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address)
    scan(browser, "A-1")
    browser.until(lambda: "saved" in browser.run(LIST))
    assert level(shop) == 11


def test_the_browser_is_asked_to_keep_bookings_at_the_first_one(shop: Service, browser: Chromium) -> None:
    """Once, and not before there is one."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=COUNT_PERSISTS)
    open_mode(browser, shop.address)
    assert browser.run("return persists") == 0
    scan(browser, "A-1")
    scan(browser, "A-1")
    browser.until(lambda: browser.run(LIST).count("saved") == 2)
    assert browser.run("return persists") == 1


def test_what_waits_is_sent_when_somebody_looks_at_the_page_again(shop: Service, browser: Chromium) -> None:
    """A phone wakes a page without giving it the focus."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_PAUSE_ENDS)
    open_mode(browser, shop.address)
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=["*/api/codes/scans"])
    for _ in range(2):
        scan(browser, "A-1")
    browser.shows("The service cannot be reached")
    browser.devtools("Network.setBlockedURLs", urls=[])
    browser.run(LOOK_AT)
    browser.until(lambda: browser.run(LIST).count("saved") == 2)


def test_a_proxy_that_refuses_everything_for_a_while_refuses_no_booking(shop: Service, browser: Chromium) -> None:
    """The page shows the service's reason, and sends them when it ends."""
    with DroppingProxy(shop.address, every=1000) as proxy:
        open_mode(browser, proxy.address)
        proxy.origin = "http://foreign.example"
        for _ in range(3):
            scan(browser, "A-1")
        browser.shows("The service is not accepting stock changes")
        browser.until(lambda: browser.run(LIST).count("waiting") == 3)
        proxy.origin = ""
        browser.run(LOOK_AT)
        browser.until(lambda: browser.run(LIST).count("saved") == 3)
    assert level(shop) == 13


@pytest.mark.full_run
def test_all_refused_bookings_are_tried_again_at_once(shop: Service, browser: Chromium) -> None:
    """As when their product has been created elsewhere; each also has a button."""
    open_mode(browser, shop.address)
    scan(browser, "B-1")
    browser.until(lambda: "refused" in browser.run(LIST))
    assert "Retry all" not in browser.run("return document.body.innerText")
    scan(browser, "B-1")
    browser.shows("Retry all")
    shop.call("POST", "/api/products", {"product_code": "B-1", "description": "Red pen"})
    press(browser, "Retry all")
    browser.until(lambda: browser.run(LIST).count("saved") == 2)
    assert "Retry all" not in browser.run("return document.body.innerText")

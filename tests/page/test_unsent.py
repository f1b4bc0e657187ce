"""Bookings that cannot be sent: the app's icon and the browser remind of them, and the worker sends them later."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard, scan
from tests.page.controls import hurry
from tests.page.scanning import lists, open_scan
from tests.page.stocked import level
from tests.served import Service

RECORD_BADGES = """
window.badges = [];
navigator.setAppBadge = async (count) => void badges.push(count);
navigator.clearAppBadge = async () => void badges.push(0);
"""
BADGE = "return badges.at(-1)"
ASKS = """
const closing = new Event('beforeunload', { cancelable: true });
window.dispatchEvent(closing);
return closing.defaultPrevented;
"""
REGISTERED = """
return navigator.serviceWorker.ready.then(async ({ sync, active }) => [active.scriptURL, await sync.getTags()]);
"""
READY = "return navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with a product."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    return service


def test_the_icon_and_the_browser_remind_of_bookings_that_are_not_sent(shop: Service, browser: Chromium) -> None:
    """The icon has their number, and closing the window asks first, until they are sent; a kiosk never asks."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=RECORD_BADGES)
    open_scan(browser, shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    assert not browser.run(ASKS)
    assert browser.run("return badges") == [0]
    browser.go_offline()
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        keyboard.scan("A-1")
    browser.until(lambda: browser.run(BADGE) == 2)
    assert browser.run(ASKS)
    browser.run("location.hash = '#kiosk?sheet=L7160'")
    browser.until(lambda: not browser.run(ASKS))
    browser.run("location.hash = '#scan'")
    browser.go_online()
    browser.until(lambda: browser.run(BADGE) == 0)
    assert not browser.run(ASKS)


@pytest.mark.whole_chromium
def test_the_worker_sends_what_waits_when_the_page_is_closed(shop: Service, browser: Chromium) -> None:
    """The browser calls it (Background Sync), which the page has asked for; it counts once."""
    hurry(browser)
    open_scan(browser, shop.address)
    browser.found(READY)
    shop.kill()
    scan(browser, "A-1")
    lists(browser, "waiting")
    browser.until(lambda: browser.run(REGISTERED) == [f"{shop.address}/sending-worker.js", ["bookings"]])
    browser.open("about:blank")
    shop.start()
    browser.devtools("ServiceWorker.enable")
    browser.devtools(
        "ServiceWorker.dispatchSyncEvent", origin=shop.address, registrationId="0", tag="bookings", lastChance=False
    )
    browser.until(lambda: level(shop) == 1)
    open_scan(browser, shop.address)
    lists(browser, "booked")
    assert level(shop) == 1

"""The page without a network: no scan is lost, none counts twice, and people are reminded of what is not sent."""

from __future__ import annotations

import pytest

from tests.browser.chromium import SHOP, Chromium
from tests.browser.keyboard import Keyboard
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import hurry, press
from tests.page.dropping_proxy import DroppingProxy
from tests.page.scanning import choose, has_amount, lists, open_scan, shows
from tests.page.stocked import level
from tests.served import Service

DAYS_AGO = """
const ago = 3 * 24 * 3600 * 1000;
const Real = Date;
Date = class extends Real { constructor(...given) { given.length ? super(...given) : super(Real.now() - ago); } };
"""
WORKER = "return navigator.serviceWorker.ready.then(() => caches.keys()).then((all) => all.length)"
RECORD_BADGES = """
window.badges = [];
navigator.setAppBadge = async (count) => void badges.push(count);
navigator.clearAppBadge = async () => void badges.push(0);
"""
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
    """Return a service with a product of which there are 10."""
    product = {"product_code": "A-1", "description": "Blue pen", "initial_level": 10}
    service.call("POST", "/api/products", product)
    return service


def scan(browser: Chromium, *codes: str) -> None:
    """Scan these codes, one after the other."""
    with Keyboard(browser) as keyboard:
        for code in codes:
            keyboard.scan(code)


def test_what_is_scanned_offline_waits_and_is_sent_when_that_can_be(shop: Service, browser: Chromium) -> None:
    """Each is listed; the icon and the window, but no kiosk, remind of it. One that waits is undone for good."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=RECORD_BADGES)
    open_scan(browser, shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    assert not browser.run(ASKS)
    browser.go_offline()
    scan(browser, "A-1", "A-1", "B-9")
    shows(browser, "B-9", "Not checked, but saved")
    lists(browser, "waiting", "waiting", "waiting", "booked")
    browser.shows("3 changes waiting")
    browser.until(lambda: browser.run("return badges.at(-1)") == 3 and browser.run(ASKS))
    browser.run("location.hash = '#kiosk?sheet=L7160'")
    browser.until(lambda: not browser.run(ASKS))
    browser.run("location.hash = '#scan?mode=put-in'")
    lists(browser, "waiting", "waiting", "waiting", "booked")
    browser.shows("The service cannot be reached")
    for number in (2, 4):
        browser.run("document.querySelector(`.bookings > :nth-child(${arguments[0]}) button`).click()", number)
        browser.found("return !document.querySelector(`.bookings > :nth-child(${arguments[0]}) button`)", number)
    browser.shows("being undone")
    choose(browser, "look-up")
    scan(browser, "A-1")
    browser.found("return document.querySelector('.product').dataset.state === 'waiting'")
    browser.go_online()
    lists(browser, "refused", "undone", "booked", "undone")
    shows(browser, "Found")
    browser.until(lambda: browser.run("return badges.at(-1)") == 0)
    assert not browser.run(ASKS)
    assert level(shop) == 11


def test_what_waits_outlives_a_reload_and_a_crash(shop: Service, make_browser: BrowserMaker) -> None:
    """Even if a gateway has no service behind it: the page opens, and not the gateway's error."""
    browser = make_browser(device="till")
    hurry(browser)
    with DroppingProxy(shop.address, every=1000) as gateway:
        open_scan(browser, gateway.address)
        browser.found(WORKER)
        shop.kill()
        scan(browser, "A-1")
        lists(browser, "waiting")
        browser.driver.refresh()
        lists(browser, "waiting")
        scan(browser, "A-1")
        lists(browser, "waiting", "waiting")
        browser.crash()
        again = make_browser(device="till")
        open_scan(again, gateway.address)
        lists(again, "waiting", "waiting")
        shop.start()
        lists(again, "booked", "booked")
    assert level(shop) == 12


def test_what_is_sent_three_days_later_counts_once(shop: Service, browser: Chromium) -> None:
    """Its history has the time of the scan, and a later count of the level stays."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=DAYS_AGO)
    open_scan(browser, shop.address)
    browser.go_offline()
    scan(browser, "A-1", "A-1")
    lists(browser, "waiting", "waiting")
    choose(browser, "set")
    with Keyboard(browser) as keyboard:
        keyboard.type("99")
        has_amount(browser, "99")
        keyboard.scan("A-1")
    lists(browser, *["waiting"] * 3)
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 1, "idempotency_key": "k"})
    browser.go_online()
    lists(browser, "refused", "booked", "booked")
    browser.shows("Please count again")
    assert level(shop) == 13
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    assert all(one["scanned_at"] < one["updated_at"] for one in changes if one["scanned_at"])


def test_over_plain_http_a_page_says_what_it_cannot_do_without_the_network(
    make_service: ServiceMaker, make_browser: BrowserMaker
) -> None:
    """Browsers cache pages only on the machine itself: a view that was never opened waits; stock changes do too."""
    service = make_service(allowed_hosts=SHOP)
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    browser = make_browser()
    open_scan(browser, service.address.replace("127.0.0.1", SHOP))
    service.kill()
    scan(browser, "A-1")
    lists(browser, "waiting")
    browser.shows("Over plain HTTP, the web app needs the network to open. Waiting changes stay saved.")
    press(browser, "Stock", "link")
    browser.shows("The service cannot be reached.")
    press(browser, "Try again")
    service.start()
    press(browser, "Try again")
    browser.shows("Low stock")
    press(browser, "Scan", "link")
    lists(browser, "booked")


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
    browser.until(lambda: level(shop) == 11)
    open_scan(browser, shop.address)
    lists(browser, "booked")
    assert level(shop) == 11

"""The page without a network: no scan is lost, and none counts twice."""

from __future__ import annotations

from datetime import datetime

import pytest

from scripts.browser.chromium import SHOP, Chromium
from scripts.browser.keyboard import Keyboard
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import hurry, press
from tests.page.dropping_proxy import DroppingProxy
from tests.page.scanning import choose, has_amount, lists, open_scan, shows
from tests.page.stocked import level
from tests.served import Service

DAYS_AGO = """
const ago = arguments[0] * 24 * 3600 * 1000;
const Real = Date;
Date = class extends Real { constructor(...given) { given.length ? super(...given) : super(Real.now() - ago); } };
"""
WRONG_CLOCK = """
const Right = Date;
const now = () => Right.now() + 3600 * 1000;
Date = class extends Right { constructor(...given) { given.length ? super(...given) : super(now()); } };
Date.now = now;
"""
WORKER = "return navigator.serviceWorker.ready.then(() => caches.keys()).then((all) => all.length)"


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


def seconds_late(change: dict[str, str]) -> float:
    """Return how long after its scan a change was written."""
    scanned, written = (datetime.fromisoformat(change[name]) for name in ("scanned_at", "updated_at"))
    return (written - scanned).total_seconds()


def test_what_is_scanned_offline_waits_and_is_sent_when_that_can_be(shop: Service, browser: Chromium) -> None:
    """Each waiting code is listed, and the one without a product is refused then."""
    open_scan(browser, shop.address)
    browser.go_offline()
    scan(browser, "A-1", "A-1", "B-9")
    shows(browser, "B-9")
    lists(browser, *["waiting"] * 3)
    browser.shows("3 changes waiting")
    browser.shows("The service cannot be reached")
    shows(browser, "Not checked, but saved")
    browser.go_online()
    lists(browser, "refused", "booked", "booked")
    assert level(shop) == 12


@pytest.mark.full_run
def test_a_look_up_is_repeated_when_the_network_is_back(shop: Service, browser: Chromium) -> None:
    """The product shows what it is now, and no longer that the service cannot be reached."""
    open_scan(browser, shop.address, "look-up")
    scan(browser, "A-1")
    shows(browser, "Found")
    browser.go_offline()
    scan(browser, "A-1")
    shows(browser, "Not checked")
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 5, "idempotency_key": "k"})
    browser.go_online()
    shows(browser, "Found", "Stock 15")


def test_a_stock_change_is_undone_offline(shop: Service, browser: Chromium) -> None:
    """One that was booked is undone later, and one that was not is never sent."""
    open_scan(browser, shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    browser.go_offline()
    scan(browser, "A-1")
    lists(browser, "waiting", "booked")
    for state in ("waiting", "booked"):
        browser.run("document.querySelector(`[data-state=${arguments[0]}] button`).click()", state)
        browser.found("return !document.querySelector(`[data-state=${arguments[0]}] button`)", state)
    browser.shows("being undone")
    browser.go_online()
    lists(browser, "undone", "undone")
    assert level(shop) == 10


def test_what_waits_outlives_a_reload_and_a_crash(shop: Service, make_browser: BrowserMaker) -> None:
    """Even if the service is gone all the while: the page opens without it."""
    browser = make_browser(device="till")
    hurry(browser)
    open_scan(browser, shop.address)
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
    open_scan(again, shop.address)
    lists(again, "waiting", "waiting")
    shop.start()
    lists(again, "booked", "booked")
    assert level(shop) == 12


def test_what_is_sent_three_days_later_counts_once(shop: Service, browser: Chromium) -> None:
    """Its history has the time of the scan, and a later count of the level stays."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=DAYS_AGO.replace("arguments[0]", "3"))
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


def test_a_device_whose_clock_is_an_hour_ahead_books_by_the_clock_of_the_service(
    shop: Service, browser: Chromium
) -> None:
    """The first booking, which is made before the service's time is known, as well as those after it."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WRONG_CLOCK)
    open_scan(browser, shop.address)
    for scanned in (1, 2):
        scan(browser, "A-1")
        lists(browser, *["booked"] * scanned)
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    assert [abs(seconds_late(one)) < 30 for one in changes if one["scanned_at"]] == [True, True]


def test_a_network_that_loses_every_tenth_response_loses_no_stock_change(shop: Service, browser: Chromium) -> None:
    """A stock change whose response was lost is not made again."""
    with DroppingProxy(shop.address, every=10) as proxy:
        open_scan(browser, proxy.address)
        for scanned in range(1, 41):
            scan(browser, "A-1")
            lists(browser, *["booked"] * scanned)
        assert proxy.dropped >= 4
    assert level(shop) == 50


def test_a_gateway_that_has_no_service_behind_it_is_no_network(shop: Service, browser: Chromium) -> None:
    """The page opens from the browser's cache, not with the gateway's error; scans wait."""
    hurry(browser)
    with DroppingProxy(shop.address, every=1000) as gateway:
        open_scan(browser, gateway.address)
        browser.found(WORKER)
        shop.kill()
        browser.driver.refresh()
        browser.shows("Scan a code")
        scan(browser, "A-1")
        lists(browser, "waiting")
        shop.start()
        lists(browser, "booked")


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

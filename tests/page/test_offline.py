"""The page without a network: no scan is lost, and none counts twice."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import pytest

from scripts.browser.chromium import SHOP, Chromium
from scripts.browser.keyboard import Keyboard
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import hurry, press
from tests.page.dropping_proxy import DroppingProxy
from tests.page.stocked import level
from tests.served import Service

LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
PANEL = "return document.querySelector('.product')?.innerText ?? ''"
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
PRESS = """
const found = [...document.querySelectorAll('.bookings button')].find((one) => one.innerText === arguments[0]);
found?.click();
return Boolean(found);
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


def shows(browser: Chromium, *texts: str) -> None:
    """Wait until all these texts are in the list of bookings."""
    browser.until(lambda: all(text in browser.run(LIST) for text in texts))


def has_booked(browser: Chromium, count: int) -> bool:
    """Tell whether this many bookings in the list are booked."""
    return bool(browser.run(LIST).count("saved") == count)


def has_undos(browser: Chromium, count: int) -> bool:
    """Tell whether this many bookings in the list can be undone."""
    return bool(browser.run(LIST).count("Undo") == count)


def seconds_late(change: dict[str, str]) -> float:
    """Return how long after its scan a change was written."""
    scanned, written = (datetime.fromisoformat(change[name]) for name in ("scanned_at", "updated_at"))
    return (written - scanned).total_seconds()


def open_booking(browser: Chromium, address: str, mode: str = "put-in") -> None:
    """Open the start in a mode."""
    browser.open(f"{address}/#scan?mode={mode}")
    browser.shows("Scan a code")


def test_what_is_scanned_offline_waits_and_is_sent_when_that_can_be(shop: Service, browser: Chromium) -> None:
    """Each waiting code is listed, and the one without a product is refused then."""
    open_booking(browser, shop.address)
    browser.go_offline()
    scan(browser, "A-1", "A-1", "B-9")
    shows(browser, "B-9")
    browser.until(lambda: browser.run(LIST).count("waiting") == 3)
    browser.shows("3 changes waiting")
    browser.shows("The service cannot be reached")
    browser.until(lambda: "Not checked, but saved" in browser.run(PANEL))
    browser.go_online()
    shows(browser, "refused", "No product has this code")
    browser.until(lambda: browser.run(LIST).count("saved") == 2)
    assert level(shop) == 12


@pytest.mark.full_run
def test_a_look_up_is_repeated_when_the_network_is_back(shop: Service, browser: Chromium) -> None:
    """The product shows what it is now, and no longer that the service cannot be reached."""
    browser.open(shop.address)
    browser.shows("Scan a code")
    scan(browser, "A-1")
    browser.until(lambda: "Found" in browser.run(PANEL))
    browser.go_offline()
    scan(browser, "A-1")
    browser.until(lambda: "Not checked" in browser.run(PANEL))
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 5, "idempotency_key": "k"})
    browser.go_online()
    browser.until(lambda: "Found" in browser.run(PANEL))
    assert "15" in browser.run(PANEL)


def test_a_booking_is_undone_offline(shop: Service, browser: Chromium) -> None:
    """One that was booked is undone later, and one that was not is never sent."""
    open_booking(browser, shop.address)
    scan(browser, "A-1")
    shows(browser, "saved")
    browser.go_offline()
    scan(browser, "A-1")
    shows(browser, "waiting")
    for left in (1, 0):
        browser.found(PRESS, "Undo")
        browser.until(partial(has_undos, browser, left))  # each is stored before its button goes
    shows(browser, "being undone")
    browser.go_online()
    browser.until(lambda: browser.run(LIST).count("undone") == 2 and "being" not in browser.run(LIST))
    assert level(shop) == 10


def test_what_waits_outlives_a_reload_and_a_crash(shop: Service, make_browser: BrowserMaker) -> None:
    """Even if the service is gone all the while: the page opens without it."""
    browser = make_browser(device="till")
    hurry(browser)
    open_booking(browser, shop.address)
    browser.found(WORKER)
    shop.kill()
    scan(browser, "A-1")
    shows(browser, "waiting")
    browser.driver.refresh()
    shows(browser, "waiting")
    scan(browser, "A-1")
    browser.until(lambda: browser.run(LIST).count("waiting") == 2)
    browser.crash()
    again = make_browser(device="till")
    open_booking(again, shop.address)
    again.until(lambda: again.run(LIST).count("waiting") == 2)
    shop.start()
    again.until(lambda: again.run(LIST).count("saved") == 2)
    assert level(shop) == 12


def test_what_is_sent_three_days_later_counts_once(shop: Service, browser: Chromium) -> None:
    """Its history has the time of the scan, and a later count of the level stays."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=DAYS_AGO.replace("arguments[0]", "3"))
    open_booking(browser, shop.address)
    browser.go_offline()
    scan(browser, "A-1", "A-1")
    browser.until(lambda: browser.run(LIST).count("waiting") == 2)
    browser.run("location.hash = '#scan?mode=set'")
    browser.until(lambda: browser.run("return document.querySelector('input:checked').value") == "set")
    with Keyboard(browser) as keyboard:
        keyboard.type("99")
        browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "99")
        keyboard.scan("A-1")
    browser.until(lambda: browser.run(LIST).count("waiting") == 3)
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 1, "idempotency_key": "k"})
    browser.go_online()
    shows(browser, "refused", "Please count again")
    browser.until(lambda: browser.run(LIST).count("saved") == 2)
    assert level(shop) == 13
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    assert all(one["scanned_at"] < one["updated_at"] for one in changes if one["scanned_at"])


def test_a_device_whose_clock_is_an_hour_ahead_books_by_the_clock_of_the_service(
    shop: Service, browser: Chromium
) -> None:
    """The first booking, which is made before the service's time is known, as well as those after it."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WRONG_CLOCK)
    open_booking(browser, shop.address)
    for scanned in (1, 2):
        scan(browser, "A-1")
        browser.until(partial(has_booked, browser, scanned))
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    assert [abs(seconds_late(one)) < 30 for one in changes if one["scanned_at"]] == [True, True]


def test_a_network_that_loses_every_tenth_response_loses_no_booking(shop: Service, browser: Chromium) -> None:
    """A booking whose response was lost is not booked again."""
    with DroppingProxy(shop.address, every=10) as proxy:
        open_booking(browser, proxy.address)
        for scanned in range(1, 41):
            scan(browser, "A-1")
            browser.until(partial(has_booked, browser, scanned))
        assert proxy.dropped >= 4
    assert level(shop) == 50


def test_a_gateway_that_has_no_service_behind_it_is_no_network(shop: Service, browser: Chromium) -> None:
    """The page opens from the browser's cache, not with the gateway's error; scans wait."""
    hurry(browser)
    with DroppingProxy(shop.address, every=1000) as gateway:
        open_booking(browser, gateway.address)
        browser.found(WORKER)
        shop.kill()
        browser.driver.refresh()
        browser.shows("Scan a code")
        scan(browser, "A-1")
        shows(browser, "waiting")
        shop.start()
        shows(browser, "saved")


def test_a_page_that_cannot_open_without_the_network_says_so(
    make_service: ServiceMaker, make_browser: BrowserMaker
) -> None:
    """Over plain HTTP, browsers cache pages only on the machine itself; bookings still wait."""
    service = make_service(allowed_hosts=SHOP)
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    browser = make_browser()
    open_booking(browser, service.address.replace("127.0.0.1", SHOP))
    service.kill()
    scan(browser, "A-1")
    shows(browser, "waiting")
    browser.shows("Over plain HTTP, the web app needs the network to open. Waiting changes stay saved.")
    service.start()
    browser.driver.refresh()
    shows(browser, "saved")


@pytest.mark.full_run
def test_a_view_that_was_never_opened_waits_for_the_network(
    make_service: ServiceMaker, make_browser: BrowserMaker
) -> None:
    """Over plain HTTP its files are not cached; the page says so in its own words, and then goes on."""
    service = make_service(allowed_hosts=SHOP)
    browser = make_browser()
    open_booking(browser, service.address.replace("127.0.0.1", SHOP))
    service.kill()
    press(browser, "Stock", "link")
    browser.shows("The service cannot be reached.")
    press(browser, "Try again")
    service.start()
    press(browser, "Try again")
    browser.shows("Low stock")

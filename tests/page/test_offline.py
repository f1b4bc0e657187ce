"""Scans that wait: without a network, in several tabs, and where storage, clock or proxy are wrong. None is lost.

None counts twice either. `scripts/bench page storm` is the long storm, and measures how soon scans are shown.
"""

from datetime import datetime

import pytest

from tests.browser.chromium import SHOP, Chromium
from tests.browser.keyboard import Key, Keyboard
from tests.browser.scan_storm import Plan, Product, storm
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import INSTALLED, hurry, other_timers, press, write
from tests.page.proxies import Gateway
from tests.page.scanning import choose, has_amount, is_for, level, lists, made, open_scan, shows
from tests.served import Service

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
WRONG_CLOCK = """
const Right = Date;
const now = () => Right.now() - 180_000;
Date = class extends Right { constructor(...given) { given.length ? super(...given) : super(now()); } };
Date.now = now;
"""
COUNT_PERSISTS = "window.persists = 0; navigator.storage.persist = async () => (++window.persists, true)"
DELETED = """
const request = indexedDB.deleteDatabase('barcodesvc');
return new Promise((resolve) => {
  request.onsuccess = () => resolve(true);
  request.onblocked = () => resolve(false);
});
"""
UPGRADED = DELETED.replace("deleteDatabase('barcodesvc')", "open('barcodesvc', 2)")
NO_PAUSE_ENDS = other_timers("time < 500 ? time : 2 ** 31 - 1")
"""The page tries again only if it has a reason."""
LOOK_AT = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))"
PLAN = Plan(scans=100, calm=30, kills=[35], offline_from=60, offline_to=90, offline_seconds=2)


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with a product of which there are 10."""
    made(service, "A-1", initial_level=10)
    return service


def scan(browser: Chromium, *codes: str) -> None:
    """Scan these codes, one after the other."""
    with Keyboard(browser) as keyboard:
        for code in codes:
            keyboard.scan(code)


def test_no_scan_is_lost_and_none_counts_twice(make_service: ServiceMaker, browser: Chromium) -> None:
    """Wherever the focus is, at 20 scans a second; the limit of the page is the usual one."""
    service = make_service(rate_limit="1000/15 minutes")
    products = []
    for number in range(100, 100 + PLAN.scans):
        code, description = f"AB-{number}", f"Hex bolt M8, bin {number}"
        products.append(Product(made(service, code, description), code, description))
    outcome = storm(browser, service, products, PLAN)
    assert (outcome.lost, outcome.double) == (0, 0)


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
    with Gateway(shop.address) as gateway:
        open_scan(browser, gateway.address)
        browser.found(INSTALLED)
        shop.kill()
        scan(browser, "A-1")
        lists(browser, "waiting")
        browser.run("location.hash = '#settings'")
        browser.shows("The web app also opens without the network.")
        browser.run("location.hash = '#scan'")
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


def test_over_plain_http_the_page_needs_the_network(make_service: ServiceMaker, make_browser: BrowserMaker) -> None:
    """Browsers cache pages only on the machine itself: a view that was never opened waits; stock changes do too."""
    service = make_service(allowed_hosts=SHOP)
    made(service, "A-1")
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


def test_a_device_with_a_wrong_clock_counts_by_the_clock_of_the_service(shop: Service, browser: Chromium) -> None:
    """So a count after an undo is taken, and each change has the right time."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WRONG_CLOCK)
    open_scan(browser, shop.address, "set")
    for number, states in (("7", ["booked"]), ("8", ["booked", "undone"])):
        with Keyboard(browser) as keyboard:
            keyboard.scan("A-1")
            is_for(browser, "Blue pen")
            keyboard.type(number)
            has_amount(browser, number)
            keyboard.press(Key("Enter"))
        lists(browser, *states)
        if number == "7":
            press(browser, "Undo")
            lists(browser, "undone")
    assert level(shop) == 8
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    times = [
        (datetime.fromisoformat(one["scanned_at"]), datetime.fromisoformat(one["updated_at"]))
        for one in changes
        if one["scanned_at"]
    ]
    assert [abs((written - scanned).total_seconds()) < 30 for scanned, written in times] == [True, True]


def test_a_storage_that_fails_says_so_and_is_used_again(shop: Service, browser: Chromium) -> None:
    """It is full, or deleted; the browser is asked to keep it. A newer page may change it, and is announced."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=COUNT_PERSISTS)
    open_scan(browser, shop.address)
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address, quotaSize=1)
    scan(browser, "A-1")
    shows(browser, "is out of space")
    assert browser.run("return persists") == 0
    browser.devtools("Storage.overrideQuotaForOrigin", origin=shop.address)
    for _ in range(2):
        scan(browser, "A-1")
    lists(browser, "booked", "booked")
    assert browser.run("return persists") == 1
    assert browser.run(DELETED)
    scan(browser, "A-1")
    browser.until(lambda: level(shop) == 13)
    assert browser.run(UPGRADED)
    scan(browser, "A-1")
    shows(browser, "There is a new version")
    assert level(shop) == 13


def test_a_proxy_that_refuses_everything_for_a_while_refuses_no_stock_change(shop: Service, browser: Chromium) -> None:
    """The page shows the service's reason, and sends them when it ends and a person looks: a phone gives no focus."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_PAUSE_ENDS)
    with Gateway(shop.address) as proxy:
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


def enter(browser: Chromium, code: str) -> None:
    """Enter a code, and put in its product."""
    write(browser, "Enter a code", code)
    press(browser, "Add …")
    browser.found("return document.querySelector('.pad.asks')")
    browser.run("document.querySelector('.pad .main').click()")


def test_each_tab_shows_what_the_other_saves_and_sends_what_it_leaves(shop: Service, browser: Chromium) -> None:
    """Neither has to be reloaded for a correct list, and what waits in a closed tab does not wait in vain."""
    open_scan(browser, shop.address)
    first = browser.driver.current_window_handle
    browser.open_tab()
    open_scan(browser, shop.address)
    second = browser.driver.current_window_handle
    enter(browser, "A-1")
    lists(browser, "booked")
    browser.driver.switch_to.window(first)
    lists(browser, "booked")
    press(browser, "Undo")
    lists(browser, "undone")
    browser.driver.switch_to.window(second)
    lists(browser, "undone")
    browser.go_offline()
    enter(browser, "A-1")
    lists(browser, "waiting", "undone")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.run("dispatchEvent(new Event('focus'))")
    lists(browser, "booked", "undone")
    assert level(shop) == 11

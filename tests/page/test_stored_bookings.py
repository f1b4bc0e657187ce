"""Stock changes in several tabs, and when the storage fails, the clock is wrong, or a proxy refuses everything."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Key, Keyboard, scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import other_timers, press, write
from tests.page.dropping_proxy import DroppingProxy
from tests.page.scanning import has_amount, is_for, lists, open_scan, shows
from tests.page.stocked import level
from tests.served import Service

WRONG_CLOCK = """
const Right = Date;
const now = () => Right.now() + arguments[0] * 1000;
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


def enter(browser: Chromium, code: str) -> None:
    """Enter a code, and put in its product."""
    write(browser, "Enter a code", code)
    press(browser, "Add …")
    browser.found("return document.querySelector('.pad.asks')")
    browser.run("document.querySelector('.pad .main').click()")


def seconds_late(change: dict[str, str]) -> float:
    """Return how long after its scan a change was written."""
    scanned, written = (datetime.fromisoformat(change[name]) for name in ("scanned_at", "updated_at"))
    return (written - scanned).total_seconds()


@pytest.mark.parametrize("wrong", [-180, pytest.param(3600, marks=pytest.mark.full_run)])
def test_a_device_with_a_wrong_clock_counts_by_the_clock_of_the_service(
    shop: Service, make_browser: BrowserMaker, wrong: int
) -> None:
    """So a count after an undo is taken, and each change has the right time."""
    browser = make_browser()
    source = WRONG_CLOCK.replace("arguments[0]", str(wrong))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)
    open_scan(browser, shop.address, "set")
    count(browser, "7")
    lists(browser, "booked")
    press(browser, "Undo")
    lists(browser, "undone")
    count(browser, "8")
    lists(browser, "booked", "undone")
    assert level(shop) == 8
    changes = shop.call("GET", "/api/inventory/1/history")["data"]
    assert [abs(seconds_late(one)) < 30 for one in changes if one["scanned_at"]] == [True, True]


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
    shows(browser, "Undone")
    assert level(shop) == 10
    browser.go_offline()
    enter(browser, "A-1")
    lists(browser, "waiting", "undone")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.run("dispatchEvent(new Event('focus'))")
    lists(browser, "booked", "undone")
    assert level(shop) == 11

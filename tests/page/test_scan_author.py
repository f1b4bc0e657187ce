"""Who changes the stock, and why: the name that is asked for in its place, and the reasons that the shop has set."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard, scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import press, write
from tests.page.scanning import choose, lists, open_scan, shows
from tests.page.stocked import with_two_products
from tests.served import Service

PRESSED = "return [...document.querySelectorAll('.reasons [aria-pressed=true]')].map((button) => button.value)"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with two products."""
    return with_two_products(service)


def last_change(service: Service, product: int) -> list[Any]:
    """Return who changed the level of a product last, and why."""
    change = service.call("GET", f"/api/inventory/{product}/history?limit=1")["data"][0]
    return [change["updated_by"], change["change_reason"]]


def test_no_scan_waits_for_a_name(shop: Service, make_browser: BrowserMaker) -> None:
    """Without one it is the web app's; the button asks for it, and for another one."""
    browser = make_browser(author="")
    open_scan(browser, shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    assert last_change(shop, 1)[0] == "Web app"
    for number, name in enumerate(("Ann", "Ben"), start=2):
        press(browser, "Your name")
        write(browser, "Your name", name)
        press(browser, "Save")
        scan(browser, "A-1")
        lists(browser, *["booked"] * number)
        assert last_change(shop, 1)[0] == name


def test_the_shop_sets_its_reasons(shop: Service, browser: Chromium) -> None:
    """Each has a button; the chosen one goes with the stock changes of a mode, or with one of a product's page."""
    browser.open(f"{shop.address}/#settings")
    write(browser, "Reasons, separated by commas", "sold, returned")
    press(browser, "Scan", "link")
    browser.shows("Scan a code")
    choose(browser, "take-out")
    press(browser, "returned")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
    shows(browser, "returned", "Stock 2")
    choose(browser, "put-in")
    browser.until(lambda: browser.run(PRESSED) == [])
    assert last_change(shop, 1) == ["Ann", "returned"]
    browser.run("location.hash = '#products/1'")
    browser.found("return document.querySelector('.product-level .reasons')")
    press(browser, "sold")
    assert browser.run(PRESSED) == ["sold"]
    press(browser, "Remove 1")
    browser.until(lambda: last_change(shop, 1) == ["Ann", "sold"])
    browser.until(lambda: browser.run(PRESSED) == [])

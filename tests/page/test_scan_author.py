"""Who books, and why: the name that is asked for once, and the reasons that the shop has set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.kept_settings import keep_settings
from scripts.browser.keyboard import Key, Keyboard
from tests.page.conftest import BrowserMaker
from tests.page.controls import control, press, write
from tests.page.stocked import with_two_products
from tests.served import Service

LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
DIALOG = "return document.querySelector('dialog[open]')?.innerText ?? ''"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with two products."""
    return with_two_products(service)


@pytest.fixture
def nameless(make_browser: BrowserMaker) -> Chromium:
    """Return a phone that has no name yet; its shop has two reasons."""
    browser = make_browser(author="")
    browser.resize(390, 844, mobile=True)
    keep_settings(browser, reasons="sold, damaged")
    return browser


@pytest.fixture
def keyboard(nameless: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of that phone."""
    with Keyboard(nameless) as keyboard:
        yield keyboard


def last_change(service: Service, product: int) -> list[Any]:
    """Return who changed the level of a product last, and why."""
    change = service.call("GET", f"/api/inventory/{product}/history?limit=1")["data"][0]
    return [change["updated_by"], change["change_reason"]]


def last_level(service: Service, product: int) -> int:
    """Return the level of a product."""
    level: int = service.call("GET", f"/api/inventory?product_id={product}")["data"][0]["current_level"]
    return level


def test_the_first_booking_asks_for_a_name_and_no_scan_is_lost(
    shop: Service, keyboard: Keyboard, nameless: Chromium
) -> None:
    """What is scanned meanwhile is kept; everything is booked with the name and the reason, once it is given."""
    nameless.open(f"{shop.address}/#scan?mode=put-in")
    press(nameless, "damaged")
    keyboard.scan("A-1")
    nameless.until(lambda: "Your name?" in nameless.run(DIALOG))
    keyboard.scan("B-2")
    nameless.until(lambda: "1 more scan is saved" in nameless.run(DIALOG))
    assert last_change(shop, 1)[1] == "initial level"
    write(nameless, "Your name", "Ann")
    press(nameless, "Save")
    nameless.until(lambda: nameless.run(LIST).count("saved") == 2)
    assert last_change(shop, 1) == last_change(shop, 2) == ["Ann", "damaged"]
    press(nameless, "Your name")
    write(nameless, "Your name", "Ben")
    press(nameless, "Save")
    control(nameless, "button", "Your name\nBen")
    nameless.run("document.querySelector('.bookings button').click()")
    nameless.until(lambda: last_change(shop, 2)[0] == "Ben")


@pytest.mark.full_run
def test_a_slow_scan_does_not_become_the_name(shop: Service, keyboard: Keyboard, nameless: Chromium) -> None:
    """It is asked about, since all bookings of the device would carry it."""
    nameless.open(f"{shop.address}/#scan?mode=set")
    nameless.until(lambda: "Your name?" in nameless.run(DIALOG))
    keyboard.scan("HB-1010", gap=70)
    nameless.until(lambda: "“HB-1010” may be a scanned code." in nameless.run(DIALOG))
    write(nameless, "Your name", "Ann")
    press(nameless, "Save")
    nameless.until(lambda: "Your name?" not in nameless.run(DIALOG))


def test_a_name_that_is_not_given_survives_other_views_and_a_reload_as_a_question(
    shop: Service, keyboard: Keyboard, nameless: Chromium
) -> None:
    """The booking waits for it; who declines books as the web app, not as the system."""
    nameless.open(f"{shop.address}/#scan?mode=take-out")
    nameless.shows("Scan a code")
    keyboard.scan("A-1")
    nameless.until(lambda: "Your name?" in nameless.run(DIALOG))
    nameless.run("location.hash = '#stock'")
    nameless.until(lambda: nameless.run("return document.body.dataset.view") == "stock")
    assert "Your name?" in nameless.run(DIALOG)
    nameless.driver.back()
    nameless.driver.refresh()
    nameless.until(lambda: "Your name?" in nameless.run(DIALOG))
    press(nameless, "No name")
    nameless.until(lambda: nameless.run(LIST).count("saved") == 1)
    assert last_change(shop, 1) == ["Web app", ""]


def test_a_count_asks_for_the_name_first_and_a_correction_is_for_the_same_product(
    shop: Service, keyboard: Keyboard, nameless: Chromium
) -> None:
    """No scan or digit of the count goes to the question: it rejects a scan, and says so."""
    nameless.open(f"{shop.address}/#scan?mode=set")
    nameless.until(lambda: "Your name?" in nameless.run(DIALOG))
    keyboard.scan("A-1")
    nameless.until(lambda: "This scan was ignored: A-1" in nameless.run(DIALOG))
    write(nameless, "Your name", "Ann")
    press(nameless, "Save")
    for code, description, count in (("A-1", "Blue pen", "12"), ("B-2", "Nut M8", "7")):
        keyboard.scan(code)
        nameless.shows(description)
        nameless.shows("How many are there?")
        keyboard.type(count)
    keyboard.press(Key("Enter"))
    nameless.until(lambda: nameless.run(LIST).count("saved") == 2)
    keyboard.type("15")
    nameless.shows("Stock of Nut M8")
    keyboard.scan("A-1")
    nameless.until(lambda: nameless.run(LIST).count("saved") == 3)
    assert [last_level(shop, product) for product in (1, 2)] == [12, 15]


def test_a_level_that_is_set_on_a_page_of_a_product_has_a_name_too(shop: Service, make_browser: BrowserMaker) -> None:
    """It is asked for in the same way, here in German."""
    browser = make_browser(author="", language="de-DE")
    browser.open(f"{shop.address}/#products/1")
    write(browser, "Menge", "8")
    press(browser, "= Zählen")
    browser.until(lambda: "Ihr Name?" in browser.run(DIALOG))
    press(browser, "Ohne Namen")
    browser.until(lambda: last_change(shop, 1) == ["Web-App", ""])


def test_the_shop_sets_its_reasons(shop: Service, browser: Chromium) -> None:
    """Each has a button; the chosen one goes with the bookings of a mode, or with one of a product's page."""
    browser.open(f"{shop.address}/#settings")
    write(browser, "Reasons, separated by commas", "sold, returned")
    press(browser, "Scan", "link")
    browser.shows("Scan a code")
    browser.run("document.querySelector('input[value=take-out]').click()")
    press(browser, "returned")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
    browser.shows("Removed: 1 · returned")
    browser.run("document.querySelector('input[value=put-in]').click()")
    browser.found("return !document.querySelector('.reasons [aria-pressed=true]')")
    assert last_change(shop, 1) == ["Ann", "returned"]
    browser.run("location.hash = '#products/1'")
    browser.found("return document.querySelector('.level-form .reasons')")
    press(browser, "sold")
    assert browser.run("return document.querySelector('.reasons [aria-pressed=true]').value") == "sold"
    press(browser, "\u2212 Remove")
    browser.until(lambda: last_change(shop, 1) == ["Ann", "sold"])
    browser.found("return !document.querySelector('.reasons [aria-pressed=true]')")

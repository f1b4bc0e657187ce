"""The test of a scanner in the settings: it shows what the scanner sends, and does nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import CTRL_BRACKET, AltCode, Key, Keyboard
from tests.page.controls import press
from tests.served import Service

CHARACTERS = "return [...document.querySelectorAll('dialog li')].map((one) => one.innerText)"
LIMITS = "return document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth"
HEARD, TYPED = "The web app hears this as a scan.", "The web app takes this for typing, not for a scan."


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which change nothing in it."""
    return lasting_service


@pytest.fixture(scope="module")
def shop(service: Service) -> Service:
    """Return a service with a product that scans could book."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 3})
    return service


@pytest.fixture
def keyboard(shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser in which the test is open."""
    begin(shop, browser)
    with Keyboard(browser) as keyboard:
        yield keyboard


def begin(shop: Service, browser: Chromium, button: str = "Test the scanner") -> None:
    """Open the test after choosing a mode that books each scan."""
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.until(lambda: browser.run("return document.body.dataset.view") == "scan")
    browser.run("location.hash = '#settings'")
    press(browser, button)
    browser.found("return document.querySelector('dialog[open]') !== null")


def characters(browser: Chromium) -> list[str]:
    """Return the characters of the last scan, as they are shown."""
    found: list[str] = browser.run(CHARACTERS)
    return found


def test_a_scan_is_shown_character_by_character(keyboard: Keyboard, browser: Chromium) -> None:
    """With its AIM identifier, its suffix and its speed; control characters have names."""
    keyboard.press(*map(Key, "]C110A b"), CTRL_BRACKET, *map(Key, "211"), Key("Enter"), gap=10)
    browser.shows(HEARD)
    assert characters(browser) == [*"]C110A", "space", "b", "GS", *"211"]
    for text in ("12 characters", "]C1", "Enter", "10 ms per character, slowest 1"):
        browser.shows(text)


def test_a_scan_is_neither_looked_up_nor_booked(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Although scans were booked before; the view and the dialog stay."""
    browser.run("performance.clearResourceTimings()")
    keyboard.scan("A-1")
    browser.shows(HEARD)
    asked = browser.run("return performance.getEntriesByType('resource').map(({ name }) => name)")
    assert [name for name in asked if name.endswith(("/decode", "/scan", "/scans"))] == []
    assert shop.call("GET", "/api/inventory?product_id=1")["data"][0]["current_level"] == 3
    assert browser.run("return [location.hash, document.querySelectorAll('dialog[open]').length]") == ["#settings", 1]


def test_a_slow_scanner_is_heard_with_its_setting(keyboard: Keyboard, browser: Chromium) -> None:
    """Its Enter does not press a button."""
    keyboard.scan("A-1", gap=120)
    browser.shows(TYPED)
    press(browser, "Close")
    press(browser, "Slow Bluetooth scanner", "field")
    press(browser, "Test the scanner")
    keyboard.scan("A-1", gap=120)
    browser.shows(HEARD)


@pytest.mark.full_run
def test_a_scanner_in_alt_mode_is_shown(keyboard: Keyboard, browser: Chromium) -> None:
    """With its group separator and its suffix."""
    keyboard.press(*(AltCode(f"{ord(one):03}") for one in "10A\x1d21B"), AltCode("013"), gap=12)
    browser.shows(HEARD)
    assert characters(browser) == [*"10A", "GS", *"21B"]


def test_the_test_keeps_no_one_out(
    keyboard: Keyboard, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """It fits a phone too, even with a long code."""
    browser.be_a_phone()
    keyboard.scan("W" * 60, end="")
    browser.shows("60 characters")
    assert (inaccessible(browser), browser.run(LIMITS)) == ([], 0)


def test_the_test_speaks_german(shop: Service, make_browser: Callable[..., Chromium]) -> None:
    """In all its parts."""
    browser = make_browser(language="de-DE")
    begin(shop, browser, "Scanner testen")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1", end="")
    for text in ("Die Web-App erkennt das als Scan.", "3 Zeichen", "keins"):
        browser.shows(text)

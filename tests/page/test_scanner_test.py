"""The test of a scanner in the settings: it shows what the scanner sends, and does nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.chromium import Chromium
from tests.browser.keyboard import CTRL_BRACKET, AltCode, Key, Keyboard
from tests.page.controls import press
from tests.page.scanning import open_scan
from tests.page.stocked import level, with_two_products
from tests.served import Service

CHARACTERS = "return [...document.querySelectorAll('dialog li')].map((one) => one.innerText)"
LIMITS = "return document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth"
ASKED = "return performance.getEntriesByType('resource').map(({ name }) => name)"
HEARD, TYPED = "The web app hears this as a scan.", "The web app takes this for typing, not for a scan."


def test_the_scanner_test_shows_what_a_scanner_sends(service: Service, browser: Chromium) -> None:
    """Each character, the suffix and the speed; nothing is looked up or booked, although scans were booked before."""
    with_two_products(service)
    open_scan(browser, service.address)
    begin(browser)
    browser.run("performance.clearResourceTimings()")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        browser.shows(HEARD)
        keyboard.press(*map(Key, "]C110A b"), CTRL_BRACKET, *map(Key, "211"), Key("Enter"), gap=10)
        browser.shows("12 characters")
        assert browser.run(CHARACTERS) == [*"]C110A", "space", "b", "GS", *"211"]
        browser.shows("Enter")
        browser.shows("10 ms per character, slowest 1")
        keyboard.press(*(AltCode(f"{ord(one):03}") for one in "10A\x1d21B"), AltCode("009"), gap=12)
        browser.shows("7 characters")
        assert browser.run(CHARACTERS) == [*"10A", "GS", *"21B"]
        browser.shows("Tab")
    assert not [name for name in browser.run(ASKED) if name.endswith(("/decode", "/scan", "/scans"))]
    assert level(service) == 3
    assert browser.run("return [location.hash, document.querySelectorAll('dialog[open]').length]") == ["#settings", 1]


def test_a_slow_scanner_is_heard_with_its_setting(service: Service, browser: Chromium) -> None:
    """Its Enter does not press a button."""
    browser.open(service.address)
    begin(browser)
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1", gap=120)
        browser.shows(TYPED)
        press(browser, "Close")
        press(browser, "Slow Bluetooth scanner", "field")
        press(browser, "Test the scanner")
        keyboard.scan("A-1", gap=120)
        browser.shows(HEARD)


def test_the_scanner_test_keeps_no_one_out(
    service: Service, make_browser: Callable[..., Chromium], inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """It fits a phone, even with a long code, and speaks German."""
    browser = make_browser(language="de-DE")
    browser.be_a_phone()
    browser.open(service.address)
    begin(browser, "Scanner testen")
    with Keyboard(browser) as keyboard:
        keyboard.scan("W" * 60, end="")
    for text in ("Die Web-App erkennt das als Scan.", "60 Zeichen", "keins"):
        browser.shows(text)
    assert (inaccessible(browser), browser.run(LIMITS)) == ([], 0)


def begin(browser: Chromium, button: str = "Test the scanner") -> None:
    """Open the test."""
    browser.run("location.hash = '#settings'")
    press(browser, button)
    browser.found("return document.querySelector('dialog[open]') !== null")

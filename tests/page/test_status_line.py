"""The line on top of every view: what needs a person, who works here, and whose shop it is."""

from __future__ import annotations

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import press, write
from tests.served import Service

HEIGHT = "return document.querySelector('header').getBoundingClientRect().height"
LISTED = """
const { top = -1, bottom = 0 } = document.activeElement.querySelector('li')?.getBoundingClientRect() ?? {};
return document.activeElement.matches('.bookings') && top >= 0 && bottom <= innerHeight;
"""
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
VIEW = "return document.body.dataset.view"
LOGO = "const logo = document.querySelector('header img'); return logo?.complete && logo.naturalWidth"


def test_a_person_sees_what_waits_and_was_refused_and_goes_there(service: Service, browser: Chromium) -> None:
    """On a phone, from any view; the line takes at most 40 pixels."""
    browser.resize(390, 664, mobile=True)
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.found(VIEW)
    scan(browser, "no-such-code")
    browser.run("location.hash = '#settings'")
    browser.until(lambda: browser.run(VIEW) == "settings")
    assert browser.run(HEIGHT) <= 40
    press(browser, "1 change refused")
    browser.found(LISTED)
    browser.go_offline()
    browser.shows("Offline")


def test_the_line_names_the_shop_and_who_works_there(service: Service, make_browser: BrowserMaker) -> None:
    """The shop signs with its name and logo; a person is asked for a name in no one's way, by a tap."""
    browser = make_browser(author="")
    keep_settings(browser, shopName="Corner Shop", logo=f"data:image/png;base64,{PIXEL}")
    browser.open(f"{service.address}/#stock")
    browser.shows("Corner Shop")
    browser.found(LOGO)
    press(browser, "Your name")
    write(browser, "Your name", "Mia")
    press(browser, "Save")
    browser.until(lambda: "Mia" in browser.run("return document.querySelector('header').innerText"))

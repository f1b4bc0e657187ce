"""What is in front of every view: dialogs, messages, and the line on top, which says what needs a person."""

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import Keyboard, scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import BAD_SOUND, RECORD_SOUNDS, control, press, write
from tests.page.scanning import made, with_pens_and_nuts
from tests.served import Service

DIALOG = "return document.querySelector('dialog[open]')"
REJECTED = "return document.querySelector('dialog[open] .notice')?.innerText"
UNCOVERED = """
const problem = [...document.querySelectorAll('dialog[open] .problem')].find((each) => each.textContent);
const { left, top, width, height } = problem.getBoundingClientRect();
return problem.contains(document.elementFromPoint(left + Math.min(20, width / 2), top + height / 2));
"""
FOCUSED = "return [document.activeElement.name, document.activeElement.value]"
VALUE = "return document.querySelector('dialog[open] input').value"
FAIL = """
const reason = new Error('It failed.');
window.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason }));
"""
COVERED = """
const at = document.querySelector('.notices').getBoundingClientRect();
window.scrollTo(0, at.top > 0 ? document.documentElement.scrollHeight : 0);
return [...document.querySelectorAll('main :is(button, a, tr, li, input, footer)')].filter((one) => {
  const { left, right, top, bottom, height } = one.getBoundingClientRect();
  return one.checkVisibility() && height > 1 && left < at.right && right > at.left && top < at.bottom - 1
    && bottom > at.top + 1 && one.closest('.notices') === null;
}).map((one) => one.outerHTML);
"""
SHOWN = "return [...document.querySelectorAll('.notice')].map((one) => one.innerText)"
OPENED = "return document.body.dataset.view === arguments[0].split(/[/?]/)[0]"
PRESSED = """
const main = [...document.querySelectorAll('dialog[open] button')].find((one) => one.matches('.main'));
const { left, top, width, height } = main.getBoundingClientRect();
return main.contains(document.elementFromPoint(left + width / 2, top + height / 2));
"""
KEYS = "return document.querySelector('.keys')"
VIEWS = ("scan?mode=put-in", "products", "products/2", "stock", "labels?products=1,2,3,4,5,6", "settings", "kiosk")
HEIGHT = "return document.querySelector('header').getBoundingClientRect().height"
LISTED = """
const { top = -1, bottom = 0 } = document.activeElement.querySelector('li')?.getBoundingClientRect() ?? {};
return document.activeElement.matches('.bookings') && top >= 0 && bottom <= innerHeight;
"""
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
VIEW = "return document.body.dataset.view"
LOGO = "const logo = document.querySelector('header img'); return logo?.complete && logo.naturalWidth"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with three pens and ten nuts."""
    return with_pens_and_nuts(service)


@pytest.fixture
def keyboard(browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser."""
    with Keyboard(browser) as keyboard:
        yield keyboard


def test_no_scan_gets_into_a_form_or_behind_it(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A scan sounds as an error and is named; a slow one in a field is asked about before it is stored."""
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.found("return document.querySelector('main')?.children.length")
    browser.run(RECORD_SOUNDS)
    keyboard.scan("HB-1010")
    press(browser, "Create product")
    browser.until(lambda: browser.run(FOCUSED)[0] == "description")
    keyboard.scan("HB-1010", gap=70)
    browser.until(lambda: browser.run(FOCUSED)[0] == "category")
    press(browser, "Save")
    browser.shows("“HB-1010” may be a scanned code.")
    assert browser.run(FOCUSED)[0] == "description"
    browser.run("heard.length = 0")
    keyboard.scan("B-2")
    browser.found(BAD_SOUND)
    assert "This scan was ignored: B-2. Finish or close this first." in browser.run(REJECTED)
    assert browser.run(FOCUSED) == ["description", "HB-1010"]
    press(browser, "Save")
    browser.until(lambda: browser.run(DIALOG) is None)
    browser.until(lambda: [each["current_level"] for each in shop.call("GET", "/api/inventory")["data"]] == [3, 10, 1])


def test_a_scan_fills_the_code_of_a_new_product(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Wherever the focus is; what is missing is said above the buttons, and the form closes with its view."""
    browser.resize(1366, 500)
    browser.open(f"{shop.address}/#stock")
    press(browser, "Products", "link")
    press(browser, "New product")
    press(browser, "Save")
    browser.shows("is missing")
    assert browser.run(UNCOVERED)
    control(browser, "field", "Description").click()
    keyboard.scan("B-2")
    browser.until(lambda: browser.run(VALUE) == "B-2")
    assert browser.run("return location.hash") == "#products"
    browser.driver.back()
    browser.until(lambda: browser.run(DIALOG) is None and browser.run("return document.body.dataset.view") == "stock")


def test_an_error_hides_nothing_and_goes_with_its_view(lasting_service: Service, browser: Chromium) -> None:
    """On a phone each view scrolls clear of it: its end, or its begin in Scan, where keys are at the end."""
    for number in range(30):
        made(lasting_service, f"A-{number}", f"Pen {number}", minimum_level=9, initial_level=1)
    browser.resize(390, 844, mobile=True)
    browser.open(f"{lasting_service.address}/#{VIEWS[0]}")
    browser.found(KEYS)
    for view in VIEWS:
        browser.run("location.hash = arguments[0]", view)
        browser.found(OPENED, view)
        browser.until(lambda: browser.run(SHOWN) == [])
        browser.run(FAIL)
        browser.shows("That did not work.")
        if "/" not in view:  # the panel of a product scrolls by itself
            browser.until(lambda: browser.run(COVERED) == [])


def test_an_error_in_a_dialog_leaves_its_buttons_free(lasting_service: Service, browser: Chromium) -> None:
    """On a phone, where a dialog takes the whole screen; it stays when the dialog closes."""
    browser.resize(390, 600, mobile=True)
    browser.open(f"{lasting_service.address}/#products")
    press(browser, "New product")
    browser.run(FAIL)
    browser.shows("That did not work.")
    browser.found(PRESSED)
    press(browser, "Cancel")
    browser.until(lambda: len(browser.run("return [...document.querySelectorAll('#page > .notices > *')]")) == 1)
    scan(browser, "NOPE")
    browser.until(lambda: len(browser.run(SHOWN)) == 2)


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


def test_the_line_names_the_shop_and_who_works_there(lasting_service: Service, make_browser: BrowserMaker) -> None:
    """The shop signs with its name and logo; a person is asked for a name in no one's way, by a tap."""
    browser = make_browser(author="")
    keep_settings(browser, shopName="Corner Shop", logo=f"data:image/png;base64,{PIXEL}")
    browser.open(f"{lasting_service.address}/#stock")
    browser.shows("Corner Shop")
    browser.found(LOGO)
    press(browser, "Your name")
    write(browser, "Your name", "Mia")
    press(browser, "Save")
    browser.until(lambda: "Mia" in browser.run("return document.querySelector('header').innerText"))

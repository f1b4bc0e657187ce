"""A dialog belongs to its view: a scan while it is open never reaches the view behind, and it closes with the view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, control, press
from tests.page.stocked import with_two_products
from tests.served import Service

VIEW = "return [location.hash, document.querySelector('main').innerText]"
DIALOG = "return document.querySelector('dialog[open]')"
REJECTED = "return document.querySelector('dialog[open] .notice')?.innerText"
UNCOVERED = """
const problem = [...document.querySelectorAll('dialog[open] .problem')].find((each) => each.textContent);
const { left, top, width, height } = problem.getBoundingClientRect();
return problem.contains(document.elementFromPoint(left + Math.min(20, width / 2), top + height / 2));
"""
FOCUSED = "return document.activeElement.value"
FOCUSED_NAME = "return document.activeElement.name"
VALUE = "return document.querySelector('dialog[open] input').value"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with two products."""
    return with_two_products(service)


@pytest.fixture
def keyboard(browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser."""
    with Keyboard(browser) as keyboard:
        yield keyboard


def open_view(browser: Chromium, service: Service, view: str) -> None:
    """Open a view, and count the error sounds from now on."""
    browser.open("about:blank")
    browser.open(f"{service.address}/#{view}")
    browser.found("return document.querySelector('main')")
    browser.run(COUNT_BAD_SOUNDS)


def assert_refused(browser: Chromium, keyboard: Keyboard) -> None:
    """Assert that a scan makes the error sound, and changes neither the view nor a field nor a level."""
    browser.found(DIALOG)
    before = browser.run(VIEW), browser.run(FOCUSED)
    keyboard.scan("B-2")
    browser.found(BAD_SOUND)
    assert "This scan was ignored: B-2. Finish or close this first." in browser.run(REJECTED)
    assert (browser.run(VIEW), browser.run(FOCUSED)) == before


def levels(service: Service) -> list[int]:
    """Return the level of each product."""
    return [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]]


def test_a_scan_next_to_the_form_of_a_scanned_product_is_refused(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The code of that product is fixed, so the form has no field for codes."""
    open_view(browser, shop, "scan?mode=put-in")
    keyboard.scan("4006381333931")
    press(browser, "Create product")
    browser.found("heard = 0; return document.querySelector('dialog[open]')")
    assert_refused(browser, keyboard)
    assert levels(shop) == [3, 3]


def test_a_scan_next_to_the_form_of_a_new_product_is_its_code(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Wherever the focus is in the form."""
    open_view(browser, shop, "products")
    press(browser, "New product")
    control(browser, "field", "Description").click()
    keyboard.scan("B-2")
    browser.until(lambda: browser.run(VALUE) == "B-2")
    assert browser.run("return location.hash") == "#products"


def test_a_slow_scan_does_not_become_the_description_of_a_new_product(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Its Enter goes to the next field, and the code is asked about before it is stored."""
    open_view(browser, shop, "scan?mode=put-in")
    keyboard.scan("HB-1010")
    press(browser, "Create product")
    browser.until(lambda: browser.run(FOCUSED_NAME) == "description")
    keyboard.scan("HB-1010", gap=70)
    browser.until(lambda: browser.run(FOCUSED_NAME) == "category")
    press(browser, "Save")
    browser.shows("“HB-1010” may be a scanned code.")
    assert browser.run(FOCUSED_NAME) == "description"
    assert levels(shop) == [3, 3]
    press(browser, "Save")
    browser.until(lambda: browser.run(DIALOG) is None)
    browser.until(lambda: levels(shop) == [3, 3, 1])


def test_a_dialog_closes_with_its_view(shop: Service, browser: Chromium) -> None:
    """As soon as a person goes back."""
    open_view(browser, shop, "stock")
    press(browser, "Blue pen", "link")
    press(browser, "Edit product")
    browser.found(DIALOG)
    browser.driver.back()
    browser.until(lambda: browser.run(DIALOG) is None and browser.run("return document.body.dataset.view") == "stock")


@pytest.mark.parametrize(
    "height", [500, pytest.param(768, marks=pytest.mark.full_run), pytest.param(900, marks=pytest.mark.full_run)]
)
def test_what_is_wrong_is_above_the_buttons(shop: Service, browser: Chromium, height: int) -> None:
    """Also where the dialog is higher than the screen, and its buttons stay at the bottom."""
    size = {"width": 1366, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.devtools("Emulation.setDeviceMetricsOverride", **size)
    open_view(browser, shop, "products")
    press(browser, "New product")
    press(browser, "Save")
    browser.shows("is missing")
    assert browser.run(UNCOVERED)

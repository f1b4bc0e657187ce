"""A dialog belongs to its view: a scan while it is open never reaches the view behind, and it closes with the view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Keyboard
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, control, press
from tests.page.stocked import with_two_products
from tests.served import Service

DIALOG = "return document.querySelector('dialog[open]')"
REJECTED = "return document.querySelector('dialog[open] .notice')?.innerText"
UNCOVERED = """
const problem = [...document.querySelectorAll('dialog[open] .problem')].find((each) => each.textContent);
const { left, top, width, height } = problem.getBoundingClientRect();
return problem.contains(document.elementFromPoint(left + Math.min(20, width / 2), top + height / 2));
"""
FOCUSED = "return [document.activeElement.name, document.activeElement.value]"
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


def levels(service: Service) -> list[int]:
    """Return the level of each product."""
    return [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]]


def test_no_scan_gets_into_the_form_of_a_scanned_product_or_behind_it(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """A scan sounds as an error and is named; a slow one in a field is asked about before it is stored."""
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.found("return document.querySelector('main')?.children.length")
    browser.run(COUNT_BAD_SOUNDS)
    keyboard.scan("HB-1010")
    press(browser, "Create product")
    browser.until(lambda: browser.run(FOCUSED_NAME) == "description")
    keyboard.scan("HB-1010", gap=70)
    browser.until(lambda: browser.run(FOCUSED_NAME) == "category")
    press(browser, "Save")
    browser.shows("“HB-1010” may be a scanned code.")
    assert browser.run(FOCUSED_NAME) == "description"
    browser.run("heard = 0")
    keyboard.scan("B-2")
    browser.found(BAD_SOUND)
    assert "This scan was ignored: B-2. Finish or close this first." in browser.run(REJECTED)
    assert browser.run(FOCUSED) == ["description", "HB-1010"]
    assert levels(shop) == [3, 3]
    press(browser, "Save")
    browser.until(lambda: browser.run(DIALOG) is None)
    browser.until(lambda: levels(shop) == [3, 3, 1])


def test_a_scan_next_to_the_form_of_a_new_product_is_its_code(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Wherever the focus is; what is missing is said above the buttons, and the form closes with its view."""
    size = {"width": 1366, "height": 500, "deviceScaleFactor": 1, "mobile": False}
    browser.devtools("Emulation.setDeviceMetricsOverride", **size)
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

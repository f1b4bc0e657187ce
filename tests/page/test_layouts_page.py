"""Saved layouts in the view of labels and at the kiosk, and the picture of what will be printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from scripts.browser.print_catcher import catch_printing
from tests.page.controls import choose, control, keys, press
from tests.page.printing import printed_codes
from tests.served import Service

PEN = "4006381333931"
LARGE = {"text": "{attributes.price}", "size": 24, "bold": True}
SHELF = {"sheet": "50x30mm", "font_size": 7, "lines": [LARGE]}
PICTURE = """
const picture = document.querySelector('.preview:not([aria-busy]) img:not([hidden])')
return picture?.complete && picture.naturalWidth ? [picture.naturalWidth, picture.naturalHeight] : null
"""
"""The size in pixels of the preview, once it is there."""
SOURCE = "return document.querySelector('.preview img').src"
ROWS = """
return [...document.querySelectorAll('.further li')].map((row) => {
  const [text, size, bold] = row.querySelectorAll('input, select')
  return [text.value, size.value, bold.checked]
})
"""
LAYOUT = "document.querySelector('.layout-choice select')"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with a product that has a price, and one that has none."""
    pen = {"product_code": PEN, "description": "Blue pen", "attributes": {"price": "1.20"}}
    for draft in (pen, {"product_code": "BOLT-8", "description": "Hexagon bolt"}):
        response = service.call("POST", "/api/products", draft)
        assert response["success"], response
    return service


def saved(service: Service) -> dict[str, Any]:
    """Return the saved layouts by name."""
    return {each["name"]: each["layout"] for each in service.call("GET", "/api/codes/layouts")["data"]}


def chosen(browser: Chromium) -> str:
    """Return the name of the chosen layout; a new one has none."""
    name: str = browser.found(f"return {LAYOUT} && [{LAYOUT}.value]")[0]
    return name


def type_line(browser: Chromium, line: str) -> None:
    """Replace the first line of text."""
    browser.run("document.querySelector('.further input').select()")
    keys(browser, line)


def test_a_layout_is_saved_chosen_changed_and_deleted(
    shop: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """Its fields fill the page, on every device; what the page has no field for stays as it was."""
    catch_printing(browser)
    browser.open(f"{shop.address}/#labels?products=1")
    assert chosen(browser) == ""
    browser.run("document.querySelector(\".option [value='roll']\").click()")
    type_line(browser, "{attributes.price} EUR")
    assert browser.found(PICTURE) == [590, 354]
    press(browser, "Save as \u2026")
    keys(browser, "Regal gro\u00df")
    assert inaccessible(browser) == []
    keys(browser, Keys.ENTER)
    browser.until(lambda: chosen(browser) == "Regal-gross")
    new = saved(shop)["Regal-gross"]
    assert (new["sheet"], new["lines"]) == ("50x30mm", ["{attributes.price} EUR"])
    shop.call("PUT", "/api/codes/layouts/Regal-gross", SHELF)
    browser.driver.refresh()
    assert chosen(browser) == "Regal-gross"
    assert rows(browser) == [[LARGE["text"], "24", True], ["", "0", False]]
    browser.found("return document.querySelector('.print-bar .main:enabled')").click()
    browser.found("return opened.length")
    asked = browser.run("return orders[0].layout")
    assert asked == asked | SHELF | {"include_description": False}
    assert [code.text for code in printed_codes(browser)] == [PEN]
    type_line(browser, "{attributes.price} EUR")
    press(browser, "Save")
    browser.until(lambda: saved(shop)["Regal-gross"]["lines"] == [LARGE | {"text": "{attributes.price} EUR"}])
    assert saved(shop)["Regal-gross"]["font_size"] == SHELF["font_size"]
    press(browser, "Delete")
    browser.driver.find_element(By.CSS_SELECTOR, "dialog .danger").click()
    browser.until(lambda: chosen(browser) == "")
    assert saved(shop) == {}


def rows(browser: Chromium) -> list[list[object]]:
    """Return the text, the size and whether it is bold, of each line of the page."""
    found: list[list[object]] = browser.run(ROWS)
    return found


@pytest.mark.full_run
def test_a_line_can_be_large_and_bold(shop: Service, browser: Chromium) -> None:
    """The preview and the saved layout have it so; an empty line follows up to the fifth, and none is saved."""
    shop.call("PUT", "/api/codes/layouts/shelf", {"sheet": "50x30mm", "lines": [{"text": "Sale", "size": 13.5}]})
    browser.open(f"{shop.address}/#labels?products=1")
    browser.found(f"return {LAYOUT}")
    browser.run(f"{LAYOUT}.value = 'shelf'; {LAYOUT}.dispatchEvent(new Event('change'))")
    browser.found(PICTURE)
    assert rows(browser) == [["Sale", "13.5", False], ["", "0", False]]
    assert not control(browser, "button", "Save").is_enabled()
    press(browser, "Line 2", "field")
    keys(browser, "{attributes.price} EUR")
    choose(browser, "Size, line 2", "24 pt")
    plain = browser.until(lambda: browser.run(PICTURE) and browser.run(SOURCE))
    press(browser, "Bold, line 2", "field")
    browser.until(lambda: browser.run(PICTURE) and browser.run(SOURCE) != plain)
    press(browser, "Line 3", "field")
    keys(browser, "3" + Keys.ENTER + "4" + Keys.ENTER + "5" + Keys.ENTER)
    assert [text for text, *_ in rows(browser)] == ["Sale", "{attributes.price} EUR", "3", "4", "5"]
    press(browser, "Save")
    price = {"text": "{attributes.price} EUR", "size": 24, "bold": True}
    expected = [{"text": "Sale", "size": 13.5}, price, "3", "4", "5"]
    browser.until(lambda: saved(shop)["shelf"]["lines"] == expected)


def test_what_cannot_be_printed_is_said_instead_of_the_picture(shop: Service, browser: Chromium) -> None:
    """And goes once it is corrected."""
    shop.call("PUT", "/api/codes/layouts/shelf", SHELF)
    browser.open(f"{shop.address}/#labels?products=2")
    browser.found(PICTURE)
    browser.run(f"{LAYOUT}.value = 'shelf'; {LAYOUT}.dispatchEvent(new Event('change'))")
    browser.shows("The product BOLT-8 has no detail \u201cprice\u201d.")
    assert browser.run(PICTURE) is None
    type_line(browser, "{description}")
    browser.found(PICTURE)
    assert "no detail" not in browser.run("return document.body.innerText")


def test_a_kiosk_prints_with_a_saved_layout(shop: Service, browser: Chromium) -> None:
    """It shows the label as it is printed, and names the layouts if there is no such one."""
    catch_printing(browser)
    shop.call("PUT", "/api/codes/layouts/shelf", SHELF | {"lines": []})
    browser.open(f"{shop.address}/#kiosk?layout=shelf")
    browser.shows("shelf \u00b7 Roll \u00b7 50 \u00d7 30 mm")
    shop.call("PUT", "/api/codes/layouts/shelf", SHELF)
    scan(browser, PEN)
    assert browser.found(PICTURE) == [590, 354]
    keys(browser, Keys.ENTER)
    browser.shows("Done")
    assert browser.run("return orders.map(({ layout }) => layout)") == [SHELF]
    assert [code.text for code in printed_codes(browser)] == [PEN]
    scan(browser, "BOLT-8")
    browser.shows("The product BOLT-8 has no detail \u201cprice\u201d.")
    browser.open("about:blank")
    browser.open(f"{shop.address}/#kiosk?layout=shelff")
    browser.shows("There is no layout called shelff.")
    browser.shows("Saved layouts:")
    browser.shows("shelf")

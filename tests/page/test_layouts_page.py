"""Saved layouts in the view of labels and at the kiosk, and the picture of what will be printed."""

from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import PEN, Findings
from tests.page.controls import choose, control, keys, press, write
from tests.page.printing import printed_codes
from tests.page.scanning import made
from tests.served import Service

LARGE = {"text": "{attributes.price}", "size": 24, "bold": True}
SHELF = {"sheet": "50x30mm", "font_size": 7, "lines": [LARGE]}
PICTURE = """
const picture = document.querySelector('.preview:not([aria-busy]) img')
return picture?.complete && picture.naturalWidth ? [picture.naturalWidth, picture.naturalHeight] : null
"""
"""The size in pixels of the preview, once it is there."""


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with a product that has a price, and one that has none."""
    made(service, PEN, attributes={"price": "1.20"})
    made(service, "BOLT-8", "Hexagon bolt")
    return service


def saved(service: Service) -> dict[str, Any]:
    """Return the saved layouts by name."""
    return {each["name"]: each["layout"] for each in service.call("GET", "/api/codes/layouts")["data"]}


@pytest.mark.whole_chromium
def test_a_layout_is_saved_printed_and_deleted(shop: Service, browser: Chromium, inaccessible: Findings) -> None:
    """Its fields fill the page, on every device, with a symbology; what the page has no field for stays as it was."""
    catch_printing(browser)
    browser.open(f"{shop.address}/#labels?products=1")
    choose(browser, "Sheet", "Roll of any size")
    write(browser, "Label size on the roll", "60")
    browser.shows("Please enter a size such as 50x30mm.")
    assert browser.run("return document.querySelector('.print-bar .main').disabled")
    write(browser, "Label size on the roll", "60,5 x 40")
    browser.run("document.querySelector(\".designs [value=':code-only']\").click()")
    press(browser, "Change the label")
    choose(browser, "Barcode type", "QR")
    write(browser, "Line 1", "Sale")
    browser.found(PICTURE)
    write(browser, "Save the layout as", "Regal gro\u00df")
    assert inaccessible(browser) == []
    keys(browser, Keys.ENTER)
    browser.until(lambda: control(browser, "field", "Saved layout").get_property("value") == "Regal-gross")
    new = saved(shop)["Regal-gross"]
    assert (new["sheet"], new["lines"]) == ("60.5x40mm", ["Sale"])
    shop.call("PUT", "/api/codes/layouts/Regal-gross", SHELF | {"include_description": True})
    shop.call("PUT", "/api/codes/layouts/other", SHELF)
    browser.driver.refresh()
    press(browser, "Change the label")
    assert control(browser, "field", "Saved layout").get_property("value") == "Regal-gross"
    assert not control(browser, "button", "Save").is_enabled()
    press(browser, "One more")
    browser.found("return document.querySelector('.print-bar .main:enabled')").click()
    browser.found("return printed.length")
    asked = browser.run("return orders[0].layout")
    assert asked == SHELF | {"lines": ["{description}", LARGE], "start_position": 1}
    printed = printed_codes(browser)
    assert [(code.text, code.symbology, code.page) for code in printed] == [(PEN, "QRCode", 1), (PEN, "QRCode", 2)]
    press(browser, "Remove Name")
    write(browser, "Save the layout as", "other")
    press(browser, "Save")
    browser.shows("There is already a layout called other.")
    write(browser, "Save the layout as", "Regal-gross")
    press(browser, "Save")
    browser.until(lambda: saved(shop)["Regal-gross"] == SHELF)
    press(browser, "Delete")
    browser.driver.find_element(By.CSS_SELECTOR, "dialog .danger").click()
    browser.until(lambda: list(saved(shop)) == ["other"])
    browser.found("return document.querySelector('.designs .is-chosen')")


def test_a_kiosk_prints_with_a_saved_layout(shop: Service, browser: Chromium) -> None:
    """It shows the label as it is printed, and says what a product lacks for it."""
    catch_printing(browser)
    shop.call("PUT", "/api/codes/layouts/shelf", SHELF | {"lines": []})
    browser.open(f"{shop.address}/#kiosk?layout=shelf")
    browser.shows("shelf \u00b7 Roll \u00b7 50 \u00d7 30 mm")
    shop.call("PUT", "/api/codes/layouts/shelf", SHELF)
    scan(browser, PEN)
    assert browser.found(PICTURE) == [590, 354]
    keys(browser, Keys.ENTER)
    browser.shows("Done")
    assert browser.run("return orders.map(({ layout }) => layout)") == [{**SHELF, "start_position": 1}]
    assert [code.text for code in printed_codes(browser)] == [PEN]
    scan(browser, "BOLT-8")
    browser.shows("The product BOLT-8 has no detail \u201cprice\u201d.")
    assert browser.driver.find_elements(By.CSS_SELECTOR, ".kiosk .main") == []

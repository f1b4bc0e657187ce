"""The journeys of a shop, guided only by the screen: on a laptop and a phone."""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Key, Keyboard
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import await_service, control, drop, keys, press, workbook
from tests.page.printing import printed_codes
from tests.page.scanning import choose, has_amount, with_pens_and_nuts
from tests.page.test_key import CREATE, FIELD, KEY
from tests.served import Service

SCREENS = {"laptop": (1366, 768), "phone": (390, 844)}
CODES = ("A-1", "A-2", "A-3")
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"


@pytest.fixture(params=SCREENS)
def browser(request: pytest.FixtureRequest, make_browser: BrowserMaker) -> Chromium:
    """Return a browser on a laptop or a phone."""
    browser = make_browser()
    browser.resize(*SCREENS[request.param], mobile=request.param == "phone")
    catch_printing(browser)
    await_service(browser)
    return browser


@pytest.fixture
def keyboard(browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of the browser."""
    with Keyboard(browser) as keyboard:
        yield keyboard


def has_levels(browser: Chromium, service: Service, *levels: int) -> None:
    """Wait until the products have these levels."""
    browser.until(
        lambda: [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]] == list(levels)
    )


@pytest.mark.whole_chromium
def test_a_newcomer_imports_prints_books_and_finds_what_is_low(
    service: Service, browser: Chromium, keyboard: Keyboard, tmp_path: Path
) -> None:
    """The first spreadsheet by drop, a sheet of labels, ten scans, and the shelf that has to be filled."""
    browser.open(service.address)
    press(browser, "Products", "link")
    browser.shows("No products yet.")
    rows: list[tuple[str | float, ...]] = [(code, f"Part {code}", 12, 5) for code in CODES]
    book = workbook(tmp_path, ("SKU", "Name", "Qty", "Min"), *rows)
    drop(browser, b64encode(book.read_bytes()).decode(), book.name)
    press(browser, "Import 3 products")
    browser.shows("The import is complete.")

    press(browser, "Labels", "link")
    control(browser, "field", "Search products")
    for code in CODES:
        keyboard.scan(code)
        browser.shows(f"Part {code}")
    press(browser, "Print")
    browser.found("return printed.length")
    assert [code.text for code in printed_codes(browser)] == list(CODES)

    press(browser, "Scan", "link")
    browser.found("return document.querySelector('[name=mode]')")
    choose(browser, "take-out")
    for number in range(1, 11):
        keyboard.scan("A-2")
        browser.until(lambda: browser.run(BOOKED) == number)  # noqa: B023 - called at once

    press(browser, "Stock", "link")
    browser.shows("Part A-2")
    assert "Part A-1" not in browser.run("return document.querySelector('section').innerText")
    has_levels(browser, service, 12, 2, 12)


def test_a_shop_creates_counts_and_corrects_also_without_the_network(
    service: Service, browser: Chromium, keyboard: Keyboard
) -> None:
    """A product is created from its scan, two are counted, and what is refused or wrong is set right."""
    with_pens_and_nuts(service)
    browser.open(service.address)
    browser.shows("Scan a code")
    choose(browser, "put-in")
    keyboard.scan("4006381333931")
    browser.shows("No product has this code.")
    press(browser, "Create product")
    browser.until(lambda: browser.run("return document.activeElement.name") == "description")
    keys(browser, "Stapler")
    press(browser, "Save")
    browser.shows("Added: 1")

    choose(browser, "set")
    keyboard.scan("A-1")
    browser.shows("Stock of Blue pen")
    keyboard.type("12")
    has_amount(browser, "12")
    keyboard.scan("B-2")
    browser.shows("Stock of Nut M8")
    keyboard.type("7")
    has_amount(browser, "7")
    keyboard.press(Key("Enter"))
    has_levels(browser, service, 12, 7, 1)

    choose(browser, "take-out")
    browser.go_offline()
    keyboard.scan("A-1")
    keyboard.scan("A-1")
    browser.shows("2 changes waiting")
    browser.go_online()
    has_levels(browser, service, 10, 7, 1)
    keyboard.type("99")
    has_amount(browser, "99")
    keyboard.scan("B-2")
    browser.shows("There are only 7, not 99.")
    press(browser, "Discard")

    press(browser, "Open", "link")
    browser.shows("History")
    press(browser, "Add 1")
    browser.shows("+1: the stock is now 8.")
    press(browser, "Undo +1")
    browser.shows("Undone. The stock is now 7.")
    has_levels(browser, service, 10, 7, 1)


def test_a_device_gets_its_key_tests_its_scanner_prints_at_the_kiosk_and_leaves(
    make_service: ServiceMaker, browser: Chromium, keyboard: Keyboard
) -> None:
    """The key is scanned, the scanner is fine, two labels are printed, and the next person needs the key."""
    service = make_service(api_key=KEY)
    browser.open(service.address)
    browser.shows("This service needs an access key")
    browser.found(FIELD)
    keyboard.scan(KEY)
    browser.shows("Your shop is empty.")
    press(browser, "Products", "link")
    browser.shows("No products yet.")
    assert browser.run(CREATE) == 201

    press(browser, "Settings", "link")
    press(browser, "Test the scanner")
    keyboard.scan("A-1")
    browser.shows("The web app hears this as a scan.")
    press(browser, "Close")

    browser.run("location.hash = '#kiosk?sheet=L7160'")
    browser.shows("Scan a product")
    keyboard.scan("A-1")
    browser.shows("Blue pen")
    press(browser, "One more")
    press(browser, "Print")
    browser.shows("Done")
    assert [code.text for code in printed_codes(browser)] == ["A-1", "A-1"]

    browser.open(f"{service.address}/#settings")
    press(browser, "Log out")
    browser.shows("This service needs an access key")

"""A newcomer's way, from an empty service to low stock, guided only by the screen."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard
from scripts.browser.print_catcher import catch_printing
from scripts.browser.served import Service
from tests.page.controls import control, drop, press, workbook
from tests.page.printing import printed_codes

CODES = ("A-1", "A-2", "A-3")
BOOKED = "return [...document.querySelectorAll('.booking')].filter((one) => one.innerText.includes('booked')).length"


def _see_bookings(browser: Chromium, count: int) -> None:
    browser.until(lambda: browser.run(BOOKED) == count)


def test_a_newcomer_imports_prints_books_and_finds_what_is_low(
    service: Service, browser: Chromium, tmp_path: Path
) -> None:
    """The first spreadsheet by drop, a sheet of labels, ten scans, and the shelf that has to be filled."""
    catch_printing(browser)
    browser.open(service.address)
    with Keyboard(browser) as keyboard:
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
        browser.until(lambda: browser.run("return printed.length"))
        assert [code.text for code in printed_codes(browser)] == list(CODES)

        press(browser, "Scan", "link")
        browser.run("document.querySelector('input[value=take-out]').click()")
        for number in range(1, 11):
            keyboard.scan("A-2")
            _see_bookings(browser, number)

        press(browser, "Stock", "link")
        browser.shows("Part A-2")
        assert "Part A-1" not in browser.run("return document.querySelector('section').innerText")
        assert service.call("GET", "/api/inventory/2/history")["data"][0]["new_level"] == 2

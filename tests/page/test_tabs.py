"""Two tabs of one browser: they share and show all bookings."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from tests.page.controls import control, press, write
from tests.page.stocked import level
from tests.served import Service

LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
PANEL = "return document.querySelector('.product')?.innerText ?? ''"


@pytest.fixture
def tabs(service: Service, browser: Chromium) -> tuple[str, str]:
    """Return the handles of two tabs that both put in; the second is in front."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 10})
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    first = browser.driver.current_window_handle
    browser.open_tab()
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    return first, browser.driver.current_window_handle


def enter(browser: Chromium, code: str) -> None:
    """Enter a code, and book its product."""
    write(browser, "Enter a code", code)
    press(browser, "Add …")
    press(browser, "Add")


def test_each_tab_shows_what_the_other_books_and_undoes(
    service: Service, browser: Chromium, tabs: tuple[str, str]
) -> None:
    """Neither has to be reloaded for a correct list."""
    first, second = tabs
    enter(browser, "A-1")
    browser.until(lambda: "saved" in browser.run(LIST))
    browser.driver.switch_to.window(first)
    browser.until(lambda: "saved" in browser.run(LIST))
    press(browser, "Undo")
    browser.until(lambda: "undone" in browser.run(LIST))
    browser.driver.switch_to.window(second)
    browser.until(lambda: "undone" in browser.run(LIST) and "Undone" in browser.run(PANEL))
    assert level(service) == 10


def test_what_waits_in_a_tab_that_is_closed_is_sent_by_the_one_that_is_looked_at(
    service: Service, browser: Chromium, tabs: tuple[str, str]
) -> None:
    """It is in its list too, so that waiting for it is not in vain."""
    browser.go_offline()
    enter(browser, "A-1")
    browser.until(lambda: "waiting" in browser.run(LIST))
    browser.driver.close()
    browser.driver.switch_to.window(tabs[0])
    browser.run("dispatchEvent(new Event('focus'))")
    browser.until(lambda: "saved" in browser.run(LIST))
    assert level(service) == 11


@pytest.mark.full_run
def test_tabs_share_the_settings(service: Service, browser: Chromium) -> None:
    """A change in one tab keeps later settings of another tab, which apply there at once."""
    browser.open(f"{service.address}/#settings")
    control(browser, "field", "Your name")
    first = browser.driver.current_window_handle
    browser.open_tab()
    browser.open(f"{service.address}/#settings")
    write(browser, "Your name", "Ann")
    browser.driver.switch_to.window(first)
    press(browser, "Sounds", "field")
    kept = browser.run("return JSON.parse(localStorage.getItem('barcodesvc.settings'))")
    assert (kept["author"], kept["sounds"]) == ("Ann", False)

"""Two tabs of one browser: they share and show all bookings."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from tests.page.controls import control, press, write
from tests.page.scanning import lists, open_scan, shows
from tests.page.stocked import level
from tests.served import Service


@pytest.fixture
def tabs(service: Service, browser: Chromium) -> tuple[str, str]:
    """Return the handles of two tabs that both put in; the second is in front."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 10})
    open_scan(browser, service.address)
    first = browser.driver.current_window_handle
    browser.open_tab()
    open_scan(browser, service.address)
    return first, browser.driver.current_window_handle


def enter(browser: Chromium, code: str) -> None:
    """Enter a code, and book its product."""
    write(browser, "Enter a code", code)
    press(browser, "Add …")
    browser.found("return document.querySelector('.pad.asks')")
    browser.run("document.querySelector('.pad .main').click()")


def test_each_tab_shows_what_the_other_books_and_undoes(
    service: Service, browser: Chromium, tabs: tuple[str, str]
) -> None:
    """Neither has to be reloaded for a correct list."""
    first, second = tabs
    enter(browser, "A-1")
    lists(browser, "booked")
    browser.driver.switch_to.window(first)
    lists(browser, "booked")
    press(browser, "Undo")
    lists(browser, "undone")
    browser.driver.switch_to.window(second)
    lists(browser, "undone")
    shows(browser, "Undone")
    assert level(service) == 10


def test_what_waits_in_a_tab_that_is_closed_is_sent_by_the_one_that_is_looked_at(
    service: Service, browser: Chromium, tabs: tuple[str, str]
) -> None:
    """It is in its list too, so that waiting for it is not in vain."""
    browser.go_offline()
    enter(browser, "A-1")
    lists(browser, "waiting")
    browser.driver.close()
    browser.driver.switch_to.window(tabs[0])
    browser.run("dispatchEvent(new Event('focus'))")
    lists(browser, "booked")
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

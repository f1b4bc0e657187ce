"""The API key in the browser: asked for once, where the service has one."""

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Key, Keyboard
from tests.page.conftest import BrowserMaker, Findings, ServiceMaker
from tests.page.controls import press
from tests.page.scanning import lists
from tests.page.test_in_front import FAIL
from tests.served import Service

KEY = "correct-horse-battery-staple"
SESSION = "fetch('/api/page/session', { method: '%s' }).then((response) => response.status)"
CREATE = """
return fetch('/api/products', { method: 'POST', headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ product_code: 'A-1', description: 'Blue pen' }) }).then((response) => response.status);
"""
ELEMENTS = "(01)04006381333931(10)LOT7"
"""An element string, which is as long as a key."""
FIELD = "return document.activeElement.type === 'password'"
NO_COOKIES = {"profile.default_content_setting_values.cookies": 2}
DIALOGS = "return document.querySelectorAll('dialog').length"


@pytest.fixture
def guarded(make_service: ServiceMaker) -> Service:
    """Return a service that requires a key."""
    return make_service(api_key=KEY)


def give_key(browser: Chromium, keyboard: Keyboard, key: str = KEY) -> None:
    """Type the key into its field."""
    browser.shows("This service needs an access key")
    browser.found(FIELD)
    keyboard.type(key, gap=60)
    keyboard.press(Key("Enter"))


def test_the_key_is_asked_for_once(guarded: Service, browser: Chromium, inaccessible: Findings) -> None:
    """A wrong one is reported, messages stay, no storage holds it; who is logged out scans it, and loses nothing."""
    browser.open(f"{guarded.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        give_key(browser, keyboard, "wrong")
        browser.shows("This key is wrong.")
        assert inaccessible(browser) == []
        browser.run(FAIL)
        browser.run("document.activeElement.value = ''")
        give_key(browser, keyboard)
        lists(browser, "refused")
        browser.shows("That did not work.")
        assert browser.run(DIALOGS) == 0
        assert browser.run(CREATE) == 201
        browser.driver.refresh()
        browser.shows("Scan a code")
        assert browser.run(f"return {SESSION % 'DELETE'}") == 200
        keyboard.scan("A-1")
        browser.shows("This service needs an access key")
        lists(browser, "waiting", "refused")
        keyboard.scan(KEY)
        lists(browser, "booked", "refused")
    assert browser.run(DIALOGS) == 0
    assert KEY not in browser.run("return JSON.stringify(localStorage) + document.cookie")


def test_what_is_scanned_while_the_key_is_asked_for_is_sent_with_the_key(guarded: Service, browser: Chromium) -> None:
    """Codes are no keys, however long they are, and leave a half-typed key alone; another scan is said to be lost."""
    browser.open(f"{guarded.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        browser.found(FIELD)
        keyboard.type(KEY[:5], gap=60)
        keyboard.scan("A-1")
        browser.shows("1 scan is saved")
        keyboard.scan(ELEMENTS)
        browser.shows("2 scans are saved")
        assert "This key is wrong." not in browser.run("return document.body.innerText")
        assert browser.run("return document.activeElement.value") == KEY[:5]
        keyboard.scan("not-a-key-but-it-could-be-one")
        browser.shows("If you scanned a product, nothing was changed.")
        assert browser.run("return document.activeElement.value") == KEY[:5]
        keyboard.type(KEY[5:], gap=60)
        keyboard.press(Key("Enter"))
        lists(browser, "refused", "refused")


def test_a_key_that_is_entered_in_one_tab_is_not_asked_for_in_another(guarded: Service, browser: Chromium) -> None:
    """Its dialog closes, and what waited goes on until a person logs out; a scan of no use is said to be lost."""
    browser.open(f"{guarded.address}/#products")
    browser.found(FIELD)
    first = browser.driver.current_window_handle
    browser.open_tab()
    browser.open(f"{guarded.address}/#products")
    with Keyboard(browser) as keyboard:
        browser.found(FIELD)
        keyboard.scan("B-2")
        browser.shows("Not a key, and not saved: B-2")
        keyboard.scan(KEY)
    browser.until(lambda: browser.run(DIALOGS) == 0)
    browser.driver.switch_to.window(first)
    browser.until(lambda: browser.run(DIALOGS) == 0)
    browser.shows("No products yet.")
    browser.run("location.hash = '#settings'")
    press(browser, "Log out")
    browser.shows("This service needs an access key")


def test_the_dialog_says_that_the_browser_blocks_cookies(guarded: Service, make_unwatched: BrowserMaker) -> None:
    """The right key does not just bring back an empty dialog: it gives the reason."""
    browser = make_unwatched(preferences=NO_COOKIES)
    browser.open(f"{guarded.address}/#products")
    with Keyboard(browser) as keyboard:
        give_key(browser, keyboard)
    browser.shows("this browser blocks cookies")
    assert browser.run(DIALOGS) == 1

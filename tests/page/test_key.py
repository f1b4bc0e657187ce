"""The API key in the browser: asked for once, where the service has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from scripts.browser.served import Service
from tests.page.conftest import ServiceMaker

KEY = "correct-horse-battery-staple"
SESSION = "fetch('/api/page/session', { method: '%s' }).then((answer) => answer.status)"
CREATE = """
return fetch('/api/products', { method: 'POST', headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ product_code: 'A-1', description: 'Blue pen' }) }).then((answer) => answer.status);
"""
LIST = "return document.querySelector('.bookings').innerText"
FIELD = "return document.activeElement.type === 'password'"
DIALOGS = "return document.querySelectorAll('dialog').length"


@pytest.fixture
def guarded(make_service: ServiceMaker) -> Service:
    """Return a service that wants a key."""
    return make_service(api_key=KEY)


def give_key(browser: Chromium, keyboard: Keyboard, key: str = KEY) -> None:
    """Type the key where it is asked for."""
    browser.shows("This service wants its API key")
    browser.until(lambda: browser.run(FIELD))
    keyboard.type(key, gap=60)
    keyboard.press(Key("Enter"))


def test_the_key_is_asked_for_once_and_what_was_scanned_goes_on(
    guarded: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """A wrong one is named as such; a reload asks no more, and no storage of the browser holds the key."""
    browser.open(f"{guarded.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        give_key(browser, keyboard, "wrong")
        browser.shows("This is not the key.")
        assert inaccessible(browser) == []
        browser.run("document.activeElement.value = ''")
        give_key(browser, keyboard)
        browser.until(lambda: "refused" in browser.run(LIST))
        assert browser.run(DIALOGS) == 0
        assert browser.run(CREATE) == 201
        browser.driver.refresh()
        browser.shows("Scan a code")
        keyboard.scan("A-1")
        browser.shows("Blue pen")
    assert browser.run(DIALOGS) == 0
    assert KEY not in browser.run("return JSON.stringify(localStorage) + document.cookie")


def test_whoever_is_logged_out_is_asked_again_and_loses_nothing(guarded: Service, browser: Chromium) -> None:
    """A booking that was scanned without a session is sent once there is one; the key may be scanned too."""
    browser.open(f"{guarded.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        keyboard.scan("no-such")
        give_key(browser, keyboard)
        browser.until(lambda: "refused" in browser.run(LIST))
        assert browser.run(CREATE) == 201
        assert browser.run(f"return {SESSION % 'DELETE'}") == 200
        keyboard.scan("A-1")
        browser.shows("This service wants its API key")
        browser.until(lambda: "waiting" in browser.run(LIST))
        keyboard.scan(KEY)
        browser.until(lambda: "booked" in browser.run(LIST))
    assert browser.run(LIST).count("A-1") == 1

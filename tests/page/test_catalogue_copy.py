"""The copy of the catalogue on the device: look-ups without the network, and what deletes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Keyboard, scan
from tests.page.conftest import ServiceMaker
from tests.page.controls import SOUND_AT_ONCE, hurry, press
from tests.page.scanning import lists
from tests.served import Service

KEY = "correct-horse-battery-staple"
COPY = """
const { src } = document.querySelector('script[src*=main]');
return import(src.replace('main.js', 'catalogue/copy.js')).then(({ extent }) => extent()).then((copy) => copy?.count);
"""
INSTALLED = "return navigator.serviceWorker.ready.then(() => caches.keys()).then((all) => all.length)"
LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
PUTS_IN = "return document.querySelector('input:checked')?.value === 'put-in'"
PANEL = "return document.querySelector('.product')?.innerText ?? ''"
RECORD_TONES = """
window.tones = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) {
  tones.push(this.frequency.value);
  return start.apply(this, at);
};
"""
CALL = """
const [method, path, body] = arguments;
const headers = { 'Content-Type': 'application/json' };
return fetch(path, { method, headers, body: body && JSON.stringify(body) }).then((response) => response.status);
"""
HOLD = """
const { fetch } = window;
window.fetch = (address, ...rest) => address !== '/api/codes/decode' ? fetch(address, ...rest) :
  new Promise((go) => { window.release = () => go(fetch(address, ...rest)) });
"""
"""Look-ups go on until the last one is released."""


def open_with_copy(browser: Chromium, service: Service) -> None:
    """Open the start, and wait until the device has a copy of the one product."""
    hurry(browser)
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=SOUND_AT_ONCE + RECORD_TONES)
    browser.open(service.address)
    browser.until(lambda: browser.run(COPY) == 1)


def says(browser: Chromium, *texts: str) -> None:
    """Wait until all these texts are on the panel of the product."""
    browser.until(lambda: all(text in browser.run(PANEL) for text in texts))


def create(service: Service, **fields: Any) -> None:
    """Create the product."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", **fields})


def test_what_the_device_remembers_is_looked_up_without_the_service(service: Service, browser: Chromium) -> None:
    """Exact codes only, in every view, after a reload, with own changes; others are marked and sound different."""
    create(service, initial_level=10)
    open_with_copy(browser, service)
    browser.found(INSTALLED)
    browser.run("location.hash = '#scan?mode=put-in'")
    browser.found(PUTS_IN)
    scan(browser, "A-1")
    says(browser, "Add", "11")
    service.kill()
    browser.driver.refresh()
    browser.found(PUTS_IN)
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        says(browser, "Waiting", "Blue pen", "12")
        keyboard.scan("B-9")
        says(browser, "Not checked, but saved")
        browser.run("document.querySelector('input[value=look-up]').click()")
        keyboard.scan("A-1")
        says(browser, "Blue pen", "memory, as of", "Stock as of", "12")
        browser.found("return tones.splice(0).length > 0")
        keyboard.scan("a-1")
        says(browser, "Not checked")
        assert browser.run("return tones") == [660, 660]
        browser.run("location.hash = '#stock'")
        browser.shows("Movements")
        keyboard.scan("A-1")
        browser.shows("Blue pen (A-1): 12. From this device")
        keyboard.scan("a-1")
        browser.shows("Not checked: the service cannot be reached.")
    browser.run("location.hash = '#scan'")
    browser.until(lambda: "Blue pen" in browser.run(LIST) and "not checked" in browser.run(LIST))
    service.start()
    lists(browser, "refused", "booked", "booked")
    assert service.call("GET", "/api/inventory?product_id=1")["data"][0]["current_level"] == 12


def test_what_is_known_while_the_network_hangs_says_as_of_when(service: Service, browser: Chromium) -> None:
    """Once the response comes, it is shown. What the service said last is newer than the copy."""
    create(service, initial_level=10)
    open_with_copy(browser, service)
    browser.run(HOLD)
    scan(browser, "A-1")
    says(browser, "Blue pen", "memory, as of", "Stock as of", "10")
    service.call("POST", "/api/inventory/1/adjust", {"delta": 5, "idempotency_key": "k"})
    browser.run("release()")
    says(browser, "Found", "15")
    assert "as of" not in browser.run(PANEL)
    scan(browser, "A-1")
    says(browser, "memory, as of", "Stock as of", "15")
    browser.run("location.hash = '#stock'")
    browser.shows("Movements")
    scan(browser, "A-1")
    browser.shows("Blue pen (A-1): 15. From this device")
    browser.run("release()")
    browser.until(lambda: browser.run("return location.hash") == "#products/1")


@pytest.fixture
def guarded(make_service: ServiceMaker, browser: Chromium) -> Service:
    """Return a service with a key and a product, with which the browser has a session."""
    service = make_service(api_key=KEY)
    browser.open(service.address)
    assert browser.run(CALL, "POST", "/api/page/session", {"api_key": KEY}) == 200
    assert browser.run(CALL, "POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"}) == 201
    return service


def test_a_device_without_a_session_remembers_nothing(guarded: Service, browser: Chromium) -> None:
    """A refused key deletes the copy, and a reload loads none; so does logging out. The settings say what there is."""
    open_with_copy(browser, guarded)
    assert browser.run(CALL, "DELETE", "/api/page/session", None) == 200
    scan(browser, "A-1")
    browser.shows("This service needs an access key")
    browser.until(lambda: browser.run(COPY) is None)
    browser.driver.refresh()
    browser.shows("This service needs an access key")
    assert browser.run(COPY) is None
    assert browser.run(CALL, "POST", "/api/page/session", {"api_key": KEY}) == 200
    browser.driver.refresh()
    browser.until(lambda: browser.run(COPY) == 1)
    browser.run("location.hash = '#settings'")
    browser.shows("Products on this device, without the network too: 1 of 1, as of")
    press(browser, "Log out")
    browser.shows("This service needs an access key")
    browser.until(lambda: browser.run(COPY) is None)

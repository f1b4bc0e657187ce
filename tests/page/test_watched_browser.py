"""The watch over the browser: it sees every fault, and reports nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from scripts.browser.net_log import Request
from tests.page.conftest import BrowserMaker, assert_faultless
from tests.served import Service

FAULTS = """
setTimeout(() => { throw new Error("dropped") });
Promise.reject(new Error("unheard"));
console.error("broken");
const style = document.createElement("style");
style.textContent = "p {}";
document.body.append(style);
setTimeout(() => { document.body.innerHTML = "<p>text</p>" });
fetch("http://elsewhere.example/").catch(() => 0);
fetch("/page/0/gone.js");
navigator.vibrate(40);
"""
FAULTS_SEEN = {
    ("javascript", "dropped"),
    ("javascript", "unheard"),
    ("console-api", "broken"),
    ("security", "style-src"),
    ("security", "TrustedHTML"),
    ("security", "connect-src"),
    ("network", "gone.js"),
    ("intervention", "vibrate"),
}
FAULT_PARTS = {part for _, part in FAULTS_SEEN}
STORE = """
return new Promise((resolve) => {
  const opened = indexedDB.open("shop", 1);
  opened.onupgradeneeded = () => opened.result.createObjectStore("waiting");
  opened.onsuccess = () => {
    const change = opened.result.transaction("waiting", "readwrite", { durability: "strict" });
    if (arguments[0]) change.objectStore("waiting").put(arguments[0], 1);
    const found = change.objectStore("waiting").get(1);
    change.oncomplete = () => resolve(found.result);
  };
});
"""
"""Puts a text into the browser's own database, and returns the stored one."""
DARK = "return matchMedia('(prefers-color-scheme: dark)').matches"


@pytest.mark.full_run
def test_the_page_opens_without_a_fault(service: Service, browser: Chromium) -> None:
    """The real page, in a real browser, causes no complaint."""
    browser.open(service.address)
    browser.until(lambda: browser.run("return document.title") == "Scan · barcodesvc")


def test_faults_of_the_page_are_seen(service: Service, make_unwatched: BrowserMaker) -> None:
    """Uncaught errors, rejections, the console's errors, what the policy forbids, and files that are missing."""
    browser = make_unwatched()
    browser.open(service.address)
    browser.run(FAULTS)

    def seen() -> set[tuple[str, str]]:
        browser.complaints()
        return {(fault.source, part) for fault in browser.faults() for part in FAULT_PARTS if part in fault.message}

    browser.until(lambda: seen() >= FAULTS_SEEN)
    browser.close()
    with pytest.raises(AssertionError):
        assert_faultless(browser)


def test_a_request_to_another_host_is_seen(service: Service, make_unwatched: BrowserMaker) -> None:
    """By any route, here a link, and even if that host cannot be reached."""
    browser = make_unwatched()
    browser.open(service.address)
    browser.run("setTimeout(() => { location = 'http://elsewhere.example/' })")
    asked = Request("GET", "http://elsewhere.example/", service.address)
    browser.until(lambda: asked in browser.net_log().requests)
    with pytest.raises(AssertionError):
        assert_faultless(browser)


def test_a_refusal_of_the_api_is_no_fault(service: Service, browser: Chromium) -> None:
    """The page shows it; the browser's own complaint about it does not count against the page."""
    browser.open(service.address)
    browser.run("fetch('/api/products/77')")
    browser.until(lambda: any("404" in one.message for one in browser.complaints()))
    assert browser.faults() == []


@pytest.mark.full_run
def test_what_goes_over_the_wire_is_counted(service: Service, browser: Chromium) -> None:
    """Heads and bodies of all requests, in both directions."""
    browser.open(service.address)
    before = browser.net_log()
    browser.run("fetch('/api/products', { method: 'POST', body: 'x'.repeat(5000) }).then((a) => a.text())")
    browser.until(lambda: browser.net_log().sent > before.sent + 5000 and browser.net_log().received > before.received)


@pytest.mark.full_run
def test_a_browser_can_be_any_device(service: Service, make_browser: BrowserMaker) -> None:
    """A phone, in the dark, in another language, with and without a network."""
    browser = make_browser(language="de-DE")
    browser.be_a_phone()
    browser.prefer(color_scheme="dark")
    browser.open(service.address)
    assert browser.run("return [innerWidth, devicePixelRatio, navigator.language]") == [360, 3, "de-DE"]
    assert browser.run(DARK)
    browser.go_offline()
    assert browser.run("return navigator.onLine") is False
    browser.go_online()
    assert browser.run("return navigator.onLine") is True


@pytest.mark.full_run
def test_a_slow_phone_is_slow(service: Service, browser: Chromium) -> None:
    """A request takes at least its latency."""
    browser.open(service.address)
    browser.slow_down()
    took = browser.run("const begun = performance.now(); return fetch('/health').then(() => performance.now() - begun)")
    assert took >= 150


@pytest.mark.full_run
def test_without_scripts_nothing_runs(service: Service, browser: Chromium) -> None:
    """The page opens as with JavaScript switched off, and appears unchanged."""
    browser.switch_off_scripts()
    browser.open(service.address)
    assert "barcodesvc" in browser.driver.title


@pytest.mark.full_run
def test_a_scanner_types_into_the_page(service: Service, browser: Chromium) -> None:
    """Its keys come faster than a person types, with Enter after them, and the page shows the product."""
    service.call("POST", "/api/products", {"product_code": "4006381333931", "description": "Highlighter"})
    browser.open(service.address)
    browser.until(lambda: browser.run("return document.body.dataset.view") == "scan")
    scan(browser, "4006381333931")
    browser.until(lambda: "Highlighter" in browser.run("return document.body.innerText"))


@pytest.mark.full_run
def test_what_is_stored_outlives_a_crash_and_a_kill(service: Service, make_browser: BrowserMaker) -> None:
    """The same device finds its storage after a crash of the browser, and the service its port and its database."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    address = service.address
    browser = make_browser(device="till")
    browser.open(address)
    assert browser.run(STORE, "a booking") == "a booking"
    browser.crash()
    service.kill()
    service.start()
    again = make_browser(device="till")
    again.open(address)
    assert again.run(STORE) == "a booking"
    assert service.call("GET", "/api/products/1")["data"]["product_code"] == "A-1"


def test_what_keeps_people_out_is_found(
    service: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """A button without a name is reported with its rule, in spite of the page's policy."""
    browser.open(service.address)
    browser.found("return document.body.dataset.view")
    browser.run("document.body.append(document.createElement('button'))")
    assert "button-name" in [rule for rule, _ in inaccessible(browser)]

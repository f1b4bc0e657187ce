"""The watch over the browser: it sees every fault, and reports nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.browser.net_log import Request
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


def test_what_keeps_people_out_is_found_and_a_refusal_is_no_fault(
    service: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """A button without a name is reported with its rule; the browser's own complaint about a 404 does not count."""
    browser.open(service.address)
    browser.found("return document.body.dataset.view")
    browser.run("document.body.append(document.createElement('button'))")
    assert "button-name" in [rule for rule, _ in inaccessible(browser)]
    browser.run("fetch('/api/products/77')")
    browser.until(lambda: any("404" in one.message for one in browser.complaints()))
    assert browser.faults() == []

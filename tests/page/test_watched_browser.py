"""The watch over the browser: it sees every fault, and reports nothing else."""

import pytest

from tests.browser.chromium import Chromium
from tests.browser.net_log import Request
from tests.page.conftest import BrowserMaker, Findings, assert_faultless
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


def test_faults_and_foreign_requests_are_seen(lasting_service: Service, make_unwatched: BrowserMaker) -> None:
    """Uncaught errors, rejections, the console's errors, what the policy forbids, missing files, and a foreign link."""
    browser = make_unwatched()
    browser.open(lasting_service.address)
    browser.run(FAULTS)

    def seen() -> set[tuple[str, str]]:
        browser.complaints()
        return {(fault.source, part) for fault in browser.faults() for part in FAULT_PARTS if part in fault.message}

    browser.until(lambda: seen() >= FAULTS_SEEN)
    browser.run("setTimeout(() => { location = 'http://elsewhere.example/' })")
    asked = Request("GET", "http://elsewhere.example/", lasting_service.address)
    browser.until(lambda: asked in browser.net_log().requests)
    with pytest.raises(AssertionError):
        assert_faultless(browser)


def test_what_keeps_people_out_is_found(lasting_service: Service, browser: Chromium, inaccessible: Findings) -> None:
    """A button without a name is reported with its rule; the browser's own complaint about a 404 does not count."""
    browser.open(lasting_service.address)
    browser.found("return document.body.dataset.view")
    browser.run("document.body.append(document.createElement('button'))")
    assert "button-name" in [rule for rule, _ in inaccessible(browser)]
    browser.run("fetch('/api/products/77')")
    browser.until(lambda: any("404" in one.message for one in browser.complaints()))
    assert browser.faults() == []

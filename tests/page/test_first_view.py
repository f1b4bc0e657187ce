"""The cost of the first view on a phone in the shop's network, as counts; times are benchmarks."""

from __future__ import annotations

from tests.browser.chromium import SHOP, Chromium
from tests.browser.first_view import MOST_BYTES, WATCH_USABLE, see_first
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import hurry
from tests.served import Service

LOADED_LATER = """
const [later] = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/script/page_care.js"));
return later && performance.getEntriesByName("usable").length && [performance.getEntriesByName("usable")[0].startTime,
  later.startTime];
"""


def test_the_first_view_takes_few_bytes_and_round_trips(make_service: ServiceMaker, make_browser: BrowserMaker) -> None:
    """All responses together, heads included, stay within the limit, also where it is the welcome of an empty shop.

    The first paint waits for styles alone. The shell names every script that is needed before the page can be used
    (`modulepreload`), so that all of them load at once. The first script to run decides which texts are needed. There
    is no service worker, because this is plain HTTP.
    """
    service = make_service(allowed_hosts=SHOP)
    address = service.address.replace("127.0.0.1", SHOP)
    empty = see_first(make_browser(), address)
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    stocked = see_first(make_browser(), address)
    assert [name for name in stocked.blocking if not name.endswith(".css")] == []
    [texts] = stocked.unnamed
    assert texts.endswith("/languages/en.js")
    assert max(empty.received, stocked.received) <= MOST_BYTES


def test_all_else_is_loaded_after_the_first_view(service: Service, browser: Chromium) -> None:
    """It does not compete with the first view for the network."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH_USABLE)
    browser.open(service.address)
    usable, later = browser.found(LOADED_LATER)
    assert later - usable > 2000


def test_the_font_is_used_from_the_second_start_on(service: Service, browser: Chromium) -> None:
    """It is fetched after everything else, so that no text jumps."""
    hurry(browser)
    browser.open(service.address)
    browser.found("return localStorage['barcodesvc.settings']?.includes('inter.woff2')")
    assert browser.run("return document.fonts.size") == 0
    browser.driver.refresh()
    browser.found("return [...document.fonts].some(({ status }) => status === 'loaded')")

"""The start: what the first view costs on a phone, as counts; the welcome of an empty shop, and the way to a phone."""

from tests.browser.chromium import SHOP, Chromium
from tests.browser.first_view import MOST_BYTES, WATCH_USABLE, see_first
from tests.browser.keyboard import scan
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import await_service, control, hurry, press, write
from tests.page.scanning import made
from tests.served import Service

LOADED_LATER = """
const [later] = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/script/page_care.js"));
return later && performance.getEntriesByName("usable").length && [performance.getEntriesByName("usable")[0].startTime,
  later.startTime];
"""
STEPS = "return document.querySelector('.first-steps') !== null"
CODE = "const code = document.querySelector('.phone-code'); return code !== null && code.naturalWidth > 0"
MOVED = "const moved = document.querySelector('.movements-side'); return moved?.checkVisibility() && moved.innerText"
ASKED = "return performance.getEntriesByType('resource').some((one) => one.name.includes('limit=1'))"
LATER = "return performance.getEntriesByType('resource').some((one) => one.name.endsWith('/kiosk/view.js'))"
WATCH_SHIFTS = """
window.shifts = [];
new MutationObserver((_, watch) => {
  if (!document.body?.dataset.view) return;
  watch.disconnect();
  window.first = document.querySelector('.first-steps') !== null;
  const namesOf = ({ sources }) => sources.map(({ node }) => node?.className);
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(namesOf))).observe({ type: 'layout-shift' });
}).observe(document, { attributes: true, attributeFilter: ['data-view'], subtree: true });
"""
HANG = """
{
  const { fetch } = window;
  window.fetch = (address, ...rest) => !String(address).includes('limit=1') ? fetch(address, ...rest) :
    new Promise((go) => { window.release = () => go(fetch(address, ...rest)) });
}
"""
HINT = "return document.querySelector('.product').innerText.includes('Each scan shows a product')"


def test_the_first_view_takes_few_bytes_and_round_trips(make_service: ServiceMaker, make_browser: BrowserMaker) -> None:
    """All responses together, heads included, stay within the limit, also where it is the welcome of an empty shop.

    The first paint waits for styles alone. The shell names every script that is needed before the page can be used
    (`modulepreload`), so that all of them load at once. The first script to run decides which texts are needed. There
    is no service worker, because this is plain HTTP.
    """
    service = make_service(allowed_hosts=SHOP)
    address = service.address.replace("127.0.0.1", SHOP)
    empty = see_first(make_browser(), address)
    made(service, "A-1")
    stocked = see_first(make_browser(), address)
    assert [name for name in stocked.blocking if not name.endswith(".css")] == []
    [texts] = stocked.unnamed
    assert texts.endswith("/languages/en.js")
    assert max(empty.received, stocked.received) <= MOST_BYTES


def test_all_else_is_loaded_after_the_first_view_and_the_font_last(service: Service, browser: Chromium) -> None:
    """It does not compete with the first view for the network; the font is used from the second start on."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH_USABLE)
    browser.open(service.address)
    usable, later = browser.found(LOADED_LATER)
    assert later - usable > 2000
    browser.found("return localStorage['barcodesvc.settings']?.includes('inter.woff2')")
    assert browser.run("return document.fonts.size") == 0
    browser.driver.refresh()
    browser.found("return [...document.fonts].some(({ status }) => status === 'loaded')")


def test_an_empty_shop_offers_a_demo_to_look_around(service: Service, browser: Chromium) -> None:
    """Nothing moves from under a finger; the demo fills the shop once, and then the start view is Scan."""
    hurry(browser)
    await_service(browser)
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH_SHIFTS)
    browser.resize(390, 844, mobile=True)
    browser.open(service.address)
    browser.shows("Your shop is empty")
    browser.found(LATER)
    assert browser.run("return [window.first, window.shifts]") == [True, []]
    press(browser, "Load demo products")
    browser.shows("12 demo products loaded")
    browser.shows("Oat biscuits 250 g")
    press(browser, "Scan", "link")
    browser.shows("Ready. Scan a code.")
    codes = [one["product_code"] for one in service.call("GET", "/api/products?search=95212340")["data"]]
    assert len(codes) == 6


def test_the_first_product_is_scanned(service: Service, browser: Chromium) -> None:
    """In a form that opens by its tile, or with the scan; on a phone too, once phones can open its address."""
    await_service(browser)
    browser.open(service.address)
    press(browser, "Open on a phone")
    browser.shows("BARCODESVC_HOST=0.0.0.0")
    press(browser, "Close")
    press(browser, "Scan your first product")
    control(browser, "field", "Code")
    press(browser, "Cancel")
    scan(browser, "A-1")
    write(browser, "Description", "Blue pen")
    assert control(browser, "field", "Code").get_attribute("value") == "A-1"
    press(browser, "Save")
    browser.shows("Blue pen")
    assert [one["product_code"] for one in service.call("GET", "/api/products")["data"]] == ["A-1"]


def test_the_start_waits_a_moment_for_a_slow_service(service: Service, browser: Chromium) -> None:
    """Then it opens without the first steps, which do not come later."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HANG)
    browser.open(service.address)
    browser.shows("Ready. Scan a code.")
    browser.run("release()")
    browser.found(ASKED)
    assert not browser.run(STEPS)


def test_the_start_of_a_stocked_shop_says_what_a_scan_does_and_what_moved(service: Service, browser: Chromium) -> None:
    """A scan replaces the sentence by its product, and the first stock change the movements by this device's own."""
    made(service, "A-1", initial_level=3)
    hurry(browser)
    browser.open(service.address)
    browser.shows("Each scan shows a product. Nothing changes.")
    browser.until(lambda: "Blue pen" in (browser.run(MOVED) or ""))
    assert browser.run(HINT)
    scan(browser, "A-1")
    browser.shows("Found")
    assert "initial stock" in browser.run(MOVED)
    assert not browser.run(HINT)
    press(browser, "Add 1")
    browser.shows("Added: 1")
    assert not browser.run(MOVED)


def test_in_the_network_the_address_is_a_qr_code(make_service: ServiceMaker, browser: Chromium) -> None:
    """Over plain HTTP it says what phones cannot do, and which settings are missing."""
    service = make_service(allowed_hosts=SHOP)
    browser.open(f"{service.address.replace('127.0.0.1', SHOP)}/#settings")
    press(browser, "Open on a phone")
    browser.shows("BARCODESVC_TLS_CERT")
    browser.found(CODE)

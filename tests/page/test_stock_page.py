"""The stock on the page: what is low, and what moved, by whom, with an undo for each."""

from __future__ import annotations

from functools import partial

import pytest
from selenium.webdriver.common.keys import Keys

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import choose, control, hurry, keys, press, write
from tests.served import Service

CHANGES = """
return [...document.querySelectorAll('[data-movement] .difference')].map(({ innerText }) => innerText)
"""
COVERED = """
const notice = document.querySelector('.notice').getBoundingClientRect();
return [...document.querySelectorAll('h1, .row.apart a, .row.apart button, nav a')].filter((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return left < notice.right && right > notice.left && top < notice.bottom && bottom > notice.top;
}).map((one) => one.outerHTML);
"""
HOLD = """
const { fetch } = window;
const held = [];
window.fetch = (...asked) => new Promise((go) => held.push(() => go(fetch(...asked))));
window.release = () => (window.fetch = fetch, held.forEach((go) => go()));
"""
"""Requests wait until they are released."""
LOADING = """
const says = document.body.dataset.view === arguments[0] && document.querySelector('main').innerText;
return says && says.includes('Loading');
"""
MINUS = "\N{MINUS SIGN}"
CHOSEN = "return document.querySelector('.only')?.innerText ?? ''"
ROWS = """
return [...document.querySelectorAll('.buying tbody tr')].map((row) => [...row.cells].map(
  (cell) => (cell.querySelector('.clamped') ?? cell).textContent))
"""
IMPORT = """
const form = new FormData();
form.append('file', new Blob([arguments[0]]), 'shop.csv');
return fetch('/api/products/import?format=csv', { method: 'POST', body: form }).then(({ status }) => status);
"""
CATCH_WHAT_LEAVES = """
window.printed = 0;
window.print = () => (window.printed += 1);
navigator.share = async ({ text }) => (window.shared = text);
HTMLAnchorElement.prototype.click = async function () {
  window.saved = await (await fetch(this.href)).text();
};
"""
"""Records what is printed, shared and saved."""
LOW = "return document.querySelector('section.card')?.innerText ?? ''"


@pytest.fixture
def shop(make_service: ServiceMaker) -> Service:
    """Return a service with two products, one of which is low."""
    service = make_service(rate_limit="off")
    for code, level in (("A-1", 9), ("B-1", 3)):
        body = {"product_code": code, "description": f"Part {code}", "initial_level": level, "minimum_level": 5}
        service.call("POST", "/api/products", body)
    return service


def booked(shop: Service, product_id: int, delta: int, author: str) -> None:
    """Change a level."""
    shop.call("POST", f"/api/inventory/{product_id}/adjust", {"delta": delta, "updated_by": author})


def test_what_is_low_and_what_is_out_of_stock_is_listed(shop: Service, browser: Chromium) -> None:
    """With its level and its minimum, and a link to the product; a product without a minimum is never low."""
    for code, level in (("D-1", 0), ("D-2", 4)):
        shop.call(
            "POST", "/api/products", {"product_code": code, "description": f"Part {code}", "initial_level": level}
        )
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: "Part B-1" in browser.run(LOW))
    assert "Part A-1" not in browser.run(LOW)
    browser.shows("1 product")
    press(browser, "Out of stock", "field")
    browser.until(lambda: "Part D-1" in browser.run(LOW))
    assert "Part D-2" not in browser.run(LOW)
    press(browser, "Low stock", "field")
    press(browser, "Part B-1", "link")
    browser.until(lambda: "#products/2" in browser.driver.current_url)


def test_an_undo_of_what_moved_changes_what_is_low(shop: Service, browser: Chromium) -> None:
    """Both lists follow, and the change is marked as undone."""
    booked(shop, 1, -6, "Anna")
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: "Part A-1" in browser.run(LOW))
    press(browser, f"Undo {MINUS}6 A-1")
    browser.shows("Undone. The stock is now 9.")
    browser.until(lambda: "Part A-1" not in browser.run(LOW))
    assert browser.run(CHANGES) == ["+6", f"{MINUS}6", "+3", "+9"]
    browser.shows("undone")


@pytest.mark.parametrize("width", [360, pytest.param(1366, marks=pytest.mark.full_run)])
def test_what_is_announced_covers_no_button_of_the_view(shop: Service, browser: Chromium, width: int) -> None:
    """After undoing one change, a person can undo the next at once."""
    browser.resize(width, 740)
    browser.open(f"{shop.address}/#stock")
    press(browser, "Undo")
    browser.shows("Undone. The stock is now")
    browser.run("scrollTo(0, 0)")
    assert browser.run(COVERED) == []


def test_lists_that_wait_for_the_network_say_so(shop: Service, browser: Chromium) -> None:
    """Until the response comes."""
    browser.open(f"{shop.address}/#settings")
    browser.shows("Scanner")
    browser.run(HOLD)
    for view in ("labels", "products", "stock"):
        browser.run("location.hash = arguments[0]", view)
        browser.until(partial(browser.run, LOADING, view))
    browser.run("release()")
    browser.until(lambda: browser.run(LOADING, "stock") is False)


def test_an_undo_whose_response_is_lost_counts_once(shop: Service, browser: Chromium) -> None:
    """The list shows at once what became of it."""
    booked(shop, 1, -6, "Anna")
    browser.open(f"{shop.address}/#stock")
    control(browser, "button", "Undo")
    browser.run(
        "const real = window.fetch; window.fetch = async (...asked) => {"
        "  const response = await real(...asked); if (!String(asked[0]).endsWith('/undo')) return response;"
        "  window.fetch = real; throw new TypeError('lost') }"
    )
    press(browser, f"Undo {MINUS}6 A-1")
    browser.shows("The service cannot be reached.")
    browser.until(lambda: browser.run(CHANGES)[:2] == ["+6", f"{MINUS}6"])
    browser.shows("undone")
    assert len(shop.call("GET", "/api/inventory/1/history")["data"]) == 3


def test_who_moved_what_is_asked_for(shop: Service, browser: Chromium) -> None:
    """By name, by product and by day; on another day there is nothing."""
    booked(shop, 1, 1, "Anna")
    booked(shop, 2, 2, "Ben")
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: browser.run(CHANGES) == ["+2", "+1", "+3", "+9"])
    write(browser, "Who", "Anna\t")
    browser.until(lambda: browser.run(CHANGES) == ["+1"])
    write(browser, "Who", "\t")
    browser.until(lambda: len(browser.run(CHANGES)) == 4)
    write(browser, "Search products", "B-1")
    browser.found("return document.querySelector('.offered li') !== null")
    browser.run("document.querySelector('.offered li').click()")
    browser.until(lambda: browser.run(CHANGES) == ["+2", "+3"])
    press(browser, "All products")
    browser.until(lambda: len(browser.run(CHANGES)) == 4)
    browser.run(
        "const [field] = document.querySelectorAll('input[type=date]'); field.value = '2099-01-01';"
        "field.dispatchEvent(new Event('change'))"
    )
    browser.shows("Nothing moved in this period.")


def test_a_scan_loses_no_filter(shop: Service, browser: Chromium) -> None:
    """The way back leads to the same list and movements."""
    booked(shop, 1, 1, "Anna")
    booked(shop, 2, 2, "Anna")
    booked(shop, 2, 4, "Ben")
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: len(browser.run(CHANGES)) == 5)
    press(browser, "Out of stock", "field")
    write(browser, "Search products", "B-1\n")
    browser.until(lambda: browser.run(CHANGES) == ["+4", "+2", "+3"])
    write(browser, "Who", "Anna\t")
    browser.until(lambda: browser.run(CHANGES) == ["+2"])
    browser.run("document.activeElement.blur()")
    scan(browser, "A-1")
    browser.until(lambda: browser.run("return location.hash") == "#products/1")
    browser.driver.back()
    browser.until(lambda: browser.run(CHANGES) == ["+2"])
    assert control(browser, "field", "Who").get_attribute("value") == "Anna"
    browser.until(lambda: "Part B-1" in browser.run(CHOSEN))
    browser.shows("No product is out of stock.")


@pytest.mark.full_run
def test_older_changes_come_a_page_at_a_time(shop: Service, browser: Chromium) -> None:
    """To the first one of the day."""
    for _ in range(60):
        booked(shop, 1, 1, "Anna")
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: len(browser.run(CHANGES)) == 50)
    press(browser, "Older movements")
    browser.until(lambda: len(browser.run(CHANGES)) == 62)


def test_without_the_service_both_lists_say_so(shop: Service, browser: Chromium) -> None:
    """Each can be tried again."""
    hurry(browser)
    browser.open(f"{shop.address}/#scan")
    browser.shows("Ready.")
    browser.run("return navigator.serviceWorker.ready.then(() => true)")
    browser.run("return import(document.querySelector('script').src.replace('main.js', 'stock/view.js')).then(() => 1)")
    shop.kill()
    browser.run("location.hash = '#stock'")
    failures = "return document.querySelectorAll('.failure').length"
    browser.until(lambda: browser.run(failures) == 2)
    shop.start()
    press(browser, "Try again")
    browser.until(lambda: browser.run(failures) == 1)
    press(browser, "Try again")
    browser.until(lambda: browser.run(failures) == 0)
    browser.shows("Part B-1")


@pytest.mark.full_run
def test_enter_takes_the_very_code_in_the_search(shop: Service, browser: Chromium) -> None:
    """And no older product whose code only begins with it."""
    for code in ("Z-10", "Z-1"):
        shop.call("POST", "/api/products", {"product_code": code, "description": f"Part {code}"})
    browser.open(f"{shop.address}/#stock")
    write(browser, "Search products", "Z-1")
    browser.until(lambda: browser.run("return document.querySelectorAll('#offered li').length") == 2)
    keys(browser, Keys.ENTER)
    browser.until(
        lambda: browser.run("return document.querySelector('.only')?.innerText ?? ''").startswith("Part Z-1 ")
    )


@pytest.mark.parametrize("width", [390, pytest.param(1366, marks=pytest.mark.full_run)])
def test_what_to_buy_is_printed_shared_and_saved(shop: Service, browser: Chromium, width: int) -> None:
    """Up to the maximum, or else up to the minimum, by supplier if the shop wants it; on paper it is alone."""
    body = {"product_code": "C-1", "description": "Part C-1", "maximum_level": 20, "attributes": {"supplier": "Acme"}}
    shop.call("POST", "/api/products", body)
    browser.resize(width, 800)
    browser.open(f"{shop.address}/#stock")
    browser.run(CATCH_WHAT_LEAVES)
    press(browser, "To buy", "link")
    browser.until(lambda: browser.run(ROWS) == [["Part B-1", "3", "2 pcs"], ["Part C-1", "0", "20 pcs"]])
    choose(browser, "Group by", "supplier")
    grouped = [["Acme"], ["Part C-1", "0", "20 pcs"], ["Others"], ["Part B-1", "3", "2 pcs"]]
    browser.until(lambda: browser.run(ROWS) == grouped)
    press(browser, "CSV", "link")
    assert '"Acme","C-1","Part C-1"' in browser.found("return window.saved")
    press(browser, "Share")
    times = "\N{MULTIPLICATION SIGN}"
    assert browser.found("return window.shared") == f"Acme:\n20 {times} Part C-1 (C-1)\n\n2 {times} Part B-1 (B-1)"
    press(browser, "Print")
    assert browser.run("return printed") == 1
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    assert browser.run("return document.querySelector('.navigation').checkVisibility()") is False
    browser.shows("Part C-1")


def test_the_movements_of_an_import_are_a_row_that_opens(shop: Service, make_browser: BrowserMaker) -> None:
    """However many pages they are; each of them can be undone."""
    rows = "\n".join(f"I-{number},Part I-{number},{number + 1}" for number in range(120))
    booked(shop, 1, 1, "Anna")
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#settings")
    assert browser.run(IMPORT, f"SKU,Name,Qty\n{rows}\n") == 200
    browser.run("location.hash = '#stock'")
    press(browser, "120 Bewegungen")
    browser.until(lambda: len(browser.run(CHANGES)) == 123)
    assert browser.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    press(browser, "Rückgängig: +120 I-119")
    browser.shows("Der Bestand ist jetzt 0.")
    browser.until(lambda: browser.run(CHANGES)[:2] == [f"{MINUS}120", "+120"])


def test_the_stock_is_fresh_while_it_is_looked_at(shop: Service, browser: Chromium) -> None:
    """New movements arrive above the others, without a loss of the focus or of what is typed."""
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: "Part B-1" in browser.run(LOW) and len(browser.run(CHANGES)) == 2)
    browser.run("document.querySelector('[data-movement=\"1\"] button').focus()")
    booked(shop, 1, -6, "Anna")
    shop.call("POST", "/api/inventory/changes/2/undo", {"updated_by": "Ben"})
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    browser.until(lambda: browser.run(CHANGES) == [f"{MINUS}3", f"{MINUS}6", "+3", "+9"])
    browser.until(lambda: "Part A-1" in browser.run(LOW))
    assert browser.run("return document.activeElement.closest('li').dataset.movement") == "1"
    browser.shows("undone")

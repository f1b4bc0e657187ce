"""The stock on the page: what is low, and what moved, by whom, with an undo for each."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, hurry, keys, press, write
from tests.page.scanning import made
from tests.served import Service

CHANGES = """
return [...document.querySelectorAll('[data-movement] .difference')].map(({ innerText }) => innerText)
"""
HOLD = """
const { fetch } = window;
const held = [];
window.fetch = (...asked) => new Promise((go) => held.push(() => go(fetch(...asked))));
window.release = () => (window.fetch = fetch, held.forEach((go) => go()));
"""
"""Requests wait until they are released."""
LOSE_UNDO = """
const real = window.fetch;
window.fetch = async (...asked) => {
  const response = await real(...asked);
  if (!String(asked[0]).endsWith('/undo')) return response;
  window.fetch = real;
  throw new TypeError('lost');
};
"""
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
FAILURES = "return document.querySelectorAll('.failure').length === arguments[0]"
LOW = "return document.querySelector('section.card')?.innerText ?? ''"


@pytest.fixture
def shop(make_service: ServiceMaker) -> Service:
    """Return a service with two products, one of which is low."""
    service = make_service(rate_limit="off")
    for code, level in (("A-1", 9), ("B-1", 3)):
        made(service, code, f"Part {code}", initial_level=level, minimum_level=5)
    return service


def booked(shop: Service, product_id: int, delta: int, author: str) -> None:
    """Change a level."""
    shop.call("POST", f"/api/inventory/{product_id}/adjust", {"delta": delta, "updated_by": author})


def moved(browser: Chromium, *amounts: str) -> None:
    """Wait until the list has these movements."""
    browser.until(lambda: browser.run(CHANGES) == [*amounts])


def test_what_is_low_or_out_and_what_moved_is_listed_and_fresh(shop: Service, browser: Chromium) -> None:
    """An undo changes both lists, also if its response is lost, and new movements leave the focus where it is."""
    made(shop, "D-1", "Part D-1")
    booked(shop, 1, -6, "Anna")
    browser.open(f"{shop.address}/#stock")
    browser.until(lambda: "Part A-1" in browser.run(LOW) and "Part D-1" not in browser.run(LOW))
    browser.shows("2 products")
    press(browser, f"Undo {MINUS}6 A-1")
    browser.shows("Undone. The stock is now 9.")
    browser.until(lambda: "Part A-1" not in browser.run(LOW))
    moved(browser, "+6", f"{MINUS}6", "+3", "+9")
    browser.shows("undone")
    browser.run(LOSE_UNDO)
    press(browser, "Undo +6 A-1")
    browser.shows("The service cannot be reached.")
    moved(browser, f"{MINUS}6", "+6", f"{MINUS}6", "+3", "+9")

    browser.run("document.querySelector('[data-movement=\"2\"] button').focus()")
    booked(shop, 1, 1, "Anna")
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    moved(browser, "+1", f"{MINUS}6", "+6", f"{MINUS}6", "+3", "+9")
    assert browser.run("return document.activeElement.closest('li').dataset.movement") == "2"
    press(browser, "Out of stock", "field")
    browser.until(lambda: "Part D-1" in browser.run(LOW) and "Part B-1" not in browser.run(LOW))
    press(browser, "Part D-1", "link")
    browser.until(lambda: "#products/3" in browser.driver.current_url)


def test_who_moved_what_is_asked_for_and_no_filter_is_lost(shop: Service, browser: Chromium) -> None:
    """By name, product and day; the way back from a scan leads to the same movements."""
    booked(shop, 1, 1, "Anna")
    booked(shop, 2, 2, "Anna")
    booked(shop, 2, 4, "Ben")
    browser.open(f"{shop.address}/#stock")
    moved(browser, "+4", "+2", "+1", "+3", "+9")
    write(browser, "Search products", "A-1")
    browser.found("return document.querySelector('.offered li') !== null")
    browser.run("document.querySelector('.offered li').click()")
    moved(browser, "+1", "+9")
    press(browser, "All products")
    write(browser, "Search products", "B-1")
    browser.found("return document.querySelector('#offered li') !== null")
    keys(browser, Keys.ENTER)
    moved(browser, "+4", "+2", "+3")
    write(browser, "Who", "Anna\t")
    moved(browser, "+2")
    browser.run("document.activeElement.blur()")
    scan(browser, "A-1")
    browser.until(lambda: browser.run("return location.hash") == "#products/1")
    browser.driver.back()
    moved(browser, "+2")
    assert control(browser, "field", "Who").get_attribute("value") == "Anna"
    browser.until(lambda: "Part B-1" in browser.run(CHOSEN))
    browser.run(
        "const [field] = document.querySelectorAll('input[type=date]'); field.value = '2099-01-01';"
        "field.dispatchEvent(new Event('change'))"
    )
    browser.shows("Nothing moved in this period.")


def test_lists_that_wait_for_the_network_or_have_none_say_so(shop: Service, browser: Chromium) -> None:
    """Until the response comes; without the service, each can be tried again."""
    hurry(browser)
    browser.open(f"{shop.address}/#settings")
    browser.shows("Scanner")
    browser.run(HOLD)
    for view in ("labels", "products", "stock"):
        browser.run("location.hash = arguments[0]", view)
        browser.found(LOADING, view)
    browser.run("release()")
    browser.until(lambda: browser.run(LOADING, "stock") is False)
    browser.run("location.hash = '#scan'")
    browser.shows("Ready.")
    browser.run("return navigator.serviceWorker.ready.then(() => true)")
    shop.kill()
    browser.run("location.hash = '#stock'")
    browser.found(FAILURES, 2)
    shop.start()
    for left in (1, 0):
        press(browser, "Try again")
        browser.found(FAILURES, left)
    browser.shows("Part B-1")


def test_what_to_buy_is_printed_shared_and_saved(shop: Service, browser: Chromium) -> None:
    """Up to the maximum, or else up to the minimum, by supplier if the shop wants it; on paper it is alone."""
    made(shop, "C-1", "Part C-1", maximum_level=20, attributes={"supplier": "Acme"})
    browser.resize(390, 800)
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


def test_older_movements_come_by_pages_and_an_import_is_one_row(shop: Service, browser: Chromium) -> None:
    """However many pages an import has; it opens, and each of its movements can be undone."""
    rows = "\n".join(f"I-{number},Part I-{number},{number + 1}" for number in range(120))
    browser.open(f"{shop.address}/#settings")
    assert browser.run(IMPORT, f"SKU,Name,Qty\n{rows}\n") == 200
    for _ in range(60):
        booked(shop, 1, 1, "Anna")
    browser.run("location.hash = '#stock'")
    browser.until(lambda: len(browser.run(CHANGES)) == 50)
    press(browser, "Older movements")
    browser.until(lambda: len(browser.run(CHANGES)) == 62)
    press(browser, "120 movements")
    browser.until(lambda: len(browser.run(CHANGES)) == 182)
    assert browser.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    press(browser, "Undo +120 I-119")
    browser.shows("The stock is now 0.")
    browser.until(lambda: browser.run(CHANGES)[:1] == [f"{MINUS}120"])

"""The catalogue on the page: found and sorted, changed together, and one product with its stock and its movements."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, keys, press, write
from tests.page.scanning import made
from tests.served import Service

NAMES = "return [...document.querySelectorAll('.product-link .clamped')].map((each) => each.innerText)"
HOSTILE = "<img src=x onerror=alert(1)>\N{RIGHT-TO-LEFT OVERRIDE}<script>alert(2)</script>"
MARKUP = "return document.querySelectorAll('main img[src=x], main script, main b, main i').length"
CHART = "return document.querySelector('.chart svg')?.getAttribute('aria-label') ?? ''"
SHOWN_FIELDS = """
return Object.fromEntries([...document.querySelectorAll('.fields > div')].map((row) => [...row.children])
  .map(([name, value]) => [name.innerText, value.innerText]))
"""
TITLE = "return [...document.querySelectorAll('h1')].at(-1).innerText"
LIST_IS_VISIBLE = "return document.querySelector('.list-side').checkVisibility()"
KEEP_ADDRESSES = """
window.addresses = [];
addEventListener('hashchange', ({ newURL }) => addresses.push(new URL(newURL).hash));
"""
"""The view of labels takes the products out of its address as soon as it has read them."""
WAS_AT = "return addresses.includes(arguments[0])"
PRESS_WITH_SHIFT = "arguments[0].dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }))"
FOCUSED = "return document.activeElement.getAttribute('aria-label')"
FIGURE = "return document.querySelector('.figure strong').innerText"
LEVEL_CARD = "return document.querySelector('.product-level').innerText"
TALL_ROWS = """
const row = 2.75 * parseFloat(getComputedStyle(document.documentElement).fontSize);
return [...document.querySelectorAll('.product-table tbody tr')].filter(({ offsetHeight }) => offsetHeight > row + 2)
  .map(({ innerText }) => innerText);
"""
BROKEN_WORDS = """
return [...document.querySelectorAll('.product-table :is(.code, .plain bdi, .moment)')]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 1).map((one) => one.innerText);
"""
MINUS = "\N{MINUS SIGN}"
WATCHED = """
window.asked = [];
window.most = 0;
let underWay = 0;
const asking = window.fetch;
window.fetch = async (address, ...rest) => {
  const search = new URL(address, location.href).searchParams.get('search');
  if (!search) return asking(address, ...rest);
  asked.push(search);
  most = Math.max(most, ++underWay);
  return asking(address, { ...rest[0], signal: null }).finally(() => (underWay -= 1));
};
"""
"""Records the searches, and how many the service handles at once: it does not cancel abandoned ones."""
LOSE_FIRST_RESPONSE = """
window.sent = [];
const sending = window.fetch;
window.fetch = async (address, options) => {
  const response = await sending(address, options);
  if (options?.method !== 'POST' || !String(address).endsWith('/api/products')) return response;
  sent.push(options.headers['Idempotency-Key']);
  if (sent.length === 1) throw new TypeError('the network is gone');
  return response;
};
"""
SAVED_FILES = """
window.saved = [];
addEventListener('click', (event) => {
  if (!event.target.download && event.target.download !== '') return;
  if (event.defaultPrevented) return;
  event.preventDefault();
  saved.push(event.target.href);
});
HTMLAnchorElement.prototype.click = function () { saved.push(this.href); };
"""


@pytest.fixture
def shop(make_service: ServiceMaker) -> Service:
    """Return a service without limits, so that a test may send as many requests as it needs."""
    return make_service(rate_limit="off", upload_rate_limit="off")


def lists(browser: Chromium, *names: str) -> None:
    """Wait until the list has these products."""
    browser.until(lambda: browser.run(NAMES) == [*names])


def test_the_first_product_is_created_by_the_keyboard_and_once(shop: Service, browser: Chromium) -> None:
    """An empty catalogue says how to begin, the form what is missing; after a lost response it is saved again."""
    browser.open(f"{shop.address}/#products")
    browser.shows("No products yet.")
    browser.shows("Drop a spreadsheet anywhere on this page")
    for _ in range(20):
        keys(browser, Keys.TAB)
        if browser.run("return document.activeElement.innerText").strip() == "New product":
            break
    keys(browser, Keys.ENTER)
    keys(browser, "A-1")
    press(browser, "Save")
    browser.shows("Description is missing")
    browser.run(LOSE_FIRST_RESPONSE)
    keys(browser, "Blue pen", *[Keys.TAB] * 5, "3", Keys.ENTER, Keys.ENTER)
    browser.shows("The service cannot be reached.")
    press(browser, "Save")
    browser.until(lambda: "#products/1" in browser.driver.current_url)
    first, second = browser.run("return sent")
    assert first == second
    assert [change["updated_by"] for change in shop.call("GET", "/api/inventory/changes")["data"]] == ["Ann"]


def test_the_list_is_searched_while_somebody_types_one_search_at_a_time(shop: Service, browser: Chromium) -> None:
    """A search in a large catalogue takes seconds, even if its result is no longer wanted; texts stay texts."""
    made(shop, "<b>A-1</b>", HOSTILE, category="<i>x</i>")
    made(shop, "P-2", "Pen 2")
    browser.open(f"{shop.address}/#products")
    browser.shows("<b>A-1</b>")
    press(browser, "<img", "link")
    browser.shows("<i>x</i>")
    browser.shows("<script>alert(2)</script>")
    assert browser.run(MARKUP) == 0
    browser.driver.back()
    browser.slow_down(latency=1500, kilobits=10_000, processor=1)
    browser.run(WATCHED)
    write(browser, "Search", "Pen")
    browser.until(lambda: browser.run("return asked") == ["Pen"])
    keys(browser, " 2")
    browser.until(lambda: browser.run("return asked") == ["Pen", "Pen 2"])
    assert browser.run("return most") == 1
    lists(browser, "Pen 2")
    write(browser, "Search", "pencil")
    browser.shows("No product matches.")
    press(browser, "Show all products")
    browser.until(lambda: len(browser.run(NAMES)) == 2)


def test_products_are_paged_sorted_filtered_and_changed_together(shop: Service, browser: Chromium) -> None:
    """What is shown is in the address, so that the way back from a product leads to it, with the selection."""
    for number in range(115):
        made(shop, f"P-{number}", f"Part {number}")
    for code, level in (("A-1", 9), ("A-2", 1), ("A-3", 3), ("A-4", 2), ("A-5", 0)):
        made(shop, code, f"Axle {code}", initial_level=level, minimum_level=5)
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products")
    browser.shows("of 3")
    write(browser, "Page", "3\n")
    browser.until(lambda: browser.run(NAMES)[0] == "Part 100")
    assert not control(browser, "button", "Next page").is_enabled()
    press(browser, "Part 110", "link")
    browser.shows("P-110")
    browser.driver.back()
    browser.until(lambda: browser.run(NAMES)[:1] == ["Part 100"])
    write(browser, "Search", "Axle")
    browser.shows("5 products")
    for first in ("Axle A-5", "Axle A-1"):
        press(browser, "Stock")
        browser.until(lambda: browser.run(NAMES)[0] == first)  # noqa: B023 - called at once
    assert browser.run("return document.querySelector('[aria-sort=descending]').innerText") == "Stock"
    choose(browser, "Stock", "Low")
    choose(browser, "Moved", "Today")
    lists(browser, "Axle A-3", "Axle A-4", "Axle A-2")
    assert browser.driver.current_url.endswith("#products?search=Axle&stock=low&moved=1&sort=-current_level")
    press(browser, "Select A-3", "field")
    browser.run(PRESS_WITH_SHIFT, control(browser, "field", "Select A-2"))
    browser.shows("3 selected")
    press(browser, "Set category")
    write(browser, "Category", "Iron\n")
    browser.shows("3 products were changed.")
    press(browser, "Iron")
    browser.until(lambda: "category=Iron" in browser.driver.current_url)
    press(browser, "Axle A-4", "link")
    browser.until(lambda: browser.run(TITLE) == "Axle A-4")
    browser.driver.back()
    browser.until(lambda: browser.run(TITLE) == "Products")
    browser.run(KEEP_ADDRESSES)
    press(browser, "Print labels")
    browser.found(WAS_AT, "#labels?products=118,119,117")


def test_products_refuse_a_change_and_are_deleted_after_a_question(shop: Service, browser: Chromium) -> None:
    """On a phone: those that refuse stay in the dialog; to cancel the question keeps them."""
    made(shop, "A-1", "Blue pen", maximum_level=5)
    made(shop, "A-2", "Red pen")
    browser.resize(390, 664)
    browser.open(f"{shop.address}/#products")
    press(browser, "Select all", "field")
    press(browser, "Set minimum")
    write(browser, "Minimum stock", "8")
    press(browser, "Save")
    browser.shows("1 product was not changed. A-1:")
    write(browser, "Minimum stock", "4")
    press(browser, "Save")
    browser.found("return document.querySelector('dialog') === null")
    assert [each["minimum_level"] for each in shop.call("GET", "/api/inventory")["data"]] == [4, 8]
    press(browser, "Blue pen", "link")
    browser.until(lambda: browser.run(TITLE) == "Blue pen")
    press(browser, "Delete")
    browser.shows("Delete Blue pen?")
    press(browser, "Cancel")
    browser.found("return document.querySelector('dialog') === null")
    press(browser, "Delete")
    press(browser, "Delete")
    browser.shows("1 product was deleted.")
    lists(browser, "Red pen")
    assert browser.run("return document.querySelector('.bulk').checkVisibility()") is False
    made(shop, "A-3", "Nut")
    browser.driver.refresh()
    press(browser, "Select all", "field")
    press(browser, "Delete")
    browser.shows("Delete 2 products?")
    write(browser, "To confirm, type: 2", "2")
    press(browser, "Delete")
    browser.shows("No products yet.")


def test_list_and_product_are_side_by_side(shop: Service, browser: Chromium) -> None:
    """A scan opens its product, unless what was typed would be lost; the search keeps its text; details are columns."""
    for code in ("A-1", "A-2"):
        made(shop, code, f"Part {code}", initial_level=5, attributes={"price": "2.99", "shelf": "B 4"})
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products?search=part")
    press(browser, "Select A-2", "field")
    press(browser, "Part A-1", "link")
    browser.until(lambda: browser.run(TITLE) == "Part A-1")
    browser.shows("1 selected")
    assert browser.run("return document.querySelector('[aria-current=true]').innerText").startswith("Part A-1")
    press(browser, "Edit product")
    write(browser, "Description", "Green part")
    write(browser, "Text of price", "3.49")
    press(browser, "Remove shelf")
    press(browser, "Save")
    browser.until(lambda: browser.run(SHOWN_FIELDS).get("price") == "3.49")
    assert shop.call("GET", "/api/products/1")["data"]["attributes"] == {"price": "3.49"}
    lists(browser, "Green part", "Part A-2")
    control(browser, "field", "Search").click()
    scan(browser, "A-2")
    browser.until(lambda: browser.run(TITLE) == "Part A-2")
    assert control(browser, "field", "Search").get_attribute("value") == "part"
    write(browser, "Reason", "counted")
    scan(browser, "A-1")
    browser.shows("This scan was ignored: A-1.")
    browser.resize(390, 844)
    assert browser.run(LIST_IS_VISIBLE) is False
    press(browser, "Products", "link")
    browser.found(LIST_IS_VISIBLE)
    browser.resize(1366, 768)
    press(browser, "Part A-2", "link")
    press(browser, "Close")
    browser.until(lambda: browser.run(TITLE) == "Products")
    press(browser, "Columns")
    press(browser, "shelf", "field")
    browser.driver.refresh()
    browser.shows("3.49")
    assert "B 4" not in browser.run("return document.querySelector('.product-table').innerText")
    scan(browser, "9521234543213")
    browser.shows("No product has this code.")
    assert control(browser, "field", "Code").get_attribute("value") == "9521234543213"


def test_a_list_breaks_no_word(shop: Service, browser: Chromium) -> None:
    """A long description leaves the other columns room, and a product that is low has a row of 44 px as well."""
    made(shop, "4006381333931", "Blue pen", category="Electronics", minimum_level=9)
    made(shop, "RES-0402-10K", "Paint", category="Hardware", initial_level=3, minimum_level=9)
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products")
    browser.shows("2 products")
    assert browser.run(TALL_ROWS) == []
    made(shop, "A-1", "A resistor on tape and reel, " * 17, category="Electronics", initial_level=3)
    for address in ("products?stock=", "products/1"):
        browser.open("about:blank")
        browser.open(f"{shop.address}/#{address}")
        browser.shows("3 products")
        assert browser.run(BROKEN_WORDS) == []


def test_a_level_is_changed_with_its_reason_without_the_network_and_back(shop: Service, browser: Chromium) -> None:
    """Each change is in the history and the chart, waits while it must, and is undone once, as its undo is."""
    made(shop, "4006381333931", "Blue pen", initial_level=5)
    browser.resize(390, 844)
    browser.open(f"{shop.address}/#products/1")
    press(browser, "Remove 1")
    browser.shows(f"{MINUS}1: the stock is now 4.")
    write(browser, "Quantity", "1,200")
    write(browser, "Reason", "counted")
    press(browser, "Count")
    browser.shows("The stock is now 1,200.")
    assert control(browser, "field", "Quantity").get_attribute("value") == ""
    browser.until(lambda: "between 0 and 1,200, now 1,200" in browser.run(CHART))
    shop.call("POST", "/api/inventory/1/adjust", {"delta": -1195})
    press(browser, "Add 1")
    browser.shows("+1: the stock is now 6. In the meantime it had changed to 5.")

    browser.go_offline()
    press(browser, "Remove 1")
    browser.shows("waiting")
    assert browser.run(FIGURE) == "5"
    browser.go_online()
    browser.shows(f"{MINUS}1: the stock is now 5.")
    write(browser, "Quantity", "9")
    press(browser, "Remove 9")
    browser.shows("There are only 5, not 9.")
    press(browser, "Discard")
    browser.until(lambda: "There are only" not in browser.run(LEVEL_CARD))

    press(browser, f"Undo {MINUS}1")
    browser.shows("Undone. The stock is now 6.")
    browser.until(lambda: browser.run(FOCUSED) == "Undo +1" and "now 6" in browser.run(CHART))
    shop.call("POST", "/api/inventory/1/adjust", {"delta": -6})
    press(browser, "Undo +1,196")
    browser.shows("There are only 0.")
    history = shop.call("GET", "/api/inventory/1/history")["data"]
    assert [each["undone_by"] for each in history] == [None, None, 7, *[None] * 5]
    browser.found("return document.querySelector('.product-view .preview img')?.naturalWidth")
    press(browser, "Print label", "link")
    browser.until(lambda: browser.driver.current_url.endswith("#labels?products=1"))


def test_an_address_without_a_product_says_so_and_a_list_without_the_service(shop: Service, browser: Chromium) -> None:
    """The list appears by itself when the network is back."""
    made(shop, "A-1", "Blue pen")
    for name in ("77", "no-such"):
        browser.open(f"{shop.address}/#products/{name}")
        browser.shows("This product does not exist.")
    browser.open(f"{shop.address}/#products")
    browser.shows("1 product")
    browser.go_offline()
    write(browser, "Search", "blue")
    browser.shows("The service cannot be reached.")
    browser.go_online()
    browser.shows("1 product")


def test_an_export_asks_for_the_key_once_the_session_is_over(make_service: ServiceMaker, browser: Chromium) -> None:
    """The menu is opened and closed by the keyboard; the file is saved after the key was entered."""
    shop = make_service(api_key="k" * 32)
    browser.open(f"{shop.address}/#products")
    write(browser, "Access key", "k" * 32)
    press(browser, "Sign in")
    browser.shows("No products yet.")
    browser.driver.delete_all_cookies()
    browser.run(SAVED_FILES)
    control(browser, "button", "Export").send_keys(Keys.ENTER)
    press(browser, "CSV", "link")
    write(browser, "Access key", "k" * 32)
    assert browser.run("return saved") == []
    press(browser, "Sign in")
    browser.until(lambda: browser.run("return saved") == [f"{shop.address}/api/products/export?format=csv"])
    control(browser, "button", "Export").send_keys(Keys.ENTER)
    keys(browser, Keys.TAB, Keys.ESCAPE)
    assert browser.run("return document.activeElement.innerText.trim()") == "Export"

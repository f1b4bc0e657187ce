"""The catalogue on the page: searched as you type, page by page, and one product with all its data."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import choose, control, keys, other_timers, press, write
from tests.served import Service

DESCRIPTIONS = "return [...document.querySelectorAll('.product-link .clamped')].map((each) => each.innerText)"
HOSTILE = "<img src=x onerror=alert(1)>\N{RIGHT-TO-LEFT OVERRIDE}<script>alert(2)</script>"
CHART = "return document.querySelector('.chart svg')?.getAttribute('aria-label') ?? ''"
CODES = """
return [...document.querySelectorAll('.product-table tbody tr')].map((row) => row.querySelector('.code').textContent)
"""
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
DELETE_AT_ONCE = other_timers("time === 10_000 ? 0 : time")
TALL_ROWS = """
const row = 2.75 * parseFloat(getComputedStyle(document.documentElement).fontSize);
return [...document.querySelectorAll('.product-table tbody tr')].filter(({ offsetHeight }) => offsetHeight > row + 2)
  .map(({ innerText }) => innerText);
"""
BROKEN_WORDS = """
return [...document.querySelectorAll('.product-table :is(.code, .plain bdi)')]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 1).map((one) => one.innerText);
"""
CUT_CHOICES = """
const ruler = document.createElement('canvas').getContext('2d');
return [...document.querySelectorAll('.filters select')].filter((one) => {
  const { font, paddingInlineStart } = getComputedStyle(one);
  ruler.font = font;
  const arrow = 20;
  const { width } = ruler.measureText(one.selectedOptions[0].text);
  return one.clientWidth < width + 2 * parseFloat(paddingInlineStart) + arrow;
}).map(({ labels }) => labels[0].innerText);
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
  try {
    return await asking(address, { ...rest[0], signal: null });
  } finally {
    underWay -= 1;
  }
};
"""
"""Records the searches, and how many the service handles at once: it does not cancel abandoned ones."""


@pytest.fixture
def shop(make_service: ServiceMaker) -> Service:
    """Return a service without limits, so that a test may send as many requests as it needs."""
    return make_service(rate_limit="off", upload_rate_limit="off")


def stocked(shop: Service, code: str, description: str, **fields: object) -> int:
    """Create a product and return its id."""
    body = {"product_code": code, "description": description, **fields}
    product_id: int = shop.call("POST", "/api/products", body)["data"]["id"]
    return product_id


def test_an_empty_catalogue_says_what_to_do(shop: Service, browser: Chromium) -> None:
    """A newcomer creates a product without reading anything else."""
    browser.open(f"{shop.address}/#products")
    browser.shows("No products yet.")
    browser.shows("Drop a spreadsheet anywhere on this page")
    press(browser, "New product")
    write(browser, "Code", "A-1")
    write(browser, "Description", "Blue pen")
    write(browser, "Current stock", "12")
    press(browser, "Save")
    browser.until(lambda: "#products/1" in browser.driver.current_url)
    browser.shows("Blue pen")
    assert shop.call("GET", "/api/inventory")["data"][0]["current_level"] == 12


def test_a_product_is_created_by_the_keyboard_alone(shop: Service, browser: Chromium) -> None:
    """Everything is reached by Tab, in order, and an opened part gets the focus. The first stock names the person."""
    browser.open(f"{shop.address}/#products")
    browser.shows("No products yet.")
    for _ in range(20):
        keys(browser, Keys.TAB)
        if browser.run("return document.activeElement.innerText").strip() == "New product":
            break
    keys(browser, Keys.ENTER)
    keys(browser, "A-1", Keys.TAB, "Blue pen", *[Keys.TAB] * 5, "3", Keys.ENTER, Keys.ENTER)
    browser.until(lambda: "#products/1" in browser.driver.current_url)
    browser.shows("Blue pen")
    assert [change["updated_by"] for change in shop.call("GET", "/api/inventory/changes")["data"]] == ["Ann"]


def test_the_list_is_searched_while_somebody_types(shop: Service, browser: Chromium) -> None:
    """Without Enter, by code or description; a search without matches offers a way back to all."""
    for code, description in (("A-1", "Blue pen"), ("A-2", "Red pen"), ("B-1", "Stapler")):
        stocked(shop, code, description)
    browser.open(f"{shop.address}/#products")
    browser.shows("3 products")
    write(browser, "Search", "pen")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Blue pen", "Red pen"])
    write(browser, "Search", "pencil")
    browser.shows("No product matches.")
    press(browser, "Show all products")
    browser.until(lambda: len(browser.run(DESCRIPTIONS)) == 3)


@pytest.mark.parametrize("view", ["products", pytest.param("labels", marks=pytest.mark.full_run)])
def test_one_search_is_under_way_at_a_time(shop: Service, browser: Chromium, view: str) -> None:
    """A search in a large catalogue takes seconds, even if its result is no longer wanted."""
    for number in range(3):
        stocked(shop, f"P-{number}", f"Pen {number}")
    browser.open(f"{shop.address}/#{view}")
    control(browser, "field", "Search")
    browser.slow_down(latency=1500, kilobits=10_000, processor=1)
    browser.run(WATCHED)
    write(browser, "Search", "Pen")
    browser.until(lambda: browser.run("return asked") == ["Pen"])
    keys(browser, " 2")
    browser.until(lambda: browser.run("return asked") == ["Pen", "Pen 2"])
    assert browser.run("return most") == 1
    browser.shows("Pen 2")


@pytest.mark.full_run
def test_a_category_is_chosen_in_the_list(shop: Service, browser: Chromium) -> None:
    """It fills the field of the category, and only its products are listed."""
    stocked(shop, "A-1", "Blue pen", category="Office")
    stocked(shop, "B-1", "Bolt", category="Iron")
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products")
    press(browser, "Iron")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Bolt"])
    assert control(browser, "field", "Category").get_attribute("value") == "Iron"


def test_pages_are_turned_and_come_back(shop: Service, browser: Chromium) -> None:
    """The page and the search are in the address, so that the way back from a product leads to them."""
    for number in range(120):
        stocked(shop, f"P-{number}", f"Part {number}")
    browser.open(f"{shop.address}/#products")
    browser.shows("of 3")
    press(browser, "Next page")
    browser.until(lambda: browser.run(DESCRIPTIONS)[0] == "Part 50")
    write(browser, "Page", "3\n")
    browser.until(lambda: browser.run(DESCRIPTIONS)[0] == "Part 100")
    assert not control(browser, "button", "Next page").is_enabled()
    press(browser, "Part 110", "link")
    browser.shows("P-110")
    browser.driver.back()
    browser.until(lambda: browser.run(DESCRIPTIONS)[:1] == ["Part 100"])


@pytest.mark.full_run
def test_a_bookmarked_search_is_there_on_the_way_back(shop: Service, browser: Chromium) -> None:
    """The link above a product leads to the list from which it was opened, even if nothing was typed."""
    for name in ("Blue pen", "Hexagon bolt"):
        stocked(shop, name[0], name)
    browser.open(f"{shop.address}/#products?search=bolt")
    press(browser, "Hexagon bolt", "link")
    browser.found("return document.querySelector('.back')").click()
    browser.until(lambda: "search=bolt" in browser.driver.current_url)


@pytest.mark.full_run
def test_a_product_is_changed(shop: Service, browser: Chromium) -> None:
    """In a dialog; the list next to it follows."""
    stocked(shop, "A-1", "Blue pen")
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products/1")
    press(browser, "Edit product")
    write(browser, "Description", "Green pen")
    press(browser, "Save")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Green pen"])
    browser.until(lambda: browser.run(TITLE) == "Green pen")


@pytest.mark.parametrize("width", [320, pytest.param(1366, marks=pytest.mark.full_run)])
def test_attributes_are_added_changed_and_removed(shop: Service, browser: Chromium, width: int) -> None:
    """In the form of the product; a name is made one that the service accepts, and the product shows all of them."""
    stocked(shop, "A-1", "Blue pen", attributes={"price": "2.99", "shelf": "B 4"})
    browser.resize(width, 768)
    browser.open(f"{shop.address}/#products/1")
    browser.until(lambda: {"price": "2.99", "shelf": "B 4"}.items() <= browser.run(SHOWN_FIELDS).items())
    press(browser, "Edit product")
    write(browser, "Text of price", "3.49")
    press(browser, "Remove shelf")
    press(browser, "Add detail")
    keys(browser, "Price")
    write(browser, "Text of Price", "4")
    press(browser, "Save")
    browser.shows("Two details have the same name.")
    keys(browser, "r of Día")
    press(browser, "Save")
    after = {"price": "3.49", "pricer_of_dia": "4"}
    browser.until(lambda: after.items() <= browser.run(SHOWN_FIELDS).items())
    assert shop.call("GET", "/api/products/1")["data"]["attributes"] == after


@pytest.mark.parametrize("width", [390, pytest.param(1366, marks=pytest.mark.full_run)])
def test_a_deletion_can_be_taken_back(shop: Service, browser: Chromium, width: int) -> None:
    """Undo keeps the products, selected as they were, and so does leaving the list; otherwise they are deleted."""
    stocked(shop, "A-1", "Blue pen")
    stocked(shop, "B-1", "Stapler")
    browser.resize(width, 768)
    browser.open(f"{shop.address}/#products/1")
    press(browser, "Delete")
    browser.shows("1 product will be deleted in 10 seconds")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Stapler"])
    keys(browser, Keys.ENTER)
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Blue pen", "Stapler"])
    press(browser, "Select", "field")
    press(browser, "Delete")
    browser.shows("2 products will be deleted")
    keys(browser, Keys.ENTER)
    browser.shows("2 selected")
    browser.until(lambda: browser.run(FOCUSED) == "Select all on this page")
    press(browser, "Clear selection")
    assert browser.run(FOCUSED) == "Select all on this page"
    press(browser, "Select", "field")
    press(browser, "Delete")
    browser.shows("2 products will be deleted")
    browser.run("location.hash = '#stock'")
    browser.shows("You left the list, so the last products were not deleted.")
    browser.run("location.hash = '#products'")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Blue pen", "Stapler"])
    browser.run(DELETE_AT_ONCE)
    press(browser, "Select B-1", "field")
    press(browser, "Delete")
    browser.shows("1 product was deleted.")
    browser.until(lambda: browser.run(DESCRIPTIONS) == ["Blue pen"])
    assert [each["product_code"] for each in shop.call("GET", "/api/products")["data"]] == ["A-1"]


def test_products_are_sorted_filtered_and_changed_together(shop: Service, browser: Chromium) -> None:
    """What is shown is in the address, so that the way back from a product leads to it, with the selection."""
    for code, level in (("A-1", 9), ("A-2", 1), ("A-3", 3), ("A-4", 2), ("A-5", 0)):
        stocked(shop, code, f"Part {code}", initial_level=level, minimum_level=5)
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products")
    press(browser, "Stock")
    browser.until(lambda: browser.run(CODES) == ["A-5", "A-2", "A-4", "A-3", "A-1"])
    press(browser, "Stock")
    browser.until(lambda: browser.run(CODES) == ["A-1", "A-3", "A-4", "A-2", "A-5"])
    assert browser.run("return document.activeElement.innerText") == "Stock"
    assert browser.run("return document.querySelector('[aria-sort=descending]').innerText") == "Stock"
    choose(browser, "Stock", "Low")
    browser.until(lambda: browser.run(CODES) == ["A-3", "A-4", "A-2", "A-5"])
    choose(browser, "Moved", "Today")
    browser.until(lambda: browser.run(CODES) == ["A-3", "A-4", "A-2"])
    assert browser.driver.current_url.endswith("#products?stock=low&moved=1&sort=-current_level")
    press(browser, "Select A-3", "field")
    browser.run(PRESS_WITH_SHIFT, control(browser, "field", "Select A-2"))
    browser.shows("3 selected")
    press(browser, "Set category")
    write(browser, "Category", "Iron\n")
    browser.shows("3 products were changed.")
    press(browser, "Set minimum")
    write(browser, "Minimum stock", "2")
    press(browser, "Save")
    browser.until(lambda: browser.run(CODES) == ["A-4", "A-2"])
    press(browser, "Part A-4", "link")
    browser.until(lambda: browser.run(TITLE) == "Part A-4")
    browser.driver.back()
    browser.until(lambda: browser.run(TITLE) == "Products")
    browser.shows("3 selected")
    browser.run(KEEP_ADDRESSES)
    press(browser, "Print labels")
    browser.found(WAS_AT, "#labels?products=3,4,2")
    browser.driver.back()
    press(browser, "Print label of A-2", "link")
    browser.found(WAS_AT, "#labels?products=2")
    browser.driver.back()
    browser.until(lambda: browser.run(CODES) == ["A-4", "A-2"])
    found = shop.call("GET", "/api/products?category=Iron&include_levels=true")["data"]
    assert [(each["product_code"], each["minimum_level"]) for each in found] == [("A-2", 2), ("A-3", 2), ("A-4", 2)]


@pytest.mark.full_run
def test_products_that_refuse_a_change_are_named(shop: Service, browser: Chromium) -> None:
    """They stay in the dialog, which is announced, and can be tried with another value."""
    stocked(shop, "A-1", "Blue pen", maximum_level=5)
    stocked(shop, "A-2", "Red pen")
    browser.open(f"{shop.address}/#products")
    press(browser, "Select all", "field")
    press(browser, "Set minimum")
    write(browser, "Minimum stock", "8")
    press(browser, "Save")
    browser.shows("1 product was not changed. A-1:")
    write(browser, "Minimum stock", "4")
    press(browser, "Save")
    browser.found("return document.querySelector('dialog') === null")
    levels = shop.call("GET", "/api/inventory")["data"]
    assert [each["minimum_level"] for each in levels] == [4, 8]


def test_list_and_product_are_side_by_side(shop: Service, browser: Chromium) -> None:
    """On a wide screen both are there, and a scan opens its product, unless what was typed would be lost."""
    for code in ("A-1", "A-2"):
        stocked(shop, code, f"Part {code}", initial_level=5)
    browser.resize(1366, 768)
    browser.open(f"{shop.address}/#products")
    press(browser, "Select A-2", "field")
    press(browser, "Part A-1", "link")
    browser.until(lambda: browser.run(TITLE) == "Part A-1")
    assert browser.run(DESCRIPTIONS) == ["Part A-1", "Part A-2"]
    browser.shows("1 selected")
    assert browser.run("return document.querySelector('[aria-current=true]').innerText").startswith("Part A-1")
    scan(browser, "A-2")
    browser.until(lambda: browser.run(TITLE) == "Part A-2")
    write(browser, "Reason", "counted")
    scan(browser, "A-1")
    browser.shows("This scan was ignored: A-1.")
    browser.resize(390, 844)
    assert browser.run(LIST_IS_VISIBLE) is False
    press(browser, "Products", "link")
    browser.found(LIST_IS_VISIBLE)


@pytest.mark.parametrize(
    "width", [1280, pytest.param(1366, marks=pytest.mark.full_run), pytest.param(2560, marks=pytest.mark.full_run)]
)
def test_a_list_breaks_no_word_and_cuts_no_choice(shop: Service, browser: Chromium, width: int) -> None:
    """A long description leaves the other columns room, and a product that is low has a row of 44 px as well."""
    stocked(shop, "4006381333931", "Blue pen", category="Electronics", minimum_level=9)
    stocked(shop, "RES-0402-10K", "Paint", category="Hardware", initial_level=3, minimum_level=9)
    browser.resize(width, 768)
    browser.open(f"{shop.address}/#products")
    browser.shows("2 products")
    assert browser.run(TALL_ROWS) == []
    stocked(shop, "A-1", "A resistor on tape and reel, " * 17, category="Electronics", initial_level=3)
    for address in ("products?stock=", "products/1"):
        browser.open("about:blank")
        browser.open(f"{shop.address}/#{address}")
        browser.shows("3 products")
        assert (browser.run(BROKEN_WORDS), browser.run(CUT_CHOICES)) == ([], [])


@pytest.mark.parametrize("width", [390, pytest.param(1366, marks=pytest.mark.full_run)])
def test_a_level_is_changed_with_its_reason(shop: Service, browser: Chromium, width: int) -> None:
    """Minus and plus count one unless an amount is typed; all of it is in the history and in the chart."""
    stocked(shop, "4006381333931", "Blue pen", initial_level=5)
    browser.resize(width, 844)
    browser.open(f"{shop.address}/#products/1")
    press(browser, f"{MINUS} Remove")
    browser.shows(f"{MINUS}1: the stock is now 4.")
    write(browser, "Quantity", "20")
    write(browser, "Reason", "delivery")
    press(browser, "+ Add")
    browser.shows("+20: the stock is now 24.")
    assert control(browser, "field", "Quantity").get_attribute("value") == ""
    press(browser, "= Count")
    browser.shows("Please enter a whole number.")
    write(browser, "Quantity", "1,200")
    write(browser, "Reason", "counted")
    press(browser, "= Count")
    browser.shows("The stock is now 1,200.")
    browser.until(lambda: "between 0 and 1,200, now 1,200" in browser.run(CHART))
    history = [
        (each["new_level"], each["change_reason"]) for each in shop.call("GET", "/api/inventory/1/history")["data"]
    ]
    assert history == [(1200, "counted"), (24, "delivery"), (4, ""), (5, "initial level")]
    symbol = "return document.querySelector('.symbol-picture img')"
    assert "format=best" in browser.found(symbol).get_attribute("src")
    press(browser, "Print label", "link")
    browser.until(lambda: browser.driver.current_url.endswith("#labels?products=1"))


def test_a_level_that_has_moved_is_not_written_over(shop: Service, browser: Chromium) -> None:
    """A change that others booked meanwhile is shown instead of lost."""
    stocked(shop, "A-1", "Blue pen", initial_level=5)
    browser.open(f"{shop.address}/#products/1")
    browser.shows("initial stock")
    shop.call("POST", "/api/inventory/1/adjust", {"delta": -2})
    write(browser, "Quantity", "9")
    press(browser, "= Count")
    browser.shows("The stock has changed in the meantime: it is now 3.")
    assert shop.call("GET", "/api/inventory")["data"][0]["current_level"] == 3


def test_a_change_is_undone_and_the_undo_too(shop: Service, browser: Chromium) -> None:
    """Each once, and the level follows at once; the focus stays where the next one can be undone."""
    stocked(shop, "A-1", "Blue pen", initial_level=5)
    shop.call("POST", "/api/inventory/1/adjust", {"delta": -2})
    browser.open(f"{shop.address}/#products/1")
    press(browser, f"Undo {MINUS}2")
    browser.shows("Undone. The stock is now 5.")
    assert browser.run("return document.querySelector('.figure strong').innerText") == "5"
    assert browser.run(FOCUSED) == "Undo +2"
    assert "now 5" in browser.run(CHART)
    press(browser, "Undo +2")
    browser.shows("Undone. The stock is now 3.")
    assert [change["undone_by"] for change in shop.call("GET", "/api/inventory/1/history")["data"]] == [
        None,
        4,
        3,
        None,
    ]


@pytest.mark.full_run
def test_an_undo_below_zero_is_refused_with_the_level(shop: Service, browser: Chromium) -> None:
    """The reason is shown, and nothing is changed."""
    stocked(shop, "A-1", "Blue pen")
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 7})
    shop.call("POST", "/api/inventory/1/adjust", {"delta": -5})
    browser.open(f"{shop.address}/#products/1")
    press(browser, "Undo +7")
    browser.shows("This cannot be undone: the stock is only 2")


def test_a_long_history_goes_on(shop: Service, browser: Chromium) -> None:
    """Older movements come a page at a time, to the first one."""
    stocked(shop, "A-1", "Blue pen")
    for _ in range(60):
        shop.call("POST", "/api/inventory/1/adjust", {"delta": 1})
    browser.open(f"{shop.address}/#products/1")
    rows = "return document.querySelectorAll('[data-change]').length"
    browser.until(lambda: browser.run(rows) == 50)
    press(browser, "Older movements")
    browser.until(lambda: browser.run(rows) == 60)
    assert browser.run("return document.body.innerText.includes('Older movements')") is False


def test_a_scan_opens_its_product(shop: Service, browser: Chromium) -> None:
    """Wherever the focus is, including the search field; an unknown code opens the form, filled in."""
    stocked(shop, "A-1", "Bolt")
    stocked(shop, "4006381333931", "Highlighter")
    browser.open(f"{shop.address}/#products")
    browser.shows("2 products")
    scan(browser, "4006381333931")
    browser.until(lambda: "#products/2" in browser.driver.current_url)
    browser.open(f"{shop.address}/#products")
    control(browser, "field", "Search").click()
    scan(browser, "9521234543213")
    browser.shows("No product has this code.")
    assert control(browser, "field", "Code").get_attribute("value") == "9521234543213"


def test_texts_of_a_product_stay_texts(shop: Service, browser: Chromium) -> None:
    """Markup and bidi controls are shown, never run; the watch over the browser sees no violation of the policy."""
    stocked(shop, "<b>A-1</b>", HOSTILE, category="<i>x</i>", initial_level=1)
    browser.open(f"{shop.address}/#products")
    browser.shows("<b>A-1</b>")
    browser.shows("<script>alert(2)</script>")
    press(browser, "<img", "link")
    browser.shows("<i>x</i>")
    assert browser.run("return document.querySelectorAll('main img[src=x], main script, main b, main i').length") == 0


def test_without_the_service_the_list_says_so(shop: Service, browser: Chromium) -> None:
    """It appears after a retry, or when the network is back."""
    stocked(shop, "A-1", "Blue pen")
    browser.open(f"{shop.address}/#products")
    browser.shows("Blue pen")
    shop.kill()
    write(browser, "Search", "pen")
    browser.shows("The service cannot be reached.")
    shop.start()
    press(browser, "Try again")
    browser.shows("1 product found")
    browser.go_offline()
    write(browser, "Search", "blue")
    browser.shows("The service cannot be reached.")
    browser.go_online()
    browser.shows("1 product found")


def test_a_view_of_a_deleted_product_says_so(shop: Service, browser: Chromium) -> None:
    """So does an address that names none."""
    for name in ("77", "no-such"):
        browser.open(f"{shop.address}/#products/{name}")
        browser.shows("This product does not exist.")


def test_exports_are_files(shop: Service, browser: Chromium) -> None:
    """Plain links that the browser saves, in a menu that the keyboard opens and closes."""
    browser.open(f"{shop.address}/#products")
    control(browser, "button", "Export").send_keys(Keys.ENTER)
    for name, kind in (("Excel", "xlsx"), ("CSV", "csv")):
        link = control(browser, "link", name)
        assert link.get_attribute("href") == f"{shop.address}/api/products/export?format={kind}"
        assert link.get_attribute("download") is not None
    keys(browser, Keys.TAB, Keys.ESCAPE)
    assert browser.run("return document.activeElement.innerText.trim()") == "Export"
    assert browser.run("return document.querySelector('.menu').open") is False


@pytest.mark.full_run
def test_all_of_it_speaks_german(shop: Service, make_browser: BrowserMaker) -> None:
    """In the terms of the trade."""
    stocked(shop, "A-1", "Blue pen", initial_level=5, minimum_level=9)
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#products")
    browser.shows("1 Artikel")
    browser.shows("knapp")
    press(browser, "Blue pen", "link")
    browser.shows("Verlauf")
    control(browser, "button", "Rückgängig: +5")

"""The view of labels: what is printed, on which labels of which sheet, and the resulting document."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import scan
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import PEN, Findings
from tests.page.controls import choose, control, keys, press, write
from tests.page.printing import printed_codes
from tests.page.scanning import made
from tests.served import Service

BOLT = "BOLT-M8x40"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> \u202elive\u2066 " + "wide " * 88
PRINT, AGAIN = ".print-bar .main", ".last-prints button"
LABEL_5 = (7.20 + 66.04 + 63.5 / 2, 15.15 + 38.1 * 1.5)
"""The centre of the fifth label of an L7160, mm."""


IS_PREVIEW_SEEN = """
const { top, bottom, height } = document.querySelector('.preview img').getBoundingClientRect();
return height > 60 && top >= 0 && bottom <= document.querySelector('.print-bar').getBoundingClientRect().top
"""
CHIPS = """
return [...document.querySelectorAll('.line-text')].map((line) =>
  [...line.children].map((part) => (part.localName === 'input' ? part.value : part.innerText)).join('|'))
"""
"""The parts of each line of text: those that are typed, and chips by their names."""
STATES = "return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getAttribute('class'))"
LEAST_HEIGHT = """
const labels = [...document.querySelectorAll('.sheet [data-position]')]
return Math.min(...labels.map((label) => label.getBoundingClientRect().height))
"""
"""How high the labels of the drawing are on the screen, in CSS pixels."""


@pytest.fixture(scope="module")
def stocked(lasting_service: Service) -> Service:
    """Return a service with a product, one that has a price, and a hostile one."""
    for code, description in ((PEN, "Blue pen"), (BOLT, "Hexagon bolt"), ("<i>&amp;", HOSTILE)):
        made(lasting_service, code, description)
    assert made(lasting_service, "LAMP", "Lamp", attributes={"vk_brutto": "9.90"}) == 4
    return lasting_service


def opened(browser: Chromium, service: Service, **settings: object) -> Chromium:
    """Open the view on a device with these settings."""
    keep_settings(browser, **settings)
    browser.open(f"{service.address}/#labels")
    first(browser, ".search input")
    return browser


def elements(browser: Chromium, selector: str) -> list[WebElement]:
    """Return the elements of a selector."""
    return browser.driver.find_elements(By.CSS_SELECTOR, selector)


def first(browser: Chromium, selector: str) -> WebElement:
    """Wait for an element."""
    return browser.until(lambda: elements(browser, selector))[0]


def click(browser: Chromium, selector: str) -> None:
    """Bring an element to the middle of the screen, and click it once it is enabled."""

    def clicked() -> bool:
        found = first(browser, selector)
        browser.run("arguments[0].scrollIntoView({ block: 'center' })", found)
        if not found.is_enabled():
            return False
        found.click()
        return True

    browser.until(clicked)


def codes(browser: Chromium) -> list[str]:
    """Return the codes of the chosen products."""
    chosen: list[str] = browser.run("return [...document.querySelectorAll('.item .code')].map((one) => one.innerText)")
    return chosen


def scan_products(browser: Chromium, *scanned: str) -> None:
    """Scan products, one after the other."""
    for code in scanned:
        scan(browser, code)
        browser.until(lambda: code in codes(browser))  # noqa: B023 - called at once


def print_labels(browser: Chromium, button: str = PRINT) -> list[str]:
    """Press a button, wait for the print dialog, and return the codes of the document."""
    before = browser.run("return printed.length")
    click(browser, button)
    browser.until(lambda: browser.run("return printed.length") > before)
    return [code.text for code in printed_codes(browser)]


@pytest.mark.whole_chromium
def test_labels_are_searched_placed_and_printed_without_a_mouse(stocked: Service, browser: Chromium) -> None:
    """The next print begins behind the last one, after a reload too, and so does a repetition; a tap takes it back."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    click(browser, ".search input")
    keys(browser, "b")
    browser.until(lambda: len(elements(browser, ".offered li")) == 3)
    keys(browser, Keys.ARROW_DOWN * 2 + Keys.ARROW_UP + Keys.ENTER)
    more = first(browser, ".item [aria-label='One more']")
    more.send_keys(Keys.ENTER)
    assert browser.driver.switch_to.active_element == more
    drawing = first(browser, ".sheet")
    drawing.send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert drawing.get_attribute("aria-valuetext") == "Label 5 of 21"
    assert browser.run(STATES)[3:7] == ["used", "printed", "printed", "free"]
    browser.shows("2 labels · 1 sheet")
    first(browser, PRINT).send_keys(Keys.ENTER)
    browser.found("return printed.length")
    printed = printed_codes(browser)
    assert [code.text for code in printed] == [BOLT, BOLT]
    assert (printed[0].x, printed[0].y) == pytest.approx(LABEL_5, abs=8)
    browser.driver.refresh()
    browser.until(lambda: browser.run(STATES)[5:9] == ["used", "printed", "printed", "free"])
    click(browser, "option[value='L7163']")
    assert browser.run(STATES)[:3] == ["printed", "printed", "free"]
    press(browser, "Remove all")
    assert browser.run("return document.activeElement.type") == "search"
    click(browser, "option[value='L7160']")
    assert print_labels(browser, AGAIN) == [BOLT, BOLT]
    assert browser.run("return orders[0].layout.start_position") == 7
    browser.until(lambda: browser.run(STATES)[7:9] == ["used", "free"])
    press(browser, "Not printed: back to label 7")
    assert browser.run(STATES)[5:7] == ["used", "free"]


def test_addresses_and_scans_add_products_wherever_the_focus_is(stocked: Service, browser: Chromium) -> None:
    """Again, one more label; copies survive a reload; what does not exist is said, until the next success."""
    browser.open(f"{stocked.address}/#labels?products=2,1,99")
    browser.shows("2 labels")
    browser.shows("1 product no longer exists.")
    assert codes(browser) == [BOLT, PEN]
    click(browser, ".item [aria-label='One more']")
    browser.driver.refresh()
    browser.shows("3 labels")
    press(browser, "Change the label", "button")
    press(browser, "Line 3", "field")
    scan(browser, PEN)
    browser.shows("4 labels")
    assert control(browser, "field", "Line 3").get_property("value") == ""
    write(browser, f"Copies of {PEN}", "12")
    scan(browser, PEN)
    browser.shows("15 labels")
    scan(browser, "96385074")
    browser.shows("No product has the code 96385074.")
    scan(browser, PEN)
    browser.until(lambda: not elements(browser, ".notice"))


def test_enter_takes_what_fits_the_text_that_is_there_now(service: Service, browser: Chromium) -> None:
    """However early it is pressed: the very code, or a number typed without its spaces, and no older, longer code."""
    for code in ("Z-10", "Z-1", "4006381333931-BOX", "4 006381 333931"):
        made(service, code, f"Part {code}")
    opened(browser, service)
    click(browser, ".search input")
    keys(browser, "z-10")
    browser.until(lambda: elements(browser, ".offered li"))
    keys(browser, Keys.BACKSPACE + Keys.ENTER)
    browser.until(lambda: codes(browser) == ["Z-1"])
    keys(browser, "4006381333931" + Keys.ENTER)
    browser.until(lambda: codes(browser) == ["Z-1", "4 006381 333931"])


@pytest.mark.whole_chromium
def test_a_design_is_chosen_by_its_picture_and_its_texts_are_chips(stocked: Service, browser: Chromium) -> None:
    """Chips come to where the caret is, and go as letters do; what is sent are placeholders."""
    catch_printing(browser)
    browser.open(f"{stocked.address}/#labels?products=4")
    click(browser, ".designs [value=':price-tag'] + svg")
    press(browser, "Change the label")
    browser.until(lambda: browser.run(CHIPS) == ["|Name|", "|vk_brutto|", ""])
    press(browser, "Line 3", "field")
    keys(browser, "Best before " + Keys.ENTER)
    press(browser, "Label number")
    keys(browser, "/7")
    browser.until(lambda: browser.run(CHIPS)[2:4] == ["Best before ", "|Label number|/7"])
    press(browser, "Line 3", "field")
    keys(browser, Keys.END)
    press(browser, "Date in 7 days")
    keys(browser, "!" + Keys.HOME + Keys.BACKSPACE)
    browser.until(lambda: browser.run(CHIPS)[2:4] == ["Best before !", "|Label number|/7"])
    press(browser, "Date")
    keys(browser, " {description}")
    browser.until(lambda: browser.run(CHIPS)[2] == "Best before |Date| |Name|!")
    press(browser, "Bold, line 3", "field")
    choose(browser, "Size, line 3", "6 pt")
    assert print_labels(browser) == ["LAMP"]
    name = {"text": "{description}", "size": 11, "bold": True, "place": "above"}
    price = {"text": "{attributes.vk_brutto}", "size": 24, "bold": True, "place": "above"}
    dated = {"text": "Best before {date:%d/%m/%Y} {description}!", "size": 6, "bold": True}
    assert browser.run("return orders[0].layout.lines") == [name, price, dated, "{n}/7"]
    browser.driver.refresh()
    first(browser, ".designs .is-chosen [value=':price-tag']")


def test_a_test_page_opens_in_a_tab_where_the_browser_shows_no_documents(stocked: Service, browser: Chromium) -> None:
    """It shows what the adjustment changes, and uses no label; if no tab opens, a button opens it."""
    catch_printing(browser, shows_documents=False)
    opened(browser, stocked, sheet="L7160")
    press(browser, "Adjust the printer")
    write(browser, "Move to the right", "-1,5")
    press(browser, "Test page on plain paper")
    browser.until(lambda: browser.run("return opened.length") == 1)
    asked = browser.run("return orders[0]")
    assert asked["products"] == [{"code": "TEST", "copies": 21}]
    assert (asked["layout"]["outlines"], asked["layout"]["offset_x"]) == (True, -1.5)
    assert not elements(browser, ".last-prints")
    scan_products(browser, PEN)
    assert browser.run(STATES)[:2] == ["printed", "free"]
    browser.run("window.tabsOpen = false")
    click(browser, PRINT)
    control(browser, "button", "Open the labels")
    browser.run("window.tabsOpen = true")
    press(browser, "Open the labels")
    browser.until(lambda: browser.run("return opened.length") == 2)
    assert [code.text for code in printed_codes(browser)] == [PEN]


def test_without_the_network_everything_can_be_tried_again(stocked: Service, browser: Chromium) -> None:
    """Scans count meanwhile; the button gets back the focus that it loses while disabled; no code is called invalid."""
    browser.open(stocked.address)
    browser.shows("Ready")
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=["*/api/codes/sheets"])
    click(browser, "nav a[href='#labels']")
    browser.shows("cannot be reached")
    scan(browser, PEN)
    browser.devtools("Network.setBlockedURLs", urls=[])
    press(browser, "Try again")
    browser.until(lambda: codes(browser) == [PEN])
    first(browser, ".preview img")
    browser.go_offline()
    click(browser, PRINT)
    browser.until(lambda: "cannot be reached" in first(browser, ".print-bar").text)
    browser.until(lambda: browser.run("return document.activeElement.innerText.trim()") == "Print")
    click(browser, ".designs [value=':small'] + svg")
    browser.until(lambda: "cannot be reached" in first(browser, ".preview").text)
    browser.go_online()
    first(browser, ".preview img")


def test_the_preview_stays_in_view_and_a_finger_finds_each_label(service: Service, browser: Chromium) -> None:
    """At a desk and on a phone, however many products and labels there are; hostile texts push nothing off."""
    for number in range(46):
        made(service, f"A-{number}", HOSTILE if number == 40 else "Pen")
    browser.resize(1366, 768)
    browser.open(f"{service.address}/#labels?products={','.join(map(str, range(1, 47)))}")
    browser.shows("46 labels")
    for is_phone in (False, True):
        if is_phone:
            browser.be_a_phone()
        first(browser, ".preview img")
        for share in (0, 0.5, 1):
            browser.run("scrollTo(0, arguments[0] * document.body.scrollHeight)", share)
            browser.found(IS_PREVIEW_SEEN)
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert not elements(browser, ".item b, .item i, .item img")
    click(browser, "option[value='4731']")
    browser.until(lambda: len(browser.run(STATES)) == 189)
    assert browser.run(LEAST_HEIGHT) >= 23.5
    click(browser, ".sheet [data-position='101']")
    assert first(browser, ".sheet").get_attribute("aria-valuenow") == "101"


def test_what_cannot_be_printed_is_named(stocked: Service, browser: Chromium, inaccessible: Findings) -> None:
    """A product without the price of the tag, a code that the symbology cannot hold; with all that can be opened."""
    keep_settings(browser, layout=":price-tag")
    browser.open(f"{stocked.address}/#labels?products=4,2")
    browser.until(lambda: f"The product {BOLT} has no detail" in first(browser, ".preview").text)
    assert not elements(browser, ".preview img")
    press(browser, "Remove LAMP")
    first(browser, ".preview img")
    press(browser, "Change the label")
    press(browser, "Adjust the printer")
    choose(browser, "Barcode type", "EAN13")
    browser.shows(f"EAN13 cannot hold the character \u201cB\u201d of {BOLT}.")
    browser.until(lambda: not first(browser, PRINT).is_enabled())
    click(browser, ".search input")
    keys(browser, "pen")
    first(browser, ".offered li")
    for scheme in ("light", "dark"):
        browser.prefer(color_scheme=scheme)
        assert (scheme, inaccessible(browser)) == (scheme, [])


@pytest.mark.whole_chromium
def test_a_print_has_what_was_scanned_before_it_and_nothing_else(stocked: Service, browser: Chromium) -> None:
    """However late the service answers; the next scan begins a new selection, which no repetition changes."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    scan_products(browser, PEN)
    first(browser, ".preview img")
    browser.slow_down(latency=1500, kilobits=0, processor=1)
    scan(browser, BOLT)
    click(browser, PRINT)
    assert not first(browser, PRINT).is_enabled()
    scan(browser, "LAMP")
    browser.shows("The printed labels are in the list at the bottom. This is a new selection.")
    browser.go_online()
    assert codes(browser) == ["LAMP"]
    assert [code.text for code in printed_codes(browser)] == [PEN, BOLT]
    assert print_labels(browser, AGAIN) == [PEN, BOLT]
    assert print_labels(browser) == ["LAMP"]

"""The view of labels: what is printed, on which labels of which sheet, and what the printer gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from scripts.browser.chromium import Chromium
from scripts.browser.kept_settings import keep_settings
from scripts.browser.keyboard import scan
from scripts.browser.print_catcher import catch_printing
from scripts.browser.served import Service
from tests.page.controls import keys
from tests.page.printing import printed_codes

PEN, BOLT = "4006381333931", "BOLT-M8x40"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> \u202elive\u2066 " + "wide " * 88
LABEL_5 = (7.20 + 66.04 + 63.5 / 2, 15.15 + 38.1 * 1.5)
"""The middle of the fifth label of an L7160, mm."""


HEIGHTS = """
return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getBoundingClientRect().height)
"""
"""How high each label of the drawing is on the screen, in CSS pixels."""


@pytest.fixture
def stocked(service: Service) -> Service:
    """Return a service with two products and a hostile one."""
    for code, description in ((PEN, "Blue pen"), (BOLT, "Hexagon bolt"), ("<i>&amp;", HOSTILE)):
        answer = service.call("POST", "/api/products", {"product_code": code, "description": description})
        assert answer["success"], answer
    return service


def opened(browser: Chromium, service: Service, **settings: object) -> Chromium:
    """Open the view on a device with these settings."""
    keep_settings(browser, **settings)
    browser.open(f"{service.address}/#labels")
    browser.until(lambda: elements(browser, ".search input"))
    return browser


def elements(browser: Chromium, selector: str) -> list[WebElement]:
    """Return the elements of a selector."""
    return browser.driver.find_elements(By.CSS_SELECTOR, selector)


def first(browser: Chromium, selector: str) -> WebElement:
    """Wait for an element."""
    return browser.until(lambda: elements(browser, selector))[0]


def click(browser: Chromium, selector: str) -> WebElement:
    """Bring an element to the middle of the screen, and click it."""
    found = first(browser, selector)
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", found)
    found.click()
    return found


def choose(browser: Chromium, label: str, value: str) -> None:
    """Choose a value of the list with this label."""
    first_of = f"//label[contains(., '{label}')]/select/option[@value='{value}']"
    browser.driver.find_element(By.XPATH, first_of).click()


def add(browser: Chromium, code: str) -> None:
    """Search for a product and take it."""
    click(browser, ".search input")
    keys(browser, code + Keys.ENTER)
    browser.until(lambda: [one for one in elements(browser, ".item") if code in one.text])


def print_labels(browser: Chromium) -> None:
    """Press the button, and wait for the print dialog."""
    before = browser.run("return printed.length")
    click(browser, ".print-bar .main")
    browser.until(lambda: browser.run("return printed.length") > before)


def states(browser: Chromium) -> list[str]:
    """Return what becomes of each label of the drawing."""
    states: list[str] = browser.run(
        "return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getAttribute('class'))"
    )
    return states


def test_products_are_searched_and_printed_from_the_label_that_was_tapped(stocked: Service, browser: Chromium) -> None:
    """The PDF has the codes, as often as asked for, from that label of that sheet on."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    add(browser, PEN)
    add(browser, BOLT)
    click(browser, ".item [aria-label='One more']")
    click(browser, ".sheet [data-position='5']")
    assert states(browser)[:8] == ["used"] * 4 + ["printed"] * 3 + ["free"]
    browser.shows("3 labels · 1 sheet")
    print_labels(browser)
    codes = printed_codes(browser)
    assert [code.text for code in codes] == [PEN, PEN, BOLT]
    assert (codes[0].x, codes[0].y) == pytest.approx(LABEL_5, abs=8)


def test_a_scan_adds_a_product_wherever_the_focus_is_and_again_one_more_label(
    stocked: Service, browser: Chromium
) -> None:
    """The same code twice is two labels; one that no product has is said so."""
    opened(browser, stocked)
    click(browser, "textarea")
    for _ in range(2):
        scan(browser, PEN)
    browser.shows("2 labels")
    assert first(browser, "textarea").get_attribute("value") == ""
    scan(browser, "96385074")
    browser.shows("No product has the code 96385074.")


def test_the_keyboard_alone_is_enough(stocked: Service, browser: Chromium) -> None:
    """Search, arrows and Enter take a product, the drawing takes arrows, and the button Enter."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    click(browser, ".search input")
    keys(browser, "b")
    browser.until(lambda: len(elements(browser, ".offered li")) == 3)
    keys(browser, Keys.ARROW_DOWN * 3 + Keys.ARROW_UP + Keys.ENTER)
    browser.until(lambda: elements(browser, ".item"))
    more = first(browser, ".item [aria-label='One more']")
    more.send_keys(Keys.ENTER)
    assert browser.driver.switch_to.active_element == more
    drawing = first(browser, ".sheet")
    drawing.send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert drawing.get_attribute("aria-valuetext") == "Label 5 of 21"
    first(browser, ".print-bar .main").send_keys(Keys.ENTER)
    browser.until(lambda: browser.run("return printed.length"))
    codes = printed_codes(browser)
    assert [code.text for code in codes] == [BOLT, BOLT]
    assert (codes[0].x, codes[0].y) == pytest.approx(LABEL_5, abs=8)


def test_enter_takes_what_fits_the_text_that_stands_there_now(stocked: Service, browser: Chromium) -> None:
    """However early it is pressed, and never what fitted an earlier text; a code in full is resolved as a scan is."""
    opened(browser, stocked)
    click(browser, ".search input")
    keys(browser, "pen")
    browser.until(lambda: elements(browser, ".offered li"))
    keys(browser, Keys.BACKSPACE * 3 + "bolt" + Keys.ENTER)
    browser.until(lambda: elements(browser, ".item"))
    assert BOLT in first(browser, ".item").text
    keys(browser, "0" + PEN + Keys.ENTER)
    browser.until(lambda: len(elements(browser, ".item")) == 2)


def test_each_symbol_is_shown_as_it_will_be_printed_or_why_it_cannot_be(stocked: Service, browser: Chromium) -> None:
    """A code that the symbology cannot hold says so, with the service's reason."""
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    choose(browser, "Symbology", "EAN13")
    browser.shows(f"EAN13 cannot hold {BOLT}.")
    reason = stocked.call("POST", "/api/codes/barcode", {"product_code": BOLT, "format": "EAN13"})["message"]
    browser.shows(reason)
    loaded = "return [...document.querySelectorAll('.item img')].map((image) => [image.src, image.naturalWidth > 0])"
    browser.until(lambda: browser.run(loaded) and browser.run(loaded)[0][1])
    assert [source.partition("/api/")[2] for source, _ in browser.run(loaded)] == [
        f"codes/barcode/{PEN}.svg?format=EAN13"
    ]


def test_symbology_lines_and_sheet_stand_in_the_document_and_stay_chosen(stocked: Service, browser: Chromium) -> None:
    """A roll prints one label a page; what was chosen is there the next time."""
    catch_printing(browser)
    opened(browser, stocked)
    add(browser, PEN)
    choose(browser, "Symbology", "QR")
    choose(browser, "Sheet", "roll")
    size = browser.driver.find_element(By.XPATH, "//label[contains(., 'width x height')]/input")
    size.clear()
    size.click()
    keys(browser, "60")
    browser.shows("Please type the size like 50x30mm.")
    assert not first(browser, ".print-bar .main").is_enabled()
    keys(browser, ",5 x 40")
    click(browser, "textarea")
    keys(browser, "Aisle 7" + Keys.ENTER + "Shelf 2")
    click(browser, ".item [aria-label='One more']")
    print_labels(browser)
    assert [(code.text, code.page) for code in printed_codes(browser)] == [(PEN, 1), (PEN, 2)]
    browser.driver.refresh()
    first(browser, ".search input")
    chosen = [one.get_attribute("value") for one in elements(browser, "select")]
    assert chosen == ["QR", "roll"]
    assert size_of(browser) == "60.5x40mm"


def size_of(browser: Chromium) -> str | None:
    """Return the size of the roll."""
    return browser.driver.find_element(By.XPATH, "//label[contains(., 'width x height')]/input").get_attribute("value")


def test_where_the_browser_shows_no_documents_a_tab_opens(stocked: Service, browser: Chromium) -> None:
    """Where it lets the page open none, a button does."""
    catch_printing(browser, shows_documents=False)
    opened(browser, stocked)
    add(browser, PEN)
    click(browser, ".print-bar .main")
    browser.until(lambda: browser.run("return opened.length") == 1)
    assert [code.text for code in printed_codes(browser)] == [PEN]
    browser.run("window.tabsOpen = false")
    click(browser, ".print-bar .main")
    button = browser.until(lambda: browser.driver.find_elements(By.XPATH, "//button[.='Open the labels']"))[0]
    browser.run("window.tabsOpen = true")
    button.click()
    browser.until(lambda: browser.run("return opened.length") == 2)


def test_what_the_service_refuses_stands_beside_the_button(stocked: Service, browser: Chromium) -> None:
    """In its words, and the view can be used on."""
    opened(browser, stocked)
    add(browser, BOLT)
    click(browser, "textarea")
    keys(browser, Keys.ENTER.join("abcdef"))
    click(browser, ".print-bar .main")
    browser.shows("layout.lines")
    assert first(browser, ".print-bar .main").is_enabled()


def test_a_sheet_of_many_labels_can_be_tapped_on_a_phone(stocked: Service, browser: Chromium) -> None:
    """Each of 189 labels is as high as a finger needs; the drawing scrolls, the page does not."""
    browser.be_a_phone()
    opened(browser, stocked, sheet="4731")
    heights = browser.run(HEIGHTS)
    assert len(heights) == 189
    assert min(heights) >= 23.5
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    click(browser, ".sheet [data-position='101']")
    assert first(browser, ".sheet").get_attribute("aria-valuenow") == "101"


@pytest.mark.parametrize("width", [320, 390, 1366, 3840])
def test_hostile_texts_are_texts_and_stay_in_their_place(stocked: Service, browser: Chromium, width: int) -> None:
    """Nothing of them runs, they make no element, and push nothing off the screen."""
    browser.resize(width, 800)
    opened(browser, stocked)
    add(browser, "<i>&amp;")
    item = first(browser, ".item")
    assert HOSTILE.partition(" ")[0] in item.text
    assert not elements(browser, ".item b, .item i, .item img[src='x']")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_view_keeps_nobody_out(
    stocked: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]], scheme: str
) -> None:
    """With products, with one that the symbology cannot hold, and with an open search."""
    browser.prefer(color_scheme=scheme)
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    choose(browser, "Symbology", "EAN13")
    browser.shows("cannot hold")
    click(browser, ".search input")
    keys(browser, "pen")
    browser.until(lambda: elements(browser, ".offered li"))
    assert inaccessible(browser) == []

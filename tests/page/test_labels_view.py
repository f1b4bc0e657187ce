"""The view of labels: what is printed, on which labels of which sheet, and the resulting document."""

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
from tests.page.controls import choose, control, keys, other_timers, press, write
from tests.page.printing import printed_codes
from tests.served import Service

PEN, BOLT = "4006381333931", "BOLT-M8x40"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> \u202elive\u2066 " + "wide " * 88
LABEL_5 = (7.20 + 66.04 + 63.5 / 2, 15.15 + 38.1 * 1.5)
LABEL_6 = (7.20 + 66.04 * 2 + 63.5 / 2, 15.15 + 38.1 * 1.5)
"""The centres of the fifth and the sixth label of an L7160, mm."""


NEVER_LOADED = """
const stop = (event) => event.target.localName === 'iframe' && event.stopImmediatePropagation();
document.addEventListener('load', stop, true);
"""
NO_PATIENCE = other_timers("time === 10000 ? 100 : time")
IS_PREVIEW_SEEN = """
const { top, bottom, height } = document.querySelector('.preview img').getBoundingClientRect();
return height > 60 && top >= 0 && bottom <= document.querySelector('.print-bar').getBoundingClientRect().top
"""
CHIPS = """
return [...document.querySelectorAll('.line-text')].map((line) =>
  [...line.children].map((part) => (part.localName === 'input' ? part.value : part.innerText)).join('|'))
"""
"""The parts of each line of text: those that are typed, and chips by their names."""
HEIGHTS = """
return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getBoundingClientRect().height)
"""
"""How high each label of the drawing is on the screen, in CSS pixels."""


@pytest.fixture(scope="module")
def stocked(lasting_service: Service) -> Service:
    """Return a service with two products and a hostile one."""
    for code, description in ((PEN, "Blue pen"), (BOLT, "Hexagon bolt"), ("<i>&amp;", HOSTILE)):
        response = lasting_service.call("POST", "/api/products", {"product_code": code, "description": description})
        assert response["success"], response
    return lasting_service


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


def choose_sheet(browser: Chromium, name: str) -> None:
    """Choose a sheet by its name."""
    control(browser, "field", "Sheet").find_element(By.CSS_SELECTOR, f"[value='{name}']").click()


def add(browser: Chromium, code: str) -> None:
    """Search for a product and choose it."""
    click(browser, ".search input")
    keys(browser, code + Keys.ENTER)
    browser.until(lambda: [one for one in elements(browser, ".item") if code in one.text])


def codes(browser: Chromium) -> list[str]:
    """Return the codes of the chosen products."""
    chosen: list[str] = browser.run("return [...document.querySelectorAll('.item .code')].map((one) => one.innerText)")
    return chosen


def print_labels(browser: Chromium) -> None:
    """Press the button, and wait for the print dialog."""
    before = browser.run("return printed.length")
    click(browser, ".print-bar .main")
    browser.until(lambda: browser.run("return printed.length") > before)


def states(browser: Chromium) -> list[str]:
    """Return the state of each label of the drawing."""
    states: list[str] = browser.run(
        "return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getAttribute('class'))"
    )
    return states


@pytest.mark.whole_chromium
def test_products_are_searched_and_printed_from_the_label_that_was_tapped(stocked: Service, browser: Chromium) -> None:
    """The PDF has the codes, as often as requested, from that label of that sheet on."""
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
    """A typed number of labels stays; an unknown code gives a message, which goes after the next success."""
    opened(browser, stocked)
    browser.run(NO_PATIENCE.replace("10000", "6000"))
    press(browser, "Change the label", "button")
    press(browser, "Line 3", "field")
    scan(browser, PEN)
    browser.shows("1 label")
    assert control(browser, "field", "Line 3").get_property("value") == ""
    write(browser, f"Copies of {PEN}", "12")
    for code, total in ((BOLT, 13), (PEN, 14)):
        scan(browser, code)
        browser.shows(f"{total} labels")
    assert [one.get_property("value") for one in elements(browser, ".copies input")] == ["13", "1"]
    scan(browser, "96385074")
    browser.shows("No product has the code 96385074.")
    scan(browser, PEN)
    browser.until(lambda: not elements(browser, ".notice"))


@pytest.mark.whole_chromium
def test_the_keyboard_alone_is_enough(stocked: Service, browser: Chromium) -> None:
    """Search, arrows and Enter choose a product, the drawing follows arrows, and the button Enter."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    click(browser, ".search input")
    keys(browser, "b")
    browser.until(lambda: len(elements(browser, ".offered li")) == 3)
    keys(browser, Keys.ARROW_DOWN * 2 + Keys.ARROW_UP + Keys.ENTER)
    browser.until(lambda: elements(browser, ".item"))
    more = first(browser, ".item [aria-label='One more']")
    more.send_keys(Keys.ENTER)
    assert browser.driver.switch_to.active_element == more
    drawing = first(browser, ".sheet")
    drawing.send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert drawing.get_attribute("aria-valuetext") == "Label 5 of 21"
    first(browser, ".print-bar .main").send_keys(Keys.ENTER)
    browser.found("return printed.length")
    codes = printed_codes(browser)
    assert [code.text for code in codes] == [BOLT, BOLT]
    assert (codes[0].x, codes[0].y) == pytest.approx(LABEL_5, abs=8)


def test_enter_takes_what_fits_the_text_that_is_there_now(service: Service, browser: Chromium) -> None:
    """However early it is pressed: the very code, or a number typed without its spaces, and no older, longer code."""
    for code in ("Z-10", "Z-1", "4006381333931-BOX", "4 006381 333931"):
        service.call("POST", "/api/products", {"product_code": code, "description": f"Part {code}"})
    opened(browser, service)
    click(browser, ".search input")
    keys(browser, "z-10")
    browser.until(lambda: elements(browser, ".offered li"))
    keys(browser, Keys.BACKSPACE + Keys.ENTER)
    browser.until(lambda: codes(browser) == ["Z-1"])
    keys(browser, "z-1")
    browser.until(lambda: len(elements(browser, "#offered li")) == 2)
    keys(browser, Keys.ENTER)
    browser.shows("2 labels")
    keys(browser, "4006381333931" + Keys.ENTER)
    browser.until(lambda: codes(browser) == ["Z-1", "4 006381 333931"])


@pytest.mark.full_run
@pytest.mark.whole_chromium
def test_symbology_and_size_of_a_roll_stand_in_the_document_and_stay_chosen(
    stocked: Service, browser: Chromium
) -> None:
    """A roll prints one label a page; a wrong size is said, and prints nothing."""
    catch_printing(browser)
    opened(browser, stocked)
    add(browser, PEN)
    press(browser, "Change the label")
    choose(browser, "Symbology", "QR")
    choose(browser, "Sheet", "Roll of any size")
    write(browser, "Label size on the roll", "60")
    browser.shows("Please enter a size such as 50x30mm.")
    assert not first(browser, ".print-bar .main").is_enabled()
    write(browser, "Label size on the roll", "60,5 x 40")
    click(browser, ".item [aria-label='One more']")
    print_labels(browser)
    assert [(code.text, code.page) for code in printed_codes(browser)] == [(PEN, 1), (PEN, 2)]
    browser.driver.refresh()
    press(browser, "Change the label")
    assert control(browser, "field", "Symbology").get_property("value") == "QR"
    assert control(browser, "field", "Label size on the roll").get_property("value") == "60.5x40mm"


@pytest.mark.whole_chromium
def test_a_design_is_chosen_by_its_picture_and_its_texts_are_chips(stocked: Service, browser: Chromium) -> None:
    """Chips come to where the caret is, and go as letters do; what is sent are placeholders."""
    catch_printing(browser)
    product = {"product_code": "LAMP", "description": "Lamp", "attributes": {"vk_brutto": "9.90"}}
    stocked.call("POST", "/api/products", product)
    opened(browser, stocked)
    add(browser, "LAMP")
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
    print_labels(browser)
    name = {"text": "{description}", "size": 11, "bold": True, "place": "above"}
    price = {"text": "{attributes.vk_brutto}", "size": 24, "bold": True, "place": "above"}
    dated = {"text": "Best before {date:%d/%m/%Y} {description}!", "size": 6, "bold": True}
    assert browser.run("return orders[0].layout.lines") == [name, price, dated, "{n}/7"]
    assert [code.text for code in printed_codes(browser)] == ["LAMP"]
    browser.driver.refresh()
    browser.until(lambda: elements(browser, ".designs .is-chosen [value=':price-tag']"))


@pytest.mark.whole_chromium
def test_a_test_page_shows_what_the_adjustment_changes(stocked: Service, browser: Chromium) -> None:
    """It has lines around all labels, and uses none: the next print begins where it would have."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    press(browser, "Adjust the printer")
    write(browser, "Move to the right", "20.1")
    browser.shows("Please enter a number from -20 to 20.")
    write(browser, "Move to the right", "-1,5")
    press(browser, "Test page on plain paper")
    browser.until(lambda: browser.run("return printed.length") == 1)
    asked = browser.run("return orders[0]")
    assert asked["products"] == [{"code": "TEST", "copies": 21}]
    assert (asked["layout"]["outlines"], asked["layout"]["offset_x"]) == (True, -1.5)
    assert not elements(browser, ".last-prints")
    add(browser, PEN)
    assert states(browser)[:2] == ["printed", "free"]


def test_where_the_browser_shows_no_documents_a_tab_opens(stocked: Service, browser: Chromium) -> None:
    """If the browser does not let the page open a document, a button does."""
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


def test_a_scan_counts_before_the_view_is_ready(stocked: Service, browser: Chromium) -> None:
    """The view is there at once; if its sheets cannot be loaded, it says so, and what was scanned is there later."""
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


@pytest.mark.full_run
def test_a_frame_that_never_loads_holds_up_no_print(stocked: Service, browser: Chromium) -> None:
    """The document opens in a tab after a while, and so does the next one."""
    catch_printing(browser)
    for script in (NEVER_LOADED, NO_PATIENCE):
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
    opened(browser, stocked)
    add(browser, PEN)
    for documents in (1, 2):
        click(browser, ".print-bar .main")
        browser.until(lambda: browser.run("return opened.length") == documents)  # noqa: B023 - called at once
    assert browser.run("return printed.length") == 0


def test_without_the_network_preview_and_print_can_be_tried_again(stocked: Service, browser: Chromium) -> None:
    """The button has the focus again, which it loses while it is disabled; no code is called invalid."""
    opened(browser, stocked)
    add(browser, PEN)
    first(browser, ".preview img")
    browser.go_offline()
    click(browser, ".print-bar .main")
    browser.until(lambda: "cannot be reached" in first(browser, ".print-bar").text)
    browser.until(lambda: browser.run("return document.activeElement.innerText.trim()") == "Print")
    click(browser, ".designs [value=':small'] + svg")
    browser.until(lambda: "cannot be reached" in first(browser, ".preview").text)
    assert not elements(browser, ".preview img")
    browser.go_online()
    first(browser, ".preview img")


@pytest.mark.parametrize("size", [pytest.param((1366, 768), marks=pytest.mark.full_run), (390, 664)])
def test_the_preview_stays_in_view_however_many_products_there_are(
    service: Service, browser: Chromium, size: tuple[int, int]
) -> None:
    """At a desk and on a phone, above what prints; hostile texts push nothing off the screen."""
    for number in range(46):
        product = {"product_code": f"A-{number}", "description": HOSTILE if number == 40 else "Pen"}
        service.call("POST", "/api/products", product)
    browser.resize(*size)
    browser.open(f"{service.address}/#labels?products={','.join(map(str, range(1, 47)))}")
    browser.shows("46 labels")
    first(browser, ".preview img")
    for share in (0, 0.5, 1):
        browser.run("scrollTo(0, arguments[0] * document.body.scrollHeight)", share)
        browser.found(IS_PREVIEW_SEEN)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert not elements(browser, ".item b, .item i, .item img")


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


def test_the_view_keeps_no_one_out(
    stocked: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """With a code that the symbology cannot hold, which is named and not printed, and with all that can be opened."""
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    press(browser, "Change the label")
    press(browser, "Adjust the printer")
    choose(browser, "Symbology", "EAN13")
    browser.shows(f"EAN13 cannot hold the character \u201cB\u201d of {BOLT}.")
    browser.until(lambda: not first(browser, ".print-bar .main").is_enabled())
    click(browser, ".search input")
    keys(browser, "pen")
    browser.until(lambda: elements(browser, ".offered li"))
    for scheme in ("light", "dark"):
        browser.prefer(color_scheme=scheme)
        assert (scheme, inaccessible(browser)) == (scheme, [])


def test_an_address_names_products_and_what_was_chosen_stays(stocked: Service, browser: Chromium) -> None:
    """Their copies survive a reload; the view says how many no longer exist."""
    browser.open(f"{stocked.address}/#labels?products=2,1,99")
    browser.shows("2 labels")
    browser.shows("1 product no longer exists.")
    assert [BOLT in one.text for one in elements(browser, ".item")] == [True, False]
    click(browser, ".item [aria-label='One more']")
    browser.driver.refresh()
    browser.shows("3 labels")
    browser.run("location.hash = '#labels?products=3'")
    browser.shows("4 labels")


@pytest.mark.full_run
@pytest.mark.whole_chromium
def test_the_first_free_label_moves_on_and_a_print_is_repeated(stocked: Service, browser: Chromium) -> None:
    """After a reload, too, the next print begins behind the last one, and so does a repetition; a tap takes it back."""
    catch_printing(browser)
    opened(browser, stocked)
    add(browser, PEN)
    click(browser, ".item [aria-label='One more']")
    click(browser, ".sheet [data-position='20']")
    print_labels(browser)
    browser.until(lambda: states(browser)[:3] == ["printed", "printed", "free"])
    assert "Print again" not in first(browser, ".print-bar").text
    click(browser, ".sheet [data-position='4']")
    print_labels(browser)
    browser.driver.refresh()
    browser.until(lambda: states(browser)[4:9] == ["used", "printed", "printed", "free", "free"])
    choose_sheet(browser, "L7163")
    assert states(browser)[:3] == ["printed", "printed", "free"]
    press(browser, "Remove all")
    assert browser.run("return document.activeElement.type") == "search"
    choose_sheet(browser, "L7160")
    press(browser, "Print again")
    browser.found("return printed.length")
    assert [code.text for code in printed_codes(browser)] == [PEN, PEN]
    assert (printed_codes(browser)[0].x, printed_codes(browser)[0].y) == pytest.approx(LABEL_6, abs=8)
    browser.until(lambda: states(browser)[6:8] == ["used", "free"])
    press(browser, "Not printed: back to label 6")
    assert states(browser)[4:6] == ["used", "free"]


@pytest.mark.whole_chromium
def test_the_next_scan_after_a_print_begins_a_new_selection(stocked: Service, browser: Chromium) -> None:
    """Nothing is printed a second time by accident; what was printed can be printed again, and changes no selection."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    scan(browser, PEN)
    browser.until(lambda: codes(browser) == [PEN])
    print_labels(browser)
    assert codes(browser) == [PEN]
    scan(browser, BOLT)
    browser.shows("The printed labels are in the list at the bottom. This is a new selection.")
    browser.until(lambda: codes(browser) == [BOLT])
    scan(browser, PEN)
    browser.until(lambda: codes(browser) == [BOLT, PEN])
    print_again = browser.run("return printed.length")
    press(browser, "Print again")
    browser.until(lambda: browser.run("return printed.length") > print_again)
    assert [code.text for code in printed_codes(browser)] == [PEN]
    scan(browser, PEN)
    browser.shows("3 labels")
    assert codes(browser) == [BOLT, PEN]


@pytest.mark.whole_chromium
def test_a_print_has_what_was_scanned_before_it_and_nothing_else(stocked: Service, browser: Chromium) -> None:
    """However late the service answers: a scan after the print begins a new selection, and no label is doubled."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    scan(browser, PEN)
    browser.until(lambda: codes(browser) == [PEN])
    browser.slow_down(latency=1500, kilobits=0, processor=1)
    scan(browser, BOLT)
    click(browser, ".print-bar .main")
    assert not first(browser, ".print-bar .main").is_enabled()
    scan(browser, BOLT)
    browser.shows("The printed labels are in the list at the bottom. This is a new selection.")
    assert codes(browser) == [BOLT]
    assert [code.text for code in printed_codes(browser)] == [PEN, BOLT]
    assert browser.run("return printed.length") == 1
    print_labels(browser)
    assert [code.text for code in printed_codes(browser)] == [BOLT]


def test_a_product_that_lacks_a_value_is_named_before_it_is_printed(service: Service, browser: Chromium) -> None:
    """Not only the first one, which the preview shows; what is corrected is drawn again."""
    products = ({"product_code": PEN, "attributes": {"price": "2.99"}}, {"product_code": BOLT})
    for product in products:
        assert service.call("POST", "/api/products", {"description": "One", **product})["success"]
    opened(browser, service, layout=":price-tag")
    add(browser, PEN)
    first(browser, ".preview img")
    add(browser, BOLT)
    browser.until(lambda: f"The product {BOLT} has no detail" in first(browser, ".preview").text)
    assert not elements(browser, ".preview img")
    press(browser, f"Remove {BOLT}")
    first(browser, ".preview img")


def test_a_selection_that_is_emptied_during_its_preview_is_drawn_the_next_time(
    stocked: Service, browser: Chromium
) -> None:
    """What comes for it afterwards is not shown, and holds up no further preview."""
    opened(browser, stocked, sheet="L7160")
    browser.slow_down(latency=1500, kilobits=0, processor=1)
    scan(browser, PEN)
    browser.found("return document.querySelector('.preview[aria-busy]') !== null")
    press(browser, "Remove all")
    browser.found("return document.querySelector('.preview[aria-busy]') === null")
    browser.go_online()
    scan(browser, PEN)
    first(browser, ".preview img")

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
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, keys, other_timers, press, write
from tests.page.printing import printed_codes
from tests.served import Service

PEN, BOLT = "4006381333931", "BOLT-M8x40"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> \u202elive\u2066 " + "wide " * 88
LABEL_5 = (7.20 + 66.04 + 63.5 / 2, 15.15 + 38.1 * 1.5)
LABEL_6 = (7.20 + 66.04 * 2 + 63.5 / 2, 15.15 + 38.1 * 1.5)
"""The centres of the fifth and the sixth label of an L7160, mm."""


HELD_UP = """
const { fetch } = window;
window.fetch = (address, ...rest) => address !== '/api/codes/sheets' ? fetch(address, ...rest) :
  new Promise((go) => { window.release = () => go(fetch(address, ...rest)) });
"""
NEVER_LOADED = """
const stop = (event) => event.target.localName === 'iframe' && event.stopImmediatePropagation();
document.addEventListener('load', stop, true);
"""
NO_PATIENCE = other_timers("time === 10000 ? 100 : time")
PICTURES = "return [...document.querySelectorAll('.item img')].map((image) => image.complete && image.naturalWidth > 0)"
HEIGHTS = """
return [...document.querySelectorAll('.sheet [data-position]')].map((cell) => cell.getBoundingClientRect().height)
"""
"""How high each label of the drawing is on the screen, in CSS pixels."""

HOLD_PREVIEWS = """
const { fetch } = window;
const isPreview = ({ body }) => typeof body === 'string' && JSON.parse(body).output === 'png';
window.fetch = (address, options = {}) => (isPreview(options) ? new Promise(() => {}) : fetch(address, options));
"""
"""A preview would say the same, and might do so before the button is pressed."""


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


def choose(browser: Chromium, label: str, value: str) -> None:
    """Choose a value of the list with this label."""
    first_of = f"//label[contains(., '{label}')]/select/option[@value='{value}']"
    browser.driver.find_element(By.XPATH, first_of).click()


def choose_sheet(browser: Chromium, value: str) -> None:
    """Choose a sheet by its name, or `roll`."""
    click(browser, f".option:has([value='{value}'])")


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
    """The same code twice is two labels; an unknown one gives a message."""
    opened(browser, stocked)
    click(browser, ".further input")
    for _ in range(2):
        scan(browser, PEN)
    browser.shows("2 labels")
    assert {one.get_attribute("value") for one in elements(browser, ".further [type=text]")} == {""}
    scan(browser, "96385074")
    browser.shows("No product has the code 96385074.")


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


def test_enter_takes_what_fits_the_text_that_is_there_now(stocked: Service, browser: Chromium) -> None:
    """However early it is pressed, and never a match for an earlier text; a complete code is resolved like a scan."""
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
    """If the symbology cannot encode a code, the page says so, and why, and does not offer to print."""
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    choose(browser, "Symbology", "EAN13")
    browser.shows(f"EAN13 cannot hold the character “B” of {BOLT}.")
    browser.until(lambda: not first(browser, ".print-bar .main").is_enabled())
    loaded = "return [...document.querySelectorAll('.item img')].map((image) => [image.src, image.naturalWidth > 0])"
    browser.until(lambda: browser.run(loaded) and browser.run(loaded)[0][1])
    assert [source.partition("/api/")[2] for source, _ in browser.run(loaded)] == [
        f"codes/barcode/{PEN}.svg?format=EAN13"
    ]


@pytest.mark.full_run
@pytest.mark.whole_chromium
def test_symbology_lines_and_sheet_stand_in_the_document_and_stay_chosen(stocked: Service, browser: Chromium) -> None:
    """A roll prints one label a page; the choice is there the next time."""
    catch_printing(browser)
    opened(browser, stocked)
    add(browser, PEN)
    choose(browser, "Symbology", "QR")
    choose_sheet(browser, "roll")
    size = browser.driver.find_element(By.XPATH, "//label[contains(., 'width x height')]/input")
    size.clear()
    size.click()
    keys(browser, "60")
    browser.shows("Please enter a size such as 50x30mm.")
    assert not first(browser, ".print-bar .main").is_enabled()
    keys(browser, ",5 x 40")
    click(browser, ".further input")
    keys(browser, "Aisle 7" + Keys.ENTER + "Shelf 2")
    click(browser, ".item [aria-label='One more']")
    print_labels(browser)
    assert [(code.text, code.page) for code in printed_codes(browser)] == [(PEN, 1), (PEN, 2)]
    browser.driver.refresh()
    first(browser, ".search input")
    chosen = [one.get_attribute("value") for one in elements(browser, "select, .option input:checked")]
    assert chosen == ["QR", "", "roll", "0"]  # the symbology, no saved layout, the size of a line
    assert size_of(browser) == "60.5x40mm"


def size_of(browser: Chromium) -> str | None:
    """Return the size of the roll."""
    return browser.driver.find_element(By.XPATH, "//label[contains(., 'width x height')]/input").get_attribute("value")


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


def test_a_slow_service_keeps_no_one_on_the_view_before(stocked: Service, browser: Chromium) -> None:
    """The view is there at once, and scans made before its sheets are known count."""
    browser.open(stocked.address)
    browser.shows("Ready")
    browser.run(HELD_UP)
    click(browser, "nav a[href='#labels']")
    browser.until(lambda: browser.run("return document.querySelector('h1').innerText") == "Labels")
    scan(browser, PEN)
    browser.found("return window.release?.() ?? true")
    browser.until(lambda: [one for one in elements(browser, ".item") if PEN in one.text])


def test_a_scan_that_the_view_cannot_take_is_refused(stocked: Service, browser: Chromium) -> None:
    """If the sheets could not be loaded, no scan disappears silently."""
    browser.open(stocked.address)
    browser.shows("Ready")
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=["*/api/codes/sheets"])
    click(browser, "nav a[href='#labels']")
    browser.shows("cannot be reached")
    browser.run(COUNT_BAD_SOUNDS)
    scan(browser, PEN)
    browser.found(BAD_SOUND)
    browser.devtools("Network.setBlockedURLs", urls=[])
    click(browser, ".failure button")
    first(browser, ".search input")
    scan(browser, BOLT)
    browser.until(lambda: elements(browser, ".item"))
    assert [BOLT in one.text for one in elements(browser, ".item")] == [True]


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


@pytest.mark.full_run
def test_a_picture_that_is_lost_once_is_asked_for_again(stocked: Service, browser: Chromium) -> None:
    """A code that the symbology can encode is never called invalid."""
    opened(browser, stocked)
    add(browser, PEN)
    browser.until(lambda: browser.run(PICTURES) == [True])
    browser.run("const [lost] = document.querySelectorAll('.item img'); lost.dispatchEvent(new Event('error'))")
    browser.until(lambda: browser.run(PICTURES) == [True])
    assert "cannot hold" not in browser.run("return document.body.innerText")


def test_a_picture_that_cannot_be_had_can_be_tried_again(stocked: Service, browser: Chromium) -> None:
    """A message says that the service cannot be reached, and not that the code is invalid."""
    opened(browser, stocked)
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=["*/api/codes/barcode/*"])
    add(browser, PEN)
    browser.until(lambda: "cannot be reached" in first(browser, ".item").text)
    browser.devtools("Network.setBlockedURLs", urls=[])
    click(browser, ".item .failure button")
    browser.until(lambda: browser.run(PICTURES) == [True])


@pytest.mark.full_run
def test_what_the_service_refuses_is_next_to_the_button(stocked: Service, browser: Chromium) -> None:
    """And the view remains usable."""
    opened(browser, stocked)
    browser.run(HOLD_PREVIEWS)
    add(browser, BOLT)
    click(browser, ".further input")
    keys(browser, "{a b}")
    click(browser, ".print-bar .main")
    browser.until(lambda: "{a b} is not something" in first(browser, ".print-bar").text)
    assert first(browser, ".print-bar .main").is_enabled()


def test_enter_repeats_a_print_that_has_failed(stocked: Service, browser: Chromium) -> None:
    """The button has the focus again, which it loses while it is disabled."""
    opened(browser, stocked)
    add(browser, PEN)
    browser.until(lambda: elements(browser, ".preview img:not([hidden])"))
    browser.go_offline()
    click(browser, ".print-bar .main")
    browser.until(lambda: "cannot be reached" in first(browser, ".print-bar").text)
    browser.until(lambda: browser.run("return document.activeElement.innerText.trim()") == "Print")


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


def test_hostile_texts_are_texts_and_stay_in_their_place(stocked: Service, browser: Chromium) -> None:
    """Their markup is not run, they create no element, and push nothing off any screen."""
    opened(browser, stocked)
    add(browser, "<i>&amp;")
    for width in (320, 390, 1366, 3840):
        browser.resize(width, 800)
        item = first(browser, ".item")
        assert HOSTILE.partition(" ")[0] in item.text
        assert not elements(browser, ".item b, .item i, .item img[src='x']")
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_the_view_keeps_no_one_out(
    stocked: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """With products, with one that the symbology cannot encode, and with an open search; in light and dark."""
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    choose(browser, "Symbology", "EAN13")
    browser.shows("cannot hold")
    click(browser, ".search input")
    keys(browser, "pen")
    browser.until(lambda: elements(browser, ".offered li"))
    for scheme in ("light", "dark"):
        browser.prefer(color_scheme=scheme)
        assert (scheme, inaccessible(browser)) == (scheme, [])


@pytest.mark.parametrize("typed", [pytest.param("Z-1", marks=pytest.mark.full_run), "z-1"])
def test_enter_takes_the_very_code_in_the_search(service: Service, browser: Chromium, typed: str) -> None:
    """And no older product whose code only begins with it, even if the list is already open."""
    for code in ("Z-10", "Z-1"):
        service.call("POST", "/api/products", {"product_code": code, "description": f"Part {code}"})
    opened(browser, service)
    click(browser, ".search input")
    keys(browser, typed + Keys.ENTER)
    browser.shows("1 label")
    keys(browser, typed)
    browser.until(lambda: len(elements(browser, "#offered li")) == 2)
    keys(browser, Keys.ENTER)
    browser.shows("2 labels")
    assert ["Z-10" in one.text for one in elements(browser, ".item")] == [False]


@pytest.mark.full_run
def test_enter_takes_the_product_of_a_number_typed_without_its_spaces(service: Service, browser: Chromium) -> None:
    """And not one whose code begins with the same digits."""
    for code in ("4006381333931-BOX", "4 006381 333931"):
        service.call("POST", "/api/products", {"product_code": code, "description": f"Part {code}"})
    opened(browser, service)
    click(browser, ".search input")
    keys(browser, "4006381333931" + Keys.ENTER)
    browser.shows("1 label")
    assert ["BOX" in one.text for one in elements(browser, ".item")] == [False]


@pytest.mark.full_run
@pytest.mark.whole_chromium
def test_each_code_gets_the_symbology_that_suits_it(stocked: Service, browser: Chromium) -> None:
    """On a new device a number of the shops is printed as EAN-13, and any other code as Code 128."""
    catch_printing(browser)
    opened(browser, stocked)
    add(browser, PEN)
    add(browser, BOLT)
    print_labels(browser)
    assert [(code.text, code.symbology) for code in printed_codes(browser)] == [(PEN, "EAN13"), (BOLT, "Code128")]


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


def test_an_error_goes_after_the_next_success(stocked: Service, browser: Chromium) -> None:
    """A scan that is found makes what was said of the last one outdated."""
    opened(browser, stocked)
    browser.run(NO_PATIENCE.replace("10000", "6000"))
    scan(browser, "NOPE")
    browser.shows("No product has the code NOPE.")
    scan(browser, PEN)
    browser.shows("1 label")
    browser.until(lambda: not elements(browser, ".notice"))


def test_a_typed_number_of_labels_survives_the_next_scans(stocked: Service, browser: Chromium) -> None:
    """It counts before its field is left, and the digits of a scan do not stay in it."""
    opened(browser, stocked)
    add(browser, PEN)
    write(browser, f"Copies of {PEN}", "12")
    for code, total in ((BOLT, 13), (PEN, 14)):
        scan(browser, code)
        browser.shows(f"{total} labels")
    assert [one.get_property("value") for one in elements(browser, ".copies input")] == ["13", "1"]


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
    click(browser, ".clear")
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


@pytest.mark.full_run
def test_a_product_that_is_chosen_during_a_print_begins_a_new_selection(stocked: Service, browser: Chromium) -> None:
    """It is not in the document, so it must not count as printed."""
    catch_printing(browser)
    opened(browser, stocked, sheet="L7160")
    add(browser, PEN)
    click(browser, ".search input")
    keys(browser, "bolt")
    browser.until(lambda: elements(browser, ".offered li"))
    browser.slow_down(latency=1500, kilobits=0, processor=1)
    for pressed in (".print-bar .main", ".offered li"):
        browser.run("document.querySelector(arguments[0]).click()", pressed)
    browser.shows("This is a new selection.")
    assert codes(browser) == [BOLT]


@pytest.mark.full_run
def test_a_product_that_lacks_a_value_is_named_before_it_is_printed(service: Service, browser: Chromium) -> None:
    """Not only the first one, which the preview of a roll shows."""
    products = ({"product_code": PEN, "attributes": {"price": "2.99"}}, {"product_code": BOLT})
    for product in products:
        assert service.call("POST", "/api/products", {"description": "One", **product})["success"]
    opened(browser, service, sheet="50x30mm")
    write(browser, "Line 1", "{attributes.price}")
    add(browser, PEN)
    browser.until(lambda: elements(browser, ".preview img:not([hidden])"))
    add(browser, BOLT)
    browser.until(lambda: f"The product {BOLT} has no detail" in first(browser, ".preview").text)


def test_a_selection_that_is_emptied_during_its_preview_is_drawn_the_next_time(
    stocked: Service, browser: Chromium
) -> None:
    """What comes for it afterwards is not shown, and holds up no further preview."""
    opened(browser, stocked, sheet="L7160")
    browser.slow_down(latency=1500, kilobits=0, processor=1)
    scan(browser, PEN)
    browser.found("return document.querySelector('.preview[aria-busy]') !== null")
    click(browser, ".clear")
    browser.found("return document.querySelector('.preview[aria-busy]') === null")
    browser.go_online()
    scan(browser, PEN)
    browser.until(lambda: elements(browser, ".preview img:not([hidden])"))


@pytest.mark.full_run
def test_further_sheets_are_behind_a_button(stocked: Service, browser: Chromium) -> None:
    """The usual ones come first, each with its labels; the keyboard goes on where the others begin."""
    opened(browser, stocked)
    assert first(browser, ".option").text.split("\n") == ["L7160", "21 of 63.5 \u00d7 38.1 mm"]
    assert len(elements(browser, ".option")) == 6
    first(browser, ".more").send_keys(Keys.ENTER)
    assert len(elements(browser, ".option")) == 14
    browser.driver.switch_to.active_element.send_keys(Keys.SPACE)
    browser.until(lambda: len(states(browser)) == 30)

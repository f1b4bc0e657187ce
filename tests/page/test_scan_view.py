"""The view Scan: what a scan shows and changes, its messages, and the possible responses to them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Key, Keyboard, scan
from tests.page.conftest import BrowserMaker, Findings
from tests.page.controls import RECORD_SOUNDS, control, press, write
from tests.page.scanning import (
    MODE,
    NUT,
    PANEL,
    PEN,
    choose,
    has_amount,
    is_for,
    level,
    lists,
    made,
    open_scan,
    shows,
    with_pens_and_nuts,
)
from tests.served import Service

HOSTILE = [
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "\u202eevil\u2066 right to left \u2069 and on",
    "x" * 500,
]
STATE = "return document.querySelector('.product')?.dataset.state ?? ''"
SIGN = "return document.querySelector('.message .symbol').dataset.symbol"
FORM = "return document.querySelector('dialog input[name=product_code]')?.value"
FOCUSED = "return [document.activeElement.name, document.activeElement.value]"
FOCUS = "document.querySelector(arguments[0]).focus()"
CLICK = "document.querySelector(arguments[0]).click()"
RECORD_VIBRATION = "window.felt = []; navigator.vibrate = (pattern) => { felt.push(pattern); return true; };"
BELOW = """
const edge = document.querySelector('.navigation').getBoundingClientRect().top;
const pad = document.querySelector('.pad').getBoundingClientRect();
const card = document.querySelector('.product').getBoundingClientRect();
const hidden = [...document.querySelectorAll('.card.product *, .entry *, .scan .segments *')].filter((node) => {
  const { bottom, height } = node.getBoundingClientRect();
  return height > 1 && bottom > Math.min(pad.top, card.bottom) + 1 && node.checkVisibility();
});
return [...hidden.map((node) => node.outerHTML.slice(0, 80)), ...(pad.bottom > edge ? ['pad'] : [])];
"""
KEY_HEIGHTS = "return [...document.querySelectorAll('.keys button')].map((key) => key.offsetHeight)"
WIDE = "return document.documentElement.scrollWidth > innerWidth"
REFUSED_IS_SEEN = """
const { top, bottom } = document.querySelector('[data-state=refused]').getBoundingClientRect();
return top >= 0 && bottom <= document.querySelector('.pad').getBoundingClientRect().top;
"""
LOOKS = """
const colour = (name, of) => getComputedStyle(document.querySelector(name))[of];
const drawn = (name) => document.querySelector(`${name} .symbol`).dataset.symbol;
return [
  [colour('[name=mode]:checked + span', 'backgroundColor'), colour('.edge', 'backgroundColor'),
    colour('.pad .figure', 'color')],
  [drawn('[name=mode]:checked + span'), drawn('.edge'), drawn('.pad .figure')],
];
"""
BORDERS = """
return ['.edge', '.pad'].map((name) => parseFloat(getComputedStyle(document.querySelector(name)).borderInlineEndWidth));
"""
LISTEN = """
window.said = [];
const live = '[role=status], [role=alert], [role=log], [aria-live], output';
const isRead = (region) => region && region.getAttribute('aria-live') !== 'off' && !region.closest('[hidden]');
new MutationObserver((changes) => {
  const touched = changes.flatMap(({ target, addedNodes }) => [target, ...addedNodes]);
  const regions = new Set(touched.map((node) => (node.closest ? node : node.parentElement)?.closest(live)));
  said.push(...[...regions].filter(isRead).map((region) => region.textContent.trim()).filter(Boolean));
}).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ['hidden'] });
const wait = setTimeout;
window.setTimeout = (run, time, ...given) => time === 400 ? 0 : wait(run, time, ...given);
"""
"""Records what screen readers read out; a slow response is not said to be waited for."""
PRESSED = "return [...document.querySelectorAll('.reasons [aria-pressed=true]')].map((button) => button.textContent)"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with three pens and ten nuts."""
    return with_pens_and_nuts(service)


@pytest.fixture
def keyboard(shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start view."""
    browser.open(shop.address)
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        yield keyboard


def heading_is(browser: Chromium, text: str) -> bool:
    """Tell whether the current product has this description."""
    return bool(browser.run("return document.querySelector('h2')?.textContent") == text)


def last_change(service: Service, product: int) -> list[Any]:
    """Return who changed the level of a product last, and why."""
    change = service.call("GET", f"/api/inventory/{product}/history?limit=1")["data"][0]
    return [change["updated_by"], change["change_reason"]]


def test_a_look_up_changes_nothing(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """This is the first mode. Good and bad differ for ears, eyes and hands; a code can be typed as well."""
    browser.run(RECORD_SOUNDS + RECORD_VIBRATION)
    seen = []
    for code, state in (("none-such", "bad"), ("A-1", "good")):
        keyboard.scan(code)
        browser.until(partial(lambda state: browser.run(STATE) == state, state))
        told = browser.found("return heard.length && felt.length && [heard.splice(0), felt.splice(0)]")
        seen.append([*told, browser.run(SIGN)])
    assert all(good != bad for good, bad in zip(*seen, strict=True))
    shows(browser, PEN, "3")
    browser.shows("initial stock")
    write(browser, "Enter a code", "B-2")
    press(browser, "Look up")
    shows(browser, NUT, "10")
    assert (level(shop), level(shop, 2)) == (3, 10)
    lists(browser)


def test_a_mode_survives_a_reload_and_other_views(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A quantity that was typed before a scan is for this one alone; every stock change can be undone."""
    choose(browser, "put-in")
    keyboard.type("12")
    has_amount(browser, "12")
    for stock in (15, 16):
        keyboard.scan("A-1")
        shows(browser, f"Stock {stock}")
    press(browser, "Undo")
    lists(browser, "undone", "booked")
    browser.driver.refresh()
    lists(browser, "undone", "booked")
    for way in ("#stock", "#products/1"):
        browser.run("location.hash = arguments[0]", way)
        browser.until(lambda: browser.run(PANEL) == "")
        press(browser, "Scan", "link")
        browser.until(lambda: browser.run(MODE) == "put-in")
    press(browser, "Undo")
    lists(browser, "undone", "undone")
    assert level(shop) == 3


def test_a_count_asks_for_its_number(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Only a number and Enter set it, also on a slow network. What is left is said to be lost."""
    choose(browser, "set")
    browser.slow_down(latency=1500, processor=1)
    keyboard.scan("A-1")
    is_for(browser, "A-1")
    keyboard.type("51")
    has_amount(browser, "51")
    keyboard.press(Key("Backspace"))
    press(browser, "2")
    shows(browser, PEN, "Stock 3")
    has_amount(browser, "52")
    browser.slow_down(latency=0, processor=1)
    browser.run(FOCUS, ".keys button")
    keyboard.press(Key("Enter"))
    shows(browser, "3 → 52")
    for number, way in (("12", "[value=put-in]"), ("13", "[href='#stock']")):
        choose(browser, "set")
        keyboard.scan("B-2")
        is_for(browser, NUT)
        keyboard.type(number)
        has_amount(browser, number)
        browser.run(CLICK, way)
        browser.shows(f"{number} for {NUT}")
    assert (level(shop), level(shop, 2)) == (52, 10)


def test_a_typed_code_is_saved_by_another_enter(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """By the keyboard alone, back in the field then; a scan while a text is there saves nothing."""
    choose(browser, "put-in")
    browser.run(FOCUS, "#code")
    keyboard.type("A-1")
    keyboard.press(Key("Enter"))
    shows(browser, PEN, "Stock 3")
    lists(browser)
    keyboard.press(Key("Enter"))
    shows(browser, "Stock 4")
    assert browser.run("return document.activeElement.id") == "code"
    write(browser, "Enter a code", "12")
    keyboard.scan("B-2")
    shows(browser, "First clear “12” from the code field")
    assert browser.run("return document.querySelector('#code').value") == "12"
    lists(browser, "booked")
    assert level(shop, 2) == 10


def test_what_waits_for_a_product_goes_on_with_it(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The form says which; it asks for a level only if there would be nothing to take from.

    A scan that names its product fills the description in, and may get another code.
    """
    choose(browser, "put-in")
    for _ in range(2):
        keyboard.scan("4006381333931")
    lists(browser, "refused", "refused")
    press(browser, "Create product")
    browser.shows("+1, +1")
    assert browser.run(FOCUSED) == ["description", ""]
    assert not browser.run("return document.querySelectorAll('dialog [name=initial_level]').length")
    keyboard.type("Red pen", gap=60)
    press(browser, "Save")
    lists(browser, "booked", "booked")
    shows(browser, "Red pen", "Stock 2")
    choose(browser, "take-out")
    keyboard.type("4")
    has_amount(browser, "4")
    keyboard.scan('{"product_code": "R-1", "description": "New"}')
    press(browser, "Create product")
    browser.shows("\N{MINUS SIGN}4")
    browser.until(lambda: browser.run(FORM) == "R-1")
    assert browser.run(FOCUSED) == ["description", "New"]
    press(browser, "Change code")
    write(browser, "Code", "R-2")
    write(browser, "Current stock", "9")
    press(browser, "Save")
    shows(browser, "New", "R-2", "Stock 5")
    assert level(shop, 3) == 2


def test_what_is_refused_stays_until_somebody_decides(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """On a phone a number leads to it. It says what was asked for and what is there, and is retried or discarded."""
    browser.resize(390, 664, mobile=True)
    choose(browser, "take-out")
    keyboard.type("5")
    has_amount(browser, "5")
    keyboard.scan("A-1")
    shows(browser, "There are only 3, not 5", PEN, "Stock 3")
    browser.driver.refresh()
    lists(browser, "refused")
    keyboard.scan("none-such")
    lists(browser, "refused", "refused")
    press(browser, "2 changes refused")
    browser.found(REFUSED_IS_SEEN)
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 4, "idempotency_key": "k"})
    press(browser, "Retry all")
    lists(browser, "refused", "booked")
    assert level(shop) == 2
    keyboard.scan("none-such")
    press(browser, "Discard all")
    browser.driver.find_element("css selector", "dialog .danger").click()
    lists(browser, "undone", "undone", "booked")


def test_a_phone_shows_all_that_one_needs_without_scrolling(shop: Service, make_browser: BrowserMaker) -> None:
    """In German with its long words, and markup as text. Modes differ by colour and sign, or else by borders."""
    for number, description in enumerate(HOSTILE):
        made(shop, f"<b>{number}</b>", description)
    browser = make_browser(language="de-DE")
    browser.resize(390, 664, mobile=True)
    open_scan(browser, shop.address, "set")
    seen = []
    for mode in ("take-out", "set", "put-in"):
        choose(browser, mode)
        colours, signs = browser.run(LOOKS)
        assert len(set(colours)) == len(set(signs)) == 1
        seen.append((colours[0], signs[0]))
    assert len({colour for colour, _ in seen}) == len({sign for _, sign in seen}) == 3
    for mode in ("put-in", "set"):
        choose(browser, mode)
        with Keyboard(browser) as keyboard:
            keyboard.scan("A-1")
            shows(browser, PEN, "4")
        assert browser.run(BELOW) == []
        assert not browser.run(WIDE)
        assert set(browser.run(KEY_HEIGHTS)) == {56}
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    assert browser.run(BORDERS) == [3, 3]
    choose(browser, "put-in")
    with Keyboard(browser) as keyboard:
        for number, description in enumerate(HOSTILE):
            keyboard.scan(f"<b>{number}</b>")
            browser.until(partial(heading_is, browser, description))
            assert not browser.run(WIDE)
    assert browser.run("return document.querySelectorAll('main img, main script, main b').length") == 0
    assert browser.run("return [...document.querySelectorAll('.product h2 bdi')].length") == 1


def test_no_one_is_kept_out(keyboard: Keyboard, browser: Chromium, inaccessible: Findings) -> None:
    """Neither by the empty view, nor by one with a product, a stock change, a refusal and a product that waits."""
    assert inaccessible(browser) == []
    choose(browser, "put-in")
    keyboard.scan("A-1")
    lists(browser, "booked")
    keyboard.scan("none-such")
    lists(browser, "refused", "booked")
    assert inaccessible(browser) == []
    choose(browser, "set")
    keyboard.scan("A-1")
    is_for(browser, PEN)
    browser.prefer(color_scheme="dark")
    assert inaccessible(browser) == []


def test_a_product_is_corrected_in_a_look_up_and_counted(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """By the buttons under the thumb alone; after its label is printed, the product is there again."""
    browser.resize(390, 664, mobile=True)
    keyboard.scan("A-1")
    shows(browser, PEN, "Stock 3")
    press(browser, "Quantity: 1")
    press(browser, "3")
    control(browser, "button", "Add 3").click()
    shows(browser, "Stock 6")
    press(browser, "Undo")
    shows(browser, "Undone", "Stock 3")
    press(browser, "Print label", "link")
    browser.until(lambda: browser.run("return location.hash") == "#labels?products=1")
    browser.shows("1 label")
    browser.driver.back()
    shows(browser, "Ready", PEN, "Stock 3")
    browser.run(CLICK, ".steps [data-mode=set]")
    browser.found("return document.querySelector('.pad.asks')")
    press(browser, "7")
    has_amount(browser, "7")
    browser.run(CLICK, ".pad .main")
    shows(browser, "3 → 7", "Stock 7")
    assert level(shop) == 7


def test_screen_readers_read_one_short_message_for_each_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """Whether it changes the stock, is refused or only looks up; so they do for a quantity that is typed."""
    choose(browser, "put-in")
    browser.run(LISTEN)
    keyboard.scan("A-1")
    shows(browser, "Stock 4")
    keyboard.scan("none-such")
    shows(browser, "No product has this code.")
    keyboard.type("2", gap=130)
    has_amount(browser, "2")
    keyboard.scan("B-2")
    shows(browser, "Stock 12")
    expected = ["Added: 1 Blue pen", "No product has this code.", "Quantity: 2", "Added: 2 Nut M8"]
    assert browser.run("return said") == expected
    browser.run("said.length = 0")
    choose(browser, "look-up")
    browser.until(lambda: browser.run("return said.length") == 1)
    keyboard.scan("A-1")
    shows(browser, "Found")
    assert browser.run("return said")[1:] == ["Found Blue pen"]


def test_no_scan_waits_for_a_name(shop: Service, make_browser: BrowserMaker) -> None:
    """Without one it is the web app's; the button asks for it."""
    browser = make_browser(author="")
    open_scan(browser, shop.address)
    scan(browser, "A-1")
    lists(browser, "booked")
    assert last_change(shop, 1)[0] == "Web app"
    press(browser, "Your name")
    write(browser, "Your name", "Ben")
    press(browser, "Save")
    scan(browser, "A-1")
    lists(browser, "booked", "booked")
    assert last_change(shop, 1)[0] == "Ben"


def test_the_shop_sets_its_reasons(shop: Service, browser: Chromium) -> None:
    """Each has a button; the chosen one goes with the stock changes of a mode."""
    browser.open(f"{shop.address}/#settings")
    write(browser, "Reasons, separated by commas", "sold, returned")
    press(browser, "Scan", "link")
    browser.shows("Scan a code")
    choose(browser, "take-out")
    press(browser, "returned")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
    shows(browser, "returned", "Stock 2")
    choose(browser, "put-in")
    browser.until(lambda: browser.run(PRESSED) == [])
    assert last_change(shop, 1) == ["Ann", "returned"]

"""The view Scan: what a scan shows and books, its messages, and the possible responses to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from tests.page.conftest import BrowserMaker
from tests.page.controls import SOUND_AT_ONCE, press, write
from tests.page.scanning import (
    MODE,
    NUT,
    PANEL,
    PEN,
    choose,
    has_amount,
    is_for,
    lists,
    open_scan,
    shows,
    with_pens_and_nuts as stocked,
)
from tests.page.stocked import level
from tests.served import Service

HOSTILE = [
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "\u202eevil\u2066 right to left \u2069 and on",
    "x" * 500,
    "'\"><svg/onload=alert(3)>{{7*7}}${7*7}",
]
STATE = "return document.querySelector('.product')?.dataset.state ?? ''"
SIGN = "return document.querySelector('.message .symbol').dataset.symbol"
CODE_OF_FORM = "return document.querySelector('dialog input[name=product_code]')?.value"
FOCUSED = "return [document.activeElement.name, document.activeElement.value]"
FOCUS_ON_CODE = "document.querySelector('#code').focus()"
FOCUS_ON_KEY = "document.querySelector('.keys button').focus()"
SIGNS = """
window.felt = [];
navigator.vibrate = (pattern) => { felt.push(pattern); return true; };
window.heard = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) { heard.push(this.frequency.value); return start.apply(this, at); };
"""
BELOW = """
const edge = document.querySelector('.navigation').getBoundingClientRect().top;
const pad = document.querySelector('.pad').getBoundingClientRect();
const card = document.querySelector('.product').getBoundingClientRect();
const hidden = [...document.querySelectorAll('.card.product *, .entry *, .modes *')].filter((node) => {
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


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with three pens and ten nuts."""
    return stocked(service)


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


def test_a_look_up_shows_product_level_and_movements_and_changes_nothing(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """This is the first mode; a code can be typed as well, and an unknown one gives way to the next."""
    keyboard.scan("none-such")
    shows(browser, "none-such")
    keyboard.scan("A-1")
    shows(browser, PEN, "3")
    browser.shows("initial stock")
    write(browser, "Enter a code", "B-2")
    press(browser, "Look up")
    shows(browser, NUT, "10")
    assert (level(shop), level(shop, 2)) == (3, 10)
    lists(browser)


def test_each_mode_books_at_once_what_its_name_says(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The amount is 1 unless another was typed, and 1 again afterwards; what was set says what it was."""
    choose(browser, "put-in")
    for stock in (4, 5):
        keyboard.scan("A-1")
        shows(browser, f"Stock {stock}")
    keyboard.type("12")
    has_amount(browser, "12")
    keyboard.scan("A-1")
    shows(browser, "Stock 17")
    choose(browser, "take-out")
    keyboard.scan("A-1")
    shows(browser, "Stock 16")
    choose(browser, "set")
    press(browser, "7")
    keyboard.scan("A-1")
    shows(browser, "16 → 7", "Stock 7")
    assert level(shop) == 7


def test_a_count_asks_for_its_number(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Only a number and Enter set the level, also on a slow network, and after a tap on the number pad."""
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
    browser.run(FOCUS_ON_KEY)
    keyboard.press(Key("Enter"))
    shows(browser, "3 → 52")
    assert level(shop) == 52


def test_a_number_that_is_typed_after_a_scan_is_not_that_of_the_next_product(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The next scan books the product that is shown, and waits for its own number, even if it is the same product."""
    choose(browser, "set")
    keyboard.scan("A-1")
    is_for(browser, PEN)
    keyboard.type("12")
    keyboard.scan("B-2")
    is_for(browser, NUT)
    lists(browser, "booked")
    assert (level(shop), level(shop, 2)) == (12, 10)
    has_amount(browser, "\N{EN DASH}")
    keyboard.type("30")
    keyboard.scan("B-2")
    shows(browser, NUT, "Stock 30")
    keyboard.press(Key("Escape"))
    browser.until(lambda: "Ready" in browser.run(PANEL))
    lists(browser, "booked", "booked")


def test_a_scan_with_a_text_in_the_code_field_books_nothing(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The text may be meant as the amount, so it stays, and the scan is rejected."""
    choose(browser, "put-in")
    write(browser, "Enter a code", "12")
    keyboard.scan("B-2")
    shows(browser, "First clear “12” from the code field")
    assert browser.run("return document.querySelector('#code').value") == "12"
    write(browser, "Enter a code", "")
    keyboard.scan("B-2")
    lists(browser, "booked")
    assert level(shop, 2) == 11


@pytest.mark.parametrize("mode", ["put-in", pytest.param("set", marks=pytest.mark.full_run)])
def test_a_typed_code_shows_its_product_before_enter_books_it(keyboard: Keyboard, browser: Chromium, mode: str) -> None:
    """By the keyboard alone: the focus is back in the field afterwards."""
    choose(browser, mode)
    browser.run(FOCUS_ON_CODE)
    keyboard.type("A-1")
    keyboard.press(Key("Enter"))
    shows(browser, PEN, "Stock 3")
    lists(browser)
    keyboard.type("2")
    has_amount(browser, "2")
    keyboard.press(Key("Enter"))
    shows(browser, f"Stock {5 if mode == 'put-in' else 2}")
    assert browser.run("return document.activeElement.id") == "code"


def test_every_stock_change_can_be_undone_also_after_a_reload(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The mode survives the reload too, and the way through other views."""
    choose(browser, "put-in")
    for _ in range(2):
        keyboard.scan("A-1")
    shows(browser, "Stock 5")
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


def test_good_and_bad_differ_for_ears_eyes_and_hands(keyboard: Keyboard, browser: Chromium) -> None:
    """Each has its tones, its buzz, its sign and its words, besides its colour."""
    browser.run(SOUND_AT_ONCE + SIGNS)
    seen = []
    for code, state in (("A-1", "good"), ("none-such", "bad")):
        keyboard.scan(code)
        browser.until(partial(lambda state: browser.run(STATE) == state, state))
        told = browser.found("return heard.length && felt.length && [heard.splice(0), felt.splice(0)]")
        seen.append([*told, browser.run(SIGN)])
    assert all(good != bad for good, bad in zip(*seen, strict=True))


def test_a_scan_that_names_its_product_fills_the_description_in(keyboard: Keyboard, browser: Chromium) -> None:
    """And the new product is shown, even if a person gives it another code than the scanned one."""
    keyboard.scan('{"product_code": "R-1", "description": "Red pen"}')
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "R-1")
    assert browser.run(FOCUSED) == ["description", "Red pen"]
    press(browser, "Change code")
    write(browser, "Code", "R-2")
    press(browser, "Save")
    shows(browser, "Red pen", "R-2")


def test_every_stock_change_that_waits_for_a_product_goes_on_with_it(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The first typed text is the description, as the code is fixed."""
    choose(browser, "put-in")
    for _ in range(3):
        keyboard.scan("4006381333931")
    lists(browser, "refused", "refused", "refused")
    press(browser, "Create product")
    browser.shows("+1, +1, +1")
    assert browser.run(FOCUSED) == ["description", ""]
    keyboard.type("Red pen", gap=60)
    press(browser, "Save")
    lists(browser, "booked", "booked", "booked")
    shows(browser, "Red pen", "Stock 3")
    assert level(shop, 3) == 3


@pytest.mark.parametrize(
    ("mode", "booked", "stock"),
    [("take-out", "\N{MINUS SIGN}4", 5), pytest.param("set", "= 4", 4, marks=pytest.mark.full_run)],
)
def test_the_form_of_a_product_says_what_is_booked_behind_it(
    keyboard: Keyboard, browser: Chromium, mode: str, booked: str, stock: int
) -> None:
    """It asks for a level only if there would be nothing to take from."""
    choose(browser, mode)
    keyboard.type("4")
    has_amount(browser, "4")
    keyboard.scan("none-such")
    press(browser, "Create product")
    browser.shows(booked)
    write(browser, "Description", "New")
    if mode == "take-out":
        write(browser, "Current stock", "9")
    assert browser.run("return document.querySelectorAll('dialog [name=initial_level]').length") == (mode != "set")
    press(browser, "Save")
    shows(browser, "New", f"Stock {stock}")


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
    lists(browser, "undone", "undone", "booked")


def test_hostile_texts_are_texts(service: Service, browser: Chromium) -> None:
    """Markup is shown and not run, marks of direction end with the text, and nothing is wider than the screen."""
    for number, description in enumerate(HOSTILE):
        service.call("POST", "/api/products", {"product_code": f"<b>{number}</b>", "description": description})
    browser.be_a_phone()
    open_scan(browser, service.address)
    with Keyboard(browser) as keyboard:
        for number, description in enumerate(HOSTILE):
            keyboard.scan(f"<b>{number}</b>")
            browser.until(partial(heading_is, browser, description))
            assert not browser.run(WIDE)
    assert browser.run("return document.querySelectorAll('main img, main script, main b').length") == 0
    assert browser.run("return [...document.querySelectorAll('.product h2 bdi')].length") == 1


@pytest.mark.parametrize("language", ["de-DE", pytest.param("en-GB", marks=pytest.mark.full_run)])
def test_a_phone_shows_all_that_one_needs_without_scrolling(
    shop: Service, make_browser: BrowserMaker, language: str
) -> None:
    """Code, modes, product and number pad, whose keys stay in their place, also in German with its long words."""
    browser = make_browser(language=language)
    browser.resize(390, 664, mobile=True)
    for mode in ("put-in", "set"):
        open_scan(browser, shop.address, mode)
        with Keyboard(browser) as keyboard:
            keyboard.scan("A-1")
            shows(browser, PEN, "4")
        assert browser.run(BELOW) == []
        assert not browser.run(WIDE)
        assert set(browser.run(KEY_HEIGHTS)) == {56}


@pytest.mark.parametrize("way", [pytest.param("mode", marks=pytest.mark.full_run), "view"])
def test_a_count_that_is_left_without_confirming_is_said_to_be_lost(
    shop: Service, keyboard: Keyboard, browser: Chromium, way: str
) -> None:
    """It names product and number, whether the mode or the view is changed; a cancelled one is not mentioned."""
    choose(browser, "set")
    keyboard.scan("A-1")
    is_for(browser, PEN)
    keyboard.type("7")
    has_amount(browser, "7")
    press(browser, "Cancel")
    keyboard.scan("B-2")
    is_for(browser, NUT)
    keyboard.type("12")
    has_amount(browser, "12")
    if way == "mode":
        choose(browser, "put-in")
    else:
        browser.run("location.hash = '#stock'")
    browser.shows(f"12 for {NUT}")
    assert (level(shop), level(shop, 2)) == (3, 10)


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.full_run), "dark"])
def test_no_one_is_kept_out(
    keyboard: Keyboard, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]], scheme: str
) -> None:
    """Neither by the empty view, nor by one with a product, a stock change, a refusal and a product that waits."""
    browser.prefer(color_scheme=scheme)
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
    assert inaccessible(browser) == []

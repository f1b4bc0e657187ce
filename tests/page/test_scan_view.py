"""The view Scan: what a scan shows and books, how it is told, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from scripts.browser.served import Service
from tests.page.conftest import BrowserMaker
from tests.page.controls import write

PEN, NUT = "Blue pen", "Nut M8"
HOSTILE = [
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "\u202eevil\u2066 right to left \u2069 and on",
    "x" * 500,
    "'\"><svg/onload=alert(3)>{{7*7}}${7*7}",
]
PANEL = "return document.querySelector('.product').innerText"
STATE = "return document.querySelector('.product').dataset.state"
LIST = "return document.querySelector('.bookings').innerText"
CHOOSE = "document.querySelector(`input[value=${arguments[0]}]`).click()"
CODE_OF_FORM = "return document.querySelector('dialog input[name=product_code]')?.value"
PRESS = """
const found = [...document.querySelectorAll(arguments[1] ?? 'button')].find((one) => one.innerText === arguments[0]);
found?.click();
return Boolean(found);
"""
SIGNS = """
window.felt = [];
navigator.vibrate = (pattern) => { felt.push(pattern); return true; };
window.heard = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) { heard.push(this.frequency.value); return start.apply(this, at); };
"""
BELOW = """
const edge = document.querySelector('.navigation').getBoundingClientRect().top;
return ['.modes', '.product', '.pad'].filter((name) =>
  document.querySelector(name).getBoundingClientRect().bottom > edge);
"""
WIDE = "return document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with two products."""
    for code, description, level in (("A-1", PEN, 3), ("B-2", NUT, 10)):
        body = {"product_code": code, "description": description, "initial_level": level}
        service.call("POST", "/api/products", body)
    return service


@pytest.fixture
def keyboard(shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start."""
    browser.open(shop.address)
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        yield keyboard


def level(service: Service, product: int = 1) -> int:
    """Return the level of a product."""
    found: int = service.call("GET", f"/api/inventory?product_id={product}")["data"][0]["current_level"]
    return found


def press(browser: Chromium, name: str) -> None:
    """Press the first button with this name, once it stands there."""
    browser.until(lambda: browser.run(PRESS, name))


def shows(browser: Chromium, script: str, *texts: str) -> None:
    """Wait until all these texts stand in a part of the page."""
    browser.until(lambda: all(text in browser.run(script) for text in texts))


def heading_is(browser: Chromium, text: str) -> bool:
    """Tell whether the product that stands there has this description."""
    return bool(browser.run("return document.querySelector('h2').textContent") == text)


def scan_four(keyboard: Keyboard, browser: Chromium, mode: str) -> None:
    """Scan four of a product that is not there yet, and ask for its form."""
    browser.run(CHOOSE, mode)
    keyboard.type("4")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "4")
    keyboard.scan("none-such")
    press(browser, "Create product")


def test_a_look_up_shows_product_level_and_last_changes_and_changes_nothing(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """That is the mode that nobody has to choose."""
    keyboard.scan("A-1")
    shows(browser, PANEL, PEN, "Level 3", "initial level")
    assert level(shop) == 3
    assert browser.run(LIST) == ""


def test_each_mode_books_at_once_what_its_name_says(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The amount is 1 unless another was typed, and 1 again behind that."""
    browser.run(CHOOSE, "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Put in: 1", "Level 4")
    keyboard.type("12")
    browser.shows("12")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Put in: 12", "Level 16")
    browser.run(CHOOSE, "take-out")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Taken out: 1", "Level 15")
    browser.run(CHOOSE, "set")
    press(browser, "7")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Level set", "Level 7")
    assert level(shop) == 7


def test_a_count_without_a_number_asks_for_it(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The product stands there; digits and Enter set its level, and nothing else does."""
    browser.run(CHOOSE, "set")
    keyboard.scan("A-1")
    shows(browser, PANEL, "How many are there?", "Level 3")
    browser.until(lambda: browser.run("return document.activeElement.innerText") == "Set")
    keyboard.type("51")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "51")
    keyboard.press(Key("Backspace"))
    keyboard.press(Key("Enter"))
    shows(browser, PANEL, "Level set", "Level 5")
    assert level(shop) == 5


def test_the_same_code_twice_counts_twice(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A person scans three equal things one after the other."""
    browser.run(CHOOSE, "put-in")
    for _ in range(3):
        keyboard.scan("A-1")
    shows(browser, PANEL, "Level 6")
    assert level(shop) == 6


def test_every_booking_in_the_list_can_be_undone_also_after_a_reload(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The mode outlives the reload too, as it stands in the address."""
    browser.run(CHOOSE, "put-in")
    for _ in range(2):
        keyboard.scan("A-1")
    shows(browser, PANEL, "Level 5")
    press(browser, "Undo")
    browser.until(lambda: browser.run(LIST).count("undone") == 1)
    browser.driver.refresh()
    browser.until(lambda: browser.run(LIST).count("booked") == 1)
    assert browser.run("return document.querySelector('input:checked').value") == "put-in"
    press(browser, "Undo")
    browser.until(lambda: browser.run(LIST).count("undone") == 2 and "being" not in browser.run(LIST))
    assert level(shop) == 3


def test_good_and_bad_differ_for_ears_eyes_and_hands(keyboard: Keyboard, browser: Chromium) -> None:
    """Each has its tones, its buzz, its sign and its words, beside its colour."""
    browser.run(SIGNS)
    keyboard.scan("A-1")
    shows(browser, PANEL, "Found")
    told = browser.until(lambda: browser.run("return heard.length && felt.length && [heard.splice(0), felt.splice(0)]"))
    assert browser.run(STATE) == "good"
    good = browser.run("return document.querySelector('.says path').getAttribute('d')")
    keyboard.scan("none-such")
    shows(browser, PANEL, "No product has this code")
    other = browser.until(lambda: browser.run("return heard.length && felt.length && [heard, felt]"))
    assert browser.run(STATE) == "bad"
    assert other[0] != told[0]
    assert other[1] != told[1]
    assert browser.run("return document.querySelector('.says path').getAttribute('d')") != good


def test_an_unknown_code_offers_to_create_the_product(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The form is filled in as far as the scan says, and what was scanned is booked behind it."""
    browser.run(CHOOSE, "put-in")
    keyboard.scan("4006381333931")
    shows(browser, PANEL, "No product has this code")
    shows(browser, LIST, "refused")
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "4006381333931")
    press(browser, "Save")
    shows(browser, PANEL, "Put in: 1", "Level 1")
    assert level(shop, 3) == 1


@pytest.mark.parametrize(("mode", "booked"), [("put-in", "+4"), ("set", "= 4")])
def test_the_form_of_a_product_says_what_is_booked_behind_it(
    keyboard: Keyboard, browser: Chromium, mode: str, booked: str
) -> None:
    """It asks for no level that would be added to what was put in, or be another count than the one that waits."""
    scan_four(keyboard, browser, mode)
    browser.shows(f"Then the scan is booked: {booked}")
    assert browser.run("return document.querySelector('dialog [name=initial_level]')") is None
    write(browser, "Description", "New")
    press(browser, "Save")
    shows(browser, PANEL, "Level 4")


def test_what_is_taken_out_of_a_new_product_is_taken_from_its_level(keyboard: Keyboard, browser: Chromium) -> None:
    """Without a level there would be nothing to take."""
    scan_four(keyboard, browser, "take-out")
    browser.shows("Then the scan is booked: \N{MINUS SIGN}4")
    write(browser, "Description", "New")
    write(browser, "Level now", "9")
    press(browser, "Save")
    shows(browser, PANEL, "Level 5")


def test_what_is_refused_stays_until_somebody_decides(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Its reason stands beside it, in the reader's words, and it can be tried again or dropped."""
    browser.run(CHOOSE, "take-out")
    keyboard.type("5")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "5")
    keyboard.scan("A-1")
    shows(browser, LIST, "refused", "Only 3 are there")
    browser.driver.refresh()
    shows(browser, LIST, "refused", "Only 3 are there")
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 4, "idempotency_key": "k"})
    press(browser, "Try again")
    shows(browser, LIST, "booked")
    assert level(shop) == 2


def test_a_scan_beside_an_open_dialog_counts_and_leaves_the_dialog_alone(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Whoever scans on while the form stands there loses nothing; only a field for codes takes the scan."""
    browser.run(CHOOSE, "put-in")
    keyboard.scan("4006381333931")
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "4006381333931")
    browser.run("document.querySelector('dialog input[name=description]').focus()")
    keyboard.scan("A-1")
    browser.until(lambda: level(shop) == 4)
    assert browser.run("return document.activeElement.value") == "4006381333931"
    browser.run("document.querySelector('dialog input[name=product_code]').focus()")
    keyboard.scan("A-1")
    browser.until(lambda: browser.run("return document.activeElement.value") == "A-1")
    assert level(shop) == 4


def test_hostile_texts_are_texts(service: Service, browser: Chromium) -> None:
    """Markup is shown and not done, marks of direction end with the text, and nothing is wider than the screen."""
    for number, description in enumerate(HOSTILE):
        service.call("POST", "/api/products", {"product_code": f"<b>{number}</b>", "description": description})
    browser.be_a_phone()
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        for number, description in enumerate(HOSTILE):
            keyboard.scan(f"<b>{number}</b>")
            browser.until(partial(heading_is, browser, description))
            assert not browser.run(WIDE)
    assert browser.run("return document.querySelectorAll('main img, main script, main b').length") == 0
    assert browser.run("return [...document.querySelectorAll('main h2 bdi')].length") == 1


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
def test_a_phone_shows_modes_product_and_amount_without_scrolling(
    shop: Service, browser: Chromium, width: int, height: int
) -> None:
    """Also in German, whose words are long."""
    browser.resize(width, height, mobile=True)
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        shows(browser, PANEL, "Put in: 1")
    assert browser.run(BELOW) == []
    assert not browser.run(WIDE)


def test_the_view_speaks_german(shop: Service, make_browser: BrowserMaker) -> None:
    """The modes and buttons have the names that the shop knows."""
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.shows("Bereit. Scannen Sie einen Code.")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
    shows(browser, PANEL, "Eingelagert: 1", "Rückgängig")
    for name in ("Nachsehen", "Einlagern", "Entnehmen", "Setzen", "Kamera"):
        browser.shows(name)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(
    keyboard: Keyboard,
    browser: Chromium,
    inaccessible: Callable[[Chromium], list[Any]],
    scheme: str,
) -> None:
    """Neither by the empty view, nor by one with a product, a booking, a refusal and a form."""
    browser.prefer(color_scheme=scheme)
    assert inaccessible(browser) == []
    browser.run(CHOOSE, "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Put in: 1")
    assert inaccessible(browser) == []
    keyboard.scan("none-such")
    shows(browser, LIST, "refused")
    assert inaccessible(browser) == []
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "none-such")
    assert inaccessible(browser) == []

"""The view Scan: what a scan shows and books, its messages, and the possible responses to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from tests.page.conftest import BrowserMaker
from tests.page.controls import SOUND_AT_ONCE, write
from tests.page.stocked import level
from tests.served import Service

PEN, NUT = "Blue pen", "Nut M8"
HOSTILE = [
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "\u202eevil\u2066 right to left \u2069 and on",
    "x" * 500,
    "'\"><svg/onload=alert(3)>{{7*7}}${7*7}",
]
PANEL = r"return document.querySelector('.product')?.innerText.replace(/\s+/g, ' ') ?? ''"
MODE = "return document.querySelector('.modes input:checked')?.value"
STATE = "return document.querySelector('.product')?.dataset.state ?? ''"
BELOW_THE_TOP = """
const { top } = document.querySelector('.booking.refused').getBoundingClientRect();
return top >= document.querySelector('.product-side').getBoundingClientRect().bottom - 1 && top < innerHeight;
"""
LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
CHOOSE = "document.querySelector(`input[value=${arguments[0]}]`).click()"
PAD_IS_HIDDEN = "return document.querySelector('.pad')?.hidden"
CODE_OF_FORM = "return document.querySelector('dialog input[name=product_code]')?.value"
LEGEND = "return document.querySelector('.pad legend').innerText"
DIGIT_KEY = "return [...document.querySelectorAll('.keys button')].find((one) => one.innerText === arguments[0])"
AMOUNT = "return document.querySelector('.amount').value"
GO = "return document.querySelector('form button').innerText"
FOCUSED = "return [document.activeElement.name, document.activeElement.value]"
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
    for code, description, stock in (("A-1", PEN, 3), ("B-2", NUT, 10)):
        body = {"product_code": code, "description": description, "initial_level": stock}
        service.call("POST", "/api/products", body)
    return service


@pytest.fixture
def keyboard(shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start view."""
    browser.open(shop.address)
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        yield keyboard


def press(browser: Chromium, name: str, kind: str = "button") -> None:
    """Press the first button with this name, once it is there."""
    browser.found(PRESS, name, kind)


def choose(browser: Chromium, mode: str) -> None:
    """Choose a mode, and wait for its number pad, which is loaded when it is first needed."""
    browser.run(CHOOSE, mode)
    browser.until(lambda: browser.run(PAD_IS_HIDDEN) == (mode == "look-up"))


def shows(browser: Chromium, script: str, *texts: str) -> None:
    """Wait until all these texts are in a part of the page."""
    browser.until(lambda: all(text in browser.run(script) for text in texts))


def heading_is(browser: Chromium, text: str) -> bool:
    """Tell whether the current product has this description."""
    return bool(browser.run("return document.querySelector('h2').textContent") == text)


def scan_four(keyboard: Keyboard, browser: Chromium, mode: str) -> None:
    """Scan four of a product that does not exist yet, and open its form."""
    choose(browser, mode)
    keyboard.type("4")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "4")
    keyboard.scan("none-such")
    press(browser, "Create product")


def test_a_look_up_shows_product_level_and_last_changes_and_changes_nothing(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """This is the default mode."""
    keyboard.scan("A-1")
    shows(browser, PANEL, PEN, "Stock 3", "initial stock")
    assert level(shop) == 3
    assert browser.run(LIST) == ""


def test_each_mode_books_at_once_what_its_name_says(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The amount is 1 unless another was typed, and 1 again afterwards."""
    choose(browser, "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Added: 1", "Stock 4")
    keyboard.type("12")
    browser.shows("12")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Added: 12", "Stock 16")
    choose(browser, "take-out")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Removed: 1", "Stock 15")
    choose(browser, "set")
    press(browser, "7")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Counted", "Stock 7")
    assert level(shop) == 7


def test_a_count_without_a_number_asks_for_it(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The product is shown; digits and Enter set its level, and nothing else does."""
    choose(browser, "set")
    keyboard.scan("A-1")
    shows(browser, PANEL, "How many are there?", "Stock 3")
    browser.until(lambda: browser.run("return document.activeElement.innerText") == "Count")
    keyboard.type("51")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "51")
    keyboard.press(Key("Backspace"))
    keyboard.press(Key("Enter"))
    shows(browser, PANEL, "Counted", "Stock 5")
    assert level(shop) == 5


def test_enter_after_an_amount_does_not_press_the_digit_that_was_tapped_last(
    keyboard: Keyboard, browser: Chromium
) -> None:
    """The focus is still on that digit."""
    choose(browser, "put-in")
    digit = browser.run(DIGIT_KEY, "4")
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", digit)
    digit.click()
    keyboard.scan("B-2")
    shows(browser, PANEL, "Added: 4", "Stock 14")
    keyboard.type("12")
    keyboard.press(Key("Enter"))
    assert browser.run(AMOUNT) == "12"
    keyboard.scan("B-2")
    shows(browser, PANEL, "Added: 12", "Stock 26")


def test_a_level_that_is_typed_after_a_scan_is_not_that_of_the_next_product(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The next scan sets the product that is shown, and then waits for its own level."""
    choose(browser, "set")
    assert browser.run(LEGEND) == "Count for the next scan"
    keyboard.scan("A-1")
    browser.until(lambda: browser.run(LEGEND) == f"Stock of {PEN}")
    keyboard.type("12")
    keyboard.scan("B-2")
    shows(browser, PANEL, "How many are there?", NUT, "Stock 10")
    browser.until(lambda: browser.run(LIST).count("saved") == 1)
    assert (level(shop), level(shop, 2)) == (12, 10)
    assert browser.run(LEGEND) == f"Stock of {NUT}"
    assert browser.run(AMOUNT) == "\N{EN DASH}"
    keyboard.scan("A-1")
    browser.until(lambda: browser.run(LEGEND) == f"Stock of {PEN}")
    assert browser.run(LIST).count("saved") == 1


@pytest.mark.full_run
def test_a_count_that_is_confirmed_by_the_same_code_is_shown(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The panel shows the new level, although it requested the product before that."""
    choose(browser, "set")
    keyboard.scan("B-2")
    browser.until(lambda: browser.run(LEGEND) == f"Stock of {NUT}")
    keyboard.type("30")
    keyboard.scan("B-2")
    shows(browser, PANEL, "How many are there?", NUT, "Stock 30")
    assert level(shop, 2) == 30


def test_a_scan_with_a_text_in_the_code_field_books_nothing(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The text may be meant as the amount, so it stays, and the scan is rejected."""
    choose(browser, "put-in")
    write(browser, "Enter a code", "12")
    keyboard.scan("B-2")
    shows(browser, PANEL, "First clear “12” from the code field")
    assert browser.run("return document.querySelector('#code').value") == "12"
    write(browser, "Enter a code", "")
    keyboard.scan("B-2")
    browser.until(lambda: browser.run(LIST).count("saved") == 1)
    assert level(shop, 2) == 11


@pytest.mark.full_run
def test_a_product_that_is_created_with_another_code_is_shown(keyboard: Keyboard, browser: Chromium) -> None:
    """The scanned code, which no product has, is not looked up again."""
    keyboard.scan("4006381333931")
    press(browser, "Create product")
    press(browser, "Change code")
    write(browser, "Code", "R-1")
    write(browser, "Description", "Red pen")
    press(browser, "Save")
    shows(browser, PANEL, "Found", "Red pen")


@pytest.mark.parametrize("key", ["Escape", pytest.param("", marks=pytest.mark.full_run)])
def test_a_count_that_is_cancelled_sets_nothing(shop: Service, keyboard: Keyboard, browser: Chromium, key: str) -> None:
    """Nor is its amount that of the next scan."""
    choose(browser, "set")
    keyboard.scan("A-1")
    shows(browser, PANEL, "How many are there?")
    keyboard.type("12")
    browser.until(lambda: browser.run(AMOUNT) == "12")
    if key:
        keyboard.press(Key(key))
    else:
        press(browser, "Cancel")
    browser.until(lambda: browser.run(LEGEND) == "Count for the next scan")
    keyboard.scan("B-2")
    shows(browser, PANEL, "How many are there?", NUT)
    assert (level(shop), level(shop, 2)) == (3, 10)


def test_a_level_counts_from_the_scan_on_however_slow_the_service_is(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Digits typed before the product is found are not lost; Enter also sets after a digit of the pad."""
    choose(browser, "set")
    browser.slow_down(latency=1500, processor=1)
    keyboard.scan("A-1")
    browser.until(lambda: browser.run(LEGEND) == "Stock of A-1")
    keyboard.type("1")
    browser.until(lambda: browser.run(AMOUNT) == "1")
    press(browser, "2")
    shows(browser, PANEL, "How many are there?")
    assert browser.run(AMOUNT) == "12"
    browser.run("[...document.querySelectorAll('.keys button')].at(1).focus()")
    keyboard.press(Key("Enter"))
    shows(browser, PANEL, "Counted", "Stock 12")
    assert level(shop) == 12


@pytest.mark.parametrize(
    ("mode", "button"),
    [
        ("put-in", "Add"),
        pytest.param("take-out", "Remove", marks=pytest.mark.full_run),
        pytest.param("set", "Count", marks=pytest.mark.full_run),
    ],
)
def test_a_typed_code_shows_its_product_before_it_books(
    keyboard: Keyboard, browser: Chromium, mode: str, button: str
) -> None:
    """The button next to the field says what it does, and the one of the number pad does it."""
    choose(browser, mode)
    assert browser.run(GO) == f"{button} …"
    browser.run("document.querySelector('#code').focus()")
    keyboard.type("A-1")
    press(browser, f"{button} …")
    shows(browser, PANEL, PEN, "Stock 3", "How many" if mode == "set" else "Not saved yet.")
    assert PEN in browser.run(LEGEND)
    assert browser.run(LIST) == ""
    press(browser, "2")
    press(browser, button, ".pad button")
    shows(browser, PANEL, {"put-in": "Stock 5", "take-out": "Stock 1", "set": "Stock 2"}[mode])


def test_a_code_is_typed_and_booked_by_the_keyboard_alone(keyboard: Keyboard, browser: Chromium) -> None:
    """Enter shows the product, another Enter books it, and the focus is back in the field."""
    choose(browser, "put-in")
    browser.run("document.querySelector('#code').focus()")
    keyboard.type("A-1")
    keyboard.press(Key("Enter"))
    shows(browser, PANEL, "Not saved yet.")
    keyboard.press(Key("Enter"))
    shows(browser, PANEL, "Added: 1", "Stock 4")
    assert browser.run("return document.activeElement.id") == "code"


@pytest.mark.full_run
def test_a_typed_code_that_waits_takes_no_amount_from_a_scan(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """It is unchanged, and the scan books as usual."""
    choose(browser, "take-out")
    write(browser, "Enter a code", "A-1")
    press(browser, "Remove …")
    shows(browser, PANEL, "Not saved yet.")
    keyboard.scan("B-2")
    shows(browser, PANEL, "Removed: 1", "Stock 9")
    assert level(shop) == 3


@pytest.mark.full_run
def test_a_look_up_looks_up(shop: Service, browser: Chromium) -> None:
    """There the button needs no second one."""
    browser.open(shop.address)
    browser.shows("Scan a code")
    assert browser.run(GO) == "Look up"
    write(browser, "Enter a code", "A-1")
    press(browser, "Look up", "form button")
    shows(browser, PANEL, "Found", PEN)


@pytest.mark.full_run
def test_the_same_code_twice_counts_twice(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A person may scan three equal things one after the other."""
    choose(browser, "put-in")
    for _ in range(3):
        keyboard.scan("A-1")
    shows(browser, PANEL, "Stock 6")
    assert level(shop) == 6


def test_every_booking_in_the_list_can_be_undone_also_after_a_reload(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """The mode survives the reload too, because it is in the address."""
    choose(browser, "put-in")
    for _ in range(2):
        keyboard.scan("A-1")
    shows(browser, PANEL, "Stock 5")
    press(browser, "Undo")
    browser.until(lambda: browser.run(LIST).count("undone") == 1)
    browser.driver.refresh()
    browser.until(lambda: browser.run(LIST).count("saved") == 1)
    assert browser.run("return document.querySelector('input:checked').value") == "put-in"
    press(browser, "Undo")
    browser.until(lambda: browser.run(LIST).count("undone") == 2 and "being" not in browser.run(LIST))
    assert level(shop) == 3


def test_good_and_bad_differ_for_ears_eyes_and_hands(keyboard: Keyboard, browser: Chromium) -> None:
    """Each has its tones, its buzz, its sign and its words, besides its colour."""
    browser.run(SOUND_AT_ONCE + SIGNS)
    keyboard.scan("A-1")
    shows(browser, PANEL, "Found")
    told = browser.found("return heard.length && felt.length && [heard.splice(0), felt.splice(0)]")
    assert browser.run(STATE) == "good"
    good = browser.run("return document.querySelector('.message path').getAttribute('d')")
    keyboard.scan("none-such")
    shows(browser, PANEL, "No product has this code")
    other = browser.found("return heard.length && felt.length && [heard, felt]")
    assert browser.run(STATE) == "bad"
    assert other[0] != told[0]
    assert other[1] != told[1]
    assert browser.run("return document.querySelector('.message path').getAttribute('d')") != good


@pytest.mark.full_run
def test_an_unknown_code_offers_to_create_the_product(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The code is fixed, so the first typed text is the description; then the booking goes on."""
    choose(browser, "put-in")
    keyboard.scan("4006381333931")
    shows(browser, PANEL, "No product has this code")
    shows(browser, LIST, "refused")
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "4006381333931")
    assert browser.run("return document.querySelector('dialog input[name=product_code]').readOnly")
    assert browser.run(FOCUSED) == ["description", ""]
    keyboard.type("Red pen", gap=60)
    press(browser, "Save")
    shows(browser, PANEL, "Added: 1", "Red pen", "Stock 1")
    assert level(shop, 3) == 1


def test_a_scan_that_names_its_product_fills_the_description_in(keyboard: Keyboard, browser: Chromium) -> None:
    """Only a description that repeats the code is left out."""
    keyboard.scan('{"product_code": "R-1", "description": "Red pen"}')
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "R-1")
    assert browser.run(FOCUSED) == ["description", "Red pen"]


def test_every_booking_that_waits_for_a_product_goes_on_with_it(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Even if a person gives the product another code than the scanned one."""
    choose(browser, "put-in")
    for _ in range(3):
        keyboard.scan("4006381333931")
    browser.until(lambda: browser.run(LIST).count("refused") == 3)
    press(browser, "Create product")
    browser.shows("After that, the scan is saved: +1, +1, +1")
    press(browser, "Change code")
    write(browser, "Code", "R-1")
    write(browser, "Description", "Red pen")
    press(browser, "Save")
    browser.until(lambda: browser.run(LIST).count("saved") == 3)
    assert shop.call("GET", "/api/products/3")["data"]["product_code"] == "R-1"
    assert level(shop, 3) == 3


@pytest.mark.parametrize(("mode", "booked"), [pytest.param("put-in", "+4", marks=pytest.mark.full_run), ("set", "= 4")])
def test_the_form_of_a_product_says_what_is_booked_behind_it(
    keyboard: Keyboard, browser: Chromium, mode: str, booked: str
) -> None:
    """It asks for no level that would be added to the booked amount, or compete with the waiting count."""
    scan_four(keyboard, browser, mode)
    browser.shows(f"After that, the scan is saved: {booked}")
    assert browser.run("return document.querySelector('dialog [name=initial_level]')") is None
    write(browser, "Description", "New")
    press(browser, "Save")
    shows(browser, PANEL, "Stock 4")


def test_what_is_taken_out_of_a_new_product_is_taken_from_its_level(keyboard: Keyboard, browser: Chromium) -> None:
    """Without a level there would be nothing to take."""
    scan_four(keyboard, browser, "take-out")
    browser.shows("After that, the scan is saved: \N{MINUS SIGN}4")
    write(browser, "Description", "New")
    write(browser, "Current stock", "9")
    press(browser, "Save")
    shows(browser, PANEL, "Stock 5")


def test_what_is_refused_stays_until_somebody_decides(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Its product is named, its reason is in the user's words, and it can be retried or discarded."""
    choose(browser, "take-out")
    keyboard.type("5")
    browser.until(lambda: browser.run("return document.querySelector('.amount').value") == "5")
    keyboard.scan("A-1")
    shows(browser, PANEL, "There are only 3", PEN, "Stock 3")
    browser.driver.refresh()
    shows(browser, LIST, "refused", "There are only 3", PEN)
    shop.call("POST", "/api/inventory/1/adjust", {"delta": 4, "idempotency_key": "k"})
    press(browser, "Retry")
    shows(browser, LIST, "saved")
    assert level(shop) == 2


def test_hostile_texts_are_texts(service: Service, browser: Chromium) -> None:
    """Markup is shown and not run, marks of direction end with the text, and nothing is wider than the screen."""
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


@pytest.mark.parametrize(("width", "height"), [pytest.param(390, 844, marks=pytest.mark.full_run), (360, 740)])
def test_a_phone_shows_modes_product_and_amount_without_scrolling(
    shop: Service, browser: Chromium, width: int, height: int
) -> None:
    """Also in German, whose words are long."""
    browser.resize(width, height, mobile=True)
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        shows(browser, PANEL, "Added: 1")
    assert browser.run(BELOW) == []
    assert not browser.run(WIDE)


@pytest.mark.full_run
def test_the_view_speaks_german(shop: Service, make_browser: BrowserMaker) -> None:
    """The modes and buttons have the names that the shop uses."""
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#scan?mode=put-in")
    browser.shows("Bereit. Scannen Sie einen Code.")
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
    shows(browser, PANEL, "Eingelagert: 1", "Rückgängig")
    for name in ("Nachsehen", "Einlagern", "Entnehmen", "Zählen", "Kamera"):
        browser.shows(name)


def test_the_mode_is_kept_on_the_way_through_other_views(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """By the navigation, and back from a product; a look-up is kept as well."""
    choose(browser, "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Added: 1", "Stock 4")
    for way in ("#stock", "#products/1"):
        browser.run("location.hash = arguments[0]", way)
        browser.until(lambda: browser.run(PANEL) == "")
        browser.run("document.querySelector('nav a').click()")
        browser.until(lambda: browser.run(MODE) == "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Added: 1", "Stock 5")
    choose(browser, "look-up")
    browser.run("location.hash = '#stock'")
    browser.until(lambda: browser.run(PANEL) == "")
    browser.run("document.querySelector('nav a').click()")
    browser.until(lambda: browser.run(MODE) == "look-up")
    assert level(shop) == 5


@pytest.mark.full_run
def test_a_scan_in_the_settings_opens_its_product(shop: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A person who sees no mode is not surprised by a booking, and a number that is being typed is not lost."""
    choose(browser, "put-in")
    browser.run("location.hash = '#settings'")
    write(browser, "Size, in percent", "1")
    keyboard.scan("A-1")
    browser.shows("This scan was ignored: A-1.")
    write(browser, "Size, in percent", "100")
    keyboard.scan("A-1")
    browser.until(lambda: browser.run("return location.hash") == "#products/1")
    browser.shows(PEN)
    assert level(shop) == 3


@pytest.mark.parametrize("way", [pytest.param("mode", marks=pytest.mark.full_run), "view"])
def test_a_count_that_is_left_without_confirming_is_said_to_be_lost(
    shop: Service, keyboard: Keyboard, browser: Chromium, way: str
) -> None:
    """It names product and number, whether the mode or the view is changed."""
    choose(browser, "set")
    keyboard.scan("B-2")
    browser.until(lambda: browser.run(LEGEND) == f"Stock of {NUT}")
    keyboard.type("12")
    browser.until(lambda: browser.run(AMOUNT) == "12")
    if way == "mode":
        choose(browser, "put-in")
    else:
        browser.run("location.hash = '#stock'")
    browser.shows(f"Not saved: 12 for {NUT}.")
    assert level(shop, 2) == 10


def test_refused_bookings_are_counted_on_the_first_screen(keyboard: Keyboard, browser: Chromium) -> None:
    """The badge leads to the list, and the newest of them is below what stays in sight."""
    browser.be_a_phone()
    choose(browser, "put-in")
    keyboard.scan("none-such")
    browser.shows("1 change refused")
    keyboard.scan("none-such")
    press(browser, "2 changes refused")
    assert browser.run("return document.activeElement.className") == "bookings"
    assert browser.run(BELOW_THE_TOP)
    press(browser, "Discard")
    browser.shows("1 change refused")
    press(browser, "Discard")
    browser.until(lambda: "refused" not in browser.run("return document.querySelector('main').innerText"))


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.full_run), "dark"])
def test_no_one_is_kept_out(
    keyboard: Keyboard,
    browser: Chromium,
    inaccessible: Callable[[Chromium], list[Any]],
    scheme: str,
) -> None:
    """Neither by the empty view, nor by one with a product, a booking, a refusal and a form."""
    browser.prefer(color_scheme=scheme)
    assert inaccessible(browser) == []
    choose(browser, "put-in")
    keyboard.scan("A-1")
    shows(browser, PANEL, "Added: 1")
    assert inaccessible(browser) == []
    keyboard.scan("none-such")
    shows(browser, LIST, "refused")
    assert inaccessible(browser) == []
    press(browser, "Create product")
    browser.until(lambda: browser.run(CODE_OF_FORM) == "none-such")
    assert inaccessible(browser) == []

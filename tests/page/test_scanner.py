"""A wedge scanner on the page: heard wherever the focus is, and distinguished from a person at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import CTRL_BRACKET, AltCode, Inserted, Key, Keyboard
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, press
from tests.page.scanning import AMOUNT, PANEL, choose, has_amount
from tests.page.stocked import level
from tests.served import Service

PEN = "Blue pen"
PLACES = """
const places = {
  button: ['button', {}], link: ['a', { href: '#settings' }], text: ['input', { value: 'kept' }],
  area: ['textarea', { value: 'kept' }], number: ['input', { type: 'number', value: '7' }],
  amount: ['input', { inputMode: 'numeric', value: '7' }], check: ['input', { type: 'checkbox' }],
  select: ['select', {}], taking: ['input', { value: 'old' }],
};
window.pressed = [];
const card = document.createElement('div');
document.querySelector('main').append(card);
for (const [id, [name, state]] of Object.entries(places)) {
  const made = Object.assign(document.createElement(name), { id, ...state });
  made.addEventListener('click', (event) => { event.preventDefault(); pressed.push(id); });
  card.append(made);
}
const [one, other] = ['none', 'A select-1'].map((value) => new Option(value, value));
document.querySelector('#select').append(one, other);
document.querySelector('#taking').dataset.takesScans = '';
"""
PLACES_OF_FOCUS = ("", "button", "link", "text", "area", "number", "check", "select")
STATE = (
    "const at = document.getElementById(arguments[0]); return at.type === 'checkbox' ? String(at.checked) : at.value"
)
FOCUS = """
document.activeElement.blur();
const at = document.getElementById(arguments[0]);
at?.focus();
at?.select?.();
"""
NOT_HEARD = "not a quantity, so nothing was saved"
PAGE = "return document.body.innerText"


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which make their own products."""
    lasting_service.call("POST", "/api/products", {"product_code": "A B-1", "description": PEN})
    return lasting_service


@pytest.fixture(autouse=True)
def keyboard(service: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start view, with more focusable elements."""
    browser.open(service.address)
    browser.shows("Scan a code")
    browser.run(PLACES)
    with Keyboard(browser) as keyboard:
        yield keyboard


def test_a_scan_is_heard_wherever_the_focus_is(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """It presses nothing, even with a space and two Enters, and leaves a field, its caret and the focus unchanged."""
    for number, place in enumerate(PLACES_OF_FOCUS):
        made(service, f"A {place}-1", f"Pen of {place}.")
        before = focus(browser, place)
        browser.run("if (document.activeElement.id === 'text') document.activeElement.setSelectionRange(2, 2)")
        keyboard.press(*map(Key, f"A {place}-1"), *[Key("Tab")] if number % 2 else [Key("Enter")] * 2)
        browser.shows(f"Pen of {place}.")
        assert browser.run("return [pressed, document.activeElement.id]") == [[], place]
        assert state(browser, place) == before
        if place == "text":
            keyboard.type("-")
            assert state(browser, place) == "ke-pt"
    focus(browser, "taking")
    keyboard.scan("A B-1")
    browser.until(lambda: state(browser, "taking") == "A B-1")


def test_what_looks_like_a_scan_may_be_typing(keyboard: Keyboard, browser: Chromium) -> None:
    """A person is not a scanner, however fast, nor are an input method's words, a held key, or characters with Alt."""
    for gap in (60, 140):
        focus(browser, "text")
        keyboard.type("a quick brown fox", gap=gap)
        assert state(browser, "text") == "a quick brown fox"
    for place in ("text", "area", "taking"):
        focus(browser, place)
        keyboard.type("14400", gap=20)
        keyboard.type("7")
        assert state(browser, place) == "144007"
    focus(browser, "text")
    keyboard.press(Inserted("weather "), Inserted("forecast"))
    keyboard.type("!")
    assert state(browser, "text") == "weather forecast!"
    focus(browser, "text")
    told = {"type": "keyDown", "key": "0", "text": "0"}
    for number in range(7):
        browser.devtools("Input.dispatchKeyEvent", **told, autoRepeat=number > 0)
    assert state(browser, "text") == "0000000"
    focus(browser, "text")
    keyboard.press(AltCode("0228", "ä"), AltCode("0246", "ö"), gap=300)
    assert state(browser, "text") == "äö"
    # a browser that fills in a field tells so by events without a key
    browser.run("for (const type of ['keydown', 'keyup']) text.dispatchEvent(new Event(type, { bubbles: true }))")
    for key in ("Enter", " "):
        focus(browser, "button")
        keyboard.press(Key(key))
        browser.until(lambda: browser.run("return pressed.pop()") == "button")


@pytest.mark.parametrize(("mode", "code"), [("put-in", "40123455"), ("set", "HB-1010")])
def test_a_code_that_comes_too_slowly_is_no_amount(keyboard: Keyboard, browser: Chromium, mode: str, code: str) -> None:
    """The page says so, sounds the error, and has a button that turns on the setting, with which the code is heard."""
    browser.run(COUNT_BAD_SOUNDS)
    choose(browser, mode)
    before = browser.run(AMOUNT)
    keyboard.scan(code, gap=70)
    browser.shows(NOT_HEARD)
    browser.found(BAD_SOUND)
    assert (browser.run(AMOUNT), browser.run(PANEL)[:5]) == (before, "Ready")
    press(browser, "Turn it on")
    browser.until(lambda: NOT_HEARD not in browser.run(PAGE))
    keyboard.scan(code, gap=70)
    browser.until(lambda: browser.run(PANEL)[:5] != "Ready")


def test_what_a_slow_scanner_types_is_booked_with_nothing(
    service: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Neither with the next scan, nor as the level of a scanned product; an amount that was typed before it stays."""
    product = made(service, "HB-1080", "Hub 80")
    choose(browser, "put-in")
    for typed in ("", "12"):
        if typed:
            keyboard.type(typed)
            has_amount(browser, typed)
        keyboard.scan("HB-1080", gap=80)
        keyboard.scan("HB-1080")
        browser.shows(f"Added: {typed or 1}")
    assert level(service, product) == 13
    choose(browser, "set")
    keyboard.scan("HB-1080")
    browser.shows("Stock of Hub 80")
    keyboard.scan("HB-1010", gap=70)
    browser.shows(NOT_HEARD)
    has_amount(browser, "\u2013")
    keyboard.type("7")
    keyboard.press(Key("Enter"))
    browser.shows("Counted")
    assert level(service, product) == 7
    choose(browser, "put-in")
    keyboard.type("144")
    has_amount(browser, "144")
    keyboard.scan("46", end="", gap=119)
    browser.shows(NOT_HEARD)
    has_amount(browser, "144")


def test_a_slow_code_leaves_a_field_for_numbers_as_it_was(keyboard: Keyboard, browser: Chromium) -> None:
    """Its digits are no amount; what a person typed before stays, even thousands apart. Its space presses nothing."""
    for typed, code in (("1,200 500", "4011"), ("12", "46")):
        focus(browser, "amount")
        keyboard.type(typed)
        keyboard.scan(code, gap=70)
        browser.shows(NOT_HEARD)
        left = typed
        browser.until(lambda: state(browser, "amount") == left)  # noqa: B023 - called at once
        press(browser, "Close")
    focus(browser, "button")
    keyboard.scan("A 71", gap=130)
    browser.shows(NOT_HEARD)
    assert browser.run("return pressed") == []


def test_a_scan_that_pauses_is_not_booked_in_pieces(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Scanned again at once, as people do, the code is booked once; later the device knows how its scans end."""
    product = made(service, "HB-1046", "Part 1046")
    choose(browser, "put-in")
    keyboard.scan_with_pause("HB-10", "46", pause=130)
    browser.shows(NOT_HEARD)
    keyboard.scan("HB-1046")
    browser.shows("Added: 1")
    assert level(service, product) == 1
    assert NOT_HEARD not in browser.run(PAGE)
    browser.run("location.reload()")
    browser.shows("Scan a code")
    keyboard.scan("A B-1", end="")
    browser.shows("A scan was incomplete. Type its quantity again")
    assert PEN not in browser.run(PANEL)


def test_a_scanner_without_usual_keys_is_heard(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A handheld inserts text at once, or types each character as its code, as Windows does; Ctrl+] separates a lot."""
    made(service, "8901086261410", "Tea")
    made(service, "04006381333931", "Red pen")
    choose(browser, "put-in")
    before = focus(browser, "text")
    keyboard.press(Inserted("8901086261410"), Key("Enter"))
    browser.shows("Added: 1")
    browser.shows("Tea")
    assert state(browser, "text") == before
    before = focus(browser, "area")
    keyboard.press(*(AltCode(f"{ord(one):03}", one) for one in "A B-1"), AltCode("013", "\r"), gap=12)
    browser.shows(PEN)
    assert state(browser, "area") == before
    choose(browser, "look-up")
    keyboard.press(*map(Key, "10AB"), CTRL_BRACKET, *map(Key, "0104006381333931"), Key("Enter"))
    browser.shows("Red pen")
    shifted = [Key("a"), Key("Shift"), Key("Ä"), Key("AltGraph"), Key("@"), Key("Dead"), *map(Key, "Ж漢1")]
    keyboard.press(*shifted, Key("Enter"))
    browser.shows("aÄ@Ж漢1")


def test_of_several_scans_at_once_the_last_is_opened(keyboard: Keyboard, browser: Chromium) -> None:
    """The form that an earlier one would offer is not in its way."""
    browser.run("location.hash = '#settings'")
    browser.shows("Slow Bluetooth scanner")
    keyboard.press(*map(Key, "no-such"), Key("Enter"), *map(Key, "A B-1"), Key("Enter"))
    browser.until(lambda: browser.run("return location.hash").startswith("#products/"))
    browser.shows(PEN)


def made(service: Service, code: str, description: str) -> int:
    """Make a product, and return its id; it may exist."""
    answer = service.call("POST", "/api/products", {"product_code": code, "description": description})
    return int(answer["data"]["id"]) if "data" in answer else 0


def focus(browser: Chromium, place: str) -> str | None:
    """Focus an element, or none, and return its content, which what is typed replaces."""
    browser.run(FOCUS, place)
    return state(browser, place)


def state(browser: Chromium, place: str) -> str | None:
    """Return the content of an element."""
    return browser.run(STATE, place) if place else None

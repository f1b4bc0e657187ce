"""A wedge scanner on the page: heard wherever the focus is, and distinguished from a person at the keyboard.

Paces and pauses are for `wedge.test.js`; these are a browser's keys, focus, fields and inserted texts, and the test of
a scanner in the settings.
"""

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import CTRL_BRACKET, AltCode, Inserted, Key, Keyboard
from tests.page.conftest import BrowserMaker, Findings
from tests.page.controls import BAD_SOUND, RECORD_SOUNDS, press
from tests.page.scanning import AMOUNT, PANEL, choose, has_amount, level, made
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
CHARACTERS = "return [...document.querySelectorAll('dialog li')].map((one) => one.innerText)"
LIMITS = "return document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth"
ASKED = "return performance.getEntriesByType('resource').map(({ name }) => name)"
HEARD, TYPED = "The web app hears this as a scan.", "The web app takes this for typing, not for a scan."


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which make their own products."""
    made(lasting_service, "A B-1")
    return lasting_service


@pytest.fixture
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
    """An input method's words, a held key and characters with Alt are a person's, and so is what a browser fills in."""
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


def test_a_code_that_comes_too_slowly_is_no_amount(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The page says so, sounds the error, and has a button that turns on the setting, with which the code is heard.

    The amount that was typed before it stays, and is booked with the next scan.
    """
    product = made(service, "HB-1010", "Hub 10")
    browser.run(RECORD_SOUNDS)
    choose(browser, "put-in")
    keyboard.type("12")
    has_amount(browser, "12")
    keyboard.scan("HB-1010", gap=70)
    browser.shows(NOT_HEARD)
    browser.found(BAD_SOUND)
    assert (browser.run(AMOUNT), browser.run(PANEL)[:5]) == ("12", "Ready")
    press(browser, "Turn it on")
    browser.until(lambda: NOT_HEARD not in browser.run(PAGE))
    keyboard.scan("HB-1010", gap=70)
    browser.shows("Added: 12")
    assert level(service, product) == 12


def test_a_slow_code_leaves_a_field_for_numbers_as_it_was(keyboard: Keyboard, browser: Chromium) -> None:
    """Its digits are no amount; what a person typed before stays, even thousands apart. Its space presses nothing."""
    focus(browser, "amount")
    keyboard.type("1,200 500")
    keyboard.scan("4011", gap=70)
    browser.shows(NOT_HEARD)
    browser.until(lambda: state(browser, "amount") == "1,200 500")
    press(browser, "Close")
    focus(browser, "button")
    keyboard.scan("A 71", gap=130)
    browser.shows(NOT_HEARD)
    assert browser.run("return pressed") == []


def test_a_scan_that_pauses_is_not_booked_in_pieces(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Scanned again at once, as people do, the code is booked once."""
    product = made(service, "HB-1046", "Part 1046")
    choose(browser, "put-in")
    keyboard.scan_with_pause("HB-10", "46", pause=130)
    browser.shows(NOT_HEARD)
    keyboard.scan("HB-1046")
    browser.shows("Added: 1")
    assert level(service, product) == 1


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


def test_the_scanner_test_shows_what_a_scanner_sends(keyboard: Keyboard, browser: Chromium) -> None:
    """Each character, the suffix and the speed; nothing is looked up. A slow one is heard with its setting."""
    begin(browser)
    browser.run("performance.clearResourceTimings()")
    keyboard.scan("A B-1")
    browser.shows(HEARD)
    keyboard.press(*map(Key, "]C110A b"), CTRL_BRACKET, *map(Key, "211"), Key("Enter"), gap=10)
    browser.shows("12 characters")
    assert browser.run(CHARACTERS) == [*"]C110A", "space", "b", "GS", *"211"]
    browser.shows("Enter")
    browser.shows("10 ms per character, slowest 1")
    keyboard.press(*(AltCode(f"{ord(one):03}") for one in "10A\x1d21B"), AltCode("009"), gap=12)
    browser.shows("7 characters")
    browser.shows("Tab")
    assert not [name for name in browser.run(ASKED) if name.endswith(("/decode", "/scan", "/scans"))]
    assert browser.run("return [location.hash, document.querySelectorAll('dialog[open]').length]") == ["#settings", 1]
    keyboard.scan("A-1", gap=120)
    browser.shows(TYPED)
    press(browser, "Close")
    press(browser, "Slow Bluetooth scanner", "field")
    press(browser, "Test the scanner")
    keyboard.scan("A-1", gap=120)
    browser.shows(HEARD)


def test_the_scanner_test_keeps_no_one_out(
    service: Service, make_browser: BrowserMaker, inaccessible: Findings
) -> None:
    """It fits a phone, even with a long code, and speaks German."""
    browser = make_browser(language="de-DE")
    browser.be_a_phone()
    browser.open(service.address)
    begin(browser, "Scanner testen")
    with Keyboard(browser) as keyboard:
        keyboard.scan("W" * 60, end="")
    for text in ("Die Web-App erkennt das als Scan.", "60 Zeichen", "keins"):
        browser.shows(text)
    assert (inaccessible(browser), browser.run(LIMITS)) == ([], 0)


def begin(browser: Chromium, button: str = "Test the scanner") -> None:
    """Open the test."""
    browser.run("location.hash = '#settings'")
    press(browser, button)
    browser.found("return document.querySelector('dialog[open]') !== null")


def focus(browser: Chromium, place: str) -> str | None:
    """Focus an element, or none, and return its content, which what is typed replaces."""
    browser.run(FOCUS, place)
    return state(browser, place)


def state(browser: Chromium, place: str) -> str | None:
    """Return the content of an element."""
    return browser.run(STATE, place) if place else None

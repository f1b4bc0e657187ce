"""A wedge scanner on the page: heard wherever the focus is, and told from a person at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import CTRL_BRACKET, Key, Keyboard
from scripts.browser.served import Service

PEN = "Blue pen"
PLACES = """
const places = {
  button: ['button', {}], link: ['a', { href: '#settings' }], text: ['input', { value: 'kept' }],
  area: ['textarea', { value: 'kept' }], number: ['input', { type: 'number', value: '7' }],
  check: ['input', { type: 'checkbox' }], select: ['select', {}], taking: ['input', { value: 'old' }],
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
FOCUSED = "return document.activeElement.id"


@pytest.fixture(autouse=True)
def keyboard(service: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start, where more elements can have the focus."""
    service.call("POST", "/api/products", {"product_code": "A B-1", "description": PEN})
    browser.open(service.address)
    browser.shows("Scan a code")
    browser.run(PLACES)
    with Keyboard(browser) as keyboard:
        yield keyboard


@pytest.mark.parametrize("end", ["Enter", "Tab", ""])
def test_a_scan_is_heard_wherever_the_focus_is(
    service: Service, keyboard: Keyboard, browser: Chromium, end: str
) -> None:
    """It presses nothing, also with a space in it, leaves what a field holds, and leaves the focus where it is."""
    for place in PLACES_OF_FOCUS:
        service.call("POST", "/api/products", {"product_code": f"A {place}-1", "description": f"Pen of {place}."})
        before = _focus(browser, place)
        keyboard.scan(f"A {place}-1", end=end)
        browser.shows(f"Pen of {place}.")
        assert browser.run("return pressed") == []
        assert browser.run(FOCUSED) == place
        assert _state(browser, place) == before


def test_a_scan_leaves_the_caret_where_it_was(keyboard: Keyboard, browser: Chromium) -> None:
    """Whoever types on after a scan types on in the middle of the word."""
    _focus(browser, "text")
    browser.run("document.activeElement.setSelectionRange(2, 2)")
    keyboard.scan("A B-1")
    browser.shows(PEN)
    keyboard.type("-")
    assert _state(browser, "text") == "ke-pt"


def test_a_field_for_codes_keeps_the_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """It holds the scan alone, in place of what stood there."""
    _focus(browser, "taking")
    keyboard.scan("A B-1")
    browser.until(lambda: _state(browser, "taking") == "A B-1")


@pytest.mark.parametrize("gap", [60, 75, 140])
def test_typing_stays_typing(keyboard: Keyboard, browser: Chromium, gap: float) -> None:
    """A person is no scanner, however fast."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    keyboard.type("a quick brown fox", gap=gap)
    assert _state(browser, "text") == "a quick brown fox"


def test_three_keys_that_a_person_rolls_over_stay_in_the_field(keyboard: Keyboard, browser: Chromium) -> None:
    """A key that comes too slowly for a scanner says whose the keys before it were."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    fast, slow = [Key(letter) for letter in "the"], [Key(letter) for letter in "re"]
    keyboard.press(*fast, gap=40)
    keyboard.press(*slow, gap=60)
    browser.until(lambda: _state(browser, "text") == "there")


def test_a_key_that_is_held_down_is_no_scan(browser: Chromium) -> None:
    """The system repeats it as fast as a scanner types."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    told = {"type": "keyDown", "key": "0", "text": "0"}
    for number in range(5):
        browser.devtools("Input.dispatchKeyEvent", **told, autoRepeat=number > 0)
    assert _state(browser, "text") == "00000"


@pytest.mark.parametrize("slow", [False, True])
def test_a_slow_scanner_is_heard_where_the_settings_say_so(
    keyboard: Keyboard, browser: Chromium, *, slow: bool
) -> None:
    """Its keys come as slowly as those of a person."""
    if slow:
        browser.run("location.hash = '#settings'")
        browser.shows("Slow Bluetooth scanner")
        browser.run("[...document.querySelectorAll('label')].find((one) => one.innerText.includes('Slow')).click()")
        browser.run("location.hash = '#scan'")
        browser.shows("Scan a code")
    keyboard.scan("A B-1", gap=120)
    if slow:
        browser.shows(PEN)
    keyboard.scan("no-such-code")
    browser.shows("No product has this code")


def test_the_second_of_two_enters_presses_nothing(keyboard: Keyboard, browser: Chromium) -> None:
    """Some scanners send a carriage return and a line feed."""
    _focus(browser, "button")
    keyboard.press(*map(Key, "A B-1"), Key("Enter"), Key("Enter"))
    browser.shows(PEN)
    assert browser.run("return pressed") == []


def test_a_person_presses_with_enter_and_space(keyboard: Keyboard, browser: Chromium) -> None:
    """What a scanner may not do, its keys do for a person."""
    for key in ("Enter", " "):
        _focus(browser, "button")
        keyboard.press(Key(key))
        browser.until(lambda: browser.run("return pressed.pop()") == "button")


def test_control_characters_belong_to_the_scan(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The group separator comes as Ctrl and ]; with it the GTIN in a GS1 code is read, and its lot is no part of it."""
    service.call("POST", "/api/products", {"product_code": "04006381333931", "description": "Red pen"})
    keyboard.press(*map(Key, "10AB"), CTRL_BRACKET, *map(Key, "0104006381333931"), Key("Enter"))
    browser.shows("Red pen")


def test_letters_with_shift_and_altgr_are_one_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """The keys that change others belong to them, dead keys too; letters may be of any script."""
    shifted = [Key("a"), Key("Shift"), Key("Ä"), Key("AltGraph"), Key("@"), Key("Dead"), *map(Key, "Ж漢1")]
    keyboard.press(*shifted, Key("Enter"))
    browser.shows("aÄ@Ж漢1")


def test_a_scan_on_a_view_that_takes_none_opens_the_start(keyboard: Keyboard, browser: Chromium) -> None:
    """None is lost on the way there, also of several at once."""
    browser.run("location.hash = '#settings'")
    browser.shows("Slow Bluetooth scanner")
    keyboard.press(*map(Key, "no-such"), Key("Enter"), *map(Key, "A B-1"), Key("Enter"))
    browser.shows(PEN)
    assert browser.run("return location.hash") == "#scan"


def _focus(browser: Chromium, place: str) -> str | None:
    """Give an element the focus, or none, and return what it holds."""
    browser.run("document.activeElement.blur(); document.getElementById(arguments[0])?.focus()", place)
    return _state(browser, place)


def _state(browser: Chromium, place: str) -> str | None:
    return browser.run(STATE, place) if place else None

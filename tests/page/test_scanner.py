"""A wedge scanner on the page: heard wherever the focus is, and distinguished from a person at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import ALT, CTRL_BRACKET, AltCode, Inserted, Key, Keyboard
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, press
from tests.page.scanning import choose
from tests.page.stocked import level
from tests.served import Service
from tests.sweeps import sweep

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
AMOUNT = "document.querySelector('output.amount')"
NO_LEVEL = "\u2013"
FOCUSED = "return document.activeElement.id"


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which change nothing in it."""
    return lasting_service


@pytest.fixture(autouse=True)
def keyboard(service: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a browser that shows the start view, with more focusable elements."""
    service.call("POST", "/api/products", {"product_code": "A B-1", "description": PEN})
    browser.open(service.address)
    browser.shows("Scan a code")
    browser.run(PLACES)
    with Keyboard(browser) as keyboard:
        yield keyboard


@pytest.mark.parametrize("end", ["Enter", "Tab"])
def test_a_scan_is_heard_wherever_the_focus_is(
    service: Service, keyboard: Keyboard, browser: Chromium, end: str
) -> None:
    """It presses nothing, even with a space in it, and leaves the content of a field and the focus unchanged."""
    for place in PLACES_OF_FOCUS:
        service.call("POST", "/api/products", {"product_code": f"A {place}-1", "description": f"Pen of {place}."})
        before = _focus(browser, place)
        keyboard.scan(f"A {place}-1", end=end)
        browser.shows(f"Pen of {place}.")
        assert browser.run("return pressed") == []
        assert browser.run(FOCUSED) == place
        assert _state(browser, place) == before


def test_a_scan_leaves_the_caret_where_it_was(keyboard: Keyboard, browser: Chromium) -> None:
    """A person who types on after a scan continues in the middle of the word."""
    _focus(browser, "text")
    browser.run("document.activeElement.setSelectionRange(2, 2)")
    keyboard.scan("A B-1")
    browser.shows(PEN)
    keyboard.type("-")
    assert _state(browser, "text") == "ke-pt"


def test_a_field_for_codes_keeps_the_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """It contains only the scan, in place of its former text."""
    _focus(browser, "taking")
    keyboard.scan("A B-1")
    browser.until(lambda: _state(browser, "taking") == "A B-1")


@sweep("gap", [60, 75, 140])
def test_typing_stays_typing(keyboard: Keyboard, browser: Chromium, gap: float) -> None:
    """A person is not a scanner, however fast."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    keyboard.type("a quick brown fox", gap=gap)
    assert _state(browser, "text") == "a quick brown fox"


@sweep("place", ["text", "area", "taking"])
def test_a_few_fast_keys_in_a_field_are_typed(keyboard: Keyboard, browser: Chromium, place: str) -> None:
    """Fewer than six without an Enter are ambiguous: they stay where they were typed, even before a pause."""
    _focus(browser, place)
    browser.run("document.activeElement.select()")
    keyboard.press(*map(Key, "144"), gap=20)
    browser.until(lambda: _state(browser, place) == "144")
    keyboard.press(*map(Key, "14400"), gap=20)
    browser.until(lambda: _state(browser, place) == "14414400")
    keyboard.type("7")
    assert _state(browser, place) == "144144007"
    assert browser.run("return location.hash") == ""


def test_a_few_fast_keys_stay_at_the_caret(keyboard: Keyboard, browser: Chromium) -> None:
    """They replace the selection, and further typing comes after them."""
    _focus(browser, "text")
    browser.run("document.activeElement.setSelectionRange(1, 3)")
    keyboard.press(*map(Key, "ing"), gap=20)
    browser.until(lambda: _state(browser, "text") == "kingt")
    keyboard.type("-")
    assert _state(browser, "text") == "king-t"


def test_a_few_fast_keys_stay_in_their_field_when_the_focus_moves(keyboard: Keyboard, browser: Chromium) -> None:
    """They were typed there."""
    _focus(browser, "text")
    browser.run(
        "document.activeElement.select();"
        "addEventListener('keydown', ({ key }) => key === 'g' && area.focus(), { capture: true })"
    )
    keyboard.press(*map(Key, "ring"), gap=20)
    browser.until(lambda: _state(browser, "text") == "ring")
    assert _state(browser, "area") == "kept"


@pytest.mark.parametrize("key", ["Enter", pytest.param("Backspace", marks=pytest.mark.full_run)])
def test_a_key_of_a_person_behind_fast_ones_finds_them_in_the_field(
    keyboard: Keyboard, browser: Chromium, key: str
) -> None:
    """It comes too slowly for a scanner, so the letters before it are a person's."""
    _focus(browser, "text")
    browser.run(
        "document.activeElement.select();"
        "addEventListener('keydown', ({ key }) => { if (key.length > 1) window.found ??= text.value })"
    )
    keyboard.press(*map(Key, "Sta"), Key(key), gap=20, last_gap=150)
    assert browser.run("return window.found") == "Sta"


def test_an_amount_is_typed_at_a_pace_of_a_person(keyboard: Keyboard, browser: Chromium) -> None:
    """Where no field has the focus, digits are an amount only if a person can have typed them."""
    browser.run("location.hash = '#scan?mode=put-in'")
    browser.found(f"return {AMOUNT}?.checkVisibility()")
    keyboard.type("144")
    browser.until(lambda: browser.run(f"return {AMOUNT}.value") == "144")
    keyboard.scan("46", end="", gap=119)
    browser.shows("not a quantity, so nothing was saved")
    assert browser.run(f"return {AMOUNT}.value") == "144"


@pytest.mark.parametrize(("mode", "code"), [("put-in", "40123455"), ("set", "HB-1010")])
def test_a_code_that_comes_too_slowly_is_no_amount(keyboard: Keyboard, browser: Chromium, mode: str, code: str) -> None:
    """The page says so, sounds the error, and has a button that turns on the setting, with which the code is heard."""
    browser.run(COUNT_BAD_SOUNDS)
    choose(browser, mode)
    keyboard.scan(code, gap=70)
    browser.shows("not a quantity, so nothing was saved")
    browser.shows("turn on “Slow Bluetooth scanner”")
    browser.found(BAD_SOUND)
    expected = {"look-up": None, "put-in": "1", "set": NO_LEVEL}
    assert browser.run(f"return {AMOUNT}?.value") == expected[mode]
    assert browser.run("return document.querySelector('.product').innerText").startswith("Ready")
    press(browser, "Turn it on")
    browser.until(lambda: "not a quantity" not in browser.run("return document.body.innerText"))
    keyboard.scan(code, gap=70)
    browser.until(lambda: not browser.run("return document.querySelector('.product').innerText").startswith("Ready"))


def test_a_slow_code_books_nothing_with_the_next_scan(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Its digits were the amount of that; what a person typed before stays."""
    code = "HB-1080"
    made = service.call("POST", "/api/products", {"product_code": code, "description": "Hub 80"})["data"]
    choose(browser, "put-in")
    for typed in ("", "12"):
        if typed:
            keyboard.type(typed)
            browser.until(lambda: browser.run(f"return {AMOUNT}.value") == "12")
        keyboard.scan(code, gap=80)
        keyboard.scan(code)
        browser.shows(f"Added: {typed or 1}")
    assert level(service, made["id"]) == 13


def test_a_slow_code_sets_nothing(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """A scanned product waits for its level: the digits of the next code are none, and its Enter confirms nothing."""
    made = service.call(
        "POST", "/api/products", {"product_code": "HUB/056", "description": "Hub", "initial_level": 131}
    )
    choose(browser, "set")
    keyboard.scan("HUB/056")
    browser.shows("Stock of Hub")
    keyboard.scan("HB-1010", gap=70)
    browser.shows("not a quantity, so nothing was saved")
    assert browser.run(f"return {AMOUNT}.value") == NO_LEVEL
    keyboard.type("12")
    keyboard.press(Key("Enter"))
    browser.shows("Counted")
    assert level(service, made["data"]["id"]) == 12


def test_a_pause_within_a_scan_makes_no_amount_of_its_end(
    service: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Scanned again at once, as people do, the code is booked once."""
    pieces = ("HB-10", "46")
    code = "".join(pieces)
    made = service.call("POST", "/api/products", {"product_code": code, "description": f"Part {code}"})["data"]
    choose(browser, "put-in")
    keyboard.scan_with_pause(*pieces, pause=130)
    browser.shows("Slow Bluetooth scanner")
    keyboard.scan(code)
    browser.shows("Added: 1")
    assert level(service, made["id"]) == 1
    assert "Slow Bluetooth scanner" not in browser.run("return document.body.innerText")


def test_a_scan_without_its_enter_is_incomplete(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Where the scans of the device end with Enter; nothing is looked up until the third in a row."""
    service.call("POST", "/api/products", {"product_code": "HB-2010", "description": "Hub of 2010"})
    keyboard.scan("A B-1")
    browser.shows(PEN)
    for _ in range(2):
        keyboard.scan("HB-2010", end="")
        browser.shows("A scan was incomplete. Type its quantity again")
        assert "Hub of 2010" not in browser.run("return document.body.innerText")
        press(browser, "Close")
    keyboard.scan("HB-2010", end="")
    browser.shows("Hub of 2010")


@pytest.mark.parametrize("way", ["inserted", "with Alt"])
def test_a_handheld_that_types_without_usual_keys_is_heard(
    service: Service, keyboard: Keyboard, browser: Chromium, way: str
) -> None:
    """Its text comes from an input method, or each of its keys is marked with Alt."""
    service.call("POST", "/api/products", {"product_code": "8901086261410", "description": "Tea"})
    choose(browser, "put-in")
    _focus(browser, "text")
    before = _state(browser, "text")
    code = "8901086261410"
    if way == "inserted":
        keyboard.press(Inserted(code), Key("Enter"))
    else:
        keyboard.press(*(Key(digit, f"Digit{digit}", ALT) for digit in code), Key("Enter", modifiers=ALT))
    browser.shows("Added: 1")
    browser.shows("Tea")
    assert _state(browser, "text") == before


def test_a_short_code_of_a_handheld_is_booked(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """Its Enter comes as fast as no person's, so it is a scan, however short it is."""
    service.call("POST", "/api/products", {"product_code": "46", "description": "Mint"})
    choose(browser, "put-in")
    _focus(browser, "code")
    keyboard.press(Inserted("46"), Key("Enter"), gap=20)
    browser.shows("Added: 1")
    browser.shows("Mint")


def test_a_suggested_word_stays_in_its_field(keyboard: Keyboard, browser: Chromium) -> None:
    """The keyboard of a phone inserts whole words, too, which are no scans."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    keyboard.press(Inserted("weather "), Inserted("forecast"))
    browser.until(lambda: _state(browser, "text") == "weather forecast")
    keyboard.type("!")
    browser.until(lambda: _state(browser, "text") == "weather forecast!")


def test_a_digit_that_a_person_types_with_alt_is_no_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """It is a shortcut of the browser, and no amount either."""
    choose(browser, "put-in")
    keyboard.press(*(Key(digit, f"Digit{digit}", ALT) for digit in "144"), gap=150)
    assert browser.run(f"return {AMOUNT}.value") == "1"
    keyboard.type("7")
    browser.until(lambda: browser.run(f"return {AMOUNT}.value") == "7")


@sweep("code", ["4011", "HB-1010", "46"])
def test_a_slow_code_leaves_a_field_for_numbers_as_it_was(keyboard: Keyboard, browser: Chromium, code: str) -> None:
    """Its digits are no amount there either; what a person typed before stays."""
    _focus(browser, "amount")
    browser.run("document.activeElement.select()")
    keyboard.type("12")
    keyboard.scan(code, gap=70)
    browser.shows("not a quantity, so nothing was saved")
    browser.until(lambda: _state(browser, "amount") == "12")
    assert browser.run("return pressed") == []


def test_a_number_with_separated_thousands_is_typed_into_a_field(keyboard: Keyboard, browser: Chromium) -> None:
    """The separator is a part of the number there."""
    _focus(browser, "amount")
    browser.run("document.activeElement.select()")
    keyboard.type("1,200 500")
    browser.until(lambda: _state(browser, "amount") == "1,200 500")
    assert "not a quantity" not in browser.run("return document.body.innerText")


def test_a_short_code_without_an_enter_is_a_scan_where_nothing_is_typed(
    service: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """Letters are not an amount, and in Look up digits are not one either."""
    service.call("POST", "/api/products", {"product_code": "144", "description": "Gross of pens"})
    keyboard.scan("144", end="")
    browser.shows("Gross of pens")
    keyboard.scan("A-9", end="")
    browser.shows("A-9")


def test_an_event_without_a_key_is_no_key(browser: Chromium) -> None:
    """The browser sends such events when it fills in a field; the page's console stays clean."""
    _focus(browser, "text")
    browser.run(
        "for (const type of ['keydown', 'keyup'])"
        " document.activeElement.dispatchEvent(new Event(type, { bubbles: true, cancelable: true }))"
    )
    assert _state(browser, "text") == "kept"


@pytest.mark.parametrize("windows", [False, True])
def test_a_scanner_in_alt_mode_is_heard(keyboard: Keyboard, browser: Chromium, *, windows: bool) -> None:
    """It types the code of each character on the number pad while it holds Alt; Windows types the character as well."""
    before = _focus(browser, "text")
    keyboard.press(*(AltCode(f"{ord(one):03}", one if windows else "") for one in "A B-1"), AltCode("013"), gap=12)
    browser.shows(PEN)
    browser.until(lambda: _state(browser, "text") == before)


def test_a_group_separator_stays_one(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The text before it is not part of the GTIN after it."""
    service.call("POST", "/api/products", {"product_code": "04006381333931", "description": "Red pen"})
    keyboard.press(*map(Key, "10AB"), AltCode("029"), *map(Key, "0104006381333931"), Key("Enter"))
    browser.shows("Red pen")


def test_a_character_that_a_person_types_with_alt_is_typed(keyboard: Keyboard, browser: Chromium) -> None:
    """Windows types it when Alt is released, and the field gets it."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    keyboard.press(AltCode("0228", "ä"), AltCode("0246", "ö"), gap=300)
    browser.until(lambda: _state(browser, "text") == "äö")


def test_a_key_that_is_held_down_is_no_scan(browser: Chromium) -> None:
    """The system repeats it as fast as a scanner types."""
    _focus(browser, "text")
    browser.run("document.activeElement.select()")
    told = {"type": "keyDown", "key": "0", "text": "0"}
    for number in range(5):
        browser.devtools("Input.dispatchKeyEvent", **told, autoRepeat=number > 0)
    assert _state(browser, "text") == "00000"


def test_a_slow_scanner_is_heard_where_the_settings_say_so(keyboard: Keyboard, browser: Chromium) -> None:
    """Its keys come as slowly as a person's."""
    browser.run("location.hash = '#settings'")
    press(browser, "Slow Bluetooth scanner", "field")
    browser.run("location.hash = '#scan'")
    browser.shows("Scan a code")
    keyboard.scan("A B-1", gap=120)
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
    """Keys that a scan must not trigger work for a person."""
    for key in ("Enter", " "):
        _focus(browser, "button")
        keyboard.press(Key(key))
        browser.until(lambda: browser.run("return pressed.pop()") == "button")


def test_control_characters_belong_to_the_scan(service: Service, keyboard: Keyboard, browser: Chromium) -> None:
    """The group separator comes as Ctrl and ]; with it the GTIN in a GS1 code is read, without its lot."""
    service.call("POST", "/api/products", {"product_code": "04006381333931", "description": "Red pen"})
    keyboard.press(*map(Key, "10AB"), CTRL_BRACKET, *map(Key, "0104006381333931"), Key("Enter"))
    browser.shows("Red pen")


def test_letters_with_shift_and_altgr_are_one_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """Modifier keys and dead keys belong to the keys after them; letters may be of any script."""
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


def _focus(browser: Chromium, place: str) -> str | None:
    """Focus an element, or none, and return its content."""
    browser.run("document.activeElement.blur(); document.getElementById(arguments[0])?.focus()", place)
    return _state(browser, place)


def _state(browser: Chromium, place: str) -> str | None:
    return browser.run(STATE, place) if place else None

"""What a person does with the product that was scanned, and how the directions differ, on a phone and a laptop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from tests.page.conftest import BrowserMaker
from tests.page.controls import control, press, write
from tests.served import Service

PANEL = r"return document.querySelector('.product')?.innerText.replace(/\s+/g, ' ') ?? ''"
MODE = "return document.querySelector('.modes input:checked')?.value"
CHOOSE = "document.querySelector(`input[value=${arguments[0]}]`).click()"
TOPS = """
document.querySelector('.bookings').lastElementChild.scrollIntoView();
return ['.modes', '.product'].map((name) => document.querySelector(name).getBoundingClientRect().top >= 0);
"""
KEYS = """
const keys = [...document.querySelectorAll('.keys button')];
const tops = new Set(keys.map((key) => key.getBoundingClientRect().top));
return [keys.map((key) => key.innerText).join(''), tops.size];
"""
LOOKS = """
const colour = (name, of) => getComputedStyle(document.querySelector(name))[of];
return [colour('.mode input:checked + span', 'backgroundColor'), colour('.edge', 'backgroundColor'),
  colour('.pad .figure', 'color')];
"""
SIGNS = """
const drawn = (name) => document.querySelector(`${name} path`).getAttribute('d');
return [drawn('.mode:has(:checked)'), drawn('.edge'), drawn('.sign')];
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
CAMERA_IS_FIRST = """
const top = (name) => document.querySelector(name).getBoundingClientRect().top;
return top('.camera-panel') < top('.modes');
"""


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with two products."""
    for code, description, level in (("A-1", "Blue pen", 3), ("B-2", "Nut M8", 10)):
        body = {"product_code": code, "description": description, "initial_level": level}
        service.call("POST", "/api/products", body)
    return service


@pytest.fixture(params=["phone", pytest.param("laptop", marks=pytest.mark.full_run)])
def keyboard(request: pytest.FixtureRequest, shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a phone and of a laptop that show the start view."""
    if request.param == "phone":
        browser.resize(390, 844, mobile=True)
    else:
        browser.resize(1366, 768)
    browser.open(shop.address)
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        yield keyboard


def shows(browser: Chromium, *texts: str) -> None:
    """Wait until all these texts are on the panel of the product."""
    browser.until(lambda: all(text in browser.run(PANEL) for text in texts))


def shows_mode(browser: Chromium, mode: str) -> bool:
    """Return whether the number pad is that of a mode."""
    return bool(browser.run("return document.querySelector('.pad')?.dataset.mode === arguments[0]", mode))


def levels(service: Service) -> list[int]:
    """Return the level of each product."""
    return [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]]


def test_a_product_is_scanned_corrected_by_three_and_set_right_again(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """By keys and by buttons, in a look-up, and only the product on the panel changes."""
    keyboard.scan("B-2")
    shows(browser, "Nut M8")
    keyboard.scan("A-1")
    shows(browser, "Blue pen", "Stock 3")
    keyboard.type("3", gap=130)
    press(browser, "Add 3")
    shows(browser, "Added: 3", "Stock 6")
    press(browser, "Undo")
    shows(browser, "Undone", "Stock 3")
    keyboard.type("--", gap=130)
    keyboard.scan("B-2")
    shows(browser, "Nut M8", "Stock 10")
    browser.until(lambda: levels(shop) == [1, 10])
    keyboard.scan("A-1")
    shows(browser, "Blue pen", "Stock 1")
    press(browser, "Count")
    browser.shows("Stock of Blue pen")
    press(browser, "7")
    keyboard.press(Key("Enter"))
    shows(browser, "Counted", "Stock 7")
    assert levels(shop) == [7, 10]


def test_the_pad_opens_for_a_product_in_a_look_up(keyboard: Keyboard, browser: Chromium) -> None:
    """A thumb needs no keyboard for the amount; after its label, the product is there again."""
    keyboard.scan("A-1")
    shows(browser, "Blue pen")
    press(browser, "Quantity: 1")
    press(browser, "4")
    press(browser, "Remove 4")
    shows(browser, "There are only 3", "Blue pen")
    press(browser, "Print label", "link")
    browser.until(lambda: browser.run("return location.hash") == "#labels?products=1")
    browser.shows("1 label")
    browser.driver.back()
    shows(browser, "Ready", "Blue pen", "Stock 3")
    press(browser, "Add 1")
    shows(browser, "Added: 1", "Stock 4")


@pytest.mark.usefixtures("keyboard")
def test_directions_differ_by_colour_sign_and_word(browser: Chromium) -> None:
    """On the button, the edge of the panel and the amount; the number pad has three columns."""
    seen = []
    for mode in ("put-in", "take-out", "set"):
        browser.run(CHOOSE, mode)
        browser.until(partial(shows_mode, browser, mode))
        colours, signs = browser.run(LOOKS), browser.run(SIGNS)
        assert len(set(colours)) == len(set(signs)) == 1
        seen.append((colours[0], signs[0]))
    assert len({colour for colour, _ in seen}) == len({sign for _, sign in seen}) == 3
    assert browser.run(KEYS) == ["123456789C0\N{ERASE TO THE LEFT}", 4]


def test_modes_and_product_stay_in_sight_and_the_mode_survives(keyboard: Keyboard, browser: Chromium) -> None:
    """While the list scrolls, and over a reload."""
    browser.run(CHOOSE, "take-out")
    for _ in range(9):
        keyboard.scan("B-2")
    shows(browser, "Stock 1")
    assert browser.run(TOPS) == [True, True]
    browser.open("about:blank")
    browser.driver.back()
    browser.until(lambda: browser.run(MODE) == "take-out")


@pytest.mark.usefixtures("keyboard")
def test_forced_colours_leave_borders(browser: Chromium) -> None:
    """Where the system replaces colours, the edge and the pad have a border."""
    features = [{"name": "forced-colors", "value": "active"}]
    browser.devtools("Emulation.setEmulatedMedia", features=features)
    browser.run(CHOOSE, "put-in")
    browser.found("return document.querySelector('.pad')?.checkVisibility()")
    assert browser.run(BORDERS) == [3, 3]


def test_screen_readers_read_one_short_message_for_each_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """Whether it books, is refused or only looks up; so they do for an amount that is typed."""
    browser.run(CHOOSE, "put-in")
    browser.until(partial(shows_mode, browser, "put-in"))
    browser.run(LISTEN)
    keyboard.scan("A-1")
    shows(browser, "Added: 1")
    keyboard.scan("none-such")
    shows(browser, "No product has this code.")
    keyboard.type("2", gap=130)
    keyboard.scan("B-2")
    shows(browser, "Added: 2")
    expected = ["Added: 1 Blue pen", "No product has this code.", "Quantity: 2", "Added: 2 Nut M8"]
    assert browser.run("return said") == expected
    browser.run(CHOOSE, "look-up")
    browser.until(lambda: browser.run("return said.length") == len(expected) + 1)
    keyboard.scan("A-1")
    shows(browser, "Found")
    assert browser.run("return said")[len(expected) + 1 :] == ["Found Blue pen"]


def test_the_actions_have_german_names_and_the_camera_is_first_on_a_phone(
    shop: Service, make_browser: BrowserMaker
) -> None:
    """The signs alone are not read out."""
    browser = make_browser(language="de-DE")
    browser.resize(390, 844, mobile=True)
    browser.open(shop.address)
    browser.shows("Bereit. Scannen Sie einen Code.")
    assert browser.run(CAMERA_IS_FIRST)
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        shows(browser, "Blue pen")
    for name in ("1 einlagern", "1 entnehmen", "Zählen", "Menge: 1"):
        control(browser, "button", name)
    for name in ("Etikett drucken", "Öffnen"):
        control(browser, "link", name)


@pytest.mark.full_run
def test_a_scan_on_the_page_of_a_product_goes_to_the_scanned_one(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """But not while a level is typed there, which stays; an unknown code offers a new product."""
    browser.open(f"{shop.address}/#products/1")
    browser.shows("Blue pen")
    keyboard.scan("B-2")
    browser.until(lambda: browser.run("return document.querySelector('.product-view h1')?.innerText") == "Nut M8")
    write(browser, "Quantity", "12")
    keyboard.scan("A-1")
    browser.shows("This scan was ignored: A-1.")
    assert browser.run("return location.hash") == "#products/2"
    assert control(browser, "field", "Quantity").get_attribute("value") == "12"
    write(browser, "Quantity", "")
    keyboard.scan("4006381333931")
    browser.found("return document.querySelector('dialog input[name=product_code]')")

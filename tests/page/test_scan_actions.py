"""What a person does with the product that was scanned, and how the directions differ."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Keyboard
from tests.page.controls import control, press, write
from tests.page.scanning import NUT, PEN, choose, has_amount, shows, with_pens_and_nuts as stocked
from tests.page.stocked import level
from tests.served import Service

LOOKS = """
const colour = (name, of) => getComputedStyle(document.querySelector(name))[of];
const drawn = (name) => document.querySelector(`${name} .symbol`).dataset.symbol;
return [
  [colour('.modes :checked + span', 'backgroundColor'), colour('.edge', 'backgroundColor'),
    colour('.pad .figure', 'color')],
  [drawn('.modes :checked + span'), drawn('.edge'), drawn('.pad .figure')],
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


@pytest.fixture
def shop(service: Service) -> Service:
    """Return a service with three pens and ten nuts."""
    return stocked(service)


@pytest.fixture
def keyboard(shop: Service, browser: Chromium) -> Iterator[Keyboard]:
    """Return the keyboard of a phone that shows the start view."""
    browser.resize(390, 664, mobile=True)
    browser.open(shop.address)
    browser.shows("Scan a code")
    with Keyboard(browser) as keyboard:
        yield keyboard


def test_a_product_is_corrected_in_a_look_up_and_set_right_again(
    shop: Service, keyboard: Keyboard, browser: Chromium
) -> None:
    """By the buttons under the thumb alone; after its label is printed, the product is there again."""
    keyboard.scan("B-2")
    shows(browser, NUT)
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
    browser.run("document.querySelector('.steps [data-mode=set]').click()")
    browser.found("return document.querySelector('.pad.asks')")
    press(browser, "7")
    has_amount(browser, "7")
    browser.run("document.querySelector('.pad .main').click()")
    shows(browser, "3 → 7", "Stock 7")
    assert (level(shop), level(shop, 2)) == (7, 10)


@pytest.mark.usefixtures("keyboard")
def test_directions_differ_by_colour_and_sign(browser: Chromium) -> None:
    """On the mode, the edge of the card and the amount; where the system replaces colours, these have a border."""
    seen = []
    for mode in ("put-in", "take-out", "set"):
        choose(browser, mode)
        colours, signs = browser.run(LOOKS)
        assert len(set(colours)) == len(set(signs)) == 1
        seen.append((colours[0], signs[0]))
    assert len({colour for colour, _ in seen}) == len({sign for _, sign in seen}) == 3
    features = [{"name": "forced-colors", "value": "active"}]
    browser.devtools("Emulation.setEmulatedMedia", features=features)
    assert browser.run(BORDERS) == [3, 3]


def test_screen_readers_read_one_short_message_for_each_scan(keyboard: Keyboard, browser: Chromium) -> None:
    """Whether it books, is refused or only looks up; so they do for an amount that is typed."""
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

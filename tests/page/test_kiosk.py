"""The kiosk: one task on one screen, with no accidental way out, all day long."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import scan
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import PEN, BrowserMaker, Findings
from tests.page.controls import keys, press
from tests.page.printing import codes_of, printed_codes
from tests.page.scanning import made
from tests.served import Service
from tests.test_commands_of_pages import blocks

BOLT = "BOLT-M8x40"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> \u202elive\u2066 " + "wide " * 88
COPIES = """
const seen = (selector) => document.querySelector(selector)?.innerText
return seen('.kiosk h1') === arguments[0] ? seen('.copies output') : null
"""
CONTROLS = ".screen :is(a, button, input, select, textarea, [tabindex='0'])"
"""The controls of a screen; below it is only the button for the full screen."""
HOLD_MINUTES = """
const { setTimeout: start, clearTimeout: stop } = window
window.minutes = new Map()
window.setTimeout = (run, time, ...rest) => {
  if (time !== 60_000) return start(run, time, ...rest)
  window.minutes.set(-minutes.size - 1, run)
  return -minutes.size
}
window.clearTimeout = (timer) => window.minutes.delete(timer) || stop(timer)
"""
"""Timers of a minute wait in `minutes` until a test ends them."""
COUNT_WAKE_LOCKS = """
window.locks = { granted: 0, released: 0 }
const request = async () => (locks.granted++, { release: async () => void locks.released++ })
Object.defineProperty(navigator, 'wakeLock', { value: { request } })
"""
TO_A_FILE = {
    "version": 2,
    "selectedDestinationId": "Save as PDF",
    "recentDestinations": [{"id": "Save as PDF", "origin": "local", "account": ""}],
}
"""What the print dialog remembers of a person who has printed to a file."""


@pytest.fixture(scope="module")
def stocked(lasting_service: Service) -> Service:
    """Return one service for these tests, which change nothing in it, with two products and a hostile one."""
    for code, description in ((PEN, "Blue pen"), (BOLT, "Hexagon bolt"), ("EVIL-1", HOSTILE)):
        made(lasting_service, code, description)
    return lasting_service


@pytest.fixture
def kiosk(stocked: Service, browser: Chromium) -> Chromium:
    """Return a browser that shows the kiosk for sheets of L7160."""
    return opened(browser, stocked, "?sheet=L7160")


def opened(browser: Chromium, service: Service, query: str = "", **settings: object) -> Chromium:
    """Open the kiosk on a device with these settings."""
    catch_printing(browser)
    keep_settings(browser, **settings)
    browser.open(f"{service.address}/#kiosk{query}")
    browser.until(lambda: seen(browser, ".kiosk h1"))
    return browser


def seen(browser: Chromium, selector: str) -> list[WebElement]:
    """Return the visible elements of a selector; none while the screen changes."""
    try:
        return [one for one in browser.driver.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed()]
    except StaleElementReferenceException:
        return []


def copies_of(browser: Chromium, product: str) -> str | None:
    """Return the copies on the screen of a task for this product, or None where another task is shown."""
    copies: str | None = browser.run(COPIES, product)
    return copies


def has_copies(browser: Chromium, product: str, copies: str) -> None:
    """Wait until the screen has a task for this product, with these copies."""
    browser.until(lambda: copies_of(browser, product) == copies)


@pytest.mark.whole_chromium
def test_scan_copies_print_done(kiosk: Chromium, inaccessible: Findings) -> None:
    """Each screen has one thing to do, few controls and no link, and can fill the display; the right labels print."""
    kiosk.shows("Scan a product")
    kiosk.shows("L7160 \u00b7 21 of 63.5 \u00d7 38.1 mm")
    assert [one.text for one in seen(kiosk, "button")] == ["Full screen"]
    assert inaccessible(kiosk) == []
    scan(kiosk, PEN)
    kiosk.until(lambda: [one.text for one in seen(kiosk, ".heard")] == [PEN])
    kiosk.shows("Blue pen")
    assert [one.text for one in seen(kiosk, CONTROLS)] == ["\u2212", "+", "Print", "Cancel"]
    assert seen(kiosk, "a") == []
    kiosk.found("return document.querySelector('.label img')?.naturalWidth > 0")
    assert inaccessible(kiosk) == []
    for name in ("One more", "One more", "One fewer"):
        press(kiosk, name)
    press(kiosk, "Print")
    kiosk.shows("Done")
    assert seen(kiosk, CONTROLS) == []
    assert kiosk.run("return printed.length") == 1
    assert [(code.text, code.page) for code in printed_codes(kiosk)] == [(PEN, 1)] * 2
    kiosk.shows("Scan a product")
    press(kiosk, "Full screen")
    kiosk.found("return document.fullscreenElement !== null")
    kiosk.until(lambda: seen(kiosk, "footer button") == [])
    kiosk.run("return document.exitFullscreen()")
    kiosk.until(lambda: seen(kiosk, "footer button"))


def test_the_scanner_and_a_keyboard_are_enough(kiosk: Chromium) -> None:
    """A scan is one more label, digits set the copies, and Enter prints; a number that is too long prints nothing.

    A scan while a label is printed is the next task, of the same product, too.
    """
    for copies in ("1", "2"):
        scan(kiosk, BOLT)
        has_copies(kiosk, "Hexagon bolt", copies)
    for typed, copies in (("12", "12"), (Keys.BACKSPACE, "1"), ("9999", "1"), (Keys.ENTER + "3", "3")):
        keys(kiosk, typed)
        has_copies(kiosk, "Hexagon bolt", copies)
    assert kiosk.run("return printed.length") == 0
    keys(kiosk, Keys.ENTER)
    kiosk.shows("Done")
    assert [code.text for code in printed_codes(kiosk)] == [BOLT] * 3
    for printed in (1, 2):
        scan(kiosk, PEN)
        kiosk.until(lambda: seen(kiosk, ".kiosk .main:enabled"))
        has_copies(kiosk, "Blue pen", "1")
        assert kiosk.run("return orders.length") == printed
        press(kiosk, "Print")
    kiosk.shows("Done")
    assert [code.text for code in printed_codes(kiosk)] == [PEN]


def test_another_scan_replaces_the_task_at_once_and_undo_brings_it_back(kiosk: Chromium) -> None:
    """Enter prints what was scanned, and after an unknown code nothing; counted copies are not lost."""
    scan(kiosk, PEN)
    has_copies(kiosk, "Blue pen", "1")
    keys(kiosk, "4")
    for _ in range(2):
        scan(kiosk, BOLT)
    has_copies(kiosk, "Hexagon bolt", "2")
    press(kiosk, "Undo: Blue pen \u00b7 4 labels")
    has_copies(kiosk, "Blue pen", "4")
    scan(kiosk, "12345670")
    kiosk.shows("No product has the code 12345670.")
    keys(kiosk, Keys.ENTER)
    press(kiosk, "Undo: Blue pen \u00b7 4 labels")
    has_copies(kiosk, "Blue pen", "4")
    assert kiosk.run("return orders.length") == 0
    scan(kiosk, BOLT)
    keys(kiosk, Keys.ENTER)
    kiosk.shows("Done")
    assert [code.text for code in printed_codes(kiosk)] == [BOLT]


def test_only_cancel_and_a_minute_without_input_lead_back_to_the_start(stocked: Service, browser: Chromium) -> None:
    """Keys, the gesture or the button of a mouse for "back", a file that falls onto the page: the task stays.

    Each key begins the minute anew; on the start none runs. The browser ends the lock of the screen when the page is
    hidden, so it is requested again; another view releases it.
    """
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_MINUTES)
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=COUNT_WAKE_LOCKS)
    browser.open(stocked.address)
    browser.shows("Ready")
    opened(browser, stocked, "?sheet=L7160")
    for key in (Keys.ALT + Keys.ARROW_LEFT, Keys.ESCAPE, Keys.BACKSPACE, Keys.TAB):
        browser.driver.switch_to.active_element.send_keys(key)
        assert "#kiosk?sheet=L7160" in browser.driver.current_url
    others = browser.run("return minutes.size")
    scan(browser, PEN)
    browser.shows("Blue pen")
    browser.driver.switch_to.active_element.send_keys(Keys.ALT + Keys.ARROW_LEFT)
    for _ in range(3):
        browser.run("history.back()")
        browser.found("return location.hash === '#kiosk?sheet=L7160'")
        browser.shows("Blue pen")
    drop = "return !document.body.dispatchEvent(new DragEvent(arguments[0], { bubbles: true, cancelable: true }))"
    browser.found(drop, "dragover")
    assert browser.run(drop, "drop")
    keys(browser, "4")
    has_copies(browser, "Blue pen", "4")
    assert browser.run("return minutes.size") == others + 1
    browser.run("minutes.get(Math.min(...minutes.keys()))()")
    browser.shows("Scan a product")
    scan(browser, PEN)
    has_copies(browser, "Blue pen", "1")
    press(browser, "Cancel")
    browser.shows("Scan a product")
    assert browser.run("return minutes.size") == others
    granted = browser.found("return locks.granted")
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    browser.found("return locks.granted > arguments[0]", granted)
    browser.run("location.hash = '#stock'")
    browser.found("return locks.released > 0")


def test_a_wrong_address_says_so(stocked: Service, browser: Chromium) -> None:
    """The error is shown immediately, with the valid names, before the first scan."""
    assert stocked.call("PUT", "/api/codes/layouts/shelf", {"sheet": "50x30mm"})["success"]
    for query, says, known in (
        ("?sheet=<b>50x", "There is no sheet called <b>50x.", "L7160"),
        ("?layout=shelff", "There is no layout called shelff.", "shelf"),
        ("?printer=zebre", "There is no printer called zebre.", "It can name: \u2013"),
        ("?sheet=L7160&symbology=EAN99", "There is no barcode type called EAN99.", "EAN13 \u00b7 EAN8"),
    ):
        opened(browser, stocked, query)
        browser.shows(says)
        browser.shows(known)
        scan(browser, PEN)
        assert seen(browser, ".kiosk .main") == []


def test_what_the_address_does_not_name_is_the_setting_of_the_device(stocked: Service, browser: Chromium) -> None:
    """The shop's name, a sheet of six labels, shifted to correct the printer; names are spelled as in the service.

    A hostile text stays a text, is cut, and leaves the button on any screen.
    """
    opened(browser, stocked, "?symbology=qrcode", sheet="5164", offsetX=3, offsetY=-2, shopName="Corner shop")
    browser.shows("Corner shop")
    scan(browser, PEN)
    browser.shows("Blue pen")
    press(browser, "Print")
    browser.shows("Done")
    layout = browser.run("return orders.at(-1).layout")
    assert layout | {"sheet": "5164", "offset_x": 3, "offset_y": -2} == layout
    assert [code.text for code in printed_codes(browser)] == [PEN]
    scan(browser, "EVIL-1")
    browser.until(lambda: seen(browser, ".kiosk .main"))
    assert seen(browser, ".kiosk h1")[0].text.startswith("<img src=x onerror=alert(1)>")
    assert seen(browser, ".kiosk b, .kiosk img[src='x']") == []
    for width, height in ((320, 640), (390, 844), (1024, 600), (3840, 2160)):
        browser.resize(width, height)
        button = seen(browser, ".kiosk .main")[0].rect
        assert button["y"] + button["height"] <= height
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_a_touch_screen_has_a_pad_for_the_copies(stocked: Service, browser: Chromium) -> None:
    """Forty copies are two taps, a button that is held goes on, and all of it fits a small screen."""
    browser.resize(1024, 600, mobile=True)
    opened(browser, stocked, "?sheet=L7160")
    scan(browser, PEN)
    has_copies(browser, "Blue pen", "1")
    for key, copies in (("4", "4"), ("0", "40"), ("\N{ERASE TO THE LEFT}", "4"), ("C", "1")):
        next(one for one in seen(browser, ".keys button") if one.text == key).click()
        has_copies(browser, "Blue pen", copies)
    assert browser.run("return document.activeElement === document.querySelector('.kiosk .main')")
    assert browser.run("return document.documentElement.scrollHeight <= innerHeight")
    more = browser.driver.find_element(By.CSS_SELECTOR, "[aria-label='One more']")
    for event in ("pointerdown", "pointerup", "click"):
        browser.run("arguments[0].dispatchEvent(new PointerEvent(arguments[1], { bubbles: true }))", more, event)
        if event == "pointerdown":
            browser.until(lambda: int(copies_of(browser, "Blue pen") or 0) >= 6)
    held = int(copies_of(browser, "Blue pen") or 0)
    more.send_keys(Keys.ENTER)
    has_copies(browser, "Blue pen", str(held + 1))


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Offer a display without a screen: a headless Chromium never prints."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("not installed: xvfb")
    read, write = os.pipe()
    command = [program, "-displayfd", str(write), "-screen", "0", "1400x900x24"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:  # noqa: S603 - fixed text
        os.close(write)
        with os.fdopen(read) as told:
            monkeypatch.setenv("DISPLAY", f":{told.readline().strip()}")
        yield
        server.terminate()


@pytest.mark.full_run
@pytest.mark.usefixtures("display")
def test_the_documented_kiosk_needs_no_dialog(stocked: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """The document goes to the printer that was chosen last, here a file, and no dialog opens."""
    [command] = [block.text for block in blocks() if "--kiosk-printing" in block.text]
    flags = [word for word in command.split() if word.startswith("--") and "=" not in word]  # apart from its profile
    preferences = {
        "printing.print_preview_sticky_settings.appState": json.dumps(TO_A_FILE),
        "savefile.default_directory": str(tmp_path),
    }
    browser = make_browser(*flags, headless=False, preferences=preferences)
    browser.open(f"{stocked.address}/#kiosk?sheet=50x30mm")
    browser.shows("Scan a product")
    scan(browser, PEN)
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".kiosk .main"))[0].click()
    [document] = browser.until(lambda: list(tmp_path.glob("*.pdf")))
    browser.until(lambda: document.read_bytes().rstrip().endswith(b"%%EOF"))
    assert [code.text for code in codes_of(document.read_bytes())] == [PEN]
    assert len(browser.driver.window_handles) == 1

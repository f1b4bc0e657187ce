"""The kiosk of a printer on small screens, where all of it is seen at once, and on large ones, where it is large."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from tests.page.conftest import PEN, BrowserMaker
from tests.page.controls import keys
from tests.page.test_kiosk import copies_of
from tests.served import Service

BOLT = "BOLT-M8x40"
LONG = "Sechskantschraube M8 x 40 verzinkt, Festigkeitsklasse 8.8, mit Mutter und Unterlegscheibe, Packung zu 100"
SCROLLED = """
const { scrollWidth, scrollHeight } = document.documentElement
return [Math.max(0, scrollWidth - innerWidth), Math.max(0, scrollHeight - innerHeight)]
"""
"""The pixels that are cut off at the right and below."""
DRAWN = """
return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => [innerWidth, innerHeight])
"""
PICTURE = "return document.querySelector('.kiosk .preview img')?.naturalWidth"
SHARE = "return document.querySelector('.kiosk .preview img').getBoundingClientRect().height / innerHeight"
SMALL = [(800, 480, False), (800, 480, True), (1024, 600, False), (1024, 600, True)]
LARGE = [(1280, 800), (1366, 768)]


def begin(browser: Chromium, shop: Service) -> None:
    """Open the kiosk."""
    shop.call("POST", "/api/products", {"product_code": BOLT, "description": LONG})
    browser.open(f"{shop.address}/#kiosk?printer=zebra&sheet=50x30mm")
    browser.found("return document.querySelector('.printer-state')?.innerText")


def begin_task(browser: Chromium) -> None:
    """Scan the product with the long name."""
    scan(browser, BOLT)
    browser.found(PICTURE)


def resize(browser: Chromium, width: int, height: int, *, mobile: bool = False) -> None:
    """Give the page a screen of this size, and wait until it is drawn."""
    browser.resize(width, height, mobile=mobile)
    browser.until(lambda: browser.run(DRAWN) == [width, height])


def cut_off(browser: Chromium) -> list[tuple[int, int, bool]]:
    """Return the small screens on which something is cut off."""
    found = []
    for width, height, mobile in SMALL:
        resize(browser, width, height, mobile=mobile)
        if browser.run(SCROLLED) != [0, 0]:
            found.append((width, height, mobile))
    return found


@pytest.mark.parametrize("language", ["de-DE", pytest.param("en-GB", marks=pytest.mark.full_run)])
def test_all_of_the_kiosk_fits_a_small_screen(shop: Service, make_browser: BrowserMaker, language: str) -> None:
    """The start, a task with a long name, and what is said of another scan: nothing has to be scrolled."""
    browser = make_browser(language=language)
    begin(browser, shop)
    assert cut_off(browser) == []
    begin_task(browser)
    assert cut_off(browser) == []
    keys(browser, "9999")
    browser.shows("500")
    assert cut_off(browser) == []
    keys(browser, Keys.ENTER + "40")
    browser.until(lambda: copies_of(browser, LONG) == "40")
    scan(browser, PEN)
    browser.shows("Blue pen")
    assert cut_off(browser) == []


@pytest.mark.full_run
def test_the_label_is_large_on_a_large_screen(shop: Service, browser: Chromium) -> None:
    """It has more than half of the height."""
    begin(browser, shop)
    begin_task(browser)
    for width, height in LARGE:
        resize(browser, width, height)
        assert browser.run(SCROLLED) == [0, 0]
        assert browser.run(SHARE) == pytest.approx(0.55, abs=0.001)

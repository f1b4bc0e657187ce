"""What holds for every view: nothing that keeps people out, nothing beside the screen, whatever the screen is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.served import Service
from tests.page.conftest import BrowserMaker

VIEWS = ("scan", "labels", "products", "products/1", "stock", "settings", "kiosk?sheet=L7160")
HOSTILE = '"><img src=x onerror=alert(1)> \u202e\u2066<script>alert(2)</script> ' + "W" * 400
WIDER = "return document.documentElement.scrollWidth - innerWidth"
CUT_NAMES = """
return [...document.querySelectorAll("nav a")].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.hash);
"""
READY = """
const [name] = arguments[0].split(/[/?]/);
return document.body.dataset.view === name && document.querySelector("main").children.length;
"""
SMALL_TARGETS = """
return [...document.querySelectorAll("button, nav a, select, input:not([type=file], [type=checkbox], [type=radio])")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24)
  .map((one) => one.outerHTML);
"""


@pytest.fixture
def stocked(service: Service) -> Service:
    """Return a service with a usual product and a hostile one."""
    drafts = (("A-1", "Blue pen"), ("B-1", HOSTILE))
    for code, description in drafts:
        draft = {"product_code": code, "description": description, "category": "<b>x</b>", "initial_level": 3}
        service.call("POST", "/api/products", draft)
    return service


def _show(browser: Chromium, service: Service, view: str) -> None:
    browser.open("about:blank")
    browser.open(f"{service.address}/#{view}")
    browser.until(lambda: browser.run(READY, view))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_keeps_anybody_out(
    stocked: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]], scheme: str
) -> None:
    """Axe finds nothing: names, roles, contrast, order."""
    browser.prefer(color_scheme=scheme)
    for view in VIEWS:
        _show(browser, stocked, view)
        assert (view, inaccessible(browser)) == (view, [])


@pytest.mark.parametrize("width", [320, 360, 768, 1366, 3840])
def test_no_view_is_wider_than_its_screen(stocked: Service, make_browser: BrowserMaker, width: int) -> None:
    """Nobody has to push a view to the side, not even for a text of 500 characters, and what is pressed is no dot."""
    browser = make_browser(language="de-DE")
    browser.resize(width, 800)
    for view in VIEWS:
        _show(browser, stocked, view)
        assert (view, max(0, browser.run(WIDER))) == (view, 0)
        assert (view, browser.run(SMALL_TARGETS)) == (view, [])
        assert (view, browser.run(CUT_NAMES)) == (view, [])


def test_no_text_of_a_product_becomes_markup(stocked: Service, browser: Chromium) -> None:
    """What somebody has put into a description is shown as it stands, in each view."""
    for view in ("products", "products/2", "stock"):
        _show(browser, stocked, view)
        browser.shows("<img src=x onerror=alert(1)>")
        assert browser.run("return document.querySelectorAll('main img[src=x], main script').length") == 0


def test_without_scripts_the_page_says_what_it_needs(service: Service, browser: Chromium) -> None:
    """In both languages."""
    browser.switch_off_scripts()
    browser.open(service.address)
    assert "needs JavaScript" in browser.driver.page_source
    assert "braucht JavaScript" in browser.driver.page_source

"""Rules for every view: it is accessible, fits on any screen, and speaks the language of the browser."""

import pytest

from tests.browser.chromium import Chromium
from tests.page.conftest import BrowserMaker, Findings
from tests.page.scanning import made
from tests.served import Service
from tests.sweeps import sweep

VIEWS = ("scan", "labels", "products", "products/1", "stock", "settings", "kiosk?sheet=L7160")
HOSTILE = '"><img src=x onerror=alert(1)> \u202e\u2066<script>alert(2)</script> ' + "W" * 400
WIDER = "return document.documentElement.scrollWidth - innerWidth"
NAVIGATION_IS_RIGHT = """
document.documentElement.dir = 'rtl';
const [navigation, view] = ['nav', 'main'].map((name) => document.querySelector(name).getBoundingClientRect());
return navigation.left >= view.right;
"""
CUT_NAMES = """
return [...document.querySelectorAll("nav a")].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.hash);
"""
READY = """
const [name] = arguments[0].split(/[/?]/);
return document.body.dataset.view === name && document.querySelector("main").children.length;
"""
SHEETS = "return [...document.styleSheets].map((one) => new URL(one.href).pathname)"
SMALL_TARGETS = """
return [...document.querySelectorAll("button, nav a, select, input:not([type=file], [type=checkbox], [type=radio])")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24)
  .map((one) => one.outerHTML);
"""
MISFITS = f"return [{', '.join(f'(() => {{ {script} }})()' for script in (WIDER, SMALL_TARGETS, CUT_NAMES))}]"
"""By how much the view is too wide, its small controls and its cut names, in one call."""


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which change nothing in it."""
    return lasting_service


@pytest.fixture(scope="module")
def stocked(service: Service) -> Service:
    """Return a service with an ordinary product that is low and has a history, and a hostile one."""
    for code, description in (("A-1", "Blue pen"), ("B-1", HOSTILE)):
        made(service, code, description, category="<b>x</b>", minimum_level=9, initial_level=3)
    service.call("POST", "/api/inventory/1/adjust", {"delta": 1, "updated_by": "Anna", "change_reason": "delivery"})
    return service


def _show(browser: Chromium, service: Service, view: str) -> None:
    browser.open("about:blank")
    browser.open(f"{service.address}/#{view}")
    browser.found(READY, view)


@sweep("view", VIEWS)
def test_no_view_keeps_anybody_out(stocked: Service, browser: Chromium, inaccessible: Findings, view: str) -> None:
    """Axe finds nothing in light and dark, on a laptop and a phone: names, roles, contrast, order."""
    _show(browser, stocked, view)
    browser.found("return document.querySelector('[aria-busy]') === null")
    for width in (1366, 320):
        browser.resize(width, 640, mobile=width < 400)
        for scheme in ("light", "dark"):
            browser.prefer(color_scheme=scheme)
            assert (width, scheme, inaccessible(browser)) == (width, scheme, [])


def test_no_view_is_wider_than_its_screen(stocked: Service, make_browser: BrowserMaker) -> None:
    """Even with a text of 500 characters, which is shown literally; no control is tiny.

    Nor where a language runs from right to left: there the navigation is at the right.
    """
    browser = make_browser(language="de-DE")
    for view in VIEWS:
        browser.resize(320, 800)
        _show(browser, stocked, view)
        for width in (320, 360, 768, 1366, 3840):
            browser.resize(width, 800)
            excess, *others = browser.run(MISFITS)
            assert (view, width, max(0, excess), others) == (view, width, 0, [[], []])
        if view in ("products", "stock"):
            browser.shows("<img src=x onerror=alert(1)>")
        assert browser.run("return document.querySelectorAll('main img[src=x], main script').length") == 0
        browser.resize(1366, 800)
        assert view.startswith("kiosk") or browser.run(NAVIGATION_IS_RIGHT)
        browser.resize(320, 800)
        assert (view, max(0, browser.run(WIDER))) == (view, 0)


def test_a_view_looks_the_same_whichever_way_leads_to_it(stocked: Service, browser: Chromium) -> None:
    """It has the same styles; the focus goes to its title, for screen readers and Tab, but not in the first view."""
    opened = {}
    for view in VIEWS:
        _show(browser, stocked, view)
        opened[view] = browser.run(SHEETS)
        assert browser.run("return document.activeElement === document.body")
    for view in VIEWS:
        browser.run("location.hash = arguments[0]", f"#{view}")
        browser.found(READY, view)
        browser.until(lambda: browser.run(SHEETS) == opened[view])  # noqa: B023 - called at once
    browser.run("location.hash = '#settings'")
    browser.found("return document.activeElement.textContent === 'Settings'")


def test_a_browser_that_cannot_run_the_page_is_told_why(service: Service, make_browser: BrowserMaker) -> None:
    """Without scripts in each language; if it is too old, even if the page starts."""
    browser = make_browser()
    browser.switch_off_scripts()
    browser.open(service.address)
    for sentence in ("needs JavaScript", "braucht JavaScript", "besoin de JavaScript", "necesita JavaScript"):
        assert sentence in browser.driver.page_source
    older = make_browser()
    older.devtools("Page.addScriptToEvaluateOnNewDocument", source="delete AbortSignal.timeout")
    older.open(service.address)
    older.shows("This browser is too old.")


def test_the_page_speaks_the_language_of_the_browser(service: Service, make_browser: BrowserMaker) -> None:
    """The first view is in this language, and says so to screen readers; no name of a view is cut."""
    browser = make_browser(language="fr-FR")
    browser.resize(320, 640, mobile=True)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Prêt. Scannez un code.")
    assert browser.run("return document.documentElement.lang") == "fr"
    assert browser.run("return document.querySelectorAll('nav a').length") == 5
    assert browser.run(CUT_NAMES) == []

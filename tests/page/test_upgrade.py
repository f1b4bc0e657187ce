"""A page that is open during an upgrade of the service: it lacks nothing, or announces the new version."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import barcodesvc
from tests.browser.chromium import SHOP, Chromium
from tests.browser.keyboard import scan
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import press
from tests.page.proxies import UpgradingProxy
from tests.page.scanning import made

PAGE = Path(barcodesvc.__file__).parent / "page"
NEWER, NEWEST = "0123456789abcdef", "fedcba9876543210"
SOONER = """
const wait = setTimeout;
const shorter = (time) => ({ 3000: arguments[0], 10000: 1000, 60000: arguments[2] })[time] ?? time;
window.setTimeout = (run, time, ...given) => wait(run, shorter(time), ...given);
const every = setInterval;
window.setInterval = (run, time, ...given) => every(run, time === 3600000 ? arguments[1] : time, ...given);
"""
LOADED = """
return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.split('/').slice(3).join('/'))
"""
FORGET_REQUESTS = "window.offer = document.querySelector('.notice .main'); performance.clearResourceTimings()"
CHECKS = "return performance.getEntriesByType('resource').filter(({ name }) => name === location.origin + '/').length"
CACHES = "return caches.keys()"
IS_INSTALLED = """
return navigator.serviceWorker.ready.then(
  ({ installing, waiting, active }) => !installing && !waiting && active.state === 'activated')
"""
WORKS_OFFLINE = "return Boolean(navigator.serviceWorker.controller)"
IS_NEWER = "return (document.querySelector('script[src*=main]')?.src ?? '').includes(arguments[0])"
NEVER, SOON = 10**9, 100


@pytest.fixture
def proxy(make_service: ServiceMaker) -> Iterator[UpgradingProxy]:
    """Return a service that can be upgraded, also under a name in the network."""
    with UpgradingProxy(make_service(allowed_hosts=SHOP).address) as proxy:
        yield proxy


def make_sooner(browser: Chromium, *, idle: int, hour: int = NEVER, quiet: int = SOON) -> None:
    """Shorten the page's waiting times: 3 seconds, an hour and a minute."""
    source = SOONER.replace("arguments[0]", str(idle)).replace("arguments[1]", str(hour))
    source = source.replace("arguments[2]", str(quiet))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)


def open_plain(browser: Chromium, proxy: UpgradingProxy, view: str = "scan", **times: int) -> None:
    """Open a view over plain HTTP, so without a service worker, with the times of make_sooner in milliseconds."""
    make_sooner(browser, **times)
    browser.open(f"{proxy.address.replace('127.0.0.1', SHOP)}/#{view}")
    browser.found("return document.body.dataset.view")


def all_modules() -> set[str]:
    """Return all files of ours that the page may need in English; those of others come with what uses them."""
    files = {path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.suffix in {".js", ".css"}}
    others = {name for name in files if name.split("/")[0] in {"languages", "further-texts"} and "/en" not in name}
    of_workers = {name for name in files if name.endswith(("-worker.js", "/zxing.js")) or name.startswith("library/")}
    return files - others - of_workers - {"watchdog.js"}


def loads_all(browser: Chromium) -> bool:
    """Tell whether all modules were loaded."""
    loaded: list[str] = browser.run(LOADED)
    return all_modules() <= set(loaded)


def shows_title(browser: Chromium, view: str) -> bool:
    """Tell whether a view is shown."""
    return browser.driver.title.startswith(view)


def test_an_open_page_has_all_its_files_and_learns_of_a_new_version(proxy: UpgradingProxy, browser: Chromium) -> None:
    """It asks every hour, which a test shortens, and offers to load it; until then every view opens."""
    open_plain(browser, proxy, "scan?mode=look-up", idle=SOON, hour=SOON)
    browser.until(lambda: loads_all(browser))
    proxy.version = NEWER
    browser.shows("There is a new version of the web app.")
    browser.run(FORGET_REQUESTS)
    browser.until(lambda: browser.run(CHECKS) >= 2)
    assert browser.run("return offer.isConnected")  # each check offers it, but redraws no button
    for view in ("Labels", "Products", "Stock", "Settings", "Scan"):
        press(browser, view, "link")
        browser.until(partial(shows_title, browser, view))
    scan(browser, "no-such-code")
    press(browser, "Create product")
    browser.shows("New product")
    assert_reload_is_offered(browser)


def test_a_file_that_is_gone_says_why(proxy: UpgradingProxy, make_unwatched: BrowserMaker) -> None:
    """With a button that loads it; the page does not claim that the service is unreachable."""
    browser = make_unwatched()
    open_plain(browser, proxy, "scan?mode=look-up", idle=NEVER)
    proxy.version = NEWER
    press(browser, "Stock", "link")
    assert_reload_is_offered(browser)


def assert_reload_is_offered(browser: Chromium) -> None:
    """Assert that the page says that there is a new version, and loads it with a button."""
    browser.shows("There is a new version of the web app.")
    assert "cannot be reached" not in browser.run("return document.body.innerText")
    press(browser, "Reload")
    browser.until(lambda: browser.run(IS_NEWER, NEWER))


@pytest.mark.parametrize("has_task", [pytest.param(False, marks=pytest.mark.full_run), True])
def test_a_kiosk_loads_the_new_version_by_itself_but_never_under_a_task(
    make_service: ServiceMaker, browser: Chromium, *, has_task: bool
) -> None:
    """A minute after the last touch, which is shorter here; while there is a task it offers the new version."""
    service = make_service(allowed_hosts=SHOP)
    made(service, "A-1")
    with UpgradingProxy(service.address) as proxy:
        open_plain(browser, proxy, "kiosk?sheet=L7160", idle=SOON, hour=SOON, quiet=NEVER if has_task else SOON)
        browser.until(lambda: loads_all(browser))
        if has_task:
            scan(browser, "A-1")
            browser.shows("Blue pen")
        proxy.version = NEWER
        if has_task:
            browser.shows("There is a new version of the web app.")
            browser.shows("Blue pen")
        else:
            browser.until(lambda: browser.run(IS_NEWER, NEWER))


def test_the_files_of_a_version_stay_while_a_page_of_it_is_open(proxy: UpgradingProxy, browser: Chromium) -> None:
    """A new worker takes over while an old page is open, which keeps working; without one it deletes its files."""
    make_sooner(browser, idle=SOON)
    browser.open(proxy.address)
    browser.found(WORKS_OFFLINE)
    [older] = browser.run(CACHES)
    first = browser.driver.current_window_handle
    proxy.version = NEWER
    browser.open_tab()
    browser.open(proxy.address)
    browser.until(lambda: f"/page/{NEWER}" in browser.run(CACHES) and browser.run(IS_INSTALLED))
    assert older in browser.run(CACHES)
    browser.driver.switch_to.window(first)
    press(browser, "Stock", "link")
    browser.shows("Low stock")
    browser.open("about:blank")
    proxy.version = NEWEST
    browser.open(proxy.address)
    browser.until(lambda: set(browser.run(CACHES)) == {f"/page/{NEWER}", f"/page/{NEWEST}"})


def test_a_page_whose_modules_do_not_load_says_so(proxy: UpgradingProxy, make_unwatched: BrowserMaker) -> None:
    """As with two replicas of different versions; it offers to try again."""
    proxy.version, proxy.half = NEWER, True
    browser = make_unwatched()
    make_sooner(browser, idle=NEVER)
    browser.open(proxy.address)
    browser.shows("Diese Seite konnte nicht geladen werden.")
    proxy.half = False
    press(browser, "Reload")
    browser.found("return document.body.dataset.view")

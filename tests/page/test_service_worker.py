"""The service worker as it is served: installed under the page's policy, it opens the page without the service."""

from __future__ import annotations

from scripts.browser.chromium import Chromium
from tests.served import Service

READY = """
return navigator.serviceWorker.ready.then(async () => {
  const names = await caches.keys();
  const kept = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
  return [names, kept];
});
"""
USABLE = "return Boolean(document.body?.dataset.view)"


def test_the_page_opens_without_the_service(service: Service, browser: Chromium) -> None:
    """After the first visit: all its files are cached under the address of their version. The settings say so."""
    browser.open(f"{service.address}/#settings")
    browser.shows("The web app needs the network to open, because this browser has not saved it.")
    [version], [kept] = browser.found(READY)
    assert version.startswith("/page/")
    service.kill()
    browser.driver.refresh()
    browser.found(USABLE)
    browser.shows("The web app also opens without the network.")
    assert kept > 1

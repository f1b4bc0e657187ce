"""The service worker as it is served: installed under the page's policy, it opens the page without the service."""

from __future__ import annotations

from scripts.browser.chromium import Chromium
from scripts.browser.served import Service

READY = """
return navigator.serviceWorker.ready.then(async () => {
  const names = await caches.keys();
  const kept = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
  return [names, kept];
});
"""
USABLE = "return Boolean(document.body?.dataset.view)"


def test_the_page_opens_without_the_service(service: Service, browser: Chromium) -> None:
    """After the first visit: all its files are cached under the address of their version."""
    browser.open(service.address)
    [version], [kept] = browser.until(lambda: browser.run(READY))
    assert version.startswith("/page/")
    service.kill()
    browser.open(service.address)
    browser.until(lambda: browser.run(USABLE))
    assert kept > 1

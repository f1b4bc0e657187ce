"""The cost of opening the page for the first time: bytes on the wire, the first paint, the time until it is usable."""

from dataclasses import dataclass
from typing import Any

from tests.browser.chromium import Chromium

MOST_BYTES = 60_000
"""Limit of the bytes of all responses of the first view, heads included."""
WATCH_USABLE = """
new MutationObserver((_, watch) => {
  if (!document.body?.dataset.view) return;
  watch.disconnect();
  performance.mark("usable");
}).observe(document, { attributes: true, attributeFilter: ["data-view"], subtree: true });
"""
"""The page names its view on its body once the view is shown and its scanner works."""
_USABLE = "return performance.getEntriesByName('usable').length > 0"
_FETCHED = """
const usable = performance.getEntriesByName("usable")[0].startTime;
const named = [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((one) => one.href || one.src);
const files = performance.getEntriesByType("resource").filter((one) => one.startTime < usable);
return {
  painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
  usable,
  blocking: files.filter((one) => one.renderBlockingStatus === "blocking").map((one) => one.name),
  unnamed: files.map((one) => one.name).filter((name) => name.endsWith(".js") && !named.includes(name)),
  fetched: performance.getEntriesByType("resource").length,
};
"""
_QUIET_LOOKS = 25
"""Consecutive looks without a new request, after which the page has fetched everything."""
_LATER = "*/script/page_care.js"
"""The module that loads all others, some seconds after the first view: its requests are not part of the first view."""


@dataclass(frozen=True, slots=True)
class FirstView:
    """One opening of the page in a new browser: milliseconds since the request, addresses, bytes.

    `blocking` are the files that the first paint waits for, `unnamed` the scripts that are found only by reading
    others: each step of such a chain costs a phone a whole round trip.
    """

    painted: float
    usable: float
    blocking: tuple[str, ...]
    unnamed: tuple[str, ...]
    received: int
    sent: int


def see_first(browser: Chromium, address: str) -> FirstView:
    """Open the page in a new browser, wait until everything is fetched, and close the browser."""
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=[_LATER])
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH_USABLE)
    browser.open(address)
    browser.found(_USABLE)
    found = _when_quiet(browser)
    browser.close()
    wire = browser.net_log()
    return FirstView(
        found["painted"],
        found["usable"],
        tuple(found["blocking"]),
        tuple(found["unnamed"]),
        wire.received,
        wire.sent,
    )


def _when_quiet(browser: Chromium) -> dict[str, Any]:
    """Return what was fetched, after the first paint and a pause without requests."""
    looks: list[int] = []

    def found() -> dict[str, Any] | None:
        seen = browser.run(_FETCHED)
        looks.append(seen["fetched"])
        is_quiet = len(looks) > _QUIET_LOOKS and looks[-_QUIET_LOOKS] == looks[-1]
        return seen if is_quiet and seen["painted"] is not None else None

    return browser.until(found) or {}

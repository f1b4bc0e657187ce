"""What the first view costs who opens the page on a phone in the shop's network, as counts; times are benchmarks."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import SHOP
from scripts.browser.first_view import MOST_BYTES, FirstView, see_first
from tests.page.conftest import BrowserMaker, ServiceMaker


@pytest.fixture
def seen(make_service: ServiceMaker, make_browser: BrowserMaker) -> FirstView:
    """Return the first view of a browser that has nothing of it yet; over plain HTTP, so without a service worker."""
    service = make_service(allowed_hosts=SHOP)
    return see_first(make_browser(), service.address.replace("127.0.0.1", SHOP))


def test_the_first_view_takes_few_bytes_and_round_trips(seen: FirstView) -> None:
    """All answers together, heads included, keep to the bound.

    The first paint waits for styles alone. Every script that is needed before the page can be used is named by the
    shell (`modulepreload`), so that all of them come at once. Which texts are needed a script says, the first to run.
    """
    assert seen.received <= MOST_BYTES
    assert [name for name in seen.blocking if not name.endswith(".css")] == []
    [texts] = seen.unnamed
    assert texts.endswith("/languages/en.js")

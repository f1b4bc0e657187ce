"""The first view of the page in a real browser: on the loopback, and on a slow phone in the shop's network.

Each time is the median of several new browsers, because each has to start, and other programs keep the machine busy.
The bytes are the same every time.
"""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_most
from tests.browser.chromium import SHOP, missing_programs, started
from tests.browser.first_view import MOST_BYTES, FirstView, see_first
from tests.served import Service

BYTES = at_most(MOST_BYTES)
PAINTED = at_most(300)
USABLE = at_most(2000)
BROWSERS = 5


def measure() -> Iterator[Figure]:
    """Yield bytes and times of the first view; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder), allowed_hosts=SHOP)
        try:
            yield from _figures(Path(folder), service.address)
        finally:
            service.kill()


def _figures(folder: Path, address: str) -> Iterator[Figure]:
    named = address.replace("127.0.0.1", SHOP)
    near = [_seen(folder / f"near-{number}", address) for number in range(BROWSERS)]
    phones = [_seen_by_phone(folder / f"phone-{number}", named) for number in range(BROWSERS)]
    sent = f"{phones[0].sent:,} bytes of requests as well"
    yield Figure("bytes of the first view, all responses together", phones[0].received, "", BYTES, sent)
    painted, usable = (statistics.median(view.painted for view in near), statistics.median(v.usable for v in near))
    yield Figure("first paint on the loopback", painted, "ms", PAINTED, f"of use after {usable:.0f} ms")
    slow = statistics.median(view.usable for view in phones)
    yield Figure("of use on a phone: 150 ms, 1.6 Mbit/s, a quarter of the processor", slow, "ms", USABLE)


def _seen(folder: Path, address: str) -> FirstView:
    return see_first(started(folder), address)


def _seen_by_phone(folder: Path, address: str) -> FirstView:
    browser = started(folder)
    browser.be_a_phone()
    browser.slow_down()
    return see_first(browser, address)

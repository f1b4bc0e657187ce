"""A storm of scans in a real browser, over a million products: a minute without network, and three kills."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.benchmarks.decode.scale import make_catalogue
from scripts.benchmarks.report import Figure, at_most
from tests.browser.chromium import missing_programs, started
from tests.browser.kept_settings import keep_settings
from tests.browser.scan_storm import SHOWN_WITHIN, Plan, Product, storm
from tests.served import Service

PLAN = Plan(scans=1000, calm=300, kills=[310, 400, 960], offline_from=450, offline_to=950, offline_seconds=60)
_MANY = 1_000_000
_NONE = at_most(0)
_SHOWN = at_most(SHOWN_WITHIN)


def measure() -> Iterator[Figure]:
    """Yield what was lost and doubled, and how soon products are shown; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with TemporaryDirectory(prefix="storm-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        make_catalogue(folder / "shop.db", _MANY)
        service = Service(folder, rate_limit="1000/15 minutes")
        browser = started(folder / "device")
        keep_settings(browser, author="Ann")
        try:
            outcome = storm(browser, service, _products(PLAN.scans), PLAN)
        finally:
            browser.close()
            service.kill()
    note = f"{PLAN.offline_seconds:.0f} s without a network, {len(PLAN.kills)} kills of the service"
    yield Figure(f"of {PLAN.scans:,} scans, 20 a second: lost", outcome.lost, "", _NONE, note)
    yield Figure(f"of {PLAN.scans:,} scans, 20 a second: counted twice", outcome.double, "", _NONE)
    shown = f"from Enter to the text of the product, {_MANY:,} products, 95 in 100 scans"
    yield Figure(shown, outcome.shown, "ms", _SHOWN)


def _products(count: int) -> Sequence[Product]:
    """Return products from all over the catalogue, with numbers of equal length, so that no text contains another."""
    first = _MANY // 10
    numbers = range(first, _MANY, (_MANY - first) // count)[:count]
    return [Product(number + 1, f"AB-{number:08}", f"bin {number}") for number in numbers]

"""A storm of scans in a real browser, over a million products: a minute without network, and three kills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.benchmarks.decode.scale import make_catalogue
from scripts.benchmarks.report import Figure, at_most
from scripts.browser.chromium import missing_programs, started
from scripts.browser.kept_settings import keep_settings
from scripts.browser.scan_storm import SHOWN_WITHIN, Plan, Product, storm
from scripts.faults.extent import Extent
from tests.served import Service

LONG = Plan(scans=1000, calm=300, kills=[310, 400, 960], offline_from=450, offline_to=950, offline_seconds=60)
SHORT = Plan(scans=100, calm=30, kills=[35], offline_from=60, offline_to=90, offline_seconds=5)
_MANY, _FEW = 1_000_000, 10_000
_NONE = at_most(0)
_SHOWN = at_most(SHOWN_WITHIN)


def scans(extent: Extent) -> Iterator[Figure]:
    """Yield what was lost and doubled, and how long it took; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    plan, many = (LONG, _MANY) if extent is Extent.FULL else (SHORT, _FEW)
    with TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        make_catalogue(folder / "shop.db", many)
        service = Service(folder, rate_limit="1000/15 minutes")
        browser = started(folder / "device")
        keep_settings(browser, author="Ann")
        try:
            outcome = storm(browser, service, _products(plan.scans, many), plan)
        finally:
            browser.close()
            service.kill()
    note = f"{plan.offline_seconds:.0f} s without a network, {len(plan.kills)} kills of the service"
    yield Figure(f"of {plan.scans:,} scans, 20 a second: lost", outcome.lost, "", _NONE, note)
    yield Figure(f"of {plan.scans:,} scans, 20 a second: counted twice", outcome.double, "", _NONE)
    shown = f"from Enter to the text of the product, {many:,} products, 95 in 100 scans"
    yield Figure(shown, outcome.shown, "ms", _SHOWN)


def _products(count: int, many: int) -> Sequence[Product]:
    """Return products from all over the catalogue, with numbers of equal length, so that no text contains another."""
    first = many // 10
    numbers = range(first, many, (many - first) // count)[:count]
    return [Product(number + 1, f"AB-{number:08}", f"bin {number}") for number in numbers]

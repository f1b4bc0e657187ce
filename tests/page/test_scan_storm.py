"""A short storm of scans: a hundred, with network outages and a kill.

`scripts/bench page storm` is the long one, and measures how soon scans are shown, which is for an idle machine.
"""

from __future__ import annotations

from tests.browser.chromium import Chromium
from tests.browser.scan_storm import Plan, Product, storm
from tests.page.conftest import ServiceMaker
from tests.served import Service

PLAN = Plan(scans=100, calm=30, kills=[35], offline_from=60, offline_to=90, offline_seconds=2)


def test_no_scan_is_lost_and_none_counts_twice(make_service: ServiceMaker, browser: Chromium) -> None:
    """Wherever the focus is, at 20 scans a second; the limit of the page is the usual one."""
    service = make_service(rate_limit="1000/15 minutes")
    products = [made(service, number) for number in range(100, 100 + PLAN.scans)]
    outcome = storm(browser, service, products, PLAN)
    assert (outcome.lost, outcome.double) == (0, 0)


def made(service: Service, number: int) -> Product:
    """Return a new product."""
    code, description = f"AB-{number}", f"Hex bolt M8, bin {number}"
    body = {"product_code": code, "description": description}
    return Product(service.call("POST", "/api/products", body)["data"]["id"], code, description)

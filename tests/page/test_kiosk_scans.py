"""Scans at a kiosk that find nothing, or late, and prints without a response: no wrong label, and none is lost."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.page.conftest import PEN
from tests.page.controls import keys, press
from tests.page.test_kiosk import HOLD_MINUTES, copies_of
from tests.page.test_printers_page import LOSE_RESPONSES, jobs
from tests.served import Service
from tests.servers.label_printer import LabelPrinter

BOLT = "BOLT-M8x40"
UNKNOWN = "UNKNOWN-9"
LATENCY = 1500
TITLE = "return document.querySelector('.kiosk h1')?.innerText"
HAS_FOCUS = "return document.activeElement === document.querySelector('.kiosk .main:enabled')"
LOST = "No response. Press Print again: nothing is printed twice."


@pytest.fixture
def kiosk(shop: Service, browser: Chromium) -> Chromium:
    """Return a browser that shows the kiosk of a printer, for two products."""
    shop.call("POST", "/api/products", {"product_code": BOLT, "description": "Hexagon bolt"})
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    return browser


def slow_down(kiosk: Chromium) -> None:
    """Let each response take a while, and nothing else."""
    kiosk.slow_down(latency=LATENCY, kilobits=0, processor=1)


def title(kiosk: Chromium, expected: str) -> None:
    """Wait until the screen has this title."""
    kiosk.until(lambda: kiosk.run(TITLE) == expected)


def begin(kiosk: Chromium) -> None:
    """Scan the pen."""
    scan(kiosk, PEN)
    kiosk.until(lambda: copies_of(kiosk, "Blue pen") == "1")


def printed(service: Service) -> list[tuple[list[str], int]]:
    """Return the products and the number of labels of each job, the oldest first."""
    return [(job["products"], job["labels"]) for job in reversed(jobs(service))]


def test_scans_count_in_their_order_however_late_the_responses(shop: Service, kiosk: Chromium) -> None:
    """A hurried person scans and presses Enter, again and again: as on a quick network, one label each.

    The screen says what is looked up, and that can be cancelled, with what was entered after it.
    """
    slow_down(kiosk)
    scan(kiosk, BOLT)
    keys(kiosk, "2" + Keys.ENTER)
    title(kiosk, BOLT)
    kiosk.shows("Looking it up")
    press(kiosk, "Cancel")
    title(kiosk, "Scan a product")
    for code in (PEN, UNKNOWN, BOLT):
        scan(kiosk, code)
        keys(kiosk, Keys.ENTER)
    for _ in range(2):
        scan(kiosk, PEN)
    kiosk.until(lambda: copies_of(kiosk, "Blue pen") == "2")
    keys(kiosk, Keys.ENTER)
    kiosk.until(lambda: printed(shop) == [([PEN], 1), ([BOLT], 1), ([PEN], 2)])


@pytest.mark.full_run
def test_a_refused_print_is_said_while_the_next_scan_takes_its_place(shop: Service, kiosk: Chromium) -> None:
    """A hurried person has scanned the next product already: the message names the one that is not printed."""
    scan(kiosk, BOLT)
    kiosk.until(lambda: copies_of(kiosk, "Hexagon bolt") == "1")
    assert shop.call("DELETE", "/api/products/2")["success"]
    slow_down(kiosk)
    keys(kiosk, Keys.ENTER)
    begin(kiosk)
    kiosk.shows(f"Hexagon bolt: No product has the code {BOLT}.")


def test_enter_prints_again_after_a_print_without_a_response(shop: Service, kiosk: Chromium) -> None:
    """The service was gone: the task stays behind scans that find nothing, and its labels are printed once."""
    begin(kiosk)
    shop.kill()
    keys(kiosk, Keys.ENTER)
    kiosk.shows(LOST)
    kiosk.found(HAS_FOCUS)
    scan(kiosk, BOLT)
    kiosk.shows("cannot be reached")
    scan(kiosk, PEN)
    kiosk.shows(LOST)
    kiosk.found(HAS_FOCUS)
    shop.start()
    keys(kiosk, Keys.ENTER)
    title(kiosk, "Sent to zebra")
    assert printed(shop) == [([PEN], 1)]


def test_a_task_that_may_be_printed_comes_back_until_a_person_sees_to_it(
    shop: Service, printer: LabelPrinter, kiosk: Chromium
) -> None:
    """The service had it already: it stays as it is, no minute ends it, and no label is doubled."""
    kiosk.run(HOLD_MINUTES)
    kiosk.run(LOSE_RESPONSES)
    begin(kiosk)
    keys(kiosk, Keys.ENTER)
    kiosk.shows(LOST)
    assert kiosk.run("return minutes.size") == 0
    keys(kiosk, "5" + Keys.BACKSPACE)
    scan(kiosk, BOLT)
    kiosk.until(lambda: copies_of(kiosk, "Hexagon bolt") == "1")
    scan(kiosk, PEN)
    title(kiosk, "Sent to zebra")
    title(kiosk, "Scan a product")
    assert printed(shop) == [([PEN], 1)]
    kiosk.run("window.lost = 0")
    begin(kiosk)  # the next task is another job
    keys(kiosk, Keys.ENTER)
    kiosk.shows(LOST)
    scan(kiosk, BOLT)
    keys(kiosk, Keys.ENTER)
    kiosk.until(lambda: printed(shop)[2:] == [([BOLT], 1)])
    kiosk.shows(LOST)
    assert copies_of(kiosk, "Blue pen") == "1"
    keys(kiosk, Keys.ENTER)
    title(kiosk, "Sent to zebra")
    title(kiosk, "Scan a product")
    kiosk.until(lambda: [job["state"] for job in jobs(shop)] == ["printed"] * 3)
    assert len(printer.printed) == 3

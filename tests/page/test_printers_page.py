"""Labels on a printer of the service: from the view of labels and from the kiosk, to a simulated printer over TCP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.page.conftest import PEN, BrowserMaker, ServiceMaker
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, choose, control, press, write
from tests.served import Service
from tests.servers.label_printer import LabelPrinter

LOSE_RESPONSES = """
const { fetch } = window
window.lost = 0
window.fetch = async (address, options) => {
  const response = await fetch(address, options)
  if (!String(address).endsWith('/jobs') || options?.method !== 'POST' || lost) return response
  window.lost++
  throw new TypeError('lost')
}
"""
"""The first response to a new job is lost."""


LISTED = "return document.querySelectorAll('.last-prints li').length"
FIRST_FREE = "return document.querySelector('.sheet')?.getAttribute('aria-valuenow')"
KEEP_RESENDING = """
const { fetch } = window
window.fetch = (address, options) => {
  if (String(address).endsWith('/resend')) window.resending = JSON.parse(options.body)
  return fetch(address, options)
}
"""
"""The body of the request that prints a job again is kept."""
PRESS = "arguments[0].dispatchEvent(new MouseEvent('click', { bubbles: true }))"
"""The preview and the messages around it still change."""


def jobs(service: Service) -> list[dict[str, Any]]:
    """Return the jobs of the printer, newest first."""
    found: list[dict[str, Any]] = service.call("GET", "/api/printers/zebra/jobs")["data"]
    return found


def print_labels(browser: Chromium) -> None:
    """Press the button of the bar."""
    browser.found("return document.querySelector('.print-bar .main:enabled')").click()


def test_labels_go_to_a_printer_once_and_what_becomes_of_them_is_said(
    shop: Service, printer: LabelPrinter, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """A lost response and the press after it are one job; a job that broke off is printed on from a label."""
    browser.open(f"{shop.address}/#labels?products=1")
    choose(browser, "Print on", "zebra")
    browser.shows("In the printer: Roll \u00b7 50 \u00d7 30 mm")
    browser.shows("zebra is ready.")
    browser.run(LOSE_RESPONSES)
    print_labels(browser)
    browser.shows("Press Print again: nothing is printed twice.")
    print_labels(browser)
    browser.shows("1 label goes to zebra.")
    browser.until(lambda: [job["state"] for job in jobs(shop)] == ["printed"])
    browser.shows(f"{PEN} \u00b7 1 label")
    assert len(printer.printed) == 1
    printer.behaviour.paper_out = True
    browser.shows("zebra is out of paper.")
    write(browser, f"Copies of {PEN}", "70")
    print_labels(browser)
    browser.shows("70 labels wait until zebra has paper.")
    assert browser.run("return document.querySelector('.print-bar .main').innerText") == "Print later"
    browser.shows("waits until zebra has paper")
    browser.shows("1 job waits.")
    assert inaccessible(browser) == []
    press(browser, "Cancel")
    browser.shows("cancelled, nothing printed")
    browser.run(COUNT_BAD_SOUNDS)
    printer.behaviour.reset_at = printer.received + 200
    printer.behaviour.paper_out = False
    browser.shows("zebra is ready.")
    print_labels(browser)
    browser.shows("interrupted: 0 of 70 labels are printed, 1 to 50 may be.")
    browser.found(BAD_SOUND)
    write(browser, "Print again from label", "71")
    press(browser, "Print again")
    browser.shows("Please enter a label number from 1 to 70.")
    write(browser, "Print again from label", "41")
    press(browser, "Print again")
    browser.until(lambda: [jobs(shop)[0][name] for name in ("state", "labels", "resend_of")] == ["printed", 30, 3])
    browser.shows("The rest, from label 41 on, is in a later job.")
    browser.shows("30 labels (labels 41 to 70)")
    assert browser.run("return document.querySelectorAll('.last-prints :is(form, .problem)').length") == 0


def test_a_job_that_broke_off_is_listed_everywhere_until_somebody_has_seen_to_it(
    shop: Service, printer: LabelPrinter, browser: Chromium, make_browser: BrowserMaker
) -> None:
    """However many jobs have followed; what one device has settled, the other one asks for no more."""
    printer.behaviour.reset_at = printer.received + 200
    for _ in range(7):
        shop.call("POST", "/api/printers/zebra/jobs", {"products": [PEN]})
    browser.until(lambda: [job["state"] for job in jobs(shop)] == [*["printed"] * 6, "in_doubt"])
    other = make_browser()
    for each in (browser, other):
        keep_settings(each, printer="zebra")
        each.open(f"{shop.address}/#labels?products=1")
        each.shows("Please check 1 job.")
        each.shows("interrupted: 0 of 1 labels are printed, label 1 may be.")
        assert each.run(LISTED) == 6
    press(browser, "Not needed")
    for each in (browser, other):
        each.until(lambda: each.run(LISTED) == 5)  # noqa: B023 - called at once


def test_a_job_on_a_sheet_begins_at_the_first_free_label_and_gives_back_what_it_has_not_used(
    make_service: ServiceMaker, browser: Chromium
) -> None:
    """The printer is off: a cancelled job has used no label, and printing it again begins where the sheet is free."""
    shop = make_service(printers="office=ipp://127.0.0.1:9/ipp/print?sheet=L7160")
    shop.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    browser.open(f"{shop.address}/#labels?products=1")
    choose(browser, "Print on", "office")
    browser.shows("office cannot be reached.")
    print_labels(browser)
    browser.until(lambda: browser.run(FIRST_FREE) == "2")
    browser.shows("waits until office answers")
    browser.run(PRESS, control(browser, "button", "Cancel"))
    browser.until(lambda: browser.run(FIRST_FREE) == "1")
    browser.shows("cancelled, nothing printed")
    browser.run(PRESS, browser.found("return document.querySelector(\"[data-position='5']\")"))
    browser.run(KEEP_RESENDING)
    browser.run(PRESS, control(browser, "button", "Print again"))
    browser.until(lambda: browser.run(FIRST_FREE) == "6")
    body = browser.run("return resending")
    assert (body["from_label"], body["start_position"]) == (1, 5)

"""Labels on a printer of the service: from the view of labels and from the kiosk, to a simulated printer over TCP."""

from typing import Any

from tests.browser.chromium import Chromium
from tests.page.conftest import PEN, Findings, ServiceMaker
from tests.page.controls import BAD_SOUND, RECORD_SOUNDS, choose, control, press, write
from tests.page.scanning import made
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


FIRST_FREE = "return document.querySelector('.sheet')?.getAttribute('aria-valuenow')"
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
    shop: Service, printer: LabelPrinter, browser: Chromium, inaccessible: Findings
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
    browser.run(RECORD_SOUNDS)
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


def test_a_cancelled_job_gives_its_labels_of_the_sheet_back(make_service: ServiceMaker, browser: Chromium) -> None:
    """The printer is off, so nothing was printed."""
    shop = make_service(printers="office=ipp://127.0.0.1:9/ipp/print?sheet=L7160")
    made(shop, PEN)
    browser.open(f"{shop.address}/#labels?products=1")
    choose(browser, "Print on", "office")
    browser.shows("office cannot be reached.")
    print_labels(browser)
    browser.until(lambda: browser.run(FIRST_FREE) == "2")
    browser.shows("waits until office answers")
    browser.run(PRESS, control(browser, "button", "Cancel"))
    browser.until(lambda: browser.run(FIRST_FREE) == "1")
    browser.shows("cancelled, nothing printed")

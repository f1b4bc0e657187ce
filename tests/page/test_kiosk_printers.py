"""A kiosk whose printer needs a person: what it says first, what waits, and how a job that broke off goes on."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import scan
from tests.page.conftest import PEN, BrowserMaker, ServiceMaker
from tests.page.controls import BAD_SOUND, COUNT_BAD_SOUNDS, keys, press
from tests.page.test_printers_page import jobs
from tests.served import Service
from tests.servers.label_printer import LabelPrinter

TITLE = "return document.querySelector('.kiosk h1')?.innerText"
TASK = "return document.querySelector('.kiosk .main:enabled')"
PICTURE = """
const picture = document.querySelector('.preview:not([aria-busy]) img:not([hidden])')
return picture?.naturalWidth ? [picture.naturalWidth, picture.naturalHeight] : null
"""
QUESTION = "How many of the 70 labels of Blue pen came out?"
DOUBT = "Blue pen: interrupted: 0 of 70 labels are printed, 1 to 50 may be."
WAITING = "return document.querySelector('.waiting li')?.innerText ?? ''"
LONG = "Sechskantschraube M8 x 40 verzinkt, Festigkeitsklasse 8.8, mit Mutter und Unterlegscheibe, Packung zu 100"
SCREENS = [(800, 480, False), (800, 480, True), (1024, 600, True), (800, 1280, True), (1280, 800, False)]
CUT_OFF = """
const { scrollWidth, scrollHeight } = document.documentElement
return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => innerWidth === arguments[0] && [scrollWidth > innerWidth, scrollHeight > innerHeight])
"""
"""Whether something is cut off at the right and below, on a screen of this width once that is drawn."""
FIELD = "return document.querySelector('.kiosk .missing input')?.value"


def print_copies(browser: Chromium, typed: str = "") -> None:
    """Scan the product, type the copies, and print."""
    scan(browser, PEN)
    browser.found(TASK)
    keys(browser, typed + Keys.ENTER)


def test_a_job_that_broke_off_is_said_at_the_start_until_a_person_has_seen_to_it(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """With a sound; the label that is shown before has the dots of the printer."""
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    browser.run(COUNT_BAD_SOUNDS)
    printer.behaviour.reset_at = printer.received + 200
    scan(browser, PEN)
    assert browser.found(PICTURE)[0] == 400
    keys(browser, Keys.ENTER)
    browser.shows("Sent to zebra")
    browser.shows("Blue pen: interrupted: 0 of 1 labels are printed, label 1 may be.")
    browser.found(BAD_SOUND)
    press(browser, "Print again")
    browser.until(lambda: [job["state"] for job in jobs(shop)] == ["printed", "in_doubt"])
    browser.shows("Scan a product")


def test_a_kiosk_says_first_what_its_printer_needs_and_then_asks_how_many_labels_came_out(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """What waits can be cancelled, and a second scan of its product says that it waits.

    Only the paper tells how many labels came out: a person has to type a number, also after a reload.
    """
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    printer.behaviour.reset_at = printer.received + 200
    print_copies(browser, "70")
    browser.shows(QUESTION)
    printer.behaviour.paper_out = True
    browser.until(lambda: browser.run(TITLE) == "zebra is out of paper. Please put some in.")
    browser.shows(DOUBT)
    print_copies(browser, "2")
    browser.until(lambda: browser.run(TITLE) == "Waits for zebra")
    browser.until(lambda: browser.run(WAITING).startswith("Blue pen \u00b7 2 labels"))
    scan(browser, PEN)
    browser.shows("2 labels of this product already wait for zebra.")
    keys(browser, Keys.ESCAPE)
    press(browser, "Cancel")
    browser.found("return !document.querySelector('.waiting li')")
    assert jobs(shop)[0]["state"] == "cancelled"
    printer.behaviour.paper_out = False
    browser.shows(QUESTION)
    assert printer.printed == []
    browser.driver.refresh()
    browser.shows("zebra was interrupted. At least 0, at most 50 labels came out.")
    press(browser, "Print the rest")
    browser.shows("Please enter a number from 0 to 70.")
    keys(browser, "71" + Keys.ENTER)
    browser.until(lambda: browser.run(FIELD) == "71")
    assert len(jobs(shop)) == 2
    keys(browser, Keys.BACKSPACE * 2 + "40" + Keys.ENTER)
    browser.until(lambda: [jobs(shop)[0][name] for name in ("state", "labels", "resend_of")] == ["printed", 30, 1])
    browser.until(lambda: browser.run(TITLE) == "Scan a product")


@pytest.mark.parametrize(
    "view", ["kiosk?layout=shelf&printer=zebra", pytest.param("labels?products=1", marks=pytest.mark.full_run)]
)
def test_a_saved_layout_prints_on_a_roll_as_by_its_name(
    make_service: ServiceMaker, printer: LabelPrinter, browser: Chromium, view: str
) -> None:
    """The settings of the printer count instead of the offsets and the scale for another page."""
    address = f"zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203&offset_x=0.5"
    service = make_service(printers=f"zebra={address}")
    assert service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})["success"]
    keep_settings(browser, layout="shelf", printer="zebra")
    for layout in (
        {"sheet": "L7160", "offset_x": 5, "font_size": 7},  # else the next print would be a second press for this one
        {"sheet": "L7160", "offset_x": 1, "offset_y": 1, "scale": 0.98},
        {"sheet": "50X30mm", "offset_x": 1},
    ):
        saved = service.call("PUT", "/api/codes/layouts/shelf", layout | {"include_description": True})
        assert saved["success"], saved
        by_name = {"products": [PEN], "layout": "shelf", "code_type": "best"}
        assert service.call("POST", "/api/printers/zebra/jobs", by_name)["success"]
        browser.open("about:blank")
        browser.open(f"{service.address}/#{view}")
        browser.shows("zebra is ready.")
        if "kiosk" in view:
            scan(browser, PEN)
        browser.found(PICTURE)
        browser.until(lambda: browser.driver.find_elements("css selector", ".main:enabled"))[0].click()
        browser.until(lambda: len(printer.printed) == 2)
        assert printer.printed.pop() == printer.printed.pop(), layout


@pytest.mark.full_run
def test_the_label_of_a_printer_with_sheets_is_shown_alone(make_service: ServiceMaker, browser: Chromium) -> None:
    """In large, with the proportions of the label, and without what corrects the sheet, for which it has no room."""
    service = make_service(printers="office=ipp://127.0.0.1:9/ipp/print?sheet=L7160")
    assert service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})["success"]
    assert service.call("PUT", "/api/codes/layouts/shelf", {"sheet": "L7160", "offset_x": 5})["success"]
    browser.open(f"{service.address}/#kiosk?layout=shelf&printer=office")
    browser.shows("L7160")
    scan(browser, PEN)
    width, height = browser.found(PICTURE)
    assert width / height == pytest.approx(63.5 / 38.1, rel=0.02)
    browser.open("about:blank")
    browser.open(f"{service.address}/#kiosk?sheet=100x50mm&printer=office")
    browser.shows("100x50mm is not loaded in office.")


def test_all_of_the_kiosk_fits_the_screen(shop: Service, make_browser: BrowserMaker) -> None:
    """The start, a task with a long name, and what is said of another scan: nothing has to be scrolled."""
    browser = make_browser(language="de-DE")
    shop.call("POST", "/api/products", {"product_code": "BOLT-M8x40", "description": LONG})
    browser.open(f"{shop.address}/#kiosk?printer=zebra&sheet=50x30mm")
    browser.shows("zebra ist bereit.")
    assert cut_off(browser) == []
    scan(browser, "BOLT-M8x40")
    browser.found(PICTURE)
    assert cut_off(browser) == []
    keys(browser, "9999")
    browser.shows("500")
    assert cut_off(browser) == []
    keys(browser, Keys.ENTER + "40")
    scan(browser, PEN)
    browser.shows("40 Etiketten")
    assert cut_off(browser) == []


def cut_off(browser: Chromium) -> list[tuple[int, int, bool]]:
    """Return the screens on which something is cut off."""
    found = []
    for width, height, mobile in SCREENS:
        browser.resize(width, height, mobile=mobile)
        if browser.until(lambda: browser.run(CUT_OFF, width)) != [False, False]:  # noqa: B023 - called at once
            found.append((width, height, mobile))
    return found

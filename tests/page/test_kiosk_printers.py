"""A kiosk whose printer needs a person: what it says first, what waits, and how a job that broke off goes on."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from scripts.browser.chromium import Chromium
from scripts.browser.kept_settings import keep_settings
from scripts.browser.keyboard import scan
from scripts.servers.label_printer import LabelPrinter
from tests.page.conftest import PEN, ServiceMaker
from tests.page.controls import keys, press
from tests.served import Service

TITLE = "return document.querySelector('.kiosk h1')?.innerText"
TASK = "return document.querySelector('.kiosk .main:enabled')"
PICTURE = """
const picture = document.querySelector('.preview:not([aria-busy]) img:not([hidden])')
return picture?.naturalWidth ? [picture.naturalWidth, picture.naturalHeight] : null
"""
QUESTION = "How many of the 70 labels of Blue pen came out?"
DOUBT = "Blue pen: broken off: 0 of 70 labels are printed, labels 1 to 50 perhaps."
WAITING = "return document.querySelector('.waiting li')?.innerText ?? ''"
FIELD = "return document.querySelector('.kiosk .missing input')?.value"


def jobs(service: Service) -> list[dict[str, Any]]:
    """Return the jobs of the printer, newest first."""
    found: list[dict[str, Any]] = service.call("GET", "/api/printers/zebra/jobs")["data"]
    return found


def print_copies(browser: Chromium, typed: str = "") -> None:
    """Scan the product, type the copies, and print."""
    scan(browser, PEN)
    browser.found(TASK)
    keys(browser, typed + Keys.ENTER)


def test_a_kiosk_asks_how_many_labels_came_out(shop: Service, printer: LabelPrinter, browser: Chromium) -> None:
    """It says what it knows. Only the paper tells the rest: nothing is printed until a person has typed a number."""
    break_off(shop, printer, browser)
    browser.shows("zebra broke off. At least 0, at most 50 labels came out.")
    press(browser, "Print the rest")
    browser.shows("Please enter a number from 0 to 70.")
    browser.run("document.activeElement.blur()")
    keys(browser, "71" + Keys.ENTER)
    browser.until(lambda: browser.run(FIELD) == "71")
    assert len(jobs(shop)) == 1
    keys(browser, Keys.BACKSPACE * 2 + "40" + Keys.ENTER)
    browser.until(lambda: [jobs(shop)[0][name] for name in ("state", "labels", "resend_of")] == ["printed", 30, 1])
    browser.until(lambda: browser.run(TITLE) == "Scan a product")


@pytest.mark.full_run
def test_a_job_whose_labels_all_came_out_is_done(shop: Service, printer: LabelPrinter, browser: Chromium) -> None:
    """Nothing is printed again."""
    break_off(shop, printer, browser)
    keys(browser, "70" + Keys.ENTER)
    browser.until(lambda: browser.run(TITLE) == "Scan a product")
    assert len(jobs(shop)) == 1


def test_a_job_in_doubt_is_said_again_after_a_reload_until_a_person_has_seen_to_it(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """Also to print it from there."""
    break_off(shop, printer, browser)
    browser.driver.refresh()
    browser.shows(QUESTION)
    keys(browser, "40" + Keys.ENTER)
    browser.until(lambda: [jobs(shop)[0][name] for name in ("state", "labels", "resend_of")] == ["printed", 30, 1])
    browser.until(lambda: browser.run(TITLE) == "Scan a product")
    browser.driver.refresh()
    browser.shows("zebra is ready.")
    assert browser.run(TITLE) == "Scan a product"


def test_a_job_that_was_printed_again_elsewhere_is_settled_at_the_kiosk(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """The start screen is as before: nothing invites a person to print the labels twice."""
    break_off(shop, printer, browser)
    response = shop.call("POST", "/api/printers/zebra/jobs/1/resend", {})
    assert response["success"], response
    browser.until(lambda: browser.run(TITLE) == "Scan a product")


def break_off(shop: Service, printer: LabelPrinter, browser: Chromium) -> None:
    """Print labels of which the kiosk then says that their number is unknown."""
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    printer.behaviour.reset_at = printer.received + 200
    print_copies(browser, "70")
    browser.shows(QUESTION)


@pytest.mark.full_run
def test_what_broke_off_is_said_while_the_printer_cannot_print(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """Only jobs that wait are printed later by themselves."""
    break_off(shop, printer, browser)
    printer.behaviour.paper_out = True
    browser.until(lambda: browser.run(TITLE) == "Please put labels into zebra. It has none.")
    assert DOUBT in browser.run("return document.querySelector('.kiosk .screen').innerText")


def test_labels_that_are_not_needed_are_not_printed(shop: Service, printer: LabelPrinter, browser: Chromium) -> None:
    """A person says so, and the start screen is as before."""
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    printer.behaviour.reset_at = printer.received + 200
    print_copies(browser)
    browser.shows("Blue pen: broken off")
    press(browser, "Not needed")
    browser.until(lambda: browser.run(TITLE) == "Scan a product")
    assert len(jobs(shop)) == 1


def test_a_kiosk_says_first_what_its_printer_needs(shop: Service, printer: LabelPrinter, browser: Chromium) -> None:
    """What waits for that can be cancelled there, and a second scan of its product says that it waits."""
    printer.behaviour.paper_out = True
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.until(lambda: browser.run(TITLE) == "Please put labels into zebra. It has none.")
    print_copies(browser, "2")
    browser.until(lambda: browser.run(TITLE) == "Waits for zebra")
    browser.until(lambda: browser.run(WAITING).startswith("Blue pen \u00b7 2 labels"))
    scan(browser, PEN)
    browser.shows("2 labels of this product already wait for zebra.")
    keys(browser, Keys.ESCAPE)
    press(browser, "Cancel")
    browser.found("return !document.querySelector('.waiting li')")
    assert [job["state"] for job in jobs(shop)] == ["cancelled"]
    printer.behaviour.paper_out = False
    browser.until(lambda: browser.run(TITLE) == "Scan a product")
    assert printer.printed == []


@pytest.mark.full_run
def test_an_address_with_another_sheet_than_is_in_the_printer_says_so(shop: Service, browser: Chromium) -> None:
    """What is in the printer may be named as well, in any spelling."""
    browser.open(f"{shop.address}/#kiosk?sheet=100x50mm&printer=zebra")
    browser.shows("100x50mm is not loaded in zebra.")
    browser.shows("50x30mm")
    browser.open("about:blank")
    browser.open(f"{shop.address}/#kiosk?sheet=50X30mm&printer=zebra")
    browser.shows("zebra is ready.")
    scan(browser, PEN)
    browser.found(TASK)


@pytest.mark.full_run
def test_the_label_of_a_printer_with_sheets_is_shown_alone(
    make_service: ServiceMaker, printer: LabelPrinter, browser: Chromium
) -> None:
    """In large, and not as a corner of an empty page: the picture has the proportions of the label."""
    service = make_service(printers=f"office=ipp://127.0.0.1:{printer.port}/ipp/print?sheet=L7160")
    assert service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})["success"]
    browser.open(f"{service.address}/#kiosk?printer=office")
    browser.shows("L7160")
    scan(browser, PEN)
    width, height = browser.found(PICTURE)
    assert width / height == pytest.approx(63.5 / 38.1, rel=0.02)


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
def test_the_label_of_a_sheet_is_shown_without_what_corrects_the_sheet(
    make_service: ServiceMaker, browser: Chromium
) -> None:
    """The picture has no room for that, unlike the sheet."""
    service = make_service(printers="office=ipp://127.0.0.1:9/ipp/print?sheet=L7160")
    assert service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})["success"]
    assert service.call("PUT", "/api/codes/layouts/shelf", {"sheet": "L7160", "offset_x": 5})["success"]
    browser.open(f"{service.address}/#kiosk?layout=shelf&printer=office")
    browser.shows("L7160")
    scan(browser, PEN)
    browser.found(PICTURE)

"""A kiosk with a printer: what it says first, late and lost responses, and how a job that broke off goes on."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.page.conftest import PEN, BrowserMaker, ServiceMaker
from tests.page.controls import BAD_SOUND, RECORD_SOUNDS, keys, press
from tests.page.scanning import made
from tests.page.test_kiosk import BOLT, HOLD_MINUTES, has_copies
from tests.page.test_printers_page import LOSE_RESPONSES, jobs
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
UNKNOWN = "UNKNOWN-9"
HAS_FOCUS = "return document.activeElement === document.querySelector('.kiosk .main:enabled')"
LOST = "No response. Press Print again: nothing is printed twice."


def test_a_kiosk_says_first_what_its_printer_needs_and_then_asks_how_many_labels_came_out(
    shop: Service, printer: LabelPrinter, browser: Chromium
) -> None:
    """What waits can be cancelled, and a second scan of its product says that it waits.

    The label that is shown has the dots of the printer. Only the paper tells how many labels came out: a person has to
    type a number, also after a reload.
    """
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    browser.run(RECORD_SOUNDS)
    printer.behaviour.reset_at = printer.received + 200
    scan(browser, PEN)
    browser.found(TASK)
    assert browser.found(PICTURE)[0] == 400
    keys(browser, "70" + Keys.ENTER)
    browser.shows(QUESTION)
    browser.found(BAD_SOUND)
    printer.behaviour.paper_out = True
    browser.until(lambda: browser.run(TITLE) == "zebra is out of paper. Please put some in.")
    browser.shows(DOUBT)
    scan(browser, PEN)
    browser.found(TASK)
    keys(browser, "2" + Keys.ENTER)
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


def test_a_layout_prints_as_by_its_name(make_service: ServiceMaker, printer: LabelPrinter, browser: Chromium) -> None:
    """The settings of the printer count instead of the offsets and the scale for another page."""
    address = f"zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203&offset_x=0.5"
    service = make_service(printers=f"zebra={address}")
    made(service, PEN)
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
        browser.open(f"{service.address}/#kiosk?layout=shelf&printer=zebra")
        browser.shows("zebra is ready.")
        scan(browser, PEN)
        browser.found(PICTURE)
        browser.found(TASK).click()
        browser.until(lambda: len(printer.printed) == 2)
        assert printer.printed.pop() == printer.printed.pop(), layout


def test_all_of_the_kiosk_fits_the_screen(shop: Service, make_browser: BrowserMaker) -> None:
    """The start, a task with a long name, and what is said of another scan: nothing has to be scrolled."""
    browser = make_browser(language="de-DE")
    made(shop, "BOLT-M8x40", LONG)
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


@pytest.fixture
def kiosk(shop: Service, browser: Chromium) -> Chromium:
    """Return a browser that shows the kiosk of a printer, for two products."""
    made(shop, BOLT, "Hexagon bolt")
    browser.open(f"{shop.address}/#kiosk?printer=zebra")
    browser.shows("zebra is ready.")
    return browser


def title(kiosk: Chromium, expected: str) -> None:
    """Wait until the screen has this title."""
    kiosk.until(lambda: kiosk.run(TITLE) == expected)


def begin(kiosk: Chromium) -> None:
    """Scan the pen."""
    scan(kiosk, PEN)
    has_copies(kiosk, "Blue pen", "1")


def printed(service: Service) -> list[tuple[list[str], int]]:
    """Return the products and the number of labels of each job, the oldest first."""
    return [(job["products"], job["labels"]) for job in reversed(jobs(service))]


def test_scans_count_in_their_order_however_late_the_responses(shop: Service, kiosk: Chromium) -> None:
    """A hurried person scans and presses Enter, again and again: as on a quick network, one label each.

    The screen says what is looked up, and that can be cancelled, with what was entered after it.
    """
    kiosk.slow_down(latency=1500, kilobits=0, processor=1)
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
    has_copies(kiosk, "Blue pen", "2")
    keys(kiosk, Keys.ENTER)
    kiosk.until(lambda: printed(shop) == [([PEN], 1), ([BOLT], 1), ([PEN], 2)])


def test_a_task_that_may_be_printed_comes_back(shop: Service, printer: LabelPrinter, kiosk: Chromium) -> None:
    """After a print without a response it stays as it is, no minute ends it, and no label is doubled or lost.

    Either the service had the job already, or it never got it: Enter, or a scan of the product, prints it again.
    """
    kiosk.run(HOLD_MINUTES)
    kiosk.run(LOSE_RESPONSES)
    begin(kiosk)
    keys(kiosk, Keys.ENTER)
    kiosk.shows(LOST)
    kiosk.found(HAS_FOCUS)
    assert kiosk.run("return minutes.size") == 0
    keys(kiosk, "5" + Keys.BACKSPACE)
    scan(kiosk, BOLT)
    has_copies(kiosk, "Hexagon bolt", "1")
    scan(kiosk, PEN)
    title(kiosk, "Sent to zebra")
    title(kiosk, "Scan a product")
    assert printed(shop) == [([PEN], 1)]
    begin(kiosk)  # the next task is another job
    shop.kill()
    keys(kiosk, Keys.ENTER)
    kiosk.shows(LOST)
    scan(kiosk, BOLT)
    kiosk.shows("cannot be reached")
    scan(kiosk, PEN)
    kiosk.shows(LOST)
    has_copies(kiosk, "Blue pen", "1")
    kiosk.found(HAS_FOCUS)
    shop.start()
    keys(kiosk, Keys.ENTER)
    title(kiosk, "Sent to zebra")
    assert printed(shop) == [([PEN], 1)] * 2
    kiosk.until(lambda: [job["state"] for job in jobs(shop)] == ["printed"] * 2)
    assert len(printer.printed) == 2

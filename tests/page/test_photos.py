"""Photos: where they replace the camera, what the page says while one is read, and which one counts no more."""

from io import BytesIO
from pathlib import Path

import PIL.Image
import pytest
from PIL.Image import Image
from selenium.webdriver.common.by import By

from tests.browser.camera import drawn_code, held, nothing
from tests.browser.chromium import SHOP, Chromium
from tests.page.conftest import PEN, BrowserMaker, Findings, ServiceMaker
from tests.page.controls import press
from tests.page.scanning import made
from tests.served import Service

BOX = "4006381333948"
GS1 = "(01)09506000134352(10)LOT7(21)5"
CHOICES = "return [...document.querySelectorAll('dialog button')].map((one) => one.innerText)"
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"
PANEL = "return document.querySelector('.product .message').innerText"
NOTICE = "return document.querySelector('.notice span')?.innerText"
BUTTON = "const photo = document.querySelector('.photo'); return photo && [photo.innerText, photo.offsetHeight]"
DROPPED = "Nothing was saved: the photo was still being read. Please take it again."
UNREAD = "The service cannot be reached. Nothing was saved: take the photo again later, or type the code."
UNREADABLE = "No code could be read in this photo. Take it closer and straight, with less glare."
HOLD_PHOTOS = """
window.held = [];
window.sent = window.fetch;
window.fetch = async (address, options) => {
  if (options?.body instanceof FormData) await new Promise((go) => held.push(go));
  return sent(address, options);
};
"""
"""Photos wait until the test lets them go, as on a slow network."""
LET_GO = "held.splice(0).forEach((go) => go())"


@pytest.fixture
def shop(make_service: ServiceMaker, tmp_path: Path) -> Service:
    """Return a service at an address without HTTPS, too; photos of its products are in the folder."""
    service = make_service(allowed_hosts=SHOP)
    for code, description in ((BOX, "Box"), (PEN, "Blue pen")):
        made(service, code, description)
    next(held(drawn_code(service, "EAN13", PEN), 1)).resize((4000, 3000)).save(tmp_path / "pen.jpg")
    nothing().save(tmp_path / "empty.jpg")
    _shelf(service).save(tmp_path / "shelf.jpg")
    return service


def _shelf(service: Service) -> Image:
    """Return a photo of the pen in the centre, a turned box at the edge, and a GS1 code."""
    pen, box, gs1 = (
        PIL.Image.open(BytesIO(drawn_code(service, symbology, code))).convert("L")
        for symbology, code in (("EAN13", PEN), ("CODE128", BOX), ("GS1-128", GS1))
    )
    photo = nothing().resize((1280, 960))
    box = box.resize((box.width * 3 // 2, box.height * 3 // 2))
    photo.paste(box.rotate(25, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=255), (20, 20))
    photo.paste(pen, ((photo.width - pen.width) // 2, (photo.height - pen.height) // 2))
    photo.paste(gs1, (200, 940 - gs1.height))
    return photo


def test_while_a_photo_is_read_the_page_says_so(shop: Service, browser: Chromium, tmp_path: Path) -> None:
    """What is said of the photo before it does not stay, and no button moves from under a finger.

    Labels have no panel: there the edge of the page says it. The service alone reads photos.
    """
    browser.be_a_phone()
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{shop.address}/#scan?mode=put-in")
    _, height = browser.found(BUTTON)
    for name, result in (("pen", "Added: 1"), ("empty", UNREADABLE), ("empty", UNREADABLE)):
        _take(browser, tmp_path / f"{name}.jpg")
        _says(browser, "Reading the photo …")
        assert browser.run(BUTTON) == ["Reading the photo …", height]
        assert not browser.driver.find_element(By.CSS_SELECTOR, ".photo input").is_enabled()
        browser.run(LET_GO)
        _says(browser, result)
        browser.until(lambda: browser.run(BUTTON) == ["Photo", height])
    assert browser.run(BOOKED) == 1
    _open(browser, "Labels")
    _take(browser, tmp_path / "empty.jpg")
    browser.run(LET_GO)
    browser.until(lambda: browser.run(NOTICE) == UNREADABLE)
    _take(browser, tmp_path / "pen.jpg")
    browser.run(LET_GO)
    browser.shows("1 label")
    _open(browser, "Scan")
    shop.kill()
    _take(browser, tmp_path / "pen.jpg")
    browser.run(LET_GO)
    _says(browser, UNREAD)
    assert browser.run("return document.querySelectorAll('.bookings > li').length") == 1


def test_a_photo_counts_only_where_it_was_taken(shop: Service, browser: Chromium, tmp_path: Path) -> None:
    """Otherwise it is booked nowhere, and the page says so at once; nor is it booked behind a dialog, as no scan is."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(shop.address)
    press(browser, "Add", "field")
    _take(browser, tmp_path / "pen.jpg")
    press(browser, "Remove", "field")
    _says(browser, DROPPED)
    browser.run(LET_GO)
    _take(browser, tmp_path / "pen.jpg")
    press(browser, "Your name")
    browser.run(LET_GO)
    _says(browser, DROPPED)
    press(browser, "Save")
    _take(browser, tmp_path / "shelf.jpg")
    press(browser, "Products", "link")
    browser.until(lambda: browser.run(NOTICE) == DROPPED)
    browser.run(LET_GO)
    browser.run("location.hash = '#scan?mode=take-out'")
    _take(browser, tmp_path / "shelf.jpg")
    browser.run(LET_GO)
    browser.shows("Which code do you mean?")
    browser.run("history.back()")
    browser.until(lambda: browser.run(CHOICES) == [] and browser.run(NOTICE) == DROPPED)
    _open(browser, "Scan")
    press(browser, "Add", "field")
    _take(browser, tmp_path / "pen.jpg")
    browser.run(LET_GO)
    _says(browser, "Added: 1")
    assert [each["current_level"] for each in shop.call("GET", "/api/inventory")["data"]] == [0, 1]


def test_without_a_secure_address_a_photo_is_read_and_a_person_chooses_among_its_codes(
    shop: Service, make_browser: BrowserMaker, inaccessible: Findings, tmp_path: Path
) -> None:
    """Each is listed with its product, or as on its label, first the one in the centre; only a chosen one is booked."""
    browser = make_browser(f"--host-resolver-rules=MAP {SHOP} 127.0.0.1, MAP * ~NOTFOUND")
    browser.open(shop.address.replace("127.0.0.1", SHOP))
    [field] = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".photo input"))
    press(browser, "Add", "field")  # before a first touch browsers let no page vibrate
    assert field.get_attribute("capture") == "environment"
    field.send_keys(str(tmp_path / "empty.jpg"))
    _says(browser, UNREADABLE)
    field.send_keys(str(tmp_path / "shelf.jpg"))
    browser.shows("Which code do you mean?")
    assert browser.run(CHOICES) == [f"Blue pen\n{PEN}", GS1, f"Box\n{BOX}", "Cancel"]
    assert inaccessible(browser) == []
    press(browser, "Cancel")
    _says(browser, "Ready")
    field.send_keys(str(tmp_path / "shelf.jpg"))
    press(browser, "Box")
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert [each["current_level"] for each in shop.call("GET", "/api/inventory")["data"]] == [1, 0]


def _open(browser: Chromium, view: str) -> None:
    press(browser, view, "link")
    browser.found("return document.body.dataset.view === arguments[0]", view.lower())


def _says(browser: Chromium, message: str) -> None:
    browser.until(lambda: browser.run(PANEL).startswith(message))


def _take(browser: Chromium, photo: Path) -> None:
    browser.found("return held.length === 0")
    [field] = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".photo input"))
    field.send_keys(str(photo))
    browser.found("return held.length === 1")

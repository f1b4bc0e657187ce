"""Photos: where they replace the camera, what the page says while one is read, and which one counts no more."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
from PIL.Image import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from scripts.browser.camera_clips import drawn_code
from scripts.browser.camera_video import camera_flags, held, nothing, write_video
from scripts.browser.chromium import Chromium
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import press
from tests.served import Service

PEN = "4006381333931"
BOX = "4006381333948"
SHOP = "shop.example"
CHOICES = "return [...document.querySelectorAll('dialog button')].map((one) => one.innerText)"
CARD = "return document.querySelector('.product')?.innerText ?? ''"
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"
PANEL = "return document.querySelector('.product .message').innerText"
READING = "Reading the photo …"
DROPPED = "Nothing was saved: the photo was still being read. Please take it again."
NOTICE = "return document.querySelector('.notice span')?.innerText"
UNREAD = "The service cannot be reached. Nothing was saved: take the photo again later, or type the code."
UNREADABLE = "No code could be read in this photo. Take it closer and straight, with less glare."
BUTTON = "return document.querySelector('.photo').innerText"
BUSY = "Reading\u00a0…"
HEIGHT = "return document.querySelector('.photo')?.offsetHeight"
DIALOGS = "return document.querySelectorAll('dialog').length"
HOLD_PHOTOS = """
window.held = [];
window.sent = window.fetch;
window.fetch = async (address, options) => {
  if (options?.body instanceof FormData) await new Promise((go) => held.push(go));
  return sent(address, options);
};
"""
"""Photos wait until the test lets them go, as on a slow network."""
CHOOSE_A_MODE_AND_TAKE = """
document.querySelector('input[value=put-in]').click();
const transfer = new DataTransfer();
transfer.items.add(new File([Uint8Array.from(atob(arguments[0]), (each) => each.charCodeAt(0))], 'pen.jpg'));
const field = document.querySelector('.photo input');
field.files = transfer.files;
field.dispatchEvent(new Event('change'));
"""
LET_GO = "held.splice(0).forEach((go) => go())"


@pytest.fixture
def photo(service: Service, tmp_path: Path) -> Path:
    """Return a photo of a product of the service."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    return _written(tmp_path / "pen.jpg", next(held(drawn_code(service, "EAN13", PEN), 1)))


def test_while_a_photo_is_read_the_page_says_so_and_takes_no_other(
    service: Service, browser: Chromium, photo: Path, tmp_path: Path
) -> None:
    """What is said of the photo before it does not stay, so the same result is seen to be another one.

    No button moves from under a finger.
    """
    empty = _written(tmp_path / "empty.jpg", nothing())
    browser.be_a_phone()
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#scan?mode=put-in")
    results = {photo: "Added: 1", empty: UNREADABLE}
    height = browser.found(HEIGHT)
    for file in (photo, photo, empty, empty):
        _take(browser, file)
        _says(browser, READING)
        assert not _field(browser).is_enabled()
        assert browser.run(BUTTON) == BUSY
        assert browser.run(HEIGHT) == height
        browser.run(LET_GO)
        _says(browser, results[file])
        browser.until(lambda: _field(browser).is_enabled())
        assert browser.run(BUTTON) == "Photo"
    assert browser.run(BOOKED) == 2


@pytest.mark.full_run
def test_the_labels_say_that_a_photo_is_read_and_what_came_of_it(
    service: Service, browser: Chromium, photo: Path, tmp_path: Path
) -> None:
    """They have no panel: the button says the one, and the edge of the page the other."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#labels")
    _take(browser, _written(tmp_path / "empty.jpg", nothing()))
    assert browser.run(BUTTON) == BUSY
    browser.run(LET_GO)
    browser.until(lambda: browser.run(NOTICE) == UNREADABLE)
    _take(browser, photo)
    browser.run(LET_GO)
    browser.shows("1 label")
    assert browser.run(BUTTON) == "Photo"


def test_a_photo_counts_no_more_when_another_mode_is_chosen(service: Service, browser: Chromium, photo: Path) -> None:
    """It was taken for the mode before, so it is booked in neither, and the page says so at once."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#scan?mode=take-out")
    _take(browser, photo)
    press(browser, "Add", "field")
    _says(browser, DROPPED)
    browser.run(LET_GO)
    _take(browser, photo)
    browser.run(LET_GO)
    _says(browser, "Added: 1")
    assert [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]] == [1]


def test_a_photo_counts_in_the_mode_that_was_chosen_just_before(
    service: Service, browser: Chromium, photo: Path
) -> None:
    """Even if what the mode needs is still being loaded."""
    browser.open(service.address)
    browser.shows("Ready")
    browser.run(CHOOSE_A_MODE_AND_TAKE, b64encode(photo.read_bytes()).decode())
    _says(browser, "Added: 1")


def test_a_photo_counts_no_more_when_another_view_is_opened(service: Service, browser: Chromium, photo: Path) -> None:
    """Its result does nothing in the other view, not even ask which of several codes is meant."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#scan?mode=put-in")
    _take(browser, _two_codes(service, photo))
    press(browser, "Products", "link")
    browser.until(lambda: browser.run(NOTICE) == DROPPED)
    browser.run(LET_GO)
    press(browser, "Scan", "link")
    _take(browser, photo)
    browser.run(LET_GO)
    _says(browser, "Added: 1")
    assert browser.run(DIALOGS) == 0
    assert browser.run(BOOKED) == 1


def test_a_photo_counts_no_more_behind_a_dialog(service: Service, browser: Chromium, photo: Path) -> None:
    """A scan there is rejected, too. What became of the photo is on the panel when the dialog closes."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#scan?mode=put-in")
    _take(browser, photo)
    press(browser, "Your name")
    browser.run(LET_GO)
    _says(browser, DROPPED)
    press(browser, "Save")
    browser.until(lambda: browser.run(DIALOGS) == 0)
    _says(browser, DROPPED)
    assert browser.run(BOOKED) == 0


@pytest.mark.full_run
def test_the_choice_among_codes_closes_with_its_view(service: Service, browser: Chromium, photo: Path) -> None:
    """As when a person presses *Back* on a phone: nothing is booked, which the other view says."""
    browser.open(f"{service.address}/#products")
    browser.shows("Blue pen")
    browser.run("location.hash = '#scan?mode=put-in'")
    _field(browser).send_keys(str(_two_codes(service, photo)))
    browser.shows("Which code do you mean?")
    browser.run("history.back()")
    browser.until(lambda: browser.run(NOTICE) == DROPPED)
    assert browser.run(DIALOGS) == 0


@pytest.mark.full_run
def test_after_no_code_is_chosen_the_page_is_ready(service: Service, browser: Chromium, photo: Path) -> None:
    """It does not say forever that it reads."""
    browser.open(f"{service.address}/#scan?mode=put-in")
    _field(browser).send_keys(str(_two_codes(service, photo)))
    press(browser, "Cancel")
    _says(browser, "Ready")
    assert _field(browser).is_enabled()


@pytest.mark.full_run
def test_gs1_codes_are_listed_as_on_their_labels(service: Service, browser: Chromium, photo: Path) -> None:
    """The raw text has identifiers and separators that no label shows; it is still what is booked."""
    two = [drawn_code(service, "GS1-128", code) for code in ("(01)09506000134352(10)LOT7(21)5", "(17)270630(10)L-1")]
    browser.open(f"{service.address}/#scan?mode=put-in")
    _field(browser).send_keys(str(_shelf(photo, *two)))
    browser.shows("Which code do you mean?")
    listed = browser.run("return [...document.querySelectorAll('dialog .code')].map((one) => one.innerText)")
    assert sorted(listed) == ["(01)09506000134352(10)LOT7(21)5", "(17)270630(10)L-1"]
    press(browser, "(01)")
    browser.until(lambda: browser.run("return document.querySelectorAll('.bookings > li').length") == 1)
    assert browser.run("return document.querySelector('.bookings .code').innerText").startswith("]C10109506000134352")


def test_a_photo_without_the_network_is_said_not_to_be_booked(service: Service, browser: Chromium, photo: Path) -> None:
    """Scans are kept on the device then, but the service alone reads photos."""
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Add")
    service.kill()
    _field(browser).send_keys(str(photo))
    _says(browser, UNREAD)
    assert browser.run("return document.querySelectorAll('.bookings > li').length") == 0


def test_without_a_secure_address_a_photo_is_read(
    make_service: ServiceMaker, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """Over plain HTTP browsers give no camera to a page: a photo replaces it, even one without a code."""
    service = make_service(allowed_hosts=SHOP)
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    for number, picture in enumerate(
        (nothing(), next(held(drawn_code(service, "EAN13", PEN), 1)).resize((4000, 3000)))
    ):
        picture.save(tmp_path / f"{number}.jpg")
    browser = make_browser(f"--host-resolver-rules=MAP {SHOP} 127.0.0.1, MAP * ~NOTFOUND")
    browser.open(service.address.replace("127.0.0.1", SHOP))
    field = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "input[type='file']"))[0]
    press(browser, "Look up", "field")  # before a first touch browsers let no page vibrate
    assert field.get_attribute("capture") == "environment"
    field.send_keys(str(tmp_path / "0.jpg"))
    browser.until(lambda: "No code could be read in this photo." in browser.run(CARD))
    assert browser.run("return document.querySelector('.product').dataset.state") == "bad"
    field.send_keys(str(tmp_path / "1.jpg"))
    browser.shows("Blue pen")
    assert "No code could be read" not in browser.run("return document.body.innerText")


def test_of_several_codes_on_a_photo_a_person_chooses_one(
    make_service: ServiceMaker,
    make_browser: BrowserMaker,
    inaccessible: Callable[[Chromium], list[Any]],
    tmp_path: Path,
) -> None:
    """Each is listed with its product, a turned one too, first the one in the centre; only the chosen one is booked."""
    service = make_service(allowed_hosts=SHOP)
    for code, description in ((BOX, "Box"), (PEN, "Blue pen")):
        service.call("POST", "/api/products", {"product_code": code, "description": description})
    _photo_of_two(service).save(tmp_path / "shelf.jpg")
    browser = make_browser(f"--host-resolver-rules=MAP {SHOP} 127.0.0.1, MAP * ~NOTFOUND")
    browser.open(service.address.replace("127.0.0.1", SHOP))
    field = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "input[type='file']"))[0]
    press(browser, "Add", "field")
    field.send_keys(str(tmp_path / "shelf.jpg"))
    browser.shows("Which code do you mean?")
    assert browser.run(CHOICES) == [f"Blue pen\n{PEN}", f"Box\n{BOX}", "Cancel"]
    assert inaccessible(browser) == []
    press(browser, "Cancel")
    field.send_keys(str(tmp_path / "shelf.jpg"))
    press(browser, "Box")
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]] == [1, 0]


def test_a_photo_can_be_taken_where_the_camera_is_live(
    service: Service, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """The device may need its camera for that, so the live picture ends; of several codes none is booked by itself."""
    for code, description in ((BOX, "Box"), (PEN, "Blue pen")):
        service.call("POST", "/api/products", {"product_code": code, "description": description})
    _photo_of_two(service).save(tmp_path / "shelf.jpg")
    browser = make_browser(*camera_flags(write_video(tmp_path / "nothing.y4m", [nothing()])))
    browser.open(service.address)
    press(browser, "Add", "field")
    press(browser, "Camera")
    browser.found("return document.querySelector('video') !== null")
    browser.run("document.querySelector('.photo input').addEventListener('click', (event) => event.preventDefault())")
    press(browser, "Photo")
    browser.found("return document.querySelector('video') === null")
    browser.driver.find_elements(By.CSS_SELECTOR, "input[type='file']")[0].send_keys(str(tmp_path / "shelf.jpg"))
    browser.until(lambda: len(browser.run(CHOICES)) == 3)
    assert browser.run(BOOKED) == 0
    press(browser, "Box")
    browser.until(lambda: browser.run(BOOKED) == 1)


def _photo_of_two(service: Service) -> Image:
    """Return a photo of an upright code in the centre and a turned one at the edge."""
    middle, other = (
        PIL.Image.open(BytesIO(drawn_code(service, symbology, code))).convert("L")
        for symbology, code in (("EAN13", PEN), ("CODE128", BOX))
    )
    photo = nothing().resize((1280, 960))
    photo.paste(middle, ((photo.width - middle.width) // 2, (photo.height - middle.height) // 2))
    other = other.resize((other.width * 3 // 2, other.height * 3 // 2))
    photo.paste(other.rotate(25, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=255), (20, 20))
    return photo


def _two_codes(service: Service, photo: Path) -> Path:
    return _shelf(photo, *(drawn_code(service, "EAN13", code) for code in (PEN, BOX)))


def _shelf(photo: Path, *codes: bytes) -> Path:
    shelf = nothing().resize((1280, 960))
    for number, code in enumerate(codes):
        shelf.paste(PIL.Image.open(BytesIO(code)), (200, 100 + 450 * number))
    return _written(photo.with_name("shelf.jpg"), shelf)


def _written(path: Path, picture: Image) -> Path:
    picture.save(path)
    return path


def _field(browser: Chromium) -> WebElement:
    [field] = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".photo input"))
    return field


def _says(browser: Chromium, message: str) -> None:
    browser.until(lambda: browser.run(PANEL).startswith(message))


def _take(browser: Chromium, photo: Path) -> None:
    browser.found("return held.length === 0")
    _field(browser).send_keys(str(photo))
    browser.found("return held.length === 1")

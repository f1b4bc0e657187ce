"""Photos: what the page says while the service reads one, and of one that counts no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL.Image import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from scripts.browser.camera_clips import drawn_code
from scripts.browser.camera_video import held, nothing
from scripts.browser.chromium import Chromium
from scripts.browser.served import Service

PEN = "4006381333931"
BOOKED = "return document.querySelectorAll('.booking.booked').length"
PANEL = "return document.querySelector('.product .message').innerText"
READING = "Reading the photo …"
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
def photo(service: Service, tmp_path: Path) -> Path:
    """Return a photo of a product of the service."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    return _written(tmp_path / "pen.jpg", next(held(drawn_code(service, "EAN13", PEN), 1)))


def test_while_a_photo_is_read_the_page_says_so_and_takes_no_other(
    service: Service, browser: Chromium, photo: Path, tmp_path: Path
) -> None:
    """What is said of the photo before it does not stay, so the same result is seen to be another one."""
    empty = _written(tmp_path / "empty.jpg", nothing())
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HOLD_PHOTOS)
    browser.open(f"{service.address}/#scan?mode=put-in")
    results = {photo: "Put in: 1", empty: "No code could be read in this photo."}
    for file in (photo, photo, empty, empty):
        _take(browser, file)
        _says(browser, READING)
        assert not _field(browser).is_enabled()
        assert browser.run("return document.querySelector('.photo').innerText") == READING
        browser.run(LET_GO)
        _says(browser, results[file])
        browser.until(lambda: _field(browser).is_enabled())
        assert browser.run("return document.querySelector('.photo').innerText") == "Photo"
    assert browser.run(BOOKED) == 2


def _written(path: Path, picture: Image) -> Path:
    picture.save(path)
    return path


def _field(browser: Chromium) -> WebElement:
    [field] = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".photo input"))
    return field


def _says(browser: Chromium, message: str) -> None:
    browser.until(lambda: browser.run(PANEL).startswith(message))


def _take(browser: Chromium, photo: Path) -> None:
    browser.until(lambda: browser.run("return held.length === 0"))
    _field(browser).send_keys(str(photo))
    browser.until(lambda: browser.run("return held.length === 1"))

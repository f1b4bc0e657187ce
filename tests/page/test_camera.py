"""The camera: codes in front of it are read through the service, once for each time that they come into the picture.

This browser has no detector of its own, as most on desks and all on iPhones.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from PIL.Image import Image
from selenium.webdriver.common.by import By

from scripts.browser.camera_clips import SYMBOLOGIES, clips, drawn_code, make_products, seconds_of, watch, write_clips
from scripts.browser.camera_video import RATE, camera_flags, held, nothing, write_video
from scripts.browser.served import Service
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import press

EACH = 2
"""Clips of each symbology; scripts/bench has more of them."""
PEN = "4006381333931"
SHOP = "shop.example"
BOOKED = "return document.querySelectorAll('.booking.booked').length"


def test_each_symbology_is_read_within_its_clip(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """A clip lasts 1.5 seconds, and what is read of it comes before the next one: one picture is sent at a time.

    The products come in the order of their clips, so that none of them was read when the video began again.
    """
    wanted = list(chain.from_iterable(clips(symbology, EACH) for symbology in SYMBOLOGIES))
    make_products(service, wanted)
    browser = make_browser(*write_clips(tmp_path / "clips.y4m", service, wanted))
    browser.open(service.address)
    browser.shows("Ready")
    assert browser.run("return typeof BarcodeDetector") == "undefined"
    watch(browser)
    press(browser, "Camera")
    browser.driver.set_script_timeout(seconds_of(wanted) * 2)
    browser.run(
        "const [length] = arguments; return new Promise((all) => setTimeout(all, length))", seconds_of(wanted) * 1000
    )
    read = browser.run("return read")
    assert read[: len(wanted)] == [clip.name for clip in wanted]
    pictures = browser.run("return pictures")
    assert pictures["most"] == 1
    begun = pictures["begun"]
    assert len(begun) <= (begun[-1] - begun[0]) / 1000 * 4 + 2


def test_a_code_counts_once_while_it_stays_and_again_when_it_comes_back(
    service: Service, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """Many pictures show it, and two bookings are made of it."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "twice.y4m", _twice(code))))
    browser.open(service.address)
    browser.shows("Ready")
    press(browser, "Put in", "field")
    watch(browser)
    press(browser, "Camera")
    browser.until(lambda: browser.run(BOOKED) == 2)
    pictures = browser.run("return pictures.begun.length")
    browser.until(lambda: browser.run("return pictures.begun.length") > pictures + 4)
    press(browser, "Camera")
    assert browser.run("return document.querySelector('video')") is None
    assert service.call("GET", "/api/inventory?product_id=1")["data"][0]["current_level"] == 2
    assert pictures >= 12


def _twice(code: bytes) -> Iterator[Image]:
    yield from held(code, 1, 3)
    yield from [nothing()] * 3 * RATE
    yield from held(code, 2, 3)
    yield from [nothing()] * 20 * RATE


def test_why_there_is_no_picture_is_said(service: Service, make_browser: BrowserMaker) -> None:
    """There is no camera, or nobody lets the page use it."""
    browser = make_browser("--use-fake-ui-for-media-stream")
    browser.open(service.address)
    press(browser, "Camera")
    browser.shows("This device has no camera.")
    browser = make_browser("--use-fake-device-for-media-stream", device="other")
    browser.open(service.address)
    browser.devtools("Browser.setPermission", permission={"name": "camera"}, setting="denied", origin=service.address)
    press(browser, "Camera")
    browser.shows("This page may not use the camera.")


def test_a_service_that_is_gone_is_said_once(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """And the camera goes on, so that it reads again when the service is back."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "one.y4m", held(code, 1, 3))))
    browser.open(service.address)
    browser.until(lambda: browser.run("return navigator.serviceWorker.controller !== null"))
    service.kill()
    press(browser, "Camera")
    browser.shows("The service cannot be reached.")
    service.start()
    browser.shows("Blue pen")
    assert browser.run("return document.querySelectorAll('.notice.bad').length") == 1


def test_without_a_secure_address_a_photo_is_read(
    make_service: ServiceMaker, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """By plain HTTP browsers give no camera to a page: a photo takes its place, also one without a code."""
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
    browser.shows("There is no code on this photo that can be read.")
    field.send_keys(str(tmp_path / "1.jpg"))
    browser.shows("Blue pen")

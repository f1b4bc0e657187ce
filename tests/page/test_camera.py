"""The camera: codes in front of it are read by the page, once for each time that they come into the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageOps
import pytest
from PIL.Image import Image

from scripts.browser.camera_clips import (
    ANGLES,
    SYMBOLOGIES,
    Clip,
    clips,
    drawn_code,
    make_products,
    pictures_of,
    watch,
)
from scripts.browser.camera_video import SIZE, camera_flags, held, nothing, write_video
from scripts.browser.chromium import Chromium
from scripts.browser.stepped_camera import RATE, show_pictures
from tests.page.conftest import BrowserMaker
from tests.page.controls import hurry, press, write
from tests.served import Service

EACH = 1
"""Clips of each symbology; scripts/bench has more of them."""
PEN = "4006381333931"
CARD = "return document.querySelector('.product')?.innerText ?? ''"
BLIND = "The service cannot be reached. Without it, this camera reads no codes."
BOX = "4006381333948"
STACKED = "09521234543213"
HALF_IS_UPCE = "1032539123454"
MODULE = 3
"""Pixels of a module of it."""
PICTURES_OF_PARTS = 50
"""More than the video of parts has."""
PICTURES_BEFORE_IT_IS_BACK = 10 + 3 * RATE // 2 + 10 + 3 * RATE
"""The turned looks at the last of them may see the next one."""
SHELF_PICTURES = 24
"""More than the video of the shelf has, so that all of it was seen."""
SWITCH_WHILE_STARTING = """
const button = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Camera');
const { play } = HTMLMediaElement.prototype;
HTMLMediaElement.prototype.play = function () {
  HTMLMediaElement.prototype.play = play;
  setTimeout(() => { button.click(); button.click(); });
  return new Promise((_, failed) => setTimeout(() => failed(new DOMException('interrupted', 'AbortError')), 500));
};
button.click();
"""
TWICE_AS_FAST = """
const [now, wait] = [performance.now.bind(performance), setTimeout];
performance.now = () => 2 * now();
window.setTimeout = (run, time, ...given) => wait(run, time / 2, ...given);
"""
"""The page's clock, for videos in which everything lasts half as long."""
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"
LISTED = "return [...document.querySelectorAll('.bookings .code')].map((one) => one.innerText).reverse()"
NO_WEBASSEMBLY = "delete window.WebAssembly"
"""As on an iPhone in Lockdown Mode: the service reads the pictures."""
TAP_OUTLINE = """
const [outline] = document.querySelectorAll('.outlines [role=button]');
outline?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
return outline?.getAttribute('aria-label');
"""
ONE_OF_TWO_CAMERAS = """
window.lit = [];
window.awake = 0;
const { getCapabilities, applyConstraints } = MediaStreamTrack.prototype;
MediaStreamTrack.prototype.getCapabilities = function () { return { ...getCapabilities.call(this), torch: true } };
MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [{ torch }] }) => { lit.push(torch) };
Object.defineProperty(navigator, 'wakeLock', { value: {
  request: async () => { awake++; return { release: async () => { awake-- } } } } });
"""
CHOOSE_CAMERA = """
const choice = document.querySelector('select.of-camera');
choice.value = arguments[0];
choice.dispatchEvent(new Event('change'));
"""
BROKEN_UNLESS_USUAL = """
const { getUserMedia } = MediaDevices.prototype;
MediaDevices.prototype.getUserMedia = function (wanted) {
  if (wanted.video.deviceId) throw new DOMException('in use', 'NotReadableError');
  return getUserMedia.call(this, wanted);
};
"""
SHOWN_CAMERA = "return document.querySelector('video')?.srcObject?.getVideoTracks()[0].getSettings().deviceId"
CAMERAS = "return [...document.querySelectorAll('select.of-camera option')].map((one) => one.value)"


def test_codes_at_any_angle_are_read_once_without_the_network(service: Service, make_browser: BrowserMaker) -> None:
    """Each clip is another symbology at another angle, blurred in between, and no two bookings are of one clip."""
    wanted = [
        replace(next(clips(symbology, 1)), degrees=degrees, is_blurred=True)
        for symbology, degrees in zip(SYMBOLOGIES, (*ANGLES[1:], -20, 50), strict=True)
    ]
    browser = make_browser()
    show_pictures(browser, islice(pictures_of(service, wanted), 0, None, 2))
    hurry(browser)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.found("return navigator.serviceWorker.controller !== null")
    press(browser, "Add", "field")
    service.kill()
    press(browser, "Camera")
    for clip in wanted:
        browser.until(partial(_lists, browser, clip.code))
    press(browser, "Camera")
    listed = browser.run(LISTED)
    assert set(listed) == {clip.code for clip in wanted}
    assert all(one != other for one, other in pairwise(listed))


def _lists(browser: Chromium, code: str) -> bool:
    return code in browser.run(LISTED)


@pytest.mark.full_run
def test_no_part_of_a_code_counts(service: Service, make_browser: BrowserMaker) -> None:
    """Lines across a turned stacked DataBar join the halves of its rows, and the left half of an EAN-13 is a UPC-E."""
    browser = make_browser()
    show_pictures(browser, chain(_stacked(service), _left_half(service)))
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    press(browser, "Add", "field")
    watch(browser)
    press(browser, "Camera")
    browser.until(lambda: browser.run("return pictures.begun.length") > PICTURES_OF_PARTS)
    browser.found(LISTED)
    press(browser, "Camera")
    assert {code.removeprefix("]e0") for code in browser.run(LISTED)} == {f"01{STACKED}"}


def _stacked(service: Service) -> Iterator[Image]:
    code = drawn_code(service, "DATABARSTACKEDOMNI", STACKED)
    for degrees in (12, 20, 56):
        yield from held(code, degrees, 1, degrees)


def _left_half(service: Service) -> Iterator[Image]:
    """Yield an EAN-13 of which a white paper covers the right half, up to the bars in its middle."""
    drawn = PIL.Image.open(BytesIO(drawn_code(service, "EAN13", HALF_IS_UPCE))).convert("L")
    row = drawn.crop((0, drawn.height // 3, drawn.width, drawn.height // 3 + 1))
    left, _, right, _ = PIL.ImageOps.invert(row).getbbox() or (0, 0, 0, 0)
    drawn.paste(255, ((left + right) // 2 + 3 * MODULE, 0, drawn.width, drawn.height))
    file = BytesIO()
    drawn.save(file, "PNG")
    yield from held(file.getvalue(), 1, 2)


@pytest.mark.full_run
def test_where_the_page_cannot_read_the_service_does(service: Service, make_browser: BrowserMaker) -> None:
    """One picture is sent at a time, and the result of a clip comes before the next one.

    The products come in the order of their clips, so none of them was read when the video began again.
    """
    wanted: list[Clip] = list(chain.from_iterable(clips(symbology, EACH) for symbology in SYMBOLOGIES))
    make_products(service, wanted)
    browser = make_browser()
    show_pictures(browser, islice(pictures_of(service, wanted), 0, None, 3))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_WEBASSEMBLY)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    watch(browser)
    press(browser, "Camera")
    for clip in wanted:
        browser.until(partial(_has_read, browser, clip.name))
    read = browser.run("return read")
    assert read[: len(wanted)] == [clip.name for clip in wanted]
    assert browser.run("return pictures.most") == 1


def _has_read(browser: Chromium, name: str) -> bool:
    return name in browser.run("return read")


def test_a_code_counts_once_while_it_stays_and_again_when_it_comes_back(
    service: Service, make_browser: BrowserMaker
) -> None:
    """Many pictures show it, none shows it for a second and a half of the page's time, and it is booked twice."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser()
    show_pictures(browser, _twice(code))
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    press(browser, "Add", "field")
    watch(browser)
    press(browser, "Camera")
    browser.until(lambda: browser.run(BOOKED) == 2)
    pictures = browser.run("return pictures.begun.length")
    browser.until(lambda: browser.run("return pictures.begun.length") > pictures + 4)
    press(browser, "Camera")
    assert browser.run("return document.querySelector('video')") is None
    assert service.call("GET", "/api/inventory?product_id=1")["data"][0]["current_level"] == 2
    assert pictures >= PICTURES_BEFORE_IT_IS_BACK


def _twice(code: bytes) -> Iterator[Image]:
    yield from islice(held(code, 1), 10)
    yield from [nothing()] * (3 * RATE // 2)
    yield from islice(held(code, 3), 10)
    yield from [nothing()] * 3 * RATE
    yield from held(code, 2, 1.5)
    yield from [nothing()] * 20 * RATE


@pytest.mark.full_run
def test_of_several_codes_in_view_the_one_in_the_middle_counts(service: Service, make_browser: BrowserMaker) -> None:
    """The other one is never booked, even while only it can be read."""
    for code, description in ((PEN, "Blue pen"), (BOX, "Box")):
        service.call("POST", "/api/products", {"product_code": code, "description": description})
    browser = make_browser()
    show_pictures(browser, _shelf(service))
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    press(browser, "Add", "field")
    watch(browser)
    press(browser, "Camera")
    browser.until(lambda: browser.run(BOOKED) == 1)
    browser.until(lambda: browser.run("return pictures.begun.length") > SHELF_PICTURES)
    press(browser, "Camera")
    assert [each["current_level"] for each in service.call("GET", "/api/inventory")["data"]] == [1, 0]


def _shelf(service: Service) -> Iterator[Image]:
    neighbour = PIL.Image.open(BytesIO(drawn_code(service, "QR", BOX))).convert("L").resize((130, 130))
    middle = PIL.Image.open(BytesIO(drawn_code(service, "EAN13", PEN))).convert("L")
    for number in range(20):
        picture = nothing()
        picture.paste(neighbour, (10, 190))
        if number % 5 in (0, 1, 2):
            picture.paste(middle, ((SIZE[0] - middle.width) // 2, (SIZE[1] - middle.height) // 2))
        yield picture


def test_another_code_in_view_is_tapped_and_a_button_counts_again(
    service: Service,
    make_browser: BrowserMaker,
    inaccessible: Callable[[Chromium], list[Any]],
) -> None:
    """The one in the middle counts; the outline of the other one is a button, and so is *Count again*."""
    for code, description in ((PEN, "Blue pen"), (BOX, "Box")):
        service.call("POST", "/api/products", {"product_code": code, "description": description})
    browser = make_browser()
    show_pictures(browser, _shelf(service))
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    press(browser, "Add", "field")
    press(browser, "Camera")
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert browser.found(TAP_OUTLINE) == f"Scan {BOX}"
    browser.until(lambda: browser.run(BOOKED) == 2)
    assert inaccessible(browser) == []
    press(browser, "Count again")
    browser.until(lambda: browser.run(BOOKED) == 3)
    press(browser, "Camera")
    assert browser.run(LISTED) == [PEN, BOX, BOX]


def test_the_light_the_other_camera_and_the_screen_are_at_hand(service: Service, make_browser: BrowserMaker) -> None:
    """Browsers offer them where the device has them; the chosen camera is used the next time, too."""
    two = "--use-fake-device-for-media-stream=device-count=2"
    browser = make_browser(two, "--use-fake-ui-for-media-stream")
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=ONE_OF_TWO_CAMERAS)
    browser.open(f"{service.address}/#scan?mode=look-up")
    press(browser, "Camera")
    press(browser, "Flashlight")
    browser.until(lambda: browser.run("return lit") == [True])
    press(browser, "Flashlight")
    browser.until(lambda: browser.run("return lit") == [True, False])
    assert browser.run("return awake") == 1
    [other] = set(browser.run(CAMERAS)) - {browser.run(SHOWN_CAMERA)}
    browser.run(CHOOSE_CAMERA, other)
    browser.until(lambda: browser.run(SHOWN_CAMERA) == other and len(browser.run(CAMERAS)) == 2)
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run("return awake") == 0)
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == other)


def test_a_camera_that_does_not_start_gives_way_to_the_usual_one(service: Service, make_browser: BrowserMaker) -> None:
    """Now, and at the next start: it is not the one that the device keeps."""
    two = "--use-fake-device-for-media-stream=device-count=2"
    browser = make_browser(two, "--use-fake-ui-for-media-stream")
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=BROKEN_UNLESS_USUAL)
    browser.open(f"{service.address}/#scan?mode=look-up")
    press(browser, "Camera")
    usual = browser.found(SHOWN_CAMERA)
    [other] = set(browser.until(lambda: browser.run(CAMERAS))) - {usual}
    browser.run(CHOOSE_CAMERA, other)
    browser.shows("Another program is using the camera.")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == usual)
    press(browser, "Camera", "button")
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == usual)


def test_the_camera_rests_while_a_dialog_is_open(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """The product that was just created is still in the picture, and counts once."""
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "one.y4m", held(code, 1, 3))))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=TWICE_AS_FAST)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    press(browser, "Add", "field")
    watch(browser)
    press(browser, "Camera")
    press(browser, "Create product")
    write(browser, "Description", "Blue pen")
    pictures = browser.run("return pictures.begun.length")
    # time passes in which no picture is taken, so there is no event to wait for
    browser.run("return new Promise((done) => setTimeout(done, 3000))")
    assert browser.run("return pictures.begun.length") <= pictures + 1
    press(browser, "Save")
    browser.until(lambda: browser.run("return pictures.begun.length") > pictures + 4)
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert service.call("GET", "/api/inventory")["data"][0]["current_level"] == 1


def test_a_camera_that_is_switched_off_and_on_at_once_is_on(
    service: Service, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """An interrupted first picture is not a failure of the second one."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "one.y4m", held(code, 1, 3))))
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.shows("Ready")
    browser.run(SWITCH_WHILE_STARTING)
    browser.shows("Blue pen")
    assert browser.run("return document.querySelectorAll('video').length") == 1
    assert browser.run("return document.querySelectorAll('.notice').length") == 0


def test_why_there_is_no_picture_is_said(service: Service, make_browser: BrowserMaker) -> None:
    """Without a camera, or without permission to use it, the page says so."""
    browser = make_browser("--use-fake-ui-for-media-stream")
    browser.open(f"{service.address}/#scan?mode=look-up")
    press(browser, "Camera")
    browser.shows("This device has no camera.")
    browser = make_browser("--use-fake-device-for-media-stream", device="other")
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.devtools("Browser.setPermission", permission={"name": "camera"}, setting="denied", origin=service.address)
    press(browser, "Camera")
    browser.shows("The web app may not use the camera.")


def test_a_service_that_is_gone_is_said_once(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """And the camera goes on, with at most four pictures a second, so that it reads again when the service is back."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "one.y4m", held(code, 1, 3))))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_WEBASSEMBLY)
    hurry(browser)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.found("return navigator.serviceWorker.controller !== null")
    watch(browser)
    service.kill()
    press(browser, "Camera")
    browser.until(lambda: BLIND in browser.run(CARD))
    service.start()
    browser.shows("Blue pen")
    begun = browser.run("return pictures.begun")
    assert len(begun) <= (begun[-1] - begun[0]) / 1000 * 4 + 2
    assert browser.run("return document.querySelectorAll('.notice').length") == 0


@pytest.mark.full_run
def test_what_the_panel_says_of_a_service_that_is_gone_does_not_outlast_it(
    service: Service, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """It is ready again when the service is. A product on the panel stays: then it is said at the edge."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    browser = make_browser(*camera_flags(write_video(tmp_path / "nothing.y4m", [nothing()])))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_WEBASSEMBLY)
    hurry(browser)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.found("return navigator.serviceWorker.controller !== null")
    press(browser, "Camera")
    browser.found("return document.querySelector('video') !== null")
    service.kill()
    browser.until(lambda: BLIND in browser.run(CARD))
    service.start()
    browser.until(lambda: "Ready" in browser.run(CARD))
    write(browser, "Enter a code", PEN)
    press(browser, "Look up")
    browser.until(lambda: "Blue pen" in browser.run(CARD))
    service.kill()
    browser.until(lambda: BLIND in browser.run("return document.querySelector('.notices').innerText"))
    assert "Blue pen" in browser.run(CARD)

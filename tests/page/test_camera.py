"""The camera: codes in front of it are read by the page, once for each time that they come into the picture."""

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import chain, islice, pairwise
from pathlib import Path

import PIL.Image
import pytest
from PIL.Image import Image

from tests.browser.camera import (
    ANGLES,
    SIZE,
    SYMBOLOGIES,
    camera_flags,
    clips,
    drawn_code,
    held,
    make_products,
    nothing,
    pictures_of,
    watch,
    write_video,
)
from tests.browser.chromium import Chromium
from tests.browser.stepped_camera import show_pictures
from tests.page.conftest import PEN, BrowserMaker, Findings
from tests.page.controls import hurry, press, write
from tests.page.scanning import made
from tests.served import Service

BOX = "4006381333948"
STACKED = "09521234543213"
SHELF_PICTURES = 24
"""More than the video of the shelf has, so that all of it was seen."""
CARD = "return document.querySelector('.product')?.innerText ?? ''"
NOTICES = "return document.querySelector('.notices').innerText"
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"
LISTED = "return [...document.querySelectorAll('.bookings .code')].map((one) => one.innerText).reverse()"
PICTURES = "return pictures.begun.length"
BLIND = "The service cannot be reached. Without it, this camera reads no codes."
NO_WEBASSEMBLY = "delete window.WebAssembly"
"""As on an iPhone in Lockdown Mode: the service reads the pictures."""
SWITCH_WHILE_STARTING = """
const button = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Camera');
const { play } = HTMLMediaElement.prototype;
HTMLMediaElement.prototype.play = function () {
  HTMLMediaElement.prototype.play = play;
  for (const time of [0, 100]) setTimeout(() => button.click(), time);
  return new Promise((_, failed) => setTimeout(() => failed(new DOMException('interrupted', 'AbortError')), 500));
};
button.click();
"""
TAP_OUTLINE = """
const [outline] = document.querySelectorAll('.outlines [role=button]');
outline?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
return outline?.getAttribute('aria-label');
"""
WATCHED_DEVICE = """
Object.assign(window, { lit: [], awake: 0, broken: undefined, why: '' });
const { getCapabilities, applyConstraints } = MediaStreamTrack.prototype;
MediaStreamTrack.prototype.getCapabilities = function () { return { ...getCapabilities.call(this), torch: true } };
MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [{ torch }] }) => { lit.push(torch) };
Object.defineProperty(navigator, 'wakeLock', { value: {
  request: async () => { awake++; return { release: async () => { awake-- } } } } });
const { getUserMedia } = MediaDevices.prototype;
MediaDevices.prototype.getUserMedia = async function (wanted) {
  if (wanted.video.deviceId?.exact === broken) throw new DOMException('', why);
  return getUserMedia.call(this, wanted);
};
"""
"""A camera with this id does not start; at first that of no id, which is the usual one."""
CHOOSE_CAMERA = """
const choice = document.querySelector('select.of-camera');
choice.value = arguments[0];
choice.dispatchEvent(new Event('change'));
"""
SHOWN_CAMERA = "return document.querySelector('video')?.srcObject?.getVideoTracks()[0].getSettings().deviceId"
CAMERAS = "return [...document.querySelectorAll('select.of-camera option')].map((one) => one.value)"
VIDEOS = "return document.querySelectorAll('video').length"


def test_codes_at_any_angle_are_read_once_without_the_network(service: Service, make_browser: BrowserMaker) -> None:
    """Each clip is another symbology at another angle, blurred in between, and no two bookings are of one clip.

    No part of a code counts: lines across a turned stacked DataBar join the halves of its rows.
    """
    wanted = [
        replace(next(clips(symbology, 1)), degrees=degrees, is_blurred=True)
        for symbology, degrees in zip(SYMBOLOGIES, (*ANGLES[1:], -20, 50), strict=True)
    ]
    codes = [*(clip.code for clip in wanted), f"]e001{STACKED}"]
    browser = make_browser()
    code = drawn_code(service, "DATABARSTACKEDOMNI", STACKED)
    turned = chain.from_iterable(held(code, degrees, 1, degrees) for degrees in (12, 20, 56))
    show_pictures(browser, chain(turned, islice(pictures_of(service, wanted), 0, None, 2)))
    hurry(browser)
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.found("return navigator.serviceWorker.controller !== null")
    service.kill()
    press(browser, "Camera")
    browser.until(lambda: set(codes) <= set(browser.run(LISTED)))
    press(browser, "Camera")
    listed = browser.run(LISTED)
    assert set(listed) == set(codes)
    assert all(one != other for one, other in pairwise(listed))


def test_of_several_codes_the_one_in_the_middle_counts_and_others_can_be_tapped(
    service: Service, make_browser: BrowserMaker, inaccessible: Findings
) -> None:
    """The other one never counts by itself, even while only it can be read; *Count again* counts the last one."""
    for code, description in ((PEN, "Blue pen"), (BOX, "Box")):
        made(service, code, description)
    browser = make_browser()
    show_pictures(browser, _shelf(service))
    browser.open(f"{service.address}/#scan?mode=put-in")
    watch(browser)
    press(browser, "Camera")
    browser.until(lambda: browser.run(PICTURES) > SHELF_PICTURES)
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert browser.found(TAP_OUTLINE) == f"Scan {BOX}"
    browser.until(lambda: browser.run(BOOKED) == 2)
    assert inaccessible(browser) == []
    press(browser, "Count again")
    browser.until(lambda: browser.run(BOOKED) == 3)
    press(browser, "Camera")
    assert browser.run(LISTED) == [PEN, BOX, BOX]


def _shelf(service: Service) -> Iterator[Image]:
    neighbour = PIL.Image.open(BytesIO(drawn_code(service, "QR", BOX))).convert("L").resize((130, 130))
    middle = PIL.Image.open(BytesIO(drawn_code(service, "EAN13", PEN))).convert("L")
    for number in range(20):
        picture = nothing()
        picture.paste(neighbour, (10, 190))
        if number % 5 in (0, 1, 2):
            picture.paste(middle, ((SIZE[0] - middle.width) // 2, (SIZE[1] - middle.height) // 2))
        yield picture


def test_why_there_is_no_picture_is_said_and_light_screen_and_another_camera_are_at_hand(
    service: Service, make_browser: BrowserMaker
) -> None:
    """The chosen camera is used the next time, too, unless it does not start: then the usual one is."""
    browser = make_browser("--use-fake-device-for-media-stream=device-count=2", "--use-fake-ui-for-media-stream")
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCHED_DEVICE)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.run("why = 'NotAllowedError'")
    press(browser, "Camera")
    browser.shows("The web app may not use the camera.")
    browser.run("broken = ''")
    press(browser, "Camera")
    for count in (1, 2):
        press(browser, "Flashlight")
        browser.found("return lit.length === arguments[0]", count)
    assert browser.run("return lit") == [True, False]
    assert browser.run("return awake") == 1
    usual = browser.run(SHOWN_CAMERA)
    [other] = set(browser.run(CAMERAS)) - {usual}
    browser.run(CHOOSE_CAMERA, other)
    browser.until(lambda: browser.run(SHOWN_CAMERA) == other and len(browser.run(CAMERAS)) == 2)
    _switch_off(browser)
    browser.until(lambda: browser.run("return awake") == 0)
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == other)
    _switch_off(browser)
    browser.run("[broken, why] = [arguments[0], 'AbortError']", other)
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == usual and len(browser.run(CAMERAS)) == 2)
    browser.run(CHOOSE_CAMERA, other)
    browser.shows("The camera cannot be used")
    browser.until(lambda: browser.run(SHOWN_CAMERA) == usual)


def _switch_off(browser: Chromium) -> None:
    press(browser, "Camera", "button")
    browser.until(lambda: browser.run(VIDEOS) == 0)


def test_the_camera_rests_behind_a_dialog(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """Off and on at once, it is on. The product that was just created is still in the picture, and counts once."""
    code = drawn_code(service, "EAN13", PEN)
    browser = make_browser(*camera_flags(write_video(tmp_path / "one.y4m", held(code, 1, 3))))
    browser.open(f"{service.address}/#scan?mode=put-in")
    browser.shows("Ready")
    watch(browser)
    browser.run(SWITCH_WHILE_STARTING)
    press(browser, "Create product")
    write(browser, "Description", "Blue pen")
    pictures = browser.run(PICTURES)
    # time passes in which no picture is taken, so there is no event to wait for
    browser.run("return new Promise((done) => setTimeout(done, 3000))")
    assert browser.run(PICTURES) <= pictures + 1
    press(browser, "Save")
    browser.until(lambda: browser.run(PICTURES) > pictures + 4)
    browser.until(lambda: browser.run(BOOKED) == 1)
    assert service.call("GET", "/api/inventory")["data"][0]["current_level"] == 1
    assert browser.run(VIDEOS) == 1
    browser.run("document.querySelector('.photo input').addEventListener('click', (event) => event.preventDefault())")
    press(browser, "Photo")
    browser.until(lambda: browser.run(VIDEOS) == 0)


@pytest.mark.full_run
def test_the_service_reads_where_the_page_cannot(service: Service, make_browser: BrowserMaker, tmp_path: Path) -> None:
    """One picture is sent at a time, at most four a second. That the service is gone is said until it is back.

    A product on the panel stays: then it is said at the edge.
    """
    wanted = [next(clips(symbology, 1)) for symbology in ("EAN13", "QR", "ITF14")]
    make_products(service, wanted)
    browser = make_browser(*camera_flags(write_video(tmp_path / "clips.y4m", pictures_of(service, wanted))))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=NO_WEBASSEMBLY)
    hurry(browser)
    browser.open(f"{service.address}/#scan?mode=look-up")
    browser.found("return navigator.serviceWorker.controller !== null")
    watch(browser)
    press(browser, "Camera")
    for clip in wanted:
        browser.found("return read.includes(arguments[0])", clip.name)
    assert browser.run("return pictures.most") == 1
    begun = browser.run("return pictures.begun")
    assert len(begun) <= (begun[-1] - begun[0]) / 1000 * 4 + 2
    assert browser.run(NOTICES) == ""
    service.kill()
    browser.until(lambda: BLIND in browser.run(NOTICES))
    assert BLIND not in browser.run(CARD)

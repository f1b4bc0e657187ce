"""Codes in front of the browser's camera: how many of them are read within 1.5 seconds, and how many are counted twice.

Each clip shows another code, tilted, moving and out of focus by another amount, and the next one follows immediately:
a code that is read at all was read while its clip was shown. The page reads turned codes, half of them blurred in
between, without the network. The service reads upright ones, as for a browser without WebAssembly.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least, at_most
from tests.browser.camera_clips import (
    ANGLES,
    SYMBOLOGIES,
    Clip,
    clips,
    make_products,
    pictures_of,
    seconds_of,
    turned_clips,
    watch,
)
from tests.browser.camera_video import SECONDS, camera_flags, write_video
from tests.browser.chromium import Chromium, missing_programs, started
from tests.browser.kept_settings import keep_settings
from tests.served import Service

READ = at_least(0.99)
TWICE = at_most(0)
EACH = 20
TURNED_EACH = 2 * len(ANGLES)
_LOOK = """
[...document.querySelectorAll('button')].find((button) => button.innerText === 'Camera').click();
return new Promise((all) => setTimeout(() => all(window.read ?? []), arguments[0]));
"""
_NO_WEBASSEMBLY = "delete window.WebAssembly"
_PUT_IN = "document.querySelector('input[value=put-in]').click()"
_LISTED = "return [...document.querySelectorAll('.bookings .code')].map((one) => one.innerText).reverse()"
_WORKER_RUNS = "return navigator.serviceWorker.controller !== null"


def measure() -> Iterator[Figure]:
    """Yield the shares of clips that were read, and those that counted twice; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        booked = {symbology: _booked(Path(folder), symbology) for symbology in SYMBOLOGIES}
        service = Service(Path(folder), rate_limit="off")
        try:
            read = {symbology: _read(Path(folder), service, symbology) for symbology in SYMBOLOGIES}
        finally:
            service.kill()
    all_turned = TURNED_EACH * len(SYMBOLOGIES)
    note = ", ".join(f"{symbology} {once}" for symbology, (once, _) in booked.items())
    share = sum(once for once, _ in booked.values()) / all_turned
    yield Figure(f"turned clips of {SECONDS} s that the page read once, {TURNED_EACH} each", share, "%", READ, note)
    twice = sum(more for _, more in booked.values())
    yield Figure("those that counted twice", twice, "", TWICE, f"of {all_turned}")
    note = ", ".join(f"{symbology} {count}" for symbology, count in read.items())
    share = sum(read.values()) / (EACH * len(SYMBOLOGIES))
    yield Figure(f"clips of {SECONDS} s that the service read, {EACH} each", share, "%", READ, note)


def _booked(folder: Path, symbology: str) -> tuple[int, int]:
    """Return how many clips were counted exactly once, and how many more than once; the service is gone meanwhile."""
    wanted = list(turned_clips(symbology, TURNED_EACH))
    service = Service(folder, rate_limit="off")
    browser = started(folder / f"turned-{symbology}", *_camera(folder, service, wanted))
    try:
        keep_settings(browser, author="Ann")
        browser.open(service.address)
        browser.until(lambda: browser.run(_WORKER_RUNS))
        browser.run(_PUT_IN)
        service.kill()
        counted = Counter(_until_the_end(browser, wanted))
    finally:
        browser.close()
        service.kill()
    times = [counted[clip.code] for clip in wanted]
    return times.count(1), sum(more > 1 for more in times)


def _camera(folder: Path, service: Service, wanted: list[Clip]) -> tuple[str, ...]:
    return camera_flags(write_video(folder / "clips.y4m", pictures_of(service, wanted)))


def _until_the_end(browser: Chromium, wanted: list[Clip]) -> list[str]:
    """Return what was booked during one run of the video, without its first clip, if that is shown again at the end."""
    _look(browser, wanted)
    listed: list[str] = browser.run(_LISTED)
    return listed[:-1] if len(listed) > 1 and listed[-1] == wanted[0].code else listed


def _read(folder: Path, service: Service, symbology: str) -> int:
    wanted = list(clips(symbology, EACH))
    make_products(service, wanted)
    browser = started(folder / symbology, *_camera(folder, service, wanted))
    try:
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_NO_WEBASSEMBLY)
        browser.open(service.address)
        browser.shows("Ready")
        watch(browser)
        return len({clip.name for clip in wanted} & set(_look(browser, wanted)))
    finally:
        browser.close()


def _look(browser: Chromium, wanted: list[Clip]) -> list[str]:
    """Let the camera see all clips; return the products that were shown, if they are watched."""
    browser.driver.set_script_timeout(seconds_of(wanted) * 2)
    seen: list[str] = browser.run(_LOOK, seconds_of(wanted) * 1000)
    return seen

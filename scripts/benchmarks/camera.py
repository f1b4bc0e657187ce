"""Codes in front of the browser's camera: how many the page reads within 1.5 seconds, and how many it counts twice.

Each clip shows another code, turned, moving and out of focus by another amount, and the next one follows immediately:
a code that is read at all was read while its clip was shown. The page reads them without the network.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.page import can_browse
from scripts.benchmarks.report import Figure, at_least, at_most
from tests.browser.camera_clips import ANGLES, SYMBOLOGIES, Clip, pictures_of, seconds_of, turned_clips
from tests.browser.camera_video import SECONDS, camera_flags, write_video
from tests.browser.chromium import Chromium, started
from tests.browser.kept_settings import keep_settings
from tests.served import Service

READ = at_least(0.99)
TWICE = at_most(0)
EACH = 2 * len(ANGLES)
_LOOK = """
[...document.querySelectorAll('button')].find((button) => button.innerText === 'Camera').click();
return new Promise((end) => setTimeout(end, arguments[0]));
"""
_LISTED = "return [...document.querySelectorAll('.bookings .code')].map((one) => one.innerText).reverse()"
_WORKER_RUNS = "return navigator.serviceWorker.controller !== null"


def read() -> Iterator[Figure]:
    """Yield the share of clips that were read once, and those that counted twice."""
    if not can_browse():
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        booked = {symbology: _booked(Path(folder), symbology) for symbology in SYMBOLOGIES}
    clips = EACH * len(SYMBOLOGIES)
    note = ", ".join(f"{symbology} {times.count(1)}" for symbology, times in booked.items())
    share = sum(times.count(1) for times in booked.values()) / clips
    yield Figure(f"turned clips of {SECONDS} s that the page read once, {EACH} each", share, "%", READ, note)
    twice = sum(more > 1 for times in booked.values() for more in times)
    yield Figure("those that counted twice", twice, "", TWICE, f"of {clips}")


def _booked(folder: Path, symbology: str) -> list[int]:
    """Return how often each clip was counted; the service is gone meanwhile."""
    wanted = list(turned_clips(symbology, EACH))
    with Service(folder, rate_limit="off") as service:
        video = write_video(folder / "clips.y4m", pictures_of(service, wanted))
        browser = started(folder / f"turned-{symbology}", *camera_flags(video))
        try:
            keep_settings(browser, author="Ann")
            browser.open(f"{service.address}/#scan?mode=put-in")
            browser.until(lambda: browser.run(_WORKER_RUNS))
            service.kill()
            counted = Counter(_listed_at_the_end(browser, wanted))
        finally:
            browser.close()
    return [counted[clip.code] for clip in wanted]


def _listed_at_the_end(browser: Chromium, wanted: list[Clip]) -> list[str]:
    """Return what was booked during one run of the video, without its first clip, if that is shown again at the end."""
    browser.driver.set_script_timeout(seconds_of(wanted) * 2)
    browser.run(_LOOK, seconds_of(wanted) * 1000)
    listed: list[str] = browser.run(_LISTED)
    return listed[:-1] if len(listed) > 1 and listed[-1] == wanted[0].code else listed

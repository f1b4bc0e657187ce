"""Codes in front of the browser's camera, read through the service: how many of them within 1.5 seconds.

Each clip shows another code, tilted, moving and out of focus by another amount, and the next one follows immediately:
a code that is read at all was read while its clip was shown.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least
from scripts.browser.camera_clips import SYMBOLOGIES, clips, make_products, seconds_of, watch, write_clips
from scripts.browser.camera_video import SECONDS
from scripts.browser.chromium import missing_programs, started
from scripts.browser.served import Service

READ = at_least(0.99)
EACH = 20
_LOOK = """
[...document.querySelectorAll('button')].find((button) => button.innerText === 'Camera').click();
return new Promise((all) => setTimeout(() => all(read), arguments[0]));
"""


def measure() -> Iterator[Figure]:
    """Yield the share of clips that were read; nothing without Chromium."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder), rate_limit="off")
        try:
            read = {symbology: _read(Path(folder), service, symbology) for symbology in SYMBOLOGIES}
        finally:
            service.kill()
    note = ", ".join(f"{symbology} {count}" for symbology, count in read.items())
    share = sum(read.values()) / (EACH * len(SYMBOLOGIES))
    yield Figure(f"clips of {SECONDS} s that were read, {EACH} each", share, "%", READ, note)


def _read(folder: Path, service: Service, symbology: str) -> int:
    wanted = list(clips(symbology, EACH))
    make_products(service, wanted)
    browser = started(folder / symbology, *write_clips(folder / "clips.y4m", service, wanted))
    try:
        browser.open(service.address)
        browser.shows("Ready")
        watch(browser)
        browser.driver.set_script_timeout(seconds_of(wanted) * 2)
        seen = browser.run(_LOOK, seconds_of(wanted) * 1000)
        return len({clip.name for clip in wanted} & set(seen))
    finally:
        browser.close()

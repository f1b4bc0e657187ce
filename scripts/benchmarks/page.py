"""The web app in a real browser: its first view, its camera, a day at the kiosk, its printer, and a storm of scans."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.benchmarks.catalogues import MANY, make_file
from scripts.benchmarks.report import Figure, at_least, at_most
from tests.browser.camera import (
    ANGLES,
    SECONDS,
    SYMBOLOGIES,
    Clip,
    camera_flags,
    pictures_of,
    seconds_of,
    turned_clips,
    write_video,
)
from tests.browser.chromium import SHOP, Chromium, missing_programs, started
from tests.browser.first_view import MOST_BYTES, FirstView, see_first
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import Key, Keyboard
from tests.browser.print_catcher import catch_printing
from tests.browser.scan_storm import SHOWN_WITHIN, Plan, Product, storm as storm_of_scans
from tests.served import Service

BYTES = at_most(MOST_BYTES)
USABLE = at_most(2000)
BROWSERS = 5
READ = at_least(0.99)
CLIPS = 2 * len(ANGLES)
LABELS = 500
LABELS_BEFORE = 20
"""Labels after which the page has done everything for the first time."""
GROWTH = at_most(0.5)
JOBS = 30
IN_QUEUE = at_most(300)
PLAN = Plan(scans=1000, calm=300, kills=[310, 400, 960], offline_from=450, offline_to=950, offline_seconds=60)
NONE = at_most(0)
SHOWN = at_most(SHOWN_WITHIN)
PEN = "4006381333931"
_MIB = 2**20
_LOADED = "return navigator.serviceWorker.ready.then(() => true)"
"""The page has loaded all its files ahead, and installed the service worker."""
_TASK = "return document.querySelector('.kiosk .main:enabled') !== null"
_WATCH = """
window.taken = []
window.entered = 0
addEventListener('keydown', ({ key, timeStamp }) => { if (key === 'Enter') entered = timeStamp }, { capture: true })
window.send = window.fetch
window.fetch = async (address, options) => {
  const response = await send(address, options)
  if (String(address).endsWith('/jobs') && options?.method === 'POST') taken.push(performance.now() - entered)
  return response
}
"""

_LOOK = """
[...document.querySelectorAll('button')].find((button) => button.innerText === 'Camera').click();
return new Promise((end) => setTimeout(end, arguments[0]));
"""
_LISTED = "return [...document.querySelectorAll('.bookings .code')].map((one) => one.innerText).reverse()"
_WORKER_RUNS = "return navigator.serviceWorker.controller !== null"


def first_view() -> Iterator[Figure]:
    """Yield the bytes of the first view of a shop with a product, and when a slow phone in its network can use it.

    The time is the median of several new browsers, because each has to start. The bytes are the same every time.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as name, Service(Path(name), allowed_hosts=SHOP) as service:
        service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
        address = service.address.replace("127.0.0.1", SHOP)
        views = [_seen_by_phone(Path(name) / f"phone-{number}", address) for number in range(BROWSERS)]
    sent = f"{views[0].sent:,} bytes of requests as well"
    yield Figure("bytes of the first view, all responses together", views[0].received, "", BYTES, sent)
    usable = statistics.median(view.usable for view in views)
    yield Figure("usable on a phone: latency 150 ms, 1.6 Mbit/s, a quarter of the processor", usable, "ms", USABLE)


def camera() -> Iterator[Figure]:
    """Yield the share of codes in front of the camera that are read once within 1.5 seconds, and those counted twice.

    Each clip shows another one, turned, moving and out of focus by another amount, and the next one follows at once: a
    code that is read at all was read while its clip was shown. The page reads them without the network.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        booked = {symbology: _booked(Path(folder), symbology) for symbology in SYMBOLOGIES}
    clips = CLIPS * len(SYMBOLOGIES)
    note = ", ".join(f"{symbology} {times.count(1)}" for symbology, times in booked.items())
    share = sum(times.count(1) for times in booked.values()) / clips
    yield Figure(f"turned clips of {SECONDS} s that the page read once, {CLIPS} each", share, "%", READ, note)
    twice = sum(more > 1 for times in booked.values() for more in times)
    yield Figure("those that counted twice", twice, "", NONE, f"of {clips}")


def kiosk() -> Iterator[Figure]:
    """Yield how much the page still holds after 500 labels, each scanned and printed separately."""
    with _browsing() as (browser, service):
        catch_printing(browser)
        browser.open(f"{service.address}/#kiosk?sheet=L7160")
        browser.shows("Scan a product")
        browser.until(lambda: browser.run(_LOADED))
        for number in range(LABELS_BEFORE):
            _print(browser, number)
        before = _heap(browser)
        for number in range(LABELS_BEFORE, LABELS):
            _print(browser, number)
        growth = (_heap(browser) - before) / _MIB
    yield Figure(f"growth of the heap over {LABELS} labels", growth, "MiB", GROWTH, f"from {before / _MIB:.1f} MiB")


def printer() -> Iterator[Figure]:
    """Yield the longest time from Enter at a kiosk to the response that the job is in the queue of its printer."""
    with TemporaryDirectory() as name:
        paper = Path(name) / "paper"
        paper.touch()
        with _browsing(printers=f"roll=file://{paper}?label=50x30mm&dpi=203") as (browser, service):
            service.call("PUT", "/api/codes/layouts/shelf", {"sheet": "50x30mm", "lines": ["{description}"]})
            browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
            browser.open(f"{service.address}/#kiosk?layout=shelf&printer=roll")
            browser.shows("shelf")
            for number in range(JOBS):
                _press_enter(browser)
                browser.until(partial(browser.run, f"return taken.length > {number}"))
            times: list[float] = browser.run("return taken")
    usual = f"half of {JOBS} within {statistics.median(times):.0f} ms"
    name = "from Enter at the kiosk to a job in the printer's queue, the longest"
    yield Figure(name, max(times), "ms", IN_QUEUE, usual)


def storm() -> Iterator[Figure]:
    """Yield what scans of a million products lost and doubled, and how soon products are shown."""
    with TemporaryDirectory(prefix="storm-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        make_file(folder / "shop.db", MANY)
        with (
            Service(folder, rate_limit="1000/15 minutes") as service,
            closing(started(folder / "device")) as browser,
        ):
            keep_settings(browser, author="Ann")
            outcome = storm_of_scans(browser, service, _products(PLAN.scans), PLAN)
    note = f"{PLAN.offline_seconds:.0f} s without a network, {len(PLAN.kills)} kills of the service"
    yield Figure(f"of {PLAN.scans:,} scans, 20 a second: lost", outcome.lost, "", NONE, note)
    yield Figure(f"of {PLAN.scans:,} scans, 20 a second: counted twice", outcome.double, "", NONE)
    name = f"from Enter to the text of the product, {MANY:,} products, 95 in 100 scans"
    yield Figure(name, outcome.shown, "ms", SHOWN)


def in_browser(part: Callable[[], Iterator[Figure]]) -> Iterator[Figure]:
    """Measure a part where Chromium is installed."""
    if missing := missing_programs():
        print(f"  left out, not installed: {', '.join(missing)}")
        return
    yield from part()


@contextmanager
def _browsing(**settings: object) -> Iterator[tuple[Chromium, Service]]:
    """Yield a browser, and a service with a product."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as name, Service(Path(name), **settings) as service:
        service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
        with closing(started(Path(name) / "browser")) as browser:
            yield browser, service


def _seen_by_phone(folder: Path, address: str) -> FirstView:
    browser = started(folder)
    browser.be_a_phone()
    browser.slow_down()
    return see_first(browser, address)


def _print(browser: Chromium, printed_before: int) -> None:
    with Keyboard(browser) as keyboard:
        keyboard.scan(PEN)
    browser.until(lambda: browser.run(_TASK))
    browser.run("document.querySelector('.kiosk .main').click()")
    browser.until(lambda: browser.run("return printed.length") > printed_before)


def _press_enter(browser: Chromium) -> None:
    """Print the label of a scanned product."""
    with Keyboard(browser) as keyboard:
        keyboard.scan(PEN)
        browser.until(lambda: browser.run(_TASK))
        keyboard.press(Key("Enter"))


def _heap(browser: Chromium) -> int:
    """Return the bytes that the page's scripts hold after garbage collection."""
    browser.devtools("HeapProfiler.collectGarbage")
    return int(browser.devtools("Runtime.getHeapUsage")["usedSize"])


def _products(count: int) -> Sequence[Product]:
    """Return products from all over the catalogue, with numbers of equal length, so that no text contains another."""
    first = MANY // 10
    numbers = range(first, MANY, (MANY - first) // count)[:count]
    return [Product(number + 1, f"AB-{number:08}", f"bin {number}") for number in numbers]


def _booked(folder: Path, symbology: str) -> list[int]:
    """Return how many times each clip was counted; the service is gone meanwhile."""
    wanted = list(turned_clips(symbology, CLIPS))
    with Service(folder, rate_limit="off") as service:
        video = write_video(folder / "clips.y4m", pictures_of(service, wanted))
        with closing(started(folder / f"turned-{symbology}", *camera_flags(video))) as browser:
            keep_settings(browser, author="Ann")
            browser.open(f"{service.address}/#scan?mode=put-in")
            browser.until(lambda: browser.run(_WORKER_RUNS))
            service.kill()
            counted = Counter(_listed_at_the_end(browser, wanted))
    return [counted[clip.code] for clip in wanted]


def _listed_at_the_end(browser: Chromium, wanted: list[Clip]) -> list[str]:
    """Return what was booked during one run of the video, without its first clip, if that is shown again at the end."""
    browser.driver.set_script_timeout(seconds_of(wanted) * 2)
    browser.run(_LOOK, seconds_of(wanted) * 1000)
    listed: list[str] = browser.run(_LISTED)
    return listed[:-1] if len(listed) > 1 and listed[-1] == wanted[0].code else listed

"""Clips of codes in the retail symbologies: each code is another product, so a scanned product names its clip."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from PIL.Image import Image

from tests.browser.camera_video import RATE, SECONDS, held, nothing
from tests.browser.chromium import Chromium
from tests.served import Service

SYMBOLOGIES = ("EAN13", "EAN8", "UPCA", "CODE128", "QR", "DATAMATRIX", "ITF14")
ANGLES = (0, 15, 30, 45, 60, 75)
"""Degrees by which clips are turned."""
_BETWEEN = 2
"""Pictures of nothing between two clips: the looks at a picture of one never see the next one too."""
_MODULE = {"QR": 8, "DATAMATRIX": 10, "EAN8": 4, "CODE128": 2, "ITF14": 2}
"""Pixels of a module, so that the symbol fills about half of the picture, at any angle; 3 for the others."""
_PREFIX = {"EAN13": "40063813", "EAN8": "9638", "UPCA": "0123456", "ITF14": "140063813"}
_DIGITS = {"EAN13": 12, "EAN8": 7, "UPCA": 11, "ITF14": 13}
_WATCH = """
window.read = [];
window.pictures = { most: 0, begun: [] };
const { fetch } = window;
let underWay = 0;
window.fetch = async (address, options) => {
  if (!(options?.body instanceof FormData)) return fetch(address, options);
  pictures.begun.push(performance.now());
  pictures.most = Math.max(pictures.most, ++underWay);
  try { return await fetch(address, options) } finally { underWay-- }
};
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, transferred) {
  if (message.isTurned === false) pictures.begun.push(performance.now());
  return postMessage.call(this, message, transferred);
};
new MutationObserver(() => {
  const found = document.querySelector('.product h2')?.textContent;
  if (found && found !== read.at(-1)) read.push(found);
}).observe(document, { childList: true, subtree: true });
"""


@dataclass(frozen=True, slots=True)
class Clip:
    """One code shown to the camera, turned by these degrees; `name` is the description of its product."""

    symbology: str
    code: str
    name: str
    degrees: float = 0
    is_blurred: bool = False


def clips(symbology: str, count: int) -> Iterator[Clip]:
    """Yield this many clips of a symbology, each with another code."""
    for number in range(count):
        yield Clip(symbology, _code(symbology, number), f"{symbology} no. {number}")


def turned_clips(symbology: str, count: int) -> Iterator[Clip]:
    """Yield the same clips, turned by each of ANGLES in turn; half of those at each angle are blurred in between."""
    for number, clip in enumerate(clips(symbology, count)):
        yield replace(clip, degrees=ANGLES[number % len(ANGLES)], is_blurred=number // len(ANGLES) % 2 == 1)


def make_products(service: Service, wanted: list[Clip]) -> None:
    """Put the product of each clip into the catalogue."""
    for clip in wanted:
        response = service.call("POST", "/api/products", {"product_code": clip.code, "description": clip.name})
        if not response.get("success"):
            raise RuntimeError(f"{clip}: {response}")


def pictures_of(service: Service, wanted: list[Clip]) -> Iterator[Image]:
    """Yield the pictures of one clip after the other, then a second of nothing."""
    for seed, clip in enumerate(wanted):
        yield from held(_drawn(service, clip), seed, degrees=clip.degrees, is_blurred=clip.is_blurred)
        yield from [nothing()] * _BETWEEN
    yield from [nothing()] * RATE


def watch(browser: Chromium) -> None:
    """Record from now on which products the page shows, and when it sends pictures."""
    browser.run(_WATCH)


def seconds_of(wanted: list[Clip]) -> float:
    """Return how long the video of these clips is."""
    return len(wanted) * (SECONDS + _BETWEEN / RATE) + 1


def drawn_code(service: Service, symbology: str, code: str) -> bytes:
    """Return a code as a PNG file from the service."""
    width = _MODULE.get(symbology, 3)
    return service.download(f"/api/codes/barcode/{quote(code, safe='')}.png?format={symbology}&width={width}")


def _drawn(service: Service, clip: Clip) -> bytes:
    return drawn_code(service, clip.symbology, clip.code)


def _code(symbology: str, number: int) -> str:
    if symbology not in _DIGITS:
        return f"{symbology[:2]}-{number:04}"
    digits = _PREFIX[symbology] + str(number).rjust(_DIGITS[symbology] - len(_PREFIX[symbology]), "0")
    weighted = sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(reversed(digits)))
    return digits + str(-weighted % 10)

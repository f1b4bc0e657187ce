"""Videos for the browser's fake camera: codes as the service draws them, held by an unsteady hand.

A video is YUV4MPEG2, which Chromium plays in a loop with `--use-file-for-fake-video-capture`. In a video of clips, each
code is another product, so a scanned product names its clip.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import PIL.Image
from PIL import ImageFilter

from tests.browser.chromium import Chromium
from tests.served import Service

SIZE = (640, 480)
"""Width and height of the picture."""
RATE = 10
"""Pictures a second."""
SECONDS = 1.5
"""How long each code is shown."""
_TABLE = 150
"""The grey behind a code."""
_BLURRED = (5, 8)
"""The pictures of a blurred clip, from its first to its last, that cannot be read."""
_UNREADABLE = 6
"""The radius of their blur, in pixels."""
_NO_COLOUR = bytes([128]) * (SIZE[0] * SIZE[1] // 2)
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


def camera_flags(video: Path) -> tuple[str, ...]:
    """Return the flags of a browser whose camera shows this video, and which lets the page use it."""
    shown = f"--use-file-for-fake-video-capture={video}"
    return "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", shown


def write_video(path: Path, pictures: Iterable[PIL.Image.Image]) -> Path:
    """Write pictures of SIZE, at RATE, and return the path."""
    with path.open("wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420jpeg\n" % (*SIZE, RATE))
        for picture in pictures:
            file.write(b"FRAME\n" + picture.tobytes() + _NO_COLOUR)
    return path


def held(
    code: bytes, seed: int, seconds: float = SECONDS, degrees: float = 0, *, is_blurred: bool = False
) -> Iterator[PIL.Image.Image]:
    """Yield the pictures of a code, given as a PNG file, held at a tilt, moving and slightly out of focus.

    It is turned by `degrees`. Some pictures of a blurred clip show nothing that can be read.
    """
    chance = random.Random(seed)  # noqa: S311 - the same clip each time
    drawn = PIL.Image.open(BytesIO(code)).convert("L")
    tilt, speed = chance.uniform(-8, 8), (chance.uniform(-25, 25), chance.uniform(-25, 25))
    blur = chance.uniform(0.3, 0.9)
    for number in range(round(seconds * RATE)):
        time = number / RATE - seconds / 2
        turn = degrees + tilt + 2 * time
        turned = drawn.rotate(turn, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        picture = nothing()
        left, top = ((SIZE[axis] - turned.size[axis]) // 2 + round(speed[axis] * time) for axis in (0, 1))
        picture.paste(turned, (left, top))
        hides = is_blurred and _BLURRED[0] <= number <= _BLURRED[1]
        yield picture.filter(ImageFilter.GaussianBlur(_UNREADABLE if hides else blur))


def nothing() -> PIL.Image.Image:
    """Return a picture without a code."""
    return PIL.Image.new("L", SIZE, _TABLE)


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


def pictures_of(service: Service, wanted: list[Clip]) -> Iterator[PIL.Image.Image]:
    """Yield the pictures of one clip after the other, then a second of nothing."""
    for seed, clip in enumerate(wanted):
        yield from held(
            drawn_code(service, clip.symbology, clip.code), seed, degrees=clip.degrees, is_blurred=clip.is_blurred
        )
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


def _code(symbology: str, number: int) -> str:
    if symbology not in _DIGITS:
        return f"{symbology[:2]}-{number:04}"
    digits = _PREFIX[symbology] + str(number).rjust(_DIGITS[symbology] - len(_PREFIX[symbology]), "0")
    weighted = sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(reversed(digits)))
    return digits + str(-weighted % 10)

"""One image of 1 megapixel with one code, against zxing-cpp's own time with the image's decoding by Pillow.

The reference opens the same file with Pillow and passes the image to zxing-cpp with the same options. Both take turns
in a process that does nothing else, and are timed by the clock. So are two images in two threads against two in a row,
since zxing-cpp releases the interpreter lock. Each figure comes with that of the whole request, through HTTP and the
catalogue.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import zxingcpp
from PIL import Image

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.scanning.images.codes import ImageFile
from barcodesvc.scanning.images.one_look import READ_FORMATS
from barcodesvc.scanning.images.reading import read_image
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import DECODE, product_code
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender
from tests.forms import form, form_head, part

SIDE = 1000
KINDS = ("PNG", "JPEG")
TURNS = 25
READING = at_most(1.2)


def measure() -> Iterator[Figure]:
    """Yield the time of an image as a multiple of the reference's, of a whole request, and of two images at once."""
    command = [sys.executable, "-m", __name__]
    alone = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - this module
    for kind in KINDS:
        ours, theirs, ratio = alone[kind]
        note = f"{ours:.1f} ms against {theirs:.1f}"
        yield Figure(f"1 megapixel of {kind}, times Pillow and zxing-cpp alone", ratio, "x", READING, note)
        whole = _whole_request(kind)
        yield Figure(
            "the whole request with it, times Pillow and zxing-cpp alone", whole / theirs, "x", None, f"{whole:.1f} ms"
        )
    note = "1 would be both for the time of one, 2 one after the other"
    yield Figure("two images in two threads, times one image", alone["two"], "x", None, note)


def image_file(kind: str) -> bytes:
    """Return a coloured image of SIDE x SIDE pixels with one code, turned a little, with the noise of a camera."""
    key = BarcodeKey(find_symbology("CODE128"), product_code(0), ModuleWidth(3), 150, with_text=True)
    symbol = Image.open(BytesIO(key.render().png)).convert("L")
    paper = Image.new("L", (SIDE, SIDE), 225)
    paper.paste(symbol, ((SIDE - symbol.width) // 2, (SIDE - symbol.height) // 2))
    turned = paper.rotate(7, Image.Resampling.BICUBIC, fillcolor=225)
    chance = random.Random(0)  # noqa: S311 - the same noise on every run
    noisy = bytes(min(255, max(0, value + chance.randrange(-6, 7))) for value in turned.tobytes())
    file = BytesIO()
    Image.frombytes("L", turned.size, noisy).convert("RGB").save(file, kind)
    return file.getvalue()


def _whole_request(kind: str) -> float:
    """Return the milliseconds from a request to its response, the median of many, over one connection."""
    with running_module(service.MODULE) as server:
        contender = Contender(server, server.ports[0], _requests(kind), connections=1)
        contender.one_round()
        return statistics.median(1000 / contender.one_round().per_second for _ in range(3))


def _requests(kind: str) -> Iterator[bytes]:
    body = form(part("image", image_file(kind), filename="image"))
    request = form_head(DECODE, len(body)) + body
    while True:
        yield request


def _ours(content: bytes) -> object:
    return read_image(ImageFile(content)).codes[0]


def _theirs(content: bytes) -> object:
    image = Image.open(BytesIO(content))
    return zxingcpp.read_barcodes(
        image, formats=zxingcpp.BarcodeFormats(READ_FORMATS), text_mode=zxingcpp.TextMode.Plain
    )[0]


def _by_turns(content: bytes) -> tuple[float, float, float]:
    """Return the milliseconds of both on an image, and the median of the ratios of neighbours."""
    pairs = [(_spent(_ours, content), _spent(_theirs, content)) for _ in range(TURNS)][1:]
    ours, theirs = zip(*pairs, strict=True)
    return statistics.median(ours), statistics.median(theirs), statistics.median(a / b for a, b in pairs)


def _two_at_once(content: bytes) -> float:
    with ThreadPoolExecutor(2) as threads:

        def both(content: bytes) -> object:
            return list(threads.map(_ours, (content, content)))

        return statistics.median(_spent(both, content) / _spent(_ours, content) for _ in range(TURNS))


def _spent(work: Callable[[bytes], object], content: bytes) -> float:
    begin = time.perf_counter()
    work(content)
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    print(json.dumps({**{kind: _by_turns(image_file(kind)) for kind in KINDS}, "two": _two_at_once(image_file("PNG"))}))

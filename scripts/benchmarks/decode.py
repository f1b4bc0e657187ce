"""Scans against a bare handler, and a picture of a code against Pillow and zxing-cpp alone."""

import json
import random
import statistics
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import repeat

import zxingcpp
from PIL import Image

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.models import ProductDraft
from barcodesvc.scanning.images.codes import ImageFile
from barcodesvc.scanning.images.one_look import READ_FORMATS
from barcodesvc.scanning.images.reading import read_image
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.alone import alone, timed
from scripts.benchmarks.codes import short_code
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import Contender, by_turns, share

DECODE = "/api/codes/decode"
PRODUCTS = 10_000
SHARE_REPEATED = at_least(0.70)
SHARE_UNSEEN = at_least(0.35)
READING = at_most(1.2)
SIDE = 1000
TURNS = 25


def speed() -> Iterator[Figure]:
    """Yield the share of the throughput of a bare handler that returns as many bytes, in the same event loop."""
    repeated = _scanned(_gtin(4711))
    products = (
        ProductDraft(product_code=_gtin(number), description=f"Product {number}", initial_level=number)
        for number in range(PRODUCTS)
    )
    with serving(products=products, bare={DECODE: repeated}) as server:
        port, bare_port = server.ports
        for name, bodies, target in (
            ("a repeated decode", repeat(repeated), SHARE_REPEATED),
            ("a decode not seen before", _unseen(), SHARE_UNSEEN),
        ):
            requests = (post(DECODE, body) for body in bodies)
            bare = Contender(server, bare_port, repeat(post(DECODE, repeated)))
            turns = by_turns({"service": Contender(server, port, requests), "bare": bare})
            yield share(f"{name}, share of a bare handler", turns, ("service", "bare"), target)


def image() -> Iterator[Figure]:
    """Yield the time of an image with one code, as a multiple of that of both libraries with the same options."""
    for kind in ("PNG", "JPEG"):
        ours, theirs, ratio = alone(_read_by_turns, kind)
        note = f"{ours:.1f} ms against {theirs:.1f}"
        yield Figure(f"1 megapixel of {kind}, times Pillow and zxing-cpp alone", ratio, "x", READING, note)


def _gtin(number: int) -> str:
    body = f"952{number:09d}"
    return body + check_digit(body)


def _scanned(code_data: str) -> str:
    return json.dumps({"code_data": code_data})


def _unseen() -> Iterator[str]:
    """Yield scans of all products, all distinct: GS1-128, GS1 Data Matrix and Digital Link in turn."""
    for serial in range(sys.maxsize):
        number = _gtin(serial % PRODUCTS)
        yield _scanned(f"]C1010{number}21{serial}")
        yield _scanned(f"]d2010{number}1728123110L{serial}")
        yield _scanned(f"https://id.gs1.org/01/0{number}/21/{serial}")


def _read_by_turns(kind: str) -> tuple[float, float, float]:
    """Return the milliseconds of both on an image, and the median of the ratios of neighbours."""
    content = _image_file(kind)
    pairs = [[timed(read, content)[1].seconds * 1000 for read in (_ours, _theirs)] for _ in range(TURNS)][1:]
    ours, theirs = zip(*pairs, strict=True)
    return statistics.median(ours), statistics.median(theirs), statistics.median(a / b for a, b in pairs)


def _ours(content: bytes) -> object:
    return read_image(ImageFile(content)).codes[0]


def _theirs(content: bytes) -> object:
    formats = zxingcpp.BarcodeFormats(READ_FORMATS)
    picture = Image.open(BytesIO(content))
    return zxingcpp.read_barcodes(picture, formats=formats, text_mode=zxingcpp.TextMode.Plain)[0]


def _image_file(kind: str) -> bytes:
    """Return a coloured image of SIDE x SIDE pixels with one code, turned a little, with the noise of a camera."""
    key = BarcodeKey(find_symbology("CODE128"), short_code(0), ModuleWidth(3), 150, with_text=True)
    symbol = Image.open(BytesIO(key.render().png)).convert("L")
    paper = Image.new("L", (SIDE, SIDE), 225)
    paper.paste(symbol, ((SIDE - symbol.width) // 2, (SIDE - symbol.height) // 2))
    turned = paper.rotate(7, Image.Resampling.BICUBIC, fillcolor=225)
    chance = random.Random(0)  # noqa: S311 - the same noise on every run
    noisy = bytes(min(255, max(0, value + chance.randrange(-6, 7))) for value in turned.tobytes())
    file = BytesIO()
    Image.frombytes("L", turned.size, noisy).convert("RGB").save(file, kind)
    return file.getvalue()

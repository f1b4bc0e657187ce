"""Handlers of pictures with their parameters in the URL, for `<img>` elements and label designers.

The path contains the code, percent-encoded where necessary, followed by `.svg` or `.png`; only the last extension
counts, so that a code may itself end in `.svg`. A picture has a strong ETag of its bytes (RFC 9110, 8.8.3).
"""

from typing import Annotated
from urllib.parse import unquote

from aiohttp import web

from barcodesvc.api.guard.headers import PICTURE_HEADERS
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.parameters import read_query
from barcodesvc.api.resources.code_requests import BarcodeQuery, QrQuery
from barcodesvc.api.resources.codes import barcode_picture, qr_picture
from barcodesvc.api.responses import conditional, strong_etag
from barcodesvc.api.signature import CACHED, Reads, Sends
from barcodesvc.codes.rendering import Rendering
from barcodesvc.models import ProductCode

SVG = "image/svg+xml"
PNG = "image/png"
_FOR_A_DAY = "public, max-age=86400"
"""A picture depends only on its URL, until a new release draws it differently."""
_FOR_A_DAY_PRIVATE = "private, max-age=86400"
"""If a key is required, no shared cache may give a picture to clients without one."""
_ASK_AGAIN = "no-cache"
"""With product information it depends on the product, too."""
_PER_ORIGIN = {"Vary": "Origin"}
"""The response to an `<img>` names no origin, and a cache must not give it to a script of an allowed origin."""
_SLASHES_BEFORE = "/api/codes/barcode/".count("/")
"""Slashes of the path before the code."""
BarcodeByAddress = Annotated[web.Request, Reads({"code": ProductCode}, BarcodeQuery)]
QrcodeByAddress = Annotated[web.Request, Reads({"code": ProductCode}, QrQuery)]
Svg = Annotated[web.Response, Sends({SVG: bytes}, CACHED)]
Png = Annotated[web.Response, Sends({PNG: bytes}, CACHED)]


async def barcode_svg(request: BarcodeByAddress) -> Svg:
    """Draw a barcode as an SVG document."""
    return _picture(request, (await _barcode(request)).svg, SVG, _for_a_day(request))


async def barcode_png(request: BarcodeByAddress) -> Png:
    """Draw a barcode as a PNG file."""
    return _picture(request, (await _barcode(request)).png, PNG, _for_a_day(request))


async def qrcode_svg(request: QrcodeByAddress) -> Svg:
    """Draw a QR code as an SVG document."""
    code, caching = await _qrcode(request)
    return _picture(request, code.svg, SVG, caching)


async def qrcode_png(request: QrcodeByAddress) -> Png:
    """Draw a QR code as a PNG file."""
    code, caching = await _qrcode(request)
    return _picture(request, code.png, PNG, caching)


async def _barcode(request: web.Request) -> Rendering:
    wanted = read_query(request, BarcodeQuery, product_code=_code(request))
    return await barcode_picture(request, wanted)


async def _qrcode(request: web.Request) -> tuple[Rendering, str]:
    wanted = read_query(request, QrQuery, product_code=_code(request))
    code, payload = await qr_picture(request, wanted)
    return code, _ASK_AGAIN if payload else _for_a_day(request)


def _for_a_day(request: web.Request) -> str:
    return _FOR_A_DAY_PRIVATE if request.app[SERVICE].settings.api_key else _FOR_A_DAY


def _code(request: web.Request) -> str:
    """Return the code in the path; escapes that are not UTF-8 become U+FFFD, which no code contains.

    The router's own match keeps such escapes, so that `%C4` would be drawn as a percent sign and `C4`.
    """
    *_, name = request.rel_url.raw_path.split("/", _SLASHES_BEFORE)
    return unquote(name).rpartition(".")[0]


def _picture(request: web.Request, picture: bytes, content_type: str, caching: str) -> web.Response:
    headers = {"Cache-Control": caching, **_PER_ORIGIN, **PICTURE_HEADERS}
    return conditional(request, strong_etag(picture), picture, headers, {"Content-Type": content_type})

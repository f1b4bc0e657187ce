"""The handlers of pictures by address: what an `<img>` or a label designer wants.

The code stands in the path, percent-encoded where it must be, with `.svg` or `.png` behind it; the last of these
endings counts, so that a code may itself end in `.svg`. A picture has a strong ETag over its bytes (RFC 9110, 8.8.3).
"""

from __future__ import annotations

from urllib.parse import unquote

from aiohttp import web

from barcodesvc.api.guard.safe_headers import PICTURE_HEADERS
from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.requests import read_query
from barcodesvc.api.resources.code_answers import barcode_picture, qr_picture
from barcodesvc.api.resources.code_json import CodeJson
from barcodesvc.api.resources.code_requests import BarcodeQuery, QrQuery
from barcodesvc.api.responses import is_known, strong_etag

SVG = "image/svg+xml"
PNG = "image/png"
_FOR_A_DAY = "public, max-age=86400"
"""A picture is a function of its address, until another release draws better."""
_FOR_A_DAY_PRIVATE = "private, max-age=86400"
"""Where a key is asked for, no shared cache hands a picture to those who have none."""
_ASK_AGAIN = "no-cache"
"""With product information it is a function of the product, too."""
_PER_ORIGIN = {"Vary": "Origin"}
"""What an `<img>` was answered names no origin, and must not be what a cache hands to a script of an allowed one."""
_SLASHES_BEFORE = "/api/codes/barcode/".count("/")
"""Slashes of the path before the code begins."""


async def barcode_svg(request: web.Request) -> web.Response:
    """GET /api/codes/barcode/{code}.svg: one code as an SVG document."""
    return _picture(request, (await _barcode(request)).svg_document, SVG, _for_a_day(request))


async def barcode_png(request: web.Request) -> web.Response:
    """GET /api/codes/barcode/{code}.png: one code as a PNG file."""
    return _picture(request, (await _barcode(request)).png_file, PNG, _for_a_day(request))


async def qrcode_svg(request: web.Request) -> web.Response:
    """GET /api/codes/qrcode/{code}.svg: one QR code as an SVG document."""
    code, caching = await _qrcode(request)
    return _picture(request, code.svg_document, SVG, caching)


async def qrcode_png(request: web.Request) -> web.Response:
    """GET /api/codes/qrcode/{code}.png: one QR code as a PNG file."""
    code, caching = await _qrcode(request)
    return _picture(request, code.png_file, PNG, caching)


async def _barcode(request: web.Request) -> CodeJson:
    wanted = read_query(request, BarcodeQuery, product_code=_code(request))
    return await barcode_picture(request.app, wanted)


async def _qrcode(request: web.Request) -> tuple[CodeJson, str]:
    wanted = read_query(request, QrQuery, product_code=_code(request))
    code, payload = await qr_picture(request.app, wanted)
    return code, _ASK_AGAIN if payload else _for_a_day(request)


def _for_a_day(request: web.Request) -> str:
    return _FOR_A_DAY_PRIVATE if request.app[SETTINGS].api_key else _FOR_A_DAY


def _code(request: web.Request) -> str:
    """Return the code in the path; escapes that are no UTF-8 become U+FFFD, which no code holds.

    The router's own match leaves them as they are, so that `%C4` would be drawn as a percent sign and `C4`.
    """
    *_, name = request.rel_url.raw_path.split("/", _SLASHES_BEFORE)
    return unquote(name).rpartition(".")[0]


def _picture(request: web.Request, picture: bytes, content_type: str, caching: str) -> web.Response:
    tag = strong_etag(picture)
    headers = {"ETag": tag, "Cache-Control": caching, **_PER_ORIGIN, **PICTURE_HEADERS}
    if is_known(request, tag):
        return web.Response(status=304, headers=headers)
    return web.Response(body=picture, content_type=content_type, headers=headers)

"""Codes as the API returns them, and what independent libraries read in them."""

from base64 import b64decode
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import quote

import resvg_py
import zxingcpp
from PIL import Image
from yarl import URL

from tests.fixture_types import Client

_PREFIX = "data:image/png;base64,"


async def drawn(client: Client, kind: str, **body: object) -> dict[str, Any]:
    """Return the data of a successful POST /api/codes/{kind}."""
    response = await client.post(f"/api/codes/{kind}", json=body)
    reply = await response.json()
    assert response.status == 200, reply
    return dict(reply["data"])


def svg_text(data: Mapping[str, Any]) -> str:
    """Return the SVG document in the data of a response."""
    return str(data.get("barcode_svg") or data["qr_code_svg"])


def png_bytes(data: Mapping[str, Any]) -> bytes:
    """Return the PNG file in the data of a response."""
    uri = str(data.get("barcode_base64") or data["qr_code_base64"])
    assert uri.startswith(_PREFIX)
    return b64decode(uri.removeprefix(_PREFIX), validate=True)


def png_image(data: Mapping[str, Any]) -> Image.Image:
    """Return the PNG file in the data of a response as an image."""
    return image(png_bytes(data))


def image(png: bytes) -> Image.Image:
    """Return a PNG file as an image."""
    return Image.open(BytesIO(png))


def svg_image(data: Mapping[str, Any]) -> Image.Image:
    """Return the SVG document in the data of a response, rasterised."""
    return image(bytes(resvg_py.svg_to_bytes(svg_string=svg_text(data))))


def read_back(picture: Image.Image) -> str:
    """Return what a reader finds in an image of one symbol."""
    found = zxingcpp.read_barcodes(picture.convert("L"), text_mode=zxingcpp.TextMode.Plain)
    assert len(found) == 1
    return str(found[0].text)


def address(kind: str, code: str, ending: str, **query: object) -> URL:
    """Return the URL of a picture, with the code escaped so that no client normalises it."""
    path = f"/api/codes/{kind}/{quote(code, safe='')}.{ending}"
    return URL(path, encoded=True).with_query({name: _spelt(value) for name, value in query.items()})


def _spelt(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

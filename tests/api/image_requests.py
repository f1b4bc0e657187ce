"""Requests that send an image, and helpers to read their responses."""

from base64 import b64encode
from typing import Any

from aiohttp import ClientResponse
from PIL import Image

from tests.fixture_types import Client
from tests.forms import KIND, form_data, form_head, part
from tests.scanning.symbol_images import file_of, on_paper, symbol

PATH = "/api/codes/decode"
IMAGE_PART = part("image", filename="a.png")
HINT_PART = part("code_type")
IMAGE = file_of(on_paper((symbol(content="A-1"), (40, 40)), side=300))
LOT = "(01)09521234543213(17)271231(10)LOT7"
PACK = file_of(on_paper((symbol("EAN13", "9521234543213"), (20, 20)), (symbol("GS1DATAMATRIX", LOT, 4), (20, 200))))
ROOM = 16 * 10 * 1024 * 1024
"""The capacity for arriving images in bytes, with default settings."""
EMPTY = file_of(Image.new("L", (60, 40), 255))
MALFORMED = {"body": "the body with the image is cut short or malformed"}
JSON = {"Content-Type": "application/json"}


def image_of(*contents: str) -> bytes:
    """Return an image of QR codes with these contents, one below the other."""
    codes = [(symbol("QR", content, 3), (20, 110 * index)) for index, content in enumerate(contents)]
    return file_of(on_paper(*codes, side=110 * len(contents) + 110))


def head(length: int, kind: str = KIND) -> bytes:
    """Return the head of a request with a body of this length."""
    return form_head(PATH, length).replace(KIND.encode(), kind.encode())


def padded(size: int) -> bytes:
    """Return a PNG image of A-1 followed by extra bytes, which readers ignore."""
    return IMAGE + bytes(size - len(IMAGE))


async def sent(client: Client, content: bytes, **texts: str) -> ClientResponse:
    """Send an image as a part of a form."""
    return await client.post(PATH, data=form_data(content, "image", **texts))


async def sent_base64(client: Client, content: bytes) -> ClientResponse:
    """Send an image in JSON."""
    return await client.post(PATH, json={"image_base64": b64encode(content).decode()})


async def data(response: ClientResponse) -> dict[str, Any]:
    """Return the data of a success."""
    found = await response.json()
    assert response.status == 200, found
    return dict(found["data"])

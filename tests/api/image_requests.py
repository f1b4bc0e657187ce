"""Requests that send an image, and helpers to read their responses."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from aiohttp import ClientResponse, FormData
from PIL import Image

from tests.conftest import Client
from tests.scanning.symbol_images import file_of, on_paper, symbol

PATH = "/api/codes/decode"
FORM = "multipart/form-data; boundary=XX"
MULTIPART = {"Content-Type": FORM}
IMAGE_PART = b'--XX\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
HINT_PART = b'--XX\r\nContent-Disposition: form-data; name="code_type"\r\n\r\n'
END = b"\r\n--XX--\r\n"
IMAGE = file_of(on_paper((symbol(content="A-1"), (40, 40)), side=300))
LOT = "(01)09521234543213(17)271231(10)LOT7"
PACK = file_of(on_paper((symbol("EAN13", "9521234543213"), (20, 20)), (symbol("GS1DATAMATRIX", LOT, 4), (20, 200))))
ROOM = 16 * 10 * 1024 * 1024
"""The capacity for arriving images in bytes, with default settings."""
EMPTY = file_of(Image.new("L", (60, 40), 255))
MALFORMED = {"body": "the body with the image is cut short or malformed"}
JSON = {"Content-Type": "application/json"}
PEN = {"id": 1, "product_code": "A-1", "description": "Blue pen", "category": "Pens", "attributes": {}}


def image_of(*contents: str) -> bytes:
    """Return an image of QR codes with these contents, one below the other."""
    codes = [(symbol("QR", content, 3), (20, 110 * index)) for index, content in enumerate(contents)]
    return file_of(on_paper(*codes, side=110 * len(contents) + 110))


def head(length: int, kind: str = FORM) -> bytes:
    """Return the head of a request with a body of this length."""
    return f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def padded(size: int) -> bytes:
    """Return a PNG image of A-1 followed by extra bytes, which readers ignore."""
    return IMAGE + bytes(size - len(IMAGE))


async def sent(client: Client, content: bytes, **texts: str) -> ClientResponse:
    """Send an image as a part of a form."""
    form = FormData()
    form.add_field("image", content, filename="image", content_type="application/octet-stream")
    for name, text in texts.items():
        form.add_field(name, text)
    return await client.post(PATH, data=form)


async def sent_base64(client: Client, content: bytes) -> ClientResponse:
    """Send an image in JSON."""
    return await client.post(PATH, json={"image_base64": b64encode(content).decode()})


async def data(response: ClientResponse) -> dict[str, Any]:
    """Return the data of a success."""
    found = await response.json()
    assert response.status == 200, found
    return dict(found["data"])

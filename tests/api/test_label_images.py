"""Images for labels: what is saved, what is refused, and that bombs cost nothing."""

import struct
import zlib
from io import BytesIO
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from tests.api.replies import problems, refused
from tests.fixture_types import Client

IMAGES = "/api/codes/images"
PNG = {"Content-Type": "image/png"}


def _png(image: Image.Image) -> bytes:
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _steps() -> Image.Image:
    """Return black, dark grey, light grey, white, transparent black, and half transparent black."""
    image = Image.new("RGBA", (6, 1))
    for at, (grey, alpha) in enumerate([(0, 255), (127, 255), (128, 255), (255, 255), (0, 0), (0, 200)]):
        image.putpixel((at, 0), (grey, grey, grey, alpha))
    return image


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _bomb(width: int, height: int, pixels: bytes) -> bytes:
    """Return a PNG whose header has these sides, with these pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(pixels, 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


async def test_an_image_is_saved_read_listed_and_deleted(client: Client) -> None:
    """It comes back in black and white, on white paper, and is gone once it is deleted."""
    saved = {"name": "logo", "width": 6, "height": 1, "updated_at": "2023-11-14T22:13:20.000Z"}
    response = await client.put(f"{IMAGES}/logo", data=_png(_steps()), headers=PNG)
    assert (await response.json()) == {"success": True, "data": saved}
    assert (await (await client.get(IMAGES)).json())["data"] == [saved]
    read = await client.get(f"{IMAGES}/logo")
    assert read.content_type == "image/png"
    assert Image.open(BytesIO(await read.read())).convert("L").tobytes() == bytes((0, 0, 255, 255, 255, 0))
    assert (await client.delete(f"{IMAGES}/logo")).status == 200
    for response in (await client.get(f"{IMAGES}/logo"), await client.delete(f"{IMAGES}/logo")):
        assert response.status == 404
        assert (await response.json())["details"] == {"reason": "not_found", "resource": "image", "name": "logo"}


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (_bomb(1001, 1, b"\0"), "FILE_TOO_LARGE", "1001 x 1 pixels; send one of at most 1,000 pixels a side"),
        (_bomb(2**31 - 1, 2**31 - 1, b"\0"), "FILE_TOO_LARGE", "send one of at most 1,000 pixels"),
        (_bomb(1000, 1000, b"\0"), "INVALID_FILE_FORMAT", "truncated or damaged"),
        (_bomb(0, 0, b""), "INVALID_FILE_FORMAT", "truncated or damaged"),
        (b"GIF89a" + b"\0" * 40, "INVALID_FILE_FORMAT", "not a PNG image"),
    ],
    ids=["side", "bomb", "cut", "empty", "GIF"],
)
async def test_what_is_no_small_png_is_refused(client: Client, content: bytes, code: str, message: str) -> None:
    """The size in the header is enough to refuse an image that would fill the memory."""
    response = await client.put(f"{IMAGES}/logo", data=content, headers=PNG)
    assert message in (await refused(response, 400, code))["message"]


async def test_the_largest_image_is_taken(client: Client) -> None:
    """A thousand pixels a side are; data that unpacks to more than the header says is read up to there, or refused."""
    response = await client.put(f"{IMAGES}/a", data=_png(Image.new("L", (1000, 1000))), headers=PNG)
    assert response.status == 200, await response.text()
    response = await client.put(f"{IMAGES}/logo", data=_bomb(100, 100, bytes(50_000_000)), headers=PNG)
    assert response.status in (200, 400)


async def test_a_long_file_is_refused(client: Client) -> None:
    """More than 64 KiB are not read."""
    response = await client.put(f"{IMAGES}/logo", data=bytes(64 * 1024 + 1), headers=PNG)
    assert (await refused(response, 400, "VALIDATION_ERROR"))["details"]["reason"] == "too_large"


async def test_another_media_type_is_refused(client: Client) -> None:
    """The message says how to send it."""
    response = await client.put(f"{IMAGES}/logo", data=_png(_steps()), headers={"Content-Type": "image/jpeg"})
    assert "send it as image/png" in (await refused(response, 400, "VALIDATION_ERROR"))["message"]


async def test_name_and_query_are_checked(client: Client) -> None:
    """Both are reported together."""
    response = await client.put(f"{IMAGES}/a b", params={"x": "1"}, data=_png(_steps()), headers=PNG)
    assert set(await problems(response)) == {"name", "x"}


async def test_an_image_is_printed_on_every_label(client: Client) -> None:
    """It is there in its size, in black and white, and the code is still read; a saved layout may have it."""
    logo = Image.new("L", (100, 50), 255)
    logo.paste(0, (0, 0, 50, 50))
    await client.put(f"{IMAGES}/logo", data=_png(logo), headers=PNG)
    layout = {"sheet": "100x50mm", "image": {"name": "logo", "width": 20, "place": "left"}}
    assert (await client.put("/api/codes/layouts/shelf", json=layout)).status == 200
    response = await client.post("/api/codes/printable", json={"products": ["A-1"] * 12, "layout": "shelf"})
    assert response.status == 200, await response.text()
    pages = pypdfium2.PdfDocument(await response.read())
    label = pages[11].render(scale=300 / 72, grayscale=True).to_pil()
    side = round(10 * 300 / 25.4)
    left, top = 18, (label.height - side) // 2
    assert label.crop((left + 3, top + 3, left + side - 3, top + side - 3)).getextrema() == (0, 0)
    assert label.crop((left + side + 3, top, left + 2 * side, top + side)).getextrema() == (255, 255)
    assert [code.text for code in zxingcpp.read_barcodes(label)] == ["A-1"]


async def test_an_image_of_a_layout_has_to_be_there_and_to_fit(client: Client) -> None:
    """A name that is not saved is a 404, and a width that leaves the label is a 400."""
    await client.put(f"{IMAGES}/logo", data=_png(_steps()), headers=PNG)
    body: dict[str, Any] = {"products": ["A-1"], "layout": {"sheet": "50x30mm", "image": {"name": "till", "width": 20}}}
    assert (await client.post("/api/codes/printable", json=body)).status == 404
    body["layout"]["image"] = {"name": "logo", "width": 60}
    found = await problems(await client.post("/api/codes/printable", json=body))
    assert "a label is 47" in found["layout.image.width"]
    body["layout"]["image"] = {"name": "logo", "width": 20, "place": "below"}
    assert list(await problems(await client.post("/api/codes/printable", json=body))) == ["layout.image.place"]

"""Files that arrive: workbooks to import, and images to decode, in forms or as Base64 in JSON."""

import asyncio
import json
import tempfile
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from barcodesvc.api.keys import SERVICE
from tests.api.calls import SCANNED_PEN, product_count
from tests.api.conftest import ROWS
from tests.api.image_requests import (
    IMAGE,
    IMAGE_PART,
    JSON,
    PATH as DECODE,
    ROOM,
    data,
    head,
    padded,
    sent,
    sent_base64,
)
from tests.api.replies import problems, refused
from tests.api.sockets import connected, raw
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import MULTIPART, form, form_data, form_head, part
from tests.scanning.symbol_images import file_of
from tests.sweeps import sweep
from tests.workbooks import xlsx

IMPORT = "/api/products/import"
FILE = part("file", filename="a.xlsx")
BASE64 = b64encode(IMAGE).decode()
BOOK = xlsx(ROWS)

pytestmark = pytest.mark.usefixtures("folder")


async def test_an_upload_gives_its_place_back(client: Client) -> None:
    """Uploads one after the other are each received, whether or not they succeed."""
    for number in range(5):
        response = await client.post(IMPORT, data=form_data(b"no workbook" if number % 2 else BOOK))
        assert response.status == (400 if number % 2 else 200)
        assert client.app[SERVICE].uploads.used == 0


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_the_file_is_spooled_to_disk_while_it_arrives(client: Client, folder: Path, until: Until) -> None:
    """An upload under way has one file; when its client disconnects, file and place are released."""
    uploads = client.app[SERVICE].uploads
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(form_head(IMPORT, 500_000) + FILE + b"x" * 200_000)
    await until(lambda: [file.name[:18] for file in folder.iterdir()] == ["barcodesvc-upload-"])
    assert uploads.used == 1
    writer.transport.abort()
    await until(lambda: uploads.used == 0)
    assert await product_count(client) == 0


@pytest.mark.parametrize(
    ("begin", "message"),
    [
        (form_head(IMPORT, 5000) + FILE, b"the upload took longer than 0.05 seconds"),
        (head(5000) + IMAGE_PART, b"the image took longer than 0.05 seconds"),
        (head(5000, "application/json") + b'{"image_base64":"', b"the image took longer than 0.05 seconds"),
    ],
    ids=["workbook", "image", "image in JSON"],
)
async def test_a_file_that_takes_too_long_is_refused(make_client: ClientMaker, begin: bytes, message: bytes) -> None:
    """A body that stalls is refused after the configured time, and its capacity is released."""
    client = await make_client(upload_timeout=0.05, max_json_bytes=1024)
    response = await raw(client, begin, b"]}}")
    assert response.startswith(b"HTTP/1.1 400 ")
    assert message in response
    assert client.app[SERVICE].uploads.used == 0
    assert client.app[SERVICE].image_reader.arriving_bytes.free == ROOM


async def test_a_full_disk_is_reported(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload that finds no space from its first byte, or not even for an empty file, is refused with what to do."""
    full = open("/dev/full", "wb")  # noqa: PTH123, SIM115, ASYNC230 - closed by the service as its own file
    for made in (lambda **_: full, partial(tempfile.NamedTemporaryFile, dir="/missing")):
        monkeypatch.setattr("barcodesvc.api.forms.tempfile.NamedTemporaryFile", made)
        reply = await refused(await client.post(IMPORT, data=form_data(BOOK)), 500, "DATABASE_ERROR")
        assert reply["message"] == "the upload could not be stored; free disk space and try again"


async def test_one_address_has_half_of_the_uploads_at_once(make_client: ClientMaker, until: Until) -> None:
    """However slowly they arrive, another one is refused until one has ended, and another address imports meanwhile."""
    client = await make_client(max_concurrent_uploads=2)
    uploads = client.app[SERVICE].uploads
    async with connected(client) as (_, writer), connected(client, "127.0.0.2") as (_, other):
        writer.write(form_head(IMPORT, 100_000) + FILE)
        await until(lambda: uploads.used == 1)
        response = await client.post(IMPORT, data=form_data(BOOK))
        reply = await refused(response, 429, "RATE_LIMIT_EXCEEDED")
        assert reply["message"] == "too many uploads are in progress; try again in a moment"
        assert response.headers["Retry-After"] == "5"
        other.write(form_head(IMPORT, 100_000) + FILE)
        await until(lambda: uploads.free == 0)
    await until(lambda: uploads.used == 0)
    assert (await client.post(IMPORT, data=form_data(BOOK))).status == 200


@pytest.mark.parametrize("send", [sent, sent_base64], ids=["image", "image in JSON"])
async def test_the_limit_counts_the_bytes_of_an_image(make_client: ClientMaker, send: Callable[..., Any]) -> None:
    """An image of exactly the limit is read, one byte more is not, however small the limit of JSON is."""
    client = await make_client(max_upload_bytes=20_000, max_json_bytes=1024)
    error = await refused(await send(client, padded(20_000)), 404, "PRODUCT_NOT_FOUND")
    assert error["details"]["codes"][0]["text"] == "A-1"
    error = await refused(await send(client, padded(20_001)), 400, "FILE_TOO_LARGE")
    assert error["details"] == {"reason": "too_large", "limit": 20_000}
    assert error["message"] == "the image is larger than 20000 bytes; send one of fewer pixels, or a JPEG"


async def test_the_limit_counts_the_bytes_of_a_workbook(make_client: ClientMaker) -> None:
    """So it does for a workbook, whatever the form has besides."""
    client = await make_client(max_upload_bytes=2048)
    await refused(await client.post(IMPORT, data=form_data(b"x" * 2048)), 400, "INVALID_FILE_FORMAT")
    error = await refused(await client.post(IMPORT, data=form_data(b"x" * 2049)), 400, "FILE_TOO_LARGE")
    assert error["message"] == "the file is larger than 2048 bytes"


async def test_a_chunked_upload_is_read(client: Client) -> None:
    """An upload without a length works like one with it."""

    async def chunks() -> AsyncIterator[bytes]:
        body = form(FILE + BOOK)
        for start in range(0, len(body), 1000):
            yield body[start : start + 1000]

    assert (await client.post(IMPORT, data=chunks(), headers=MULTIPART)).status == 200
    assert await product_count(client) == 2


@pytest.mark.parametrize(
    "spelt",
    [
        BASE64.rstrip("="),
        urlsafe_b64encode(IMAGE).decode(),
        "DATA:;BASE64," + BASE64,
        "\r\n".join(BASE64[start : start + 76] for start in range(0, len(BASE64), 76)),
    ],
    ids=["unpadded", "url-safe", "data URI", "lines"],
)
async def test_base64_may_be_spelt_in_many_ways(shop: Client, spelt: str) -> None:
    """Both alphabets, with padding or without, as a data URI, in lines."""
    response = await shop.post(DECODE, json={"image_base64": spelt, "code_type": "QR"})
    assert (await data(response))["product"] == SCANNED_PEN


NULL = "null is not a value; leave the field out instead"


@sweep(
    ("body", "expected"),
    [
        ({}, {"code_data": "required"}),
        ({"code_type": "QR"}, {"code_data": "required"}),
        ({"code_data": "A", "image_base64": "AAAA"}, {"code_data": "give either code_data or image_base64, not both"}),
        ({"image_base64": 7}, {"image_base64": "Input should be a valid string"}),
        ({"image_base64": None}, {"image_base64": NULL}),
        ({"code_data": "A", "effort": "quick"}, {"effort": "only an image has an effort"}),
        ({"code_data": None}, {"code_data": NULL}),
    ],
)
async def test_either_a_text_or_an_image_is_wanted(
    client: Client, body: dict[str, object], expected: dict[str, str]
) -> None:
    """Neither or both of them are refused with the problem."""
    assert await problems(await client.post(DECODE, json=body)) == expected


@sweep("text", ["%", "A", "AAAA=AAA", "data:image/png,AAAA", "é", "AA\u0000A"])
async def test_what_is_no_base64_is_refused(client: Client, text: str) -> None:
    """The error names the field and what is expected."""
    named = await problems(await client.post(DECODE, json={"image_base64": text}))
    assert list(named) == ["image_base64"]
    assert named["image_base64"].startswith("not base64")


PADDED = b64encode(padded(3000)).decode()


@sweep(
    ("body", "kind", "expected"),
    [
        (
            json.dumps({"image_base64": PADDED, "code_type": "x" * 2000}),
            "application/json",
            "larger than 1024 bytes besides its image",
        ),
        (json.dumps({"code_data": "x" * 2000}), "application/json", "larger than 1024 bytes"),
        (json.dumps({"code_data": "x" * 9000}), "application/json", "larger than 1024 bytes"),
        (b"\xff" * 2000, "application/json", "larger than 1024 bytes"),
        (
            json.dumps({"image_base64": PADDED}),
            "text/plain",
            "text/plain cannot be read; send it as application/json",
        ),
    ],
)
async def test_the_larger_limit_is_that_of_the_image_alone(
    make_client: ClientMaker, body: Any, kind: str, expected: str
) -> None:
    """JSON without one, and what is next to it, is held to the limit of JSON."""
    client = await make_client(max_json_bytes=1024, max_upload_bytes=4096)
    response = await client.post(DECODE, data=body, headers={"Content-Type": kind})
    assert await problems(response) == {"body": expected}


@pytest.mark.parametrize(("spaces", "status"), [(99, 404), (100, 400)])
async def test_few_spaces_may_precede_the_image(make_client: ClientMaker, spaces: int, status: int) -> None:
    """Searching for it behind ten million would block all other requests."""
    client = await make_client(max_json_bytes=1024)
    for gap in (b"%b:" % (b" " * spaces), b":%b" % (b" " * spaces)):
        body = b'{"image_base64"%b"%b"}' % (gap, b64encode(padded(20_000)))
        assert (await client.post(DECODE, data=body, headers=JSON)).status == status


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", IMAGE[:200]], ids=["nothing", "no image", "half an image"])
async def test_what_is_no_image_is_refused(client: Client, content: bytes) -> None:
    """It is judged by content, whatever its name is."""
    await refused(await sent(client, content), 400, "INVALID_FILE_FORMAT")


async def test_a_bomb_is_refused(client: Client) -> None:
    """The refusal of too many pixels contains their number."""
    error = await refused(await sent(client, file_of(Image.new("1", (50_001, 1000)))), 400, "FILE_TOO_LARGE")
    assert error["details"] == {"reason": "too_large", "width": 50_001, "height": 1000}

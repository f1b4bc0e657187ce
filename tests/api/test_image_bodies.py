import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest
from PIL import Image

from barcodesvc.api.keys import SERVICE
from tests.api.image_requests import (
    HINT_PART,
    IMAGE,
    IMAGE_PART,
    JSON,
    MALFORMED,
    PATH,
    PEN,
    ROOM,
    data,
    head,
    padded,
    sent,
    sent_base64,
)
from tests.fixture_types import Client, Problems
from tests.forms import END, KIND, MULTIPART, part as form_part
from tests.scanning.symbol_images import file_of


@pytest.mark.parametrize("hint", ["QR", "", "x" * 200])
async def test_a_hint_is_next_to_the_image(shop: Client, hint: str) -> None:
    """`code_type` is accepted with an image too, and has no effect: the symbol says what it is."""
    assert (await data(await sent(shop, IMAGE, code_type=hint)))["product"] == PEN
    body = {"image_base64": b64encode(IMAGE).decode(), "code_type": hint}
    assert (await data(await shop.post(PATH, json=body)))["product"] == PEN


@pytest.mark.parametrize(
    "spelt",
    [
        b64encode(IMAGE).decode(),
        b64encode(IMAGE).decode().rstrip("="),
        urlsafe_b64encode(IMAGE).decode(),
        "data:image/png;base64," + b64encode(IMAGE).decode(),
        "DATA:;BASE64," + b64encode(IMAGE).decode(),
        "\r\n".join(b64encode(IMAGE).decode()[start : start + 76] for start in range(0, 9999, 76)),
    ],
    ids=["standard", "unpadded", "url-safe", "data URI", "capitals", "lines"],
)
async def test_base64_may_be_spelt_in_many_ways(shop: Client, spelt: str) -> None:
    """Both alphabets, with padding or without, as a data URI, in lines."""
    assert (await data(await shop.post(PATH, json={"image_base64": spelt})))["product"] == PEN


@pytest.mark.parametrize("text", ["%", "A", "AAAA=AAA", "data:image/png,AAAA", "é", "AA\u0000A"])
async def test_what_is_no_base64_is_refused(client: Client, problems: Problems, text: str) -> None:
    """The error names the field and what is expected."""
    named = await problems(await client.post(PATH, json={"image_base64": text}))
    assert list(named) == ["image_base64"]
    assert named["image_base64"].startswith("not base64")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"code_data": "required"}),
        ({"code_type": "QR"}, {"code_data": "required"}),
        ({"code_data": "A", "image_base64": "AAAA"}, {"code_data": "give either code_data or image_base64, not both"}),
        ({"image_base64": 7}, {"image_base64": "Input should be a valid string"}),
        ({"image_base64": None}, {"image_base64": "null is not a value; leave the field out instead"}),
        ({"code_data": "A", "effort": "quick"}, {"effort": "only an image has an effort"}),
        ({"code_data": None}, {"code_data": "null is not a value; leave the field out instead"}),
    ],
    ids=str,
)
async def test_either_a_text_or_an_image_is_wanted(
    client: Client, problems: Problems, body: dict[str, object], expected: dict[str, str]
) -> None:
    """Neither or both of them are refused with the problem."""
    assert await problems(await client.post(PATH, json=body)) == expected


@pytest.mark.parametrize("send", [sent, sent_base64])
@pytest.mark.parametrize(("size", "status"), [(20_000, 404), (20_001, 400)])
async def test_the_limit_counts_the_images_bytes(
    make_client: Any, refused: Any, send: Any, size: int, status: int
) -> None:
    """It is the limit of uploads, in either kind of body, however small the limit of JSON is."""
    client = await make_client(max_upload_bytes=20_000, max_json_bytes=1024)
    response = await send(client, padded(size))
    if status == 404:
        error = await refused(response, 404, "PRODUCT_NOT_FOUND")
        assert error["details"]["codes"][0]["text"] == "A-1"
    else:
        error = await refused(response, 400, "FILE_TOO_LARGE")
        assert error["details"] == {"reason": "too_large", "limit": 20_000}
        assert error["message"] == "the image is larger than 20000 bytes; send one of fewer pixels, or a JPEG"


async def test_an_announced_form_over_the_limit_is_refused_at_once(client: Client, raw: Any) -> None:
    """The refusal waits for no byte of the body."""
    assert b'"code":"FILE_TOO_LARGE"' in await raw(client, head(11_000_000), b'"limit":10485760}}')


@pytest.mark.parametrize("part", [IMAGE_PART, HINT_PART, form_part("other")])
async def test_the_limit_is_held_without_an_announced_length(make_client: Any, refused: Any, part: bytes) -> None:
    """A chunked form is cut off when the parts so far are too large."""

    async def chunks() -> AsyncIterator[bytes]:
        yield part
        for _ in range(50):
            yield b"x" * 65536

    client = await make_client(max_upload_bytes=100_000)
    await refused(await client.post(PATH, data=chunks(), headers=MULTIPART), 400, "FILE_TOO_LARGE")


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"code_type": "x" * 2000}, {"body": "larger than 1024 bytes besides its image"}),
        ({"other": "x"}, {"other": "no such field; there are image_base64, code_data, code_type, effort"}),
    ],
    ids=["a long hint", "another field"],
)
async def test_other_fields_are_held_to_the_limit_of_json(
    make_client: Any, problems: Problems, others: dict[str, str], expected: dict[str, str]
) -> None:
    """The larger limit applies only to the image."""
    client = await make_client(max_json_bytes=1024)
    body = {"image_base64": b64encode(padded(3000)).decode(), **others}
    assert await problems(await client.post(PATH, json=body)) == expected


async def test_long_json_without_an_image_is_too_long(make_client: Any, problems: Problems) -> None:
    """Without an image the limit of JSON bodies applies, whatever other fields are sent."""
    client = await make_client(max_json_bytes=1024, max_upload_bytes=2048)
    for length in (2000, 9000):
        response = await client.post(PATH, json={"code_data": "x" * length})
        assert await problems(response) == {"body": "larger than 1024 bytes"}
    assert await problems(await client.post(PATH, data=b"\xff" * 2000, headers=JSON)) == {
        "body": "larger than 1024 bytes"
    }


@pytest.mark.parametrize(("spaces", "status"), [(99, 404), (100, 400)])
async def test_few_spaces_may_precede_the_image(make_client: Any, spaces: int, status: int) -> None:
    """Searching for it behind ten million would block all other requests."""
    client = await make_client(max_json_bytes=1024)
    for gap in (b"%b:" % (b" " * spaces), b":%b" % (b" " * spaces)):
        body = b'{"image_base64"%b"%b"}' % (gap, b64encode(padded(20_000)))
        assert (await client.post(PATH, data=body, headers=JSON)).status == status


async def test_long_json_is_json_by_its_type(make_client: Any, problems: Problems) -> None:
    """A type that is refused for a short body is refused for a long one."""
    client = await make_client(max_json_bytes=1024)
    body = json.dumps({"image_base64": b64encode(padded(3000)).decode()})
    named = await problems(await client.post(PATH, data=body, headers={"Content-Type": "text/plain"}))
    assert named == {"body": "text/plain cannot be read; send it as application/json"}


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "INVALID_FILE_FORMAT"), (b"%PDF-1.7", "INVALID_FILE_FORMAT"), (IMAGE[:200], "INVALID_FILE_FORMAT")],
    ids=["nothing", "no image", "half an image"],
)
@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_what_is_no_image_is_refused(client: Client, refused: Any, send: Any, content: bytes, code: str) -> None:
    """It is judged by content, whatever its name is."""
    await refused(await send(client, content), 400, code)


async def test_a_bomb_is_refused(client: Client, refused: Any) -> None:
    """The refusal of too many pixels contains their number."""
    bomb = file_of(Image.new("1", (50_001, 1000)))
    error = await refused(await sent(client, bomb), 400, "FILE_TOO_LARGE")
    assert error["details"] == {"reason": "too_large", "width": 50_001, "height": 1000}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (IMAGE_PART + IMAGE, MALFORMED),
        (b"", MALFORMED),
        (HINT_PART + b"QR" + END, {"image": "required; send the image as the part named image"}),
        (
            IMAGE_PART + IMAGE + b"\r\n" + IMAGE_PART + IMAGE + END,
            {"image": "given more than once; send it once"},
        ),
        (
            IMAGE_PART.replace(b'"image"', b'"file"') + IMAGE + END,
            {
                "file": "no such part; there are image, code_type, effort",
                "image": "required; send the image as the part named image",
            },
        ),
        (
            b"--XX\r\nContent-Disposition: form-data\r\nContent-Type: multipart/mixed; boundary=YY\r\n\r\n--YY--" + END,
            {
                "body": "no such part; there are image, code_type, effort",
                "image": "required; send the image as the part named image",
            },
        ),
        ((HINT_PART + b"\r\n") * 60 + END, {"code_type": "given more than once; send it once"}),
    ],
    ids=["cut short", "nothing", "without", "twice", "misnamed", "nested", "many"],
)
async def test_a_wrong_form_is_refused(
    client: Client, problems: Problems, body: bytes, expected: dict[str, str]
) -> None:
    """Problems of its parts are reported together, up to a limit, and its capacity is released."""
    assert await problems(await client.post(PATH, data=body, headers=MULTIPART)) == expected
    assert client.app[SERVICE].image_reader.places.used == 0


async def test_other_multipart_bodies_are_refused(client: Client, problems: Problems) -> None:
    """Only multipart/form-data is accepted."""
    response = await client.post(
        PATH, data=IMAGE_PART + IMAGE + END, headers={"Content-Type": "multipart/mixed; boundary=XX"}
    )
    assert (await problems(response))["body"].startswith("multipart/mixed cannot be read; send it as application/json")


async def test_a_form_takes_no_parameters(client: Client, problems: Problems) -> None:
    """A query parameter is refused by name, with an image as without one."""
    response = await client.post(PATH, params={"code_type": "QR"}, data=IMAGE_PART + IMAGE + END, headers=MULTIPART)
    assert await problems(response) == {"code_type": "no such parameter"}


@pytest.mark.parametrize("kind", [KIND, "application/json"])
async def test_an_image_that_takes_too_long_is_refused(make_client: Any, raw: Any, kind: str) -> None:
    """A body that stalls is refused after the configured time, and its capacity is released."""
    client = await make_client(upload_timeout=0.05, max_json_bytes=1024)
    response = await raw(client, head(5000, kind) + IMAGE_PART, b"]}}")
    assert b"the image took longer than 0.05 seconds" in response
    assert client.app[SERVICE].image_reader.arriving_bytes.free == ROOM

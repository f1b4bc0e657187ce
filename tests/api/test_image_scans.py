from __future__ import annotations

import asyncio
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request
from PIL import Image

from barcodesvc.api.keys import ARRIVING, PHOTO_READER
from barcodesvc.scanning.images import WAITING
from tests.scanning.photographs import file_of, on_paper, symbol

Client = TestClient[Request, Application]
Problems = Callable[[ClientResponse], Awaitable[dict[str, str]]]

PATH = "/api/codes/decode"
FORM = "multipart/form-data; boundary=XX"
MULTIPART = {"Content-Type": FORM}
IMAGE = b'--XX\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
HINT = b'--XX\r\nContent-Disposition: form-data; name="code_type"\r\n\r\n'
END = b"\r\n--XX--\r\n"
PHOTO = file_of(on_paper((symbol(content="A-1"), (40, 40)), side=300))
LOT = "(01)09521234543213(17)271231(10)LOT7"
PACK = file_of(on_paper((symbol("EAN13", "9521234543213"), (20, 20)), (symbol("GS1DATAMATRIX", LOT, 4), (20, 200))))
ROOM = 16 * 10 * 1024 * 1024
"""Bytes of arriving images that there is room for, with the settings as they are."""
EMPTY = file_of(Image.new("L", (60, 40), 255))
MALFORMED = {"body": "the body that should bring an image is cut short or malformed"}
JSON = {"Content-Type": "application/json"}
PEN = {"id": 1, "product_code": "A-1", "description": "Blue pen", "category": "Pens"}


def photo_of(*contents: str) -> bytes:
    """Return an image with QR codes of these contents below each other."""
    codes = [(symbol("QR", content, 3), (20, 110 * place)) for place, content in enumerate(contents)]
    return file_of(on_paper(*codes, side=110 * len(contents) + 110))


def head(length: int, kind: str = FORM) -> bytes:
    """Return the head of a request whose body is so long."""
    return f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def padded(size: int) -> bytes:
    """Return a PNG image of A-1 with further bytes behind it, which no reader looks at."""
    return PHOTO + bytes(size - len(PHOTO))


async def sent(client: Client, content: bytes, **texts: str) -> ClientResponse:
    """Send an image as the part of a form."""
    form = FormData()
    form.add_field("image", content, filename="photo", content_type="application/octet-stream")
    for name, text in texts.items():
        form.add_field(name, text)
    return await client.post(PATH, data=form)


async def sent_base64(client: Client, content: bytes) -> ClientResponse:
    """Send an image in JSON."""
    return await client.post(PATH, json={"image_base64": b64encode(content).decode()})


async def data(answer: ClientResponse) -> dict[str, Any]:
    """Return the data of a success."""
    told = await answer.json()
    assert answer.status == 200, told
    return dict(told["data"])


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_an_image_is_answered_as_a_text_is(shop: Client, send: Any) -> None:
    """One code: product, inventory and match of the text scan, and beside them the code and where it is."""
    told = await data(await send(shop, PHOTO))
    [code] = told.pop("codes")
    assert told.pop("codes_truncated") is False
    assert told == await data(await shop.post(PATH, json={"code_data": "A-1"}))
    assert [set(corner) for corner in code.pop("position")] == [{"x", "y"}] * 4
    assert code == {"text": "A-1", "symbology": "CODE128", "match": "exact", "gs1": None, "product": PEN}


async def test_positions_are_in_pixels_from_the_top_left(shop: Client) -> None:
    """The corners go clockwise from the symbol's top left."""
    [code] = (await data(await sent(shop, PHOTO)))["codes"]
    (left, top), (right, _), (_, bottom), _ = [(corner["x"], corner["y"]) for corner in code["position"]]
    assert 40 <= left < right < 300
    assert 40 <= top < bottom <= 120


async def test_several_codes_of_one_product_name_it(shop: Client) -> None:
    """What names nothing, or the same product once more, does not stand in the way; the first code's rule is told."""
    told = await data(await sent(shop, photo_of("unknown", "a-1", "A-1")))
    assert (told["product"], told["match"]) == (PEN, "case_insensitive")
    assert [code["match"] for code in told["codes"]] == [None, "case_insensitive", "exact"]
    assert [code["product"] for code in told["codes"]] == [None, PEN, PEN]


async def test_of_several_products_none_is_guessed(shop: Client) -> None:
    """Two products on one image: all of the top is null, and the codes tell."""
    await shop.post("/api/products", json={"product_code": "B-1", "description": "Red pen"})
    told = await data(await sent(shop, photo_of("A-1", "B-1")))
    assert (told["product"], told["inventory"], told["match"]) == (None, None, None)
    assert [code["product"]["product_code"] for code in told["codes"]] == ["A-1", "B-1"]


async def test_gs1_data_are_told_as_of_a_text(shop: Client) -> None:
    """A GS1 symbol resolves by its GTIN, with what else it says."""
    await shop.post("/api/products", json={"product_code": "9521234543213", "description": "Biscuits"})
    told = await data(await sent(shop, file_of(symbol("GS1-128", "(10)LOT7(01)09521234543213(21)S1", 3))))
    assert (told["match"], told["gs1"]["lot"], told["gs1"]["serial"]) == ("gs1", "LOT7", "S1")
    assert told["codes"][0]["text"] == "]C110LOT7\x1d010952123454321321S1"
    assert told["codes"][0]["gs1"] == told["gs1"]


async def test_a_pack_is_told_with_the_lot_on_its_other_code(shop: Client) -> None:
    """The EAN-13 names the product by the rule that is told, the GS1 DataMatrix says lot and expiry."""
    await shop.post("/api/products", json={"product_code": "9521234543213", "description": "Biscuits"})
    told = await data(await sent(shop, PACK))
    assert (told["match"], told["product"]["description"]) == ("exact", "Biscuits")
    assert (told["gs1"]["lot"], told["gs1"]["expiry"]) == ("LOT7", "2027-12-31")
    assert [code["gs1"] for code in told["codes"]] == [None, told["gs1"]]


async def test_of_several_products_no_gs1_data_are_told_at_the_top(shop: Client) -> None:
    """As no product is guessed, nothing is said of one; the codes tell."""
    await shop.post("/api/products", json={"product_code": "9521234543213", "description": "Biscuits"})
    beside = on_paper((symbol(content="A-1"), (20, 20)), (symbol("GS1DATAMATRIX", LOT, 4), (20, 200)))
    told = await data(await sent(shop, file_of(beside)))
    assert told["product"] is None
    assert "gs1" not in told
    assert [bool(code["gs1"]) for code in told["codes"]] == [False, True]


async def test_a_pack_that_is_unknown_is_one_new_product(client: Client, refused: Any) -> None:
    """Each code tells what was understood; where all would make the same product, it stands at the top as well."""
    details = (await refused(await sent(client, PACK), 404, "PRODUCT_NOT_FOUND"))["details"]
    plain, gs1 = details["codes"]
    body = {"product_code": "9521234543213", "description": "9521234543213"}
    assert plain["new_product"] == gs1["new_product"] == details["new_product"] == body
    assert (plain["understood"]["symbology"], plain["gs1"]) == ("EAN13", None)
    assert details["understood"] == gs1["understood"]
    assert gs1["gs1"] == gs1["understood"]["gs1"]
    assert gs1["gs1"]["lot"] == "LOT7"


async def test_a_code_that_fits_several_products_makes_no_new_one(shop: Client, refused: Any) -> None:
    """`new_product` is null there, so that the other code's does not stand for both."""
    for code in ("aB", "Ab"):
        await shop.post("/api/products", json={"product_code": code, "description": "x"})
    details = (await refused(await sent(shop, photo_of("ab", "N-1")), 404, "PRODUCT_NOT_FOUND"))["details"]
    assert [code["new_product"] for code in details["codes"]] == [None, {"product_code": "N-1", "description": "N-1"}]
    assert set(details) == {"codes", "codes_truncated"}


async def test_an_image_without_a_code_is_a_404(shop: Client, refused: Any) -> None:
    """The refusal says that no code was found, and what to do."""
    told = await refused(await sent(shop, EMPTY), 404, "PRODUCT_NOT_FOUND")
    assert told["message"] == "no code was found on the image"
    assert told["details"].pop("hint").startswith("hold the camera nearer")
    assert told["details"] == {"codes": [], "codes_truncated": False}


async def test_a_code_without_a_product_is_told_as_a_text_is(shop: Client, refused: Any) -> None:
    """One text: what a text scan of it would have told, and the code."""
    told = await refused(await sent(shop, photo_of("B-1")), 404, "PRODUCT_NOT_FOUND")
    as_text = await refused(await shop.post(PATH, json={"code_data": "B-1"}), 404, "PRODUCT_NOT_FOUND")
    [code] = told["details"].pop("codes")
    assert told["details"].pop("codes_truncated") is False
    assert told["details"]["understood"].pop("symbology") == "QR"
    assert as_text["details"]["understood"].pop("symbology") is None
    assert (told["message"], told["details"]) == (as_text["message"], as_text["details"])
    assert (code["text"], code["match"], code["gs1"], code["product"]) == ("B-1", None, None, None)
    assert code["understood"]["symbology"] == "QR"
    assert code["new_product"] == told["details"]["new_product"]


async def test_codes_without_products_are_listed(shop: Client, refused: Any) -> None:
    """Several texts: each is listed, and none is taken for the one that was meant."""
    told = await refused(await sent(shop, photo_of("B-1", "B-2", "B-1")), 404, "PRODUCT_NOT_FOUND")
    assert told["message"] == "no product fits any of the 2 codes on the image"
    assert [code["text"] for code in told["details"]["codes"]] == ["B-1", "B-2", "B-1"]
    assert set(told["details"]) == {"codes", "codes_truncated"}


async def test_binary_content_is_told(shop: Client, refused: Any) -> None:
    """Control characters survive as text in JSON."""
    told = await refused(await sent(shop, photo_of("A\x00\x1d\x7fé")), 404, "PRODUCT_NOT_FOUND")
    assert told["details"]["codes"][0]["text"] == "A\x00\x1d\x7fé"


@pytest.mark.parametrize("hint", ["QR", "", "x" * 200])
async def test_a_hint_stands_beside_the_image(shop: Client, hint: str) -> None:
    """`code_type` is taken with an image too, and does not matter there: the symbol says what it is."""
    assert (await data(await sent(shop, PHOTO, code_type=hint)))["product"] == PEN
    body = {"image_base64": b64encode(PHOTO).decode(), "code_type": hint}
    assert (await data(await shop.post(PATH, json=body)))["product"] == PEN


@pytest.mark.parametrize(
    "spelt",
    [
        b64encode(PHOTO).decode(),
        b64encode(PHOTO).decode().rstrip("="),
        urlsafe_b64encode(PHOTO).decode(),
        "data:image/png;base64," + b64encode(PHOTO).decode(),
        "DATA:;BASE64," + b64encode(PHOTO).decode(),
        "\r\n".join(b64encode(PHOTO).decode()[start : start + 76] for start in range(0, 9999, 76)),
    ],
    ids=["standard", "unpadded", "url-safe", "data URI", "capitals", "lines"],
)
async def test_base64_may_be_spelt_in_many_ways(shop: Client, spelt: str) -> None:
    """Both alphabets, padded or not, with a data URI's head, in lines."""
    assert (await data(await shop.post(PATH, json={"image_base64": spelt})))["product"] == PEN


@pytest.mark.parametrize("text", ["%", "A", "AAAA=AAA", "data:image/png,AAAA", "é", "AA\u0000A"])
async def test_what_is_no_base64_is_refused(client: Client, problems: Problems, text: str) -> None:
    """The field is named with what is wanted."""
    told = await problems(await client.post(PATH, json={"image_base64": text}))
    assert list(told) == ["image_base64"]
    assert told["image_base64"].startswith("not base64")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, {"code_data": "required"}),
        ({"code_type": "QR"}, {"code_data": "required"}),
        ({"code_data": "A", "image_base64": "AAAA"}, {"code_data": "give either code_data or image_base64, not both"}),
        ({"image_base64": 7}, {"image_base64": "Input should be a valid string"}),
        ({"image_base64": None}, {"image_base64": "null is no value; leave the field out instead"}),
        ({"code_data": None}, {"code_data": "null is no value; leave the field out instead"}),
    ],
    ids=str,
)
async def test_either_a_text_or_an_image_is_wanted(
    client: Client, problems: Problems, body: dict[str, object], told: dict[str, str]
) -> None:
    """None or both of them are refused with what is wrong."""
    assert await problems(await client.post(PATH, json=body)) == told


@pytest.mark.parametrize("send", [sent, sent_base64])
@pytest.mark.parametrize(("size", "status"), [(20_000, 404), (20_001, 400)])
async def test_the_limit_counts_the_images_bytes(
    make_client: Any, refused: Any, send: Any, size: int, status: int
) -> None:
    """It is that of uploads, whichever way the image comes, and however small that of JSON is."""
    client = await make_client(max_upload_bytes=20_000, max_json_bytes=1024)
    answer = await send(client, padded(size))
    if status == 404:
        told = await refused(answer, 404, "PRODUCT_NOT_FOUND")
        assert told["details"]["codes"][0]["text"] == "A-1"
    else:
        told = await refused(answer, 400, "FILE_TOO_LARGE")
        assert told["details"] == {"limit": 20_000}


async def test_an_announced_form_over_the_limit_is_refused_at_once(client: Client, raw: Any) -> None:
    """Nothing of the body is waited for."""
    assert b'"code":"FILE_TOO_LARGE"' in await raw(client, head(11_000_000), b'"limit":10485760}}')


@pytest.mark.parametrize("part", [IMAGE, HINT, b'--XX\r\nContent-Disposition: form-data; name="other"\r\n\r\n'])
async def test_the_limit_is_held_without_an_announced_length(make_client: Any, refused: Any, part: bytes) -> None:
    """A chunked form is cut off when any of its parts has sent too much."""

    async def chunks() -> AsyncIterator[bytes]:
        yield part
        for _ in range(50):
            yield b"x" * 65536

    client = await make_client(max_upload_bytes=100_000)
    await refused(await client.post(PATH, data=chunks(), headers=MULTIPART), 400, "FILE_TOO_LARGE")


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ({"code_type": "x" * 2000}, {"body": "larger than 1024 bytes beside its image"}),
        ({"other": "x"}, {"other": "no such field; there are image_base64, code_type"}),
    ],
    ids=["a long hint", "another field"],
)
async def test_other_fields_are_held_to_the_limit_of_json(
    make_client: Any, problems: Problems, beside: dict[str, str], told: dict[str, str]
) -> None:
    """The room for an image is for the image alone."""
    client = await make_client(max_json_bytes=1024)
    body = {"image_base64": b64encode(padded(3000)).decode(), **beside}
    assert await problems(await client.post(PATH, json=body)) == told


async def test_long_json_without_an_image_is_too_long(make_client: Any, problems: Problems) -> None:
    """Without an image the limit of JSON bodies stands, whatever else is sent."""
    client = await make_client(max_json_bytes=1024, max_upload_bytes=2048)
    for length in (2000, 9000):
        answer = await client.post(PATH, json={"code_data": "x" * length})
        assert await problems(answer) == {"body": "larger than 1024 bytes"}
    assert await problems(await client.post(PATH, data=b"\xff" * 2000, headers=JSON)) == {
        "body": "larger than 1024 bytes"
    }


async def test_long_json_is_json_by_its_type(make_client: Any, problems: Problems) -> None:
    """A type that is refused for a short body is refused for a long one."""
    client = await make_client(max_json_bytes=1024)
    body = json.dumps({"image_base64": b64encode(padded(3000)).decode()})
    told = await problems(await client.post(PATH, data=body, headers={"Content-Type": "text/plain"}))
    assert told == {"body": "text/plain cannot be read; send it as application/json"}


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "INVALID_FILE_FORMAT"), (b"%PDF-1.7", "INVALID_FILE_FORMAT"), (PHOTO[:200], "INVALID_FILE_FORMAT")],
    ids=["nothing", "no image", "half an image"],
)
@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_what_is_no_image_is_refused(client: Client, refused: Any, send: Any, content: bytes, code: str) -> None:
    """Judged by content, whatever name it has."""
    await refused(await send(client, content), 400, code)


async def test_a_bomb_is_refused(client: Client, refused: Any) -> None:
    """Too many pixels are told with their number."""
    bomb = file_of(Image.new("1", (50_001, 1000)))
    told = await refused(await sent(client, bomb), 400, "FILE_TOO_LARGE")
    assert told["details"] == {"width": 50_001, "height": 1000}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (IMAGE + PHOTO, MALFORMED),
        (b"", MALFORMED),
        (HINT + b"QR" + END, {"image": "required; send the picture as the part named image"}),
        (
            IMAGE + PHOTO + b"\r\n" + IMAGE + PHOTO + END,
            {"image": "given more than once; send it once"},
        ),
        (
            IMAGE.replace(b'"image"', b'"file"') + PHOTO + END,
            {
                "file": "no such part; there are image, code_type",
                "image": "required; send the picture as the part named image",
            },
        ),
        (
            b"--XX\r\nContent-Disposition: form-data\r\nContent-Type: multipart/mixed; boundary=YY\r\n\r\n--YY--" + END,
            {"body": "no such part; there are image, code_type"},
        ),
        ((HINT + b"\r\n") * 60 + END, {"code_type": "given more than once; send it once"}),
    ],
    ids=["cut short", "nothing", "without", "twice", "misnamed", "nested", "many"],
)
async def test_a_wrong_form_is_refused(client: Client, problems: Problems, body: bytes, told: dict[str, str]) -> None:
    """What is wrong with its parts is told together, up to a bound, and the place is given back."""
    assert await problems(await client.post(PATH, data=body, headers=MULTIPART)) == told
    assert client.app[PHOTO_READER].images.free == 2 + WAITING


async def test_other_multipart_bodies_are_refused(client: Client, problems: Problems) -> None:
    """Only a form is a form."""
    answer = await client.post(PATH, data=IMAGE + PHOTO + END, headers={"Content-Type": "multipart/mixed; boundary=XX"})
    assert (await problems(answer))["body"].startswith("multipart/mixed cannot be read; send it as application/json")


async def test_a_form_takes_no_parameters(client: Client, problems: Problems) -> None:
    """A query parameter is refused by name, with an image as without."""
    answer = await client.post(PATH, params={"code_type": "QR"}, data=IMAGE + PHOTO + END, headers=MULTIPART)
    assert await problems(answer) == {"code_type": "no such parameter"}


@pytest.mark.parametrize("kind", [FORM, "application/json"])
async def test_an_image_that_takes_too_long_is_refused(make_client: Any, raw: Any, kind: str) -> None:
    """A body that stops arriving is refused after the set time, and its room is given back."""
    client = await make_client(upload_timeout=0.05, max_json_bytes=1024)
    answer = await raw(client, head(5000, kind) + IMAGE, b"]}}")
    assert b"the image took longer than 0.05 seconds" in answer
    assert client.app[PHOTO_READER].arriving_bytes.free == ROOM


async def test_an_image_beyond_the_queue_is_refused_before_it_arrives(client: Client, raw: Any) -> None:
    """Nothing of its body is waited for."""
    reader = client.app[PHOTO_READER]
    with ExitStack() as held:
        for _ in range(reader.images.free):
            held.enter_context(reader.images.held())
        assert b"too many images are waiting to be read" in await raw(client, head(9000), b"}}")


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_images_beyond_the_queue_are_a_503(shop: Client, refused: Any, send: Any) -> None:
    """While all places are taken the next image is refused at once, and texts go on; then it is taken."""
    reader = shop.app[PHOTO_READER]
    with ExitStack() as held:
        for _ in range(reader.images.free):
            held.enter_context(reader.images.held())
        answer = await send(shop, PHOTO)
        await refused(answer, 503, "GENERATION_ERROR")
        assert answer.headers["Retry-After"] == "2"
        assert (await shop.post(PATH, json={"code_data": "A-1"})).status == 200
    assert (await send(shop, PHOTO)).status == 200


@pytest.mark.parametrize(("kind", "before"), [(FORM, IMAGE), ("application/json", b'{"image_base64":"')])
async def test_a_client_that_leaves_gives_its_room_back(make_client: Any, until: Any, kind: str, before: bytes) -> None:
    """What has arrived of an image takes room, and none when nobody sends the rest any more."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[PHOTO_READER].arriving_bytes
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(head(300_000, kind) + before.ljust(250_000, b"A"))
    await until(lambda: arrivals.free < ROOM)
    writer.transport.abort()
    await until(lambda: arrivals.free == ROOM)


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_images_without_room_to_arrive_are_a_503(make_client: Any, refused: Any, send: Any) -> None:
    """While others take the room an image is refused as soon as it takes more; then there is room for it."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[PHOTO_READER].arriving_bytes
    with arrivals.held(arrivals.free - 10_000):
        answer = await send(client, padded(20_000))
        await refused(answer, 503, "GENERATION_ERROR")
        assert answer.headers["Retry-After"] == "2"
        assert arrivals.free == 10_000
    await refused(await send(client, padded(20_000)), 404, "PRODUCT_NOT_FOUND")


async def test_one_image_in_json_always_has_room(make_client: Any, refused: Any) -> None:
    """However small uploads are beside other JSON, the longest body that is taken at all fits."""
    client = await make_client(max_json_bytes=100_000, max_upload_bytes=2048)
    body = json.dumps({"image_base64": b64encode(padded(1500)).decode()}).encode()
    await refused(await client.post(PATH, data=body.ljust(101_000), headers=JSON), 404, "PRODUCT_NOT_FOUND")


async def test_connections_that_send_no_image_keep_nobody_out(shop: Client, until: Any) -> None:
    """However many forms have begun, an image that arrives is read."""
    senders = []
    for _ in range(3 * WAITING):
        _, writer = await asyncio.open_connection(shop.host, shop.port)
        writer.write(head(9000) + IMAGE)
        senders.append(writer)
    await until(lambda: len(shop.app[ARRIVING]) == len(senders))
    assert (await data(await sent(shop, PHOTO)))["product"] == PEN
    for writer in senders:
        writer.transport.abort()


async def test_as_many_images_at_once_as_settings_say(make_client: Any) -> None:
    """Every thread that reads images means one image more."""
    client = await make_client(photo_threads=3)
    assert client.app[PHOTO_READER].images.free == 3 + WAITING


async def test_images_at_the_same_time_are_all_answered(shop: Client) -> None:
    """Images wait for their turn, and each gets its own answer."""
    contents = [f"N-{number}" for number in range(8)]
    answers = await asyncio.gather(*(sent(shop, photo_of(content, "A-1")) for content in contents))
    assert [(await data(answer))["codes"][0]["text"] for answer in answers] == contents

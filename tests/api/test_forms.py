"""Malformed multipart bodies: every route that accepts forms refuses each of them clearly."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.resources.imports import TEXTS
from tests.forms import MULTIPART, form, form_data, part
from tests.properties import examples

Client = TestClient[Request, Application]

ROUTES = (("/api/products/import", "file"), ("/api/codes/decode", "image"))
"""The routes that accept a form, and the required part of each."""

both_routes = pytest.mark.parametrize(("path", "wanted"), ROUTES)
warns = pytest.mark.filterwarnings(
    "ignore::aiohttp.BadContentDispositionHeader", "ignore::aiohttp.BadContentDispositionParam"
)

pytestmark = pytest.mark.usefixtures("folder")


async def _sent(client: Client, path: str, *parts: bytes) -> Any:
    return await client.post(path, data=form(*parts), headers=MULTIPART)


@both_routes
@pytest.mark.parametrize("content", [b"", b"utf-8", b"u" * 31, b"u" * 32, b"\xff" * 10_000])
async def test_a_part_named_charset_is_a_part_like_any_other(
    client: Client, problems: Any, path: str, wanted: str, content: bytes
) -> None:
    """The part that RFC 7578, clause 4.6 has browsers add is refused by name, in any place and of any length."""
    parts = [part("_charset_", content), part(wanted, b"x")]
    for order in (parts, parts[::-1]):
        reply = await problems(await _sent(client, path, *order))
        assert list(reply) == ["_charset_"]
        assert reply["_charset_"].startswith("no such part; there are ")


@both_routes
@pytest.mark.parametrize(
    "header",
    [
        "Content-Transfer-Encoding: base64",
        "Content-Transfer-Encoding: Quoted-Printable",
        "Content-Transfer-Encoding: nonesuch",
        "Content-Encoding: gzip",
        "Content-Encoding: nonesuch",
    ],
)
async def test_an_encoded_part_is_refused_by_name(
    client: Client, problems: Any, path: str, wanted: str, header: str
) -> None:
    """Its bytes are not the file's, and the refusal says what to send instead."""
    reply = await problems(await _sent(client, path, part(wanted, b"YWJj" * 50_000, header.encode())))
    header_given = header.lower().split(": ")
    assert list(reply) == [wanted]
    assert (
        reply[wanted].lower().startswith(f"comes with {header_given[0]}: {header_given[1]}, which is not decoded; send")
    )


@pytest.mark.parametrize("header", [b"Content-Transfer-Encoding: 8BIT", b"Content-Encoding: identity", b"X: y"])
@pytest.mark.parametrize("length", [b"0", b"1", b"-1", b"99999999999999999999", b"x"])
async def test_what_a_part_says_of_itself_does_not_cut_it(
    client: Client, workbook: Callable[..., bytes], header: bytes, length: bytes
) -> None:
    """A part ends at the next boundary, whatever length it announces (RFC 7578, clause 4.8)."""
    file = part("file", workbook(), header, b"Content-Length: " + length)
    assert (await _sent(client, "/api/products/import", file)).status == 200


@pytest.mark.parametrize(
    ("charset", "is_read"),
    [("UTF-8", True), ("us-ascii", True), ("", True), ('""', True), ("utf-16", False), ("?", False)],
)
async def test_a_text_in_another_charset_is_refused(
    client: Client,
    problems: Any,
    workbook: Callable[..., bytes],
    charset: str,
    is_read: bool,  # noqa: FBT001 - what is expected
) -> None:
    """The service does not decode a text that names a charset other than UTF-8, known or unknown."""
    kind = f"Content-Type: text/plain; charset={charset}".encode()
    response = await _sent(client, "/api/products/import", part("file", workbook()), part("sheet", b"Sheet", kind))
    if is_read:
        assert response.status == 200
    else:
        reply = f"comes with charset {charset}, which is not decoded; send UTF-8"
        assert await problems(response) == {"sheet": reply}


@warns
@both_routes
@pytest.mark.parametrize(
    "disposition",
    [
        b"Content-Disposition:",
        b"Content-Disposition: form-data" + b";" * 8000,
        b'Content-Disposition: form-data; name="file"' + b" " * 1000 + b"; a=b",
        b"Content-Disposition: form-data; name*=punycode''%66-" + b"z" * 7000,
        b"Content-Disposition: form-data; name*=nonesuch''%66",
        b"Content-Disposition: form-data; name*=idna''%ff..",
        b'Content-Disposition: form-data; name="file"\r\nContent-Disposition: form-data; name="image"',
    ],
    ids=lambda disposition: disposition[:60],
)
async def test_a_part_whose_name_cannot_be_read_has_none(
    client: Client, problems: Any, path: str, wanted: str, disposition: bytes
) -> None:
    """A header that is empty, too long, repeated or in an unknown charset gives the part no name."""
    reply = await problems(await _sent(client, path, b"--XX\r\n" + disposition + b"\r\n\r\nx"))
    assert list(reply) == ["body", wanted]


@warns
@both_routes
@pytest.mark.parametrize(
    "heads",
    [
        b"Content-Type: multipart/mixed",
        b"Content-Type: multipart/mixed; boundary=" + b"y" * 71,
        b"Content-Type: a/b\r\nContent-Type: c/d",
        b"Content-Disposition: form-data; name*=undefined''%66",
        b" folded: x",
        b"X: \0",
        b": x",
    ],
)
async def test_part_headers_that_cannot_be_read_are_reported(
    client: Client, problems: Any, path: str, wanted: str, heads: bytes
) -> None:
    """Unreadable nested forms, repeated and broken headers, and odd charsets are refused as the client's fault."""
    reply = await problems(await _sent(client, path, b"--XX\r\n" + heads + b"\r\n\r\nx", part(wanted, b"x")))
    assert list(reply) == ["body"]
    assert reply["body"].endswith("is cut short or malformed")


async def test_a_byte_order_mark_before_a_map_is_refused(
    client: Client, problems: Any, workbook: Callable[..., bytes]
) -> None:
    """JSON has none in a form either."""
    sent_map = '\ufeff{"SKU": "product_code"}'.encode()
    reply = await problems(await _sent(client, "/api/products/import", part("file", workbook()), part("map", sent_map)))
    assert reply["map"].startswith("not JSON: it begins with a byte order mark; send UTF-8 without one")


async def test_a_text_of_which_no_one_sees_anything_asks_for_nothing(
    client: Client, workbook: Callable[..., bytes]
) -> None:
    """A text of only zero-width characters names no sheet."""
    parts = [part("file", workbook()), part("sheet", "\u200b \ufeff".encode()), part("map", "\u2060".encode())]
    assert (await _sent(client, "/api/products/import", *parts)).status == 200


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def test_a_repeated_header_is_found_in_time_in_proportion() -> None:
    """A map of 8,000 headers, the last one repeated, delays no request (compared with the time to parse it)."""
    headers = "".join(f'"{number}":"",' for number in range(8000))
    sent_map = f'{{{headers}"7999":""}}'

    def read() -> None:
        with pytest.raises(ValueError, match="the header '7999' is given more than once"):
            TEXTS["map"].read(sent_map)

    assert min(_seconds(read) for _ in range(3)) < 60 * min(_seconds(lambda: json.loads(sent_map)) for _ in range(3))


LINES = st.sampled_from(
    [
        b"--XX\r\n",
        b"--XX--\r\n",
        b"--XX",
        b"--YY\r\n",
        b"\r\n",
        b"\n",
        b'Content-Disposition: form-data; name="file"; filename="a"\r\n',
        b'Content-Disposition: form-data; name="image"\r\n',
        b'Content-Disposition: form-data; name="_charset_"\r\n',
        b'Content-Disposition: form-data; name="map"\r\n',
        b"Content-Disposition: form-data; name*0*=utf-16''%ff; name*1=x\r\n",
        b"Content-Disposition: form-data; name*=undefined''%ff\r\n",
        b"Content-Type: multipart/form-data; boundary=YY\r\n",
        b"Content-Type: multipart/mixed\r\n",
        b"Content-Type: text/plain; charset=nonesuch\r\n",
        b"Content-Transfer-Encoding: base64\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Length: 3\r\n",
        b"x" * 40,
    ]
)


@warns
@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES | st.binary(max_size=40), max_size=14), route=st.sampled_from(ROUTES), starts=st.booleans())
async def test_no_form_at_all_makes_the_service_fail(
    client: Client,
    lines: list[bytes],
    route: tuple[str, str],
    starts: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Whatever a form contains, the response is an envelope that blames the input."""
    body = b"--XX\r\n" * starts + b"".join(lines)
    response = await client.post(route[0], data=body, headers=MULTIPART)
    assert response.status == 400
    assert set(await response.json()) == {"error", "message", "code", "details"}


@both_routes
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_plain_form_is_read(client: Client, path: str, wanted: str, refused: Any) -> None:
    """A minimal valid form of this kind of client contains just the file."""
    sent = form_data(b"neither workbook nor picture", wanted, "a.bin")
    await refused(await client.post(path, data=sent), 400, "INVALID_FILE_FORMAT")

"""Malformed multipart bodies: every route that accepts forms refuses each of them clearly."""

import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.resources.imports import ImportForm
from tests.fixture_types import Client
from tests.forms import MULTIPART, form, form_data, part
from tests.properties import examples

ROUTES = (("/api/products/import", "file"), ("/api/codes/decode", "image"))
"""The routes that accept a form, and the required part of each."""

both_routes = pytest.mark.parametrize(("path", "wanted"), ROUTES)

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
async def test_other_headers_of_a_part_are_ignored(
    client: Client, workbook: Callable[..., bytes], header: bytes
) -> None:
    """Its name and its bytes are all that counts (RFC 7578, clause 4.8)."""
    content = workbook()
    file = part("file", content, header, b"Content-Length: %d" % len(content))
    assert (await _sent(client, "/api/products/import", file)).status == 200


@both_routes
@pytest.mark.parametrize(
    "sent", ["===17==", "----=_Part_0_17.4", "gc0p4Jq0M2Yt08jU534c0p=", '"a b"', '"no end', "XX; charset=utf-8"]
)
async def test_a_boundary_is_read_as_clients_write_it(
    client: Client, problems: Any, path: str, wanted: str, sent: str
) -> None:
    """Many leave out the quotes that RFC 2046, 5.1.1, requires around characters such as `=`."""
    boundary = sent.partition(";")[0].strip('"')
    body = f'--{boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--{boundary}--\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary={sent}"}
    reply = await problems(await client.post(path, data=body.encode(), headers=headers))
    assert reply["x"].startswith(f"no such part; there are {wanted}, ")


@pytest.mark.parametrize("length", [b"0", b"1", b"-1", b"99999999999999999999", b"x"])
async def test_a_part_of_another_length_than_it_says_is_refused(
    client: Client, problems: Any, workbook: Callable[..., bytes], length: bytes
) -> None:
    """Something is missing from it, or has got into it."""
    file = part("file", workbook(), b"Content-Length: " + length)
    reply = await problems(await _sent(client, "/api/products/import", file))
    assert reply == {"body": "the multipart body is cut short or malformed"}


@pytest.mark.parametrize(
    ("charset", "is_read"),
    [
        *[(name, True) for name in ("UTF-8", "us-ascii", "ISO-8859-1", "windows-1252", "", '""')],
        *[(name, False) for name in ("utf-16", "nonesuch")],
    ],
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


@both_routes
@pytest.mark.parametrize(
    "disposition",
    [
        b"Content-Disposition: form-data" + b";" * 4000,
        b"Content-Disposition: form-data; name*=punycode''%66-" + b"z" * 4000,
        b"Content-Disposition: form-data; name*=nonesuch''%66",
        b"Content-Disposition: form-data; name*=idna''%ff..",
        b'Content-Disposition: form-data; name="file"\r\nContent-Disposition: form-data; name="image"',
    ],
    ids=lambda disposition: disposition[:60],
)
async def test_a_part_whose_name_cannot_be_read_has_none(
    client: Client, problems: Any, path: str, wanted: str, disposition: bytes
) -> None:
    """A header that is repeated, or names no part but by the extension that RFC 7578 forbids, gives it no name."""
    reply = await problems(await _sent(client, path, b"--XX\r\n" + disposition + b"\r\n\r\nx"))
    assert list(reply) == ["body", wanted]


@both_routes
@pytest.mark.parametrize(
    "heads",
    [
        b"Content-Type: text/plain",
        b"Content-Disposition:",
        b'Content-Disposition: attachment; name="file"',
        b" folded: x",
        b'Content-Disposition: form-data; name="file"\r\nno colon',
        b'Content-Disposition: form-data; name="file"\r\n: x',
    ],
)
async def test_part_headers_that_cannot_be_read_are_reported(
    client: Client, problems: Any, path: str, wanted: str, heads: bytes
) -> None:
    """A part that is not said to be one of a form, and broken headers, are refused as the client's fault."""
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


@pytest.mark.parametrize(
    ("kind", "boundary"),
    [
        (
            "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
            b"----WebKitFormBoundary7MA4YWxkTrZu0gW",
        ),
        (
            "multipart/form-data; boundary=------------------------d74496d66958873e",
            b"------------------------d74496d66958873e",
        ),
        ('Multipart/Form-Data; charset=utf-8; Boundary="a b=(1)/:?"', b"a b=(1)/:?"),
    ],
    ids=["browsers", "curl", "quoted"],
)
@pytest.mark.parametrize(
    "filename",
    [
        'filename="Bestände.xlsx"'.encode(),
        'filename="Bestände.xlsx"'.encode("latin-1"),
        b'filename="a%22b\\c.xlsx"',
        b'filename="a\\"b.xlsx"',
        b"filename=plain.xlsx; filename*=UTF-8''%e2%82%ac.xlsx",
    ],
)
async def test_forms_are_read_as_programs_send_them(
    client: Client, workbook: Callable[..., bytes], kind: str, boundary: bytes, filename: bytes
) -> None:
    """Boundaries and names of files, as browsers, curl and libraries write them."""
    body = part("file", workbook(), b"Content-Type: x/y") + b"\r\n--XX--\r\n"
    body = body.replace(b'name="file"', b'name="file"; ' + filename).replace(b"--XX", b"--" + boundary)
    response = await client.post("/api/products/import", data=body, headers={"Content-Type": kind})
    assert response.status == 200


async def test_an_unknown_part_is_called_by_its_name(client: Client, problems: Any) -> None:
    """Names are UTF-8, with the three characters that browsers escape."""
    reply = await problems(await _sent(client, "/api/products/import", part("Gr\u00f6\u00dfe%22"), part("file")))
    assert list(reply) == ['Gr\u00f6\u00dfe"']


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
            ImportForm(file=b"", map=sent_map)  # type: ignore[arg-type]  # as a form has it

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

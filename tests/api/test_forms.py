"""Forms with a file: what both routes that take one make of what programs and attackers send."""

from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.api.keys import SERVICE
from tests.api.replies import problems, refused
from tests.fixture_types import Client, ClientMaker
from tests.forms import KIND, MULTIPART, form, form_data, part
from tests.properties import examples
from tests.sweeps import sweep
from tests.workbooks import xlsx

pytestmark = pytest.mark.usefixtures("folder")


IMPORT, DECODE = "/api/products/import", "/api/codes/decode"
WORDS = {
    IMPORT: {
        "FILE": "file",
        "TEXT": "sheet",
        "KNOWN": "file, map, sheet, encoding, change_reason, updated_by, idempotency_key",
        "NOUN": "workbook",
        "BODY": "the multipart body",
    },
    DECODE: {
        "FILE": "image",
        "TEXT": "code_type",
        "KNOWN": "image, code_type, effort",
        "NOUN": "image",
        "BODY": "the body with the image",
    },
}
"""What the routes that take a form call its parts."""


def worded(text: str, route: str) -> str:
    """Return a text in the words of a route."""
    for word, meant in WORDS[route].items():
        text = text.replace(word, meant)
    return text


def sent_to(route: str, body: bytes) -> bytes:
    """Return a body with the names of a route."""
    return worded(body.decode("latin-1"), route).encode("latin-1")


def said_by(route: str, problems: dict[str, str]) -> dict[str, str]:
    """Return problems in the words of a route."""
    return {worded(field, route): worded(message, route) for field, message in problems.items()}


both_routes = pytest.mark.parametrize("route", WORDS, ids=["import", "decode"])

FILE = part("FILE", b"x")
BROKEN = {"body": "BODY is cut short or malformed"}
UNKNOWN = "no such part; there are KNOWN"
MISSING = {"FILE": "required; send the NOUN as the part named FILE"}
NAMELESS = {"body": UNKNOWN, **MISSING}
TWICE = "given more than once; send it once"
ENCODED = "which is not decoded; send the bytes as they are"


def headed(*lines: bytes) -> bytes:
    """Return a form whose only part has these headers alone."""
    return form(b"--XX\r\n" + b"\r\n".join(lines) + b"\r\n\r\nx")


REFUSED: dict[str, tuple[bytes, dict[str, str]]] = {
    "nothing": (b"", BROKEN),
    "no boundary": (b"garbage\r\nand more of it\r\n", BROKEN),
    "a long line": (b"x" * 60_000, BROKEN),
    "a file without its end": (FILE, BROKEN),
    "a text without its end": (part("TEXT", b"cut short"), BROKEN),
    "more behind a boundary": (FILE + b"\r\n--XX garbage\r\n", BROKEN),
    "a long header": (headed(b"X: " + b"a" * 60_000), BROKEN),
    "many headers": (headed(*[b"X: a"] * 1000), BROKEN),
    "a header without a colon": (headed(b'Content-Disposition: form-data; name="FILE"', b"no colon"), BROKEN),
    "a header without a name": (headed(b'Content-Disposition: form-data; name="FILE"', b": x"), BROKEN),
    "a folded header": (headed(b" folded: x"), BROKEN),
    "no disposition": (headed(b"Content-Type: text/plain"), BROKEN),
    "an empty disposition": (headed(b"Content-Disposition:"), BROKEN),
    "another disposition": (headed(b'Content-Disposition: attachment; name="FILE"'), BROKEN),
    "a shorter length": (form(part("FILE", b"abc", b"Content-Length: 1")), BROKEN),
    "a longer length": (form(part("FILE", b"abc", b"Content-Length: 99999999999999999999")), BROKEN),
    "a length that is no number": (form(part("FILE", b"abc", b"Content-Length: -1")), BROKEN),
    "no parts": (b"--XX--\r\n", MISSING),
    "a text alone": (form(part("TEXT", b"x")), MISSING),
    "no name": (headed(b"Content-Disposition: form-data"), NAMELESS),
    "an empty name": (headed(b'Content-Disposition: form-data; name=""'), NAMELESS),
    "half a name": (headed(b'Content-Disposition: form-data; name="fi'), NAMELESS),
    "many separators": (headed(b"Content-Disposition: form-data" + b";" * 4000), NAMELESS),
    "a name in punycode": (headed(b"Content-Disposition: form-data; name*=punycode''%66-" + b"z" * 4000), NAMELESS),
    "a name in no charset": (headed(b"Content-Disposition: form-data; name*=nonesuch''%66"), NAMELESS),
    "a name in IDNA": (headed(b"Content-Disposition: form-data; name*=idna''%ff.."), NAMELESS),
    "two dispositions": (headed(*[b'Content-Disposition: form-data; name="FILE"'] * 2), NAMELESS),
    "a nested form": (
        headed(b"Content-Disposition: form-data", b"Content-Type: multipart/mixed; boundary=YY"),
        NAMELESS,
    ),
    "another case": (form(part("File", b"x"), FILE), {"File": UNKNOWN}),
    "a name that is no text": (form(part("NAME").replace(b"NAME", b"\xff\xfe"), FILE), {"??": UNKNOWN}),
    "a long name": (form(part("n" * 500), FILE), {"n" * 100: UNKNOWN}),
    "a name with what browsers escape": (form(part("Gr\u00f6\u00dfe%22"), FILE), {'Gr\u00f6\u00dfe"': UNKNOWN}),
    "a charset for all": (form(part("_charset_", b"\xff" * 10_000), FILE), {"_charset_": UNKNOWN}),
    "a charset behind the file": (form(FILE, part("_charset_", b"utf-8")), {"_charset_": UNKNOWN}),
    "the file twice": (form(FILE, FILE), {"FILE": TWICE}),
    "a text sixty times": (form(*[part("TEXT")] * 60, FILE), {"TEXT": TWICE}),
    "a text that is not UTF-8": (form(part("TEXT", b"\xff"), FILE), {"TEXT": "not UTF-8"}),
    "a text in another charset": (
        form(FILE, part("TEXT", b"x", b"Content-Type: text/plain; charset=utf-16")),
        {"TEXT": "comes with charset utf-16, which is not decoded; send UTF-8"},
    ),
    "a text in no charset": (
        form(FILE, part("TEXT", b"x", b"Content-Type: text/plain; charset=nonesuch")),
        {"TEXT": "comes with charset nonesuch, which is not decoded; send UTF-8"},
    ),
    **{
        f"{header}: {coding}": (
            form(part("FILE", b"YWJj" * 50_000, f"{header}: {coding}".encode())),
            {"FILE": f"comes with {header}: {coding}, {ENCODED}"},
        )
        for header, coding in (
            ("Content-Transfer-Encoding", "base64"),
            ("Content-Transfer-Encoding", "Quoted-Printable"),
            ("Content-Encoding", "nonesuch"),
        )
    },
    "all at once": (form(part("mode"), part("TEXT", b"\xff")), {"mode": UNKNOWN, "TEXT": "not UTF-8", **MISSING}),
}
"""Bodies with the boundary XX, and what is wrong with their fields."""


@sweep(("route", "case"), product(WORDS, REFUSED.values()))
async def test_a_wrong_form_is_refused(client: Client, route: str, case: tuple[bytes, dict[str, str]]) -> None:
    """All problems of its parts are reported together, nothing is kept, and its place is free again."""
    body, expected = case
    response = await client.post(route, data=sent_to(route, body), headers=MULTIPART)
    assert await problems(response) == said_by(route, expected)
    service = client.app[SERVICE]
    assert (service.uploads.used, service.image_reader.places.used) == (0, 0)


@sweep("kind", ["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary=""'])
@sweep("route", WORDS)
async def test_a_form_without_its_boundary_is_refused(client: Client, route: str, kind: str) -> None:
    """Its parts cannot be told apart."""
    response = await client.post(route, data=sent_to(route, form(FILE)), headers={"Content-Type": kind})
    assert await problems(response) == said_by(route, BROKEN)


@sweep("kind", ["application/octet-stream", "text/plain", "multipart/mixed; boundary=XX", ""])
@sweep("route", WORDS)
async def test_a_body_that_is_no_form_is_refused(client: Client, route: str, kind: str) -> None:
    """The message contains its type, and the expected one."""
    response = await client.post(route, data=sent_to(route, form(FILE)), headers={"Content-Type": kind})
    named = (await problems(response))["body"]
    assert named.startswith(f"{kind.partition(';')[0] or 'a body without a Content-Type'} cannot be read; send it as ")


@both_routes
async def test_a_form_takes_no_parameters(client: Client, route: str) -> None:
    """A parameter of the query is refused by name, whatever the form contains."""
    body = sent_to(route, form(FILE))
    response = await client.post(route, params={"code_type": "QR"}, data=body, headers=MULTIPART)
    assert (await problems(response))["code_type"].startswith("no such parameter")


async def test_many_wrong_parts_end_the_looking(client: Client) -> None:
    """After fifty of them, and one more, the rest of the body is not parsed."""
    response = await client.post(IMPORT, data=form(*[part("x", b"1")] * 1000), headers=MULTIPART)
    details = (await refused(response, 400, "VALIDATION_ERROR"))["details"]
    assert (len(details["errors"]), details["errors_truncated"]) == (50, True)


async def _endlessly(begin: bytes, repeated: bytes) -> AsyncIterator[bytes]:
    yield begin
    for _ in range(50):
        yield repeated * (65536 // len(repeated))


@sweep(
    "outside",
    [
        b"x",
        b"\r\n",
        b"no boundary\r\n" * 50,
        b'--XX\r\nContent-Disposition: form-data; name="TEXT"\r\nX: %b\r\n\r\n\r\n' % (b"a" * 4000),
    ],
)
async def test_what_is_next_to_the_parts_has_a_bound(client: Client, outside: bytes) -> None:
    """A chunked body cannot send without limit before its first part, nor in the headers of its parts."""
    response = await client.post(IMPORT, data=_endlessly(b"", sent_to(IMPORT, outside)), headers=MULTIPART)
    reply = await refused(response, 400, "FILE_TOO_LARGE")
    assert reply["message"] == "the body has more than 65536 bytes outside its parts"


@both_routes
@pytest.mark.parametrize("begin", [part("FILE"), part("TEXT"), part("other")], ids=["file", "text", "unknown"])
@pytest.mark.parametrize("handler_cancellation", [True])
async def test_the_limit_is_held_without_an_announced_length(
    make_client: ClientMaker, route: str, begin: bytes
) -> None:
    """A chunked form is cut off when it has sent too much, in whichever part."""
    client = await make_client(max_upload_bytes=100_000)
    response = await client.post(route, data=_endlessly(sent_to(route, begin), b"x"), headers=MULTIPART)
    await refused(response, 400, "FILE_TOO_LARGE")


WORKBOOK = xlsx((("SKU", "Name"), ("B-1", "Red pen")))
BOOK = part("file", WORKBOOK)
MAP = '{"SKU": "product_code", "Name": "description"}'
BEGIN = b'--XX\r\nContent-Disposition: form-data; name="file"'


def text(name: str, content: str, *headers: bytes) -> bytes:
    """Return a part with a text."""
    return part(name, content.encode(), *headers)


READ: dict[str, tuple[str, bytes]] = {
    **{
        f"boundary={spelt}": (f"multipart/form-data; boundary={spelt}", form(BOOK).replace(b"--XX", b"--" + boundary))
        for spelt, boundary in {
            "----WebKitFormBoundary7MA4YWxkTrZu0gW": b"----WebKitFormBoundary7MA4YWxkTrZu0gW",
            "----=_Part_0_17.4": b"----=_Part_0_17.4",
            '"a b=(1)/:?"': b"a b=(1)/:?",
            '"no end': b"no end",
            "XX; charset=utf-8": b"XX",
        }.items()
    },
    "capitals": ("Multipart/Form-Data; charset=utf-8; Boundary=XX", form(BOOK)),
    **{
        f"a file named {name!r}": (KIND, form(BEGIN + b"; " + name + b"\r\n\r\n" + WORKBOOK))
        for name in (
            'filename="Best\u00e4nde.xlsx"'.encode("latin-1"),
            b'filename="a\\"b.xlsx"',
            b"filename=plain.xlsx; filename*=UTF-8''%e2%82%ac.xlsx",
        )
    },
    "other headers": (KIND, form(part("file", WORKBOOK, b"Content-Type: x/y", b"X: y", b"Content-Encoding: identity"))),
    "a true length": (KIND, form(part("file", WORKBOOK, b"Content-Length: %d" % len(WORKBOOK)))),
    "8BIT": (KIND, form(part("file", WORKBOOK, b"Content-Transfer-Encoding: 8BIT"))),
    "a preamble and an epilogue": (KIND, b"a preamble\r\n\r\n" * 1000 + form(BOOK) + b"an epilogue\r\n"),
    "a blank line before it": (KIND, b"\r\n" + form(BOOK)),
    "texts before the file": (KIND, form(text("sheet", "Sheet"), text("map", MAP), BOOK)),
    "texts behind the file": (KIND, form(BOOK, text("map", MAP), text("sheet", "Sheet"))),
    "empty texts": (KIND, form(BOOK, text("sheet", ""), text("map", " "))),
    "texts that show nothing": (KIND, form(BOOK, text("sheet", "\u200b \ufeff"), text("map", "\u2060"))),
    **{
        f"a text in {name!r}": (KIND, form(BOOK, text("sheet", "Sheet", b"Content-Type: text/plain; charset=" + name)))
        for name in (b"UTF-8", b"ISO-8859-1", b"windows-1252", b"", b'""')
    },
}
"""Types of bodies, and forms that are read."""


@sweep(("kind", "body"), READ.values())
async def test_forms_are_read_as_programs_send_them(client: Client, kind: str, body: bytes) -> None:
    """Name and bytes of a part are all that counts (RFC 7578), and what is around the parts is skipped (RFC 2046)."""
    response = await client.post(IMPORT, data=body, headers={"Content-Type": kind})
    assert response.status == 200, await response.text()


async def test_a_wrong_text_of_an_import_is_named(client: Client) -> None:
    """A text over its limit is refused by name, whatever it contains; JSON has no byte order mark in a form either."""
    body = form(part("map", b"\xff" * 65_537), text("sheet", "x" * 256), BOOK)
    reply = await problems(await client.post(IMPORT, data=body, headers=MULTIPART))
    assert reply == {"map": "longer than 65536 bytes", "sheet": "String should have at most 255 characters"}
    body = form(BOOK, text("map", "\ufeff" + MAP))
    reply = await problems(await client.post(IMPORT, data=body, headers=MULTIPART))
    assert reply["map"].startswith("not JSON: it begins with a byte order mark; send UTF-8 without one")


@sweep(
    "name",
    [b"../../x.xlsx", b"/etc/passwd", b"..\\..\\x.xlsx", b"C:\\x.xlsx", b"x\x00.xlsx", b"a" * 7000, b"\xff\xfe.xlsx"],
)
async def test_the_name_of_an_upload_is_no_one_s_path(client: Client, tmp_path: Path, name: bytes) -> None:
    """Whatever the client calls its file, nothing of that name is written, shown or left; the content decides."""
    sent = part("file", WORKBOOK, filename="NAME").replace(b"NAME", name.replace(b"\\", b"\\\\"), 1)
    response = await client.post(IMPORT, data=form(sent), headers=MULTIPART)
    reply = await response.text()
    assert response.status in (200, 400), reply
    assert response.status == 200 or (await response.json())["code"] == "VALIDATION_ERROR"
    assert name.decode("latin-1") not in reply
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("test.db")} == {"temporary"}


@both_routes
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_plain_form_is_read(client: Client, route: str) -> None:
    """A minimal valid form of a program contains just the file, which is judged by its content."""
    sent = form_data(b"neither workbook nor picture", WORDS[route]["FILE"], "a.bin")
    await refused(await client.post(route, data=sent), 400, "INVALID_FILE_FORMAT")


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
        b'Content-Disposition: form-data; name="map"\r\n',
        b"Content-Disposition: form-data; name*0*=utf-16''%ff; name*1=x\r\n",
        b"Content-Type: multipart/form-data; boundary=YY\r\n",
        b"Content-Type: text/plain; charset=nonesuch\r\n",
        b"Content-Transfer-Encoding: base64\r\n",
        b"Content-Length: 3\r\n",
        b"x" * 40,
    ]
)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(LINES | st.binary(max_size=40), max_size=14),
    route=st.sampled_from(list(WORDS)),
    begin=st.sampled_from([b"", b"--XX\r\n"]),
)
async def test_no_form_at_all_makes_the_service_fail(
    client: Client, lines: list[bytes], route: str, begin: bytes
) -> None:
    """Whatever a form contains, the response is an envelope that blames the input."""
    response = await client.post(route, data=begin + b"".join(lines), headers=MULTIPART)
    assert response.status == 400
    assert set(await response.json()) == {"error", "message", "code", "details"}

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from tests.api.calls import product_count
from tests.fixture_types import Client
from tests.forms import END, MULTIPART, form, form_head, part

PATH = "/api/products/import"
FILE = part("file", filename="a.xlsx")
MALFORMED = {"body": "the multipart body is cut short or malformed"}
NO_SUCH_PART = "no such part; there are file, map, sheet, encoding, change_reason, updated_by, idempotency_key"
SHEET = part("sheet")
MAP = part("map")


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def free_capacity(client: Client) -> Callable[[], int]:
    """Return a function that counts the uploads that may begin, which no public interface shows."""
    return lambda: client.app[SERVICE].uploads.free


async def test_an_upload_gives_its_capacity_back(
    client: Client, upload: Callable[..., FormData], free_capacity: Callable[[], int]
) -> None:
    """Ten uploads one after the other are each received, whether or not they succeed."""
    for number in range(10):
        content = b"no workbook" if number % 2 else None
        response = await client.post(PATH, data=upload(content))
        assert response.status == (400 if number % 2 else 200)
        assert free_capacity() == 3


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_the_file_is_spooled_to_disk_while_it_arrives(
    client: Client, folder: Path, until: Any, free_capacity: Callable[[], int]
) -> None:
    """An upload under way has one file; when its client disconnects, file and capacity are released."""
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(form_head(PATH, 500_000) + FILE + b"x" * 200_000)
    await until(lambda: [file.name[:18] for file in folder.iterdir()] == ["barcodesvc-upload-"])
    assert free_capacity() == 2
    writer.transport.abort()
    await until(lambda: free_capacity() == 3)
    assert await product_count(client) == 0


async def test_an_upload_that_takes_too_long_is_refused(
    make_client: Any, raw: Any, workbook: Callable[..., bytes]
) -> None:
    """A body that stalls is refused after the configured time, its capacity and file are released."""
    client = await make_client(upload_timeout=0.05)
    body = FILE + workbook()
    response = await raw(client, form_head(PATH, len(body) + 1000) + body, b"]}}")
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"the upload took longer than 0.05 seconds" in response
    assert client.app[SERVICE].uploads.free == 3
    assert await product_count(client) == 0


async def test_a_full_disk_is_reported(
    client: Client, upload: Callable[..., FormData], refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upload that finds no space is refused with what to do; the disk is full from its first byte."""
    full = open("/dev/full", "wb")  # noqa: PTH123, SIM115, ASYNC230 - closed by the service as its own file
    monkeypatch.setattr("barcodesvc.api.forms.tempfile.NamedTemporaryFile", lambda **_: full)
    reply = await refused(await client.post(PATH, data=upload()), 500, "DATABASE_ERROR")
    assert "free disk space" in reply["message"]


async def test_a_disk_that_takes_no_file_is_reported(
    client: Client, upload: Callable[..., FormData], refused: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This also holds if not even an empty file can be created: the database is not involved."""
    form = upload()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    reply = await refused(await client.post(PATH, data=form), 500, "DATABASE_ERROR")
    assert reply["message"] == "the upload could not be stored; free disk space and try again"


async def test_three_uploads_at_once_are_all_there_is_place_for(
    client: Client, upload: Callable[..., FormData], refused: Any, until: Any, free_capacity: Callable[[], int]
) -> None:
    """While three arrive a fourth is refused with Retry-After; it is accepted as soon as one of them has ended."""
    addresses = ("127.0.0.1", "127.0.0.1", "127.0.0.2")
    opened = [await asyncio.open_connection(client.host, client.port, local_addr=(host, 0)) for host in addresses]
    writers = [writer for _, writer in opened]
    for writer in writers:
        writer.write(form_head(PATH, 100_000) + FILE)
    await until(lambda: free_capacity() == 0)
    response = await client.post(PATH, data=upload())
    await refused(response, 429, "RATE_LIMIT_EXCEEDED")
    assert response.headers["Retry-After"] == "5"
    writers[0].transport.abort()
    await until(lambda: free_capacity() == 1)
    assert (await client.post(PATH, data=upload())).status == 200
    for writer in writers[1:]:
        writer.transport.abort()
    await until(lambda: free_capacity() == 3)


async def test_the_number_of_places_is_a_setting(make_client: Any, upload: Callable[..., FormData], until: Any) -> None:
    """With a limit of one, the second concurrent upload is refused."""
    client = await make_client(max_concurrent_uploads=1)
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(form_head(PATH, 100_000) + FILE)
    await until(lambda: not client.app[SERVICE].uploads.free)
    assert (await client.post(PATH, data=upload())).status == 429
    writer.transport.abort()
    await until(lambda: client.app[SERVICE].uploads.free)


@pytest.mark.parametrize(("size", "code"), [(2048, "INVALID_FILE_FORMAT"), (2049, "FILE_TOO_LARGE")])
async def test_the_limit_counts_the_files_bytes(
    make_client: Any, upload: Callable[..., FormData], refused: Any, size: int, code: str
) -> None:
    """A file of exactly the limit is read, one byte more is not."""
    client = await make_client(max_upload_bytes=2048)
    await refused(await client.post(PATH, data=upload(b"x" * size)), 400, code)


@pytest.mark.parametrize("handler_cancellation", [True])
async def test_the_limit_is_held_without_an_announced_length(make_client: Any, refused: Any) -> None:
    """A chunked upload is cut off when it has sent too much, however much would follow."""

    async def chunks() -> AsyncIterator[bytes]:
        yield FILE
        for _ in range(50):
            yield b"x" * 65536

    client = await make_client(max_upload_bytes=100_000)
    await refused(await client.post(PATH, data=chunks(), headers=MULTIPART), 400, "FILE_TOO_LARGE")


async def test_an_announced_length_over_the_limit_is_refused_at_once(client: Client, raw: Any) -> None:
    """The refusal waits for no byte of the body."""
    response = await raw(client, form_head(PATH, 11 * 1024 * 1024), b'"limit":10485760}}')
    assert b'"code":"FILE_TOO_LARGE"' in response


async def test_a_chunked_upload_is_read(client: Client, workbook: Callable[..., bytes]) -> None:
    """An upload without a length works like one with it."""

    async def chunks() -> AsyncIterator[bytes]:
        body = FILE + workbook() + END
        for start in range(0, len(body), 1000):
            yield body[start : start + 1000]

    assert (await client.post(PATH, data=chunks(), headers=MULTIPART)).status == 200
    assert await product_count(client) == 2


@pytest.mark.parametrize(
    "kind", ["application/json", "application/octet-stream", "text/plain", "multipart/mixed; boundary=XX", ""]
)
async def test_a_body_that_is_no_form_is_refused(client: Client, problems: Any, kind: str) -> None:
    """The message contains the type, and the expected one."""
    reply = await problems(await client.post(PATH, data=FILE + b"x" + END, headers={"Content-Type": kind}))
    assert reply["body"].endswith("cannot be read; send it as multipart/form-data with one part named file")


async def test_a_type_that_is_no_text_is_reported_legibly(client: Client, problems: Any) -> None:
    """Header bytes that are not UTF-8 do not prevent a valid envelope."""
    response = await client.post(PATH, data=b"x", headers={"Content-Type": "text/\udcff"})
    assert list(await problems(response)) == ["body"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        b"garbage\r\nand more of it\r\n",
        b"x" * 60_000,
        FILE + b"never ended",
        FILE,
        b"--XX\r\nX: " + b"a" * 60_000 + b"\r\n\r\nx" + END,
        b"--XX\r\n" + b"".join(b"X%d: a\r\n" % number for number in range(1000)) + b"\r\nx" + END,
        b"--XX\r\nno colon here\r\n\r\nx" + END,
        FILE + b"x\r\n--XX garbage\r\n",
        MAP + b"cut short",
    ],
    ids=lambda body: body[:20],
)
async def test_a_malformed_form_is_refused(
    client: Client, problems: Any, free_capacity: Callable[[], int], body: bytes
) -> None:
    """Cut short, without a boundary, or with oversized part headers: a 400, and the capacity is released."""
    assert await problems(await client.post(PATH, data=body, headers=MULTIPART)) == MALFORMED
    assert free_capacity() == 3


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary=""',
    ],
)
async def test_a_form_without_its_boundary_is_refused(client: Client, problems: Any, kind: str) -> None:
    """Its parts cannot be told apart."""
    response = await client.post(PATH, data=FILE + b"x" + END, headers={"Content-Type": kind})
    assert await problems(response) == MALFORMED


async def test_a_boundary_that_is_no_text_is_refused(client: Client, raw: Any) -> None:
    """Bytes that are not UTF-8 are no failure of the service."""
    head = form_head(PATH, 10).replace(b"boundary=XX", b'boundary="\xff"')
    assert MALFORMED["body"].encode() in await raw(client, head + b"x" * 10, b"]}}")


@pytest.mark.parametrize(
    ("disposition", "field"),
    [
        (b"Content-Disposition: form-data", "body"),
        (b'Content-Disposition: form-data; name=""', "body"),
        (b'Content-Disposition: form-data; name="fi', "body"),
        (b'Content-Disposition: form-data; name="File"', "File"),
        (b'Content-Disposition: form-data; name="\xff\xfe"', "??"),
        (b'Content-Disposition: form-data; name="' + b"n" * 500 + b'"', "n" * 100),
    ],
)
async def test_a_part_that_is_not_the_file_is_named(
    client: Client, problems: Any, disposition: bytes, field: str
) -> None:
    """Parts with another name or without one are refused; the name is shown where it is text."""
    body = b"--XX\r\n" + disposition + b"\r\n\r\nx" + END
    response = await client.post(PATH, data=body, headers=MULTIPART)
    reply = await problems(response)
    assert reply.pop(field) == NO_SUCH_PART
    assert list(reply) in (["file"], [])


async def test_a_file_that_comes_twice_is_refused(
    client: Client, problems: Any, workbook: Callable[..., bytes]
) -> None:
    """Neither of two files is used, and nothing is imported."""
    body = FILE + workbook() + b"\r\n" + FILE + workbook() + END
    reply = await problems(await client.post(PATH, data=body, headers=MULTIPART))
    assert reply == {"file": "given more than once; send it once"}
    assert await product_count(client) == 0


async def test_a_second_part_is_refused_by_name(client: Client, problems: Any, workbook: Callable[..., bytes]) -> None:
    """An extra field is not silently ignored."""
    body = FILE + workbook() + b"\r\n" + part("mode", b"update") + END
    assert await problems(await client.post(PATH, data=body, headers=MULTIPART)) == {"mode": NO_SUCH_PART}
    assert await product_count(client) == 0


async def test_a_form_without_parts_misses_the_file(client: Client, problems: Any) -> None:
    """The missing part is named."""
    response = await client.post(PATH, data=b"--XX--\r\n", headers=MULTIPART)
    assert await problems(response) == {"file": "required; send the workbook as the part named file"}


@pytest.mark.parametrize("preamble", [b"", b"\r\n", b"a preamble\r\n\r\n" * 1000])
async def test_a_preamble_and_an_epilogue_are_skipped(
    client: Client, workbook: Callable[..., bytes], preamble: bytes
) -> None:
    """What precedes the first boundary and follows the last one is ignored (RFC 2046, clause 5.1.1)."""
    body = preamble + FILE + workbook() + END + b"an epilogue\r\n"
    assert (await client.post(PATH, data=body, headers=MULTIPART)).status == 200


@pytest.mark.parametrize(
    "outside",
    [
        b"x",
        b"\r\n",
        b"no boundary\r\n" * 50,
        b'--XX\r\nContent-Disposition: form-data; name="sheet"\r\nX: %b\r\n\r\n\r\n' % (b"a" * 4000),
    ],
    ids=["no line", "blank lines", "lines", "part headers"],
)
async def test_what_is_next_to_the_parts_has_a_bound(
    client: Client, refused: Any, free_capacity: Callable[[], int], outside: bytes
) -> None:
    """A chunked body cannot send without limit before its first part, nor in the headers of its parts."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(50):
            yield outside * (65536 // len(outside))

    reply = await refused(await client.post(PATH, data=chunks(), headers=MULTIPART), 400, "FILE_TOO_LARGE")
    assert reply["message"] == "the body has more than 65536 bytes outside its parts"
    assert free_capacity() == 3


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x00" * 1000])
async def test_a_file_that_is_no_workbook_is_refused(
    client: Client, upload: Callable[..., FormData], refused: Any, content: bytes
) -> None:
    """Empty files and mere beginnings of workbooks are reported as unreadable."""
    await refused(await client.post(PATH, data=upload(content)), 400, "INVALID_FILE_FORMAT")


async def test_a_name_does_not_matter(client: Client, workbook: Callable[..., bytes]) -> None:
    """The content decides, whatever the file's name is, even without one."""
    for name in (b'; filename="../../etc/passwd"', b'; filename="a.exe"', b""):
        body = b'--XX\r\nContent-Disposition: form-data; name="file"' + name + b"\r\n\r\n" + workbook() + END
        assert (await client.post(PATH, data=body, headers=MULTIPART)).status == 200


@pytest.mark.parametrize("first", [True, False])
async def test_texts_may_stand_on_either_side_of_the_file(
    client: Client,
    workbook: Callable[..., bytes],
    first: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Parts may come in any order."""
    parts = [FILE + workbook(), SHEET + b"Sheet", MAP + b'{"SKU": "product_code", "Name": "description"}']
    body = b"\r\n".join(parts[::-1] if first else parts) + END
    assert (await client.post(PATH, data=body, headers=MULTIPART)).status == 200
    assert await product_count(client) == 2


async def test_texts_left_empty_ask_for_nothing(client: Client, workbook: Callable[..., bytes]) -> None:
    """A form in a browser sends its empty fields too."""
    body = FILE + workbook() + b"\r\n" + SHEET + b"\r\n" + MAP + b" " + END
    assert (await client.post(PATH, data=body, headers=MULTIPART)).status == 200


async def test_all_that_is_wrong_with_the_parts_is_reported_at_once(client: Client, problems: Any) -> None:
    """Unknown parts, repeated ones, wrong texts and the missing file are reported together."""
    body = form(part("mode", b"update"), SHEET + b"x" * 256, MAP + b"{")
    reply = await problems(await client.post(PATH, data=body, headers=MULTIPART))
    assert list(reply) == ["mode", "sheet", "map", "file"]
    assert reply["sheet"] == "String should have at most 255 characters"


async def test_many_wrong_parts_end_the_looking(client: Client, refused: Any) -> None:
    """After fifty of them, and one more, the rest of the body is not parsed."""
    response = await client.post(PATH, data=form(*[part("x", b"1")] * 1000), headers=MULTIPART)
    details = (await refused(response, 400, "VALIDATION_ERROR"))["details"]
    assert (len(details["errors"]), details["errors_truncated"]) == (50, True)


async def test_a_text_of_a_form_is_bounded(client: Client, problems: Any) -> None:
    """A text over its limit is refused by name, whatever it contains."""
    body = MAP + b"\xff" * 65_537 + b"\r\n" + SHEET + b"\xff" + b"\r\n" + FILE + b"x" + END
    reply = await problems(await client.post(PATH, data=body, headers=MULTIPART))
    assert reply == {"map": "longer than 65536 bytes", "sheet": "not UTF-8"}


async def test_parts_that_no_one_asked_for_count_towards_the_limit(make_client: Any, refused: Any) -> None:
    """A chunked body cannot send without limit under another name."""

    async def chunks() -> AsyncIterator[bytes]:
        yield part("x")
        for _ in range(50):
            yield b"x" * 65536

    client = await make_client(max_upload_bytes=100_000)
    await refused(await client.post(PATH, data=chunks(), headers=MULTIPART), 400, "FILE_TOO_LARGE")
